// 16 MiB in and out, against memcpy in C: the same process, the same malloc. What a copy costs depends on where it goes: to
// memory that is new to the process, the kernel's page faults cost several times the copy. So there are three comparisons, and
// each has the same kind of memory on both sides:
//
//   same    from the same memory to the same, again and again: what readInto() is for. A section of its own, `read`, because
//           the others leave work to the collector.
//
//   freed   allocate, copy, free, again: after the first time, before the clock, malloc hands the same warm block out.
//   held    allocate and copy a few times, all of it held until the clock has stopped: memory that is new to the process,
//           because what malloc kept was given back to the system before.
//
// What dataSync() answers is the collector's to free, so it can only be held. An upload can only be freed: TensorFlow's own
// allocator keeps what it once had, so that holding it would compare warm memory with new.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { tf } from 'tfe-node';

import { nanoseconds } from './lib/clock.mjs';

const MEBIBYTES = 16;
const COUNT = 4;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** Twice: the first collection leaves the freeing of array buffers to another thread, the second waits for it. */
async function collected() {
  collect();
  await new Promise((resolve) => setImmediate(resolve)); // finalizers
  collect();
}

export function transfer({ c }) {
  const data = new Float32Array(MEBIBYTES * 2 ** 18).fill(1.5);
  const options = { shape: [2 ** 9, data.length / 2 ** 9] };
  const x = tf.constant(data, options);
  const upload = () => tf.constant(data, options);
  const freed = (copy) => () => {
    copy(1);
    return copy(COUNT) / COUNT;
  };
  const held = (copy) => async () => {
    await collected();
    c.trim();
    return copy() / COUNT;
  };
  /** Times `make` until COUNT of its results are held. */
  const holding = (make) =>
    held(() => {
      const results = [];
      return nanoseconds(() => {
        for (let i = 0; i < COUNT; i++) results.push(make());
      });
    });
  return {
    title: `${MEBIBYTES} MiB of float32, blocks of ${COUNT}`,
    unit: 'ms',
    rounds: 60,
    contestants: [
      { name: 'malloc + memcpy + free', run: freed((count) => c.copyFreed(data, count)) },
      {
        name: 'tf.constant + dispose',
        against: 'malloc + memcpy + free',
        run: freed((count) =>
          nanoseconds(() => {
            for (let i = 0; i < count; i++) upload().dispose();
          }),
        ),
        bar: 1.2,
      },
      { name: 'malloc + memcpy, held', run: held(() => c.copyHeld(data, COUNT)) },
      {
        name: 'dataSync(), held',
        against: 'malloc + memcpy, held',
        run: holding(() => x.dataSync()),
        bar: 1.2,
      },
      {
        name: 'Float32Array.slice, held',
        against: 'malloc + memcpy, held',
        run: holding(() => data.slice()),
      },
      {
        name: 'dataSync({ copy: false }), held',
        against: 'malloc + memcpy, held',
        run: holding(() => x.dataSync({ copy: false })),
      },
    ],
    end: () => x.dispose(),
  };
}

/** Reads a tensor again and again, with nothing else about. */
export function read({ c }) {
  const x = tf.constant(new Float32Array(MEBIBYTES * 2 ** 18).fill(1.5));
  const lent = x.dataSync({ copy: false });
  const target = new Float32Array(lent.length).fill(0);
  return {
    title: `${MEBIBYTES} MiB of float32 from a tensor to an array, blocks of ${COUNT}`,
    unit: 'ms',
    rounds: 60,
    contestants: [
      { name: 'memcpy', run: () => c.copySame(lent, target, COUNT) / COUNT },
      {
        name: 'readInto()',
        run: () => {
          x.readInto(target); // before the clock, as in C
          const taken = nanoseconds(() => {
            for (let i = 0; i < COUNT; i++) x.readInto(target);
          });
          return taken / COUNT;
        },
        bar: 1.2,
      },
    ],
    end: () => x.dispose(),
  };
}
