/** Loops that must not grow: what is held and what is resident, after the first part and at the end. */
import { Worker } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTfeError, scope, status, tf } from '../../../lib';
import { say, task } from './program';

export interface MemoryTask {
  readonly loop: 'scope' | 'dispose' | 'fail' | 'constants' | 'strings' | 'lends' | 'workers';
  /** Rounds before the first look, and in all. */
  readonly first: number;
  readonly total: number;
}

const ROUNDS_PER_SCOPE = 1000;

const collect = (globalThis as { gc?: () => void }).gc!;

async function look(rounds: number): Promise<void> {
  // A turn of the loop between two collections: finalizers run in it.
  collect();
  await sleep(0);
  collect();
  const { liveTensors, liveBytes } = status();
  say({ rounds, rss: process.memoryUsage().rss, liveTensors, liveBytes });
}

/** Makes the function that runs `count` rounds; what it holds all the time, it makes first. */
const LOOPS: Readonly<Record<MemoryTask['loop'], () => (count: number) => void | Promise<void>>> = {
  scope() {
    const x = tf.constant([
      [1, 2],
      [3, 4],
    ]);
    return (count) => {
      for (let done = 0; done < count; done += ROUNDS_PER_SCOPE) {
        scope(() => {
          for (let i = 0; i < ROUNDS_PER_SCOPE; i += 1) tf.add(x, x);
        });
      }
    };
  },
  dispose() {
    const x = tf.constant([
      [1, 2],
      [3, 4],
    ]);
    return (count) => {
      for (let i = 0; i < count; i += 1) tf.add(x, x).dispose();
    };
  },
  fail() {
    // Two shapes that only TensorFlow compares: the error comes from the addon.
    const two = tf.constant([1, 2]);
    const three = tf.constant([1, 2, 3]);
    return (count) => {
      for (let i = 0; i < count; i += 1) {
        try {
          tf.add(two, three);
          throw new Error('TensorFlow added shapes that do not match');
        } catch (error) {
          if (!isTfeError(error) || error.tfStatus === undefined) throw error;
        }
      }
    };
  },
  constants() {
    const data = new Float32Array(1 << 20);
    return (count) => {
      for (let i = 0; i < count; i += 1) tf.constant(data).dispose();
    };
  },
  strings() {
    const text = 'x'.repeat(1024);
    return (count) => {
      for (let i = 0; i < count; i += 1) {
        const tensor = tf.constant([text, 'small', text]);
        // Every other one is read, too.
        if (i % 2 === 0) tensor.dataSync();
        tensor.dispose();
      }
    };
  },
  lends() {
    const data = new Float32Array(1 << 16);
    return async (count) => {
      for (let i = 0; i < count; i += 1) {
        const tensor = tf.constant(data);
        tensor.dataSync({ copy: false });
        tensor.dispose();
        if (i % 20 !== 19) continue;
        collect();
        await sleep(0);
      }
    };
  },
  workers() {
    return async (count) => {
      for (let i = 0; i < count; i += 1) {
        const worker = new Worker(
          `const { tf } = require(require('node:worker_threads').workerData);
           globalThis.held = [];
           for (let i = 0; i < 10; i += 1) held.push(tf.constant(new Float32Array(1 << 18)));
           for (let i = 0; i < 100; i += 1) held.push(tf.add(held[0], held[1]));
           for (let i = 0; i < 10; i += 1) held.push(tf.constant('x'.repeat(1 << 20)));
           globalThis.lent = held.map((x) => x.dataSync({ copy: false }));`,
          { eval: true, workerData: require.resolve('../../../lib') },
        );
        const exit = await new Promise<number>((resolve, reject) => {
          worker.once('exit', resolve).once('error', reject);
        });
        if (exit !== 0) throw new Error(`worker ${i} ended with ${exit}`);
      }
    };
  },
};

async function main(): Promise<void> {
  const { loop, first, total } = task<MemoryTask>();
  const run = LOOPS[loop]();
  await run(first);
  await look(first);
  await run(total - first);
  await look(total);
}

void main();
