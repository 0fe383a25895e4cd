/**
 * A file from source to kernel: built with the plugin of this package, run in a process of its own on the real
 * library, lowered and as written. The expected numbers are Python TensorFlow's (scripts/oracle).
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run as runCli } from '../../lib/cli/main';
import { decode, ORACLE_SCORING } from '../helpers/oracle';

const ROOT = join(__dirname, '../..');
const ORACLE = join(ROOT, 'test/fixtures/oracle/scoring.json');

const SCORE = `import { tf } from 'tfe-node';
import type { TensorF32Cpu1D, TensorF32Cpu2D, TensorI64Cpu1D } from 'tfe-node/types';

/** The 12-op scoring function: logits. */
export function logits(
  x: TensorF32Cpu2D,
  mean: TensorF32Cpu1D,
  scale: TensorF32Cpu1D,
  wFeature: TensorF32Cpu2D,
  bFeature: TensorF32Cpu1D,
  wHead: TensorF32Cpu2D,
  bHead: TensorF32Cpu1D,
  rounds: number,
): TensorF32Cpu2D {
  let h = tf.nn.bias_add(tf.matmul(tf.divide(tf.subtract(x, mean), scale), wFeature), bFeature);
  for (let i = 0; i < rounds; i++) {
    if (i % 2 === 0) {
      h = tf.nn.relu(h);
    } else {
      h = tf.nn.tanh(h);
    }
  }
  return tf.nn.bias_add(tf.matmul(h, wHead), bHead);
}

export const probabilities = (logits: TensorF32Cpu2D): TensorF32Cpu2D => tf.nn.softmax(logits, 1);

export function classes(probabilities: TensorF32Cpu2D): TensorI64Cpu1D {
  return tf.argmax(probabilities, /* axis */ 1);
}

/** One call that nobody claims. */
export function mixed(x: TensorF32Cpu2D): TensorF32Cpu2D {
  return tf.nn.relu(tf.cos(tf.nn.relu(x)));
}

export function unlowered(x: TensorF32Cpu2D): TensorF32Cpu2D {
  return tf.cos(x);
}

/** Not async, and answers a promise. */
export function later(x: TensorF32Cpu2D): Promise<TensorF32Cpu2D> {
  return slow(tf.nn.relu(x));
}

export async function slow(x: TensorF32Cpu2D): Promise<TensorF32Cpu2D> {
  const h = tf.nn.relu(x);
  await Promise.resolve();
  return tf.add(h, x);
}
`;

/** Runs every function and prints what it gave, or the error it threw, as JSON. */
const MAIN = `import { readFileSync } from 'node:fs';
import { isTfeError, scope, status, tf, type Tensor } from 'tfe-node';
import { describeLowered } from 'tfe-node/lowered';
import { classes, later, logits, mixed, probabilities, slow, unlowered } from './score';

const oracle = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));
const decode = ({ shape, data }: { shape: number[]; data: string }): any =>
  tf.constant(new Float32Array(new Uint8Array(Buffer.from(data, 'base64')).buffer), { shape });
const encode = (tensor: Tensor) =>
  Buffer.from((tensor.dataSync() as Float32Array).buffer).toString('base64');
const attempt = async (run: () => Tensor | Promise<Tensor>) => {
  try {
    const tensor = await run();
    const data = encode(tensor);
    tensor.dispose();
    return data;
  } catch (error) {
    if (!isTfeError(error)) throw error;
    const { code, site, ruleId, facts } = error;
    return { code, site, ruleId, facts };
  }
};

const x = decode(oracle.batches[0].x);
const vector: any = tf.constant([1, 2, 3]);
const gone: any = tf.constant([[1]]);
gone.dispose();
const before = status().liveTensors;
const { parameters: p, rounds } = oracle;
const batches = oracle.batches.map((batch: { x: { shape: number[]; data: string } }) =>
  scope(() => {
    const l = logits(
      decode(batch.x), decode(p.mean), decode(p.scale), decode(p.w_feature), decode(p.b_feature),
      decode(p.w_head), decode(p.b_head), rounds,
    );
    const q = probabilities(l);
    return { logits: encode(l), probabilities: encode(q), classes: encode(classes(q)) };
  }),
);
const others = {
  mixed: await attempt(() => mixed(x)),
  unlowered: await attempt(() => unlowered(x)),
  slow: await attempt(() => slow(x)),
  later: await attempt(() => later(x)),
  rank: await attempt(() => probabilities(vector)),
  disposed: await attempt(() => probabilities(gone)),
  shape: await attempt(() => logits(x, vector, vector, x, vector, x, vector, 1)),
};
const calls = Object.fromEntries(
  describeLowered().map(({ name, calls }) => [name, [calls.lowered, calls.source]]),
);
console.log(JSON.stringify({ batches, others, calls, before, after: status().liveTensors }));
`;

interface Failure {
  readonly code: string;
  readonly site?: string;
  readonly ruleId?: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Outcome {
  readonly batches: readonly Record<'logits' | 'probabilities' | 'classes', string>[];
  readonly others: Readonly<
    Record<
      'mixed' | 'unlowered' | 'slow' | 'later' | 'rank' | 'disposed' | 'shape',
      string | Failure
    >
  >;
  /** Function to the calls that began on its lowered and on its source leg. */
  readonly calls: Readonly<Record<string, readonly [lowered: number, source: number]>>;
  readonly before: number;
  readonly after: number;
}

let folder: string;
let printed = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tfe-end-to-end-'));
  mkdirSync(join(folder, 'src'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/tfe-node'));
  writeFileSync(join(folder, 'src/score.ts'), SCORE);
  writeFileSync(join(folder, 'src/main.ts'), MAIN);
  const code = await runCli(['build', 'src', '--out', 'out'], {
    cwd: folder,
    env: {},
    isTerminal: false,
    out: (text) => void (printed += text),
    err: (text) => void (printed += text),
    exitCode: 0,
  });
  expect([code, printed]).toEqual([0, expect.stringContaining('2 modules built into out')]);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function runBuilt(mode: 'auto' | 'native' | 'fallback'): Outcome {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(folder, 'out/main.js'), ORACLE],
    { encoding: 'utf8', env: { ...process.env, TFE_NODE_MODE: mode, TF_CPP_MIN_LOG_LEVEL: '2' } },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Outcome;
}

describe('a built scoring function', () => {
  let auto: Outcome;
  let native: Outcome;
  let fallback: Outcome;

  beforeAll(() => {
    [auto, native, fallback] = [runBuilt('auto'), runBuilt('native'), runBuilt('fallback')];
  });

  it('is native, and the build says so', () => {
    expect(printed).toMatch(/score\.ts:5:17 {2}logits {2}native, 8 of 8 sites lowered$/m);
    expect(printed).toMatch(/probabilities {2}native, 1 of 1 site lowered$/m);
    expect(printed).toMatch(/mixed {2}mixed, 2 of 3 sites lowered: .*tf\.cos/);
    expect(printed).toMatch(/unlowered {2}fallback, runs as written, in a scope: .*tf\.cos/);
    expect(printed).toMatch(/slow {2}mixed, 2 of 2 sites lowered: .*async/);
  });

  it('runs on the leg that the mode asks for', () => {
    expect(auto.calls).toMatchObject({
      classes: [3, 0],
      mixed: [1, 0],
      unlowered: [0, 1],
      slow: [2, 0],
    });
    expect(native.calls).toMatchObject({ classes: [3, 0] });
    expect(fallback.calls).toMatchObject({ classes: [0, 3], mixed: [0, 1], slow: [0, 2] });
  });

  it('gives the same bits lowered and as written', () => {
    expect(auto.batches).toEqual(fallback.batches);
    expect(native.batches).toEqual(fallback.batches);
    for (const name of ['mixed', 'unlowered', 'slow', 'later'] as const) {
      expect(typeof auto.others[name]).toBe('string');
      expect(auto.others[name]).toBe(fallback.others[name]);
    }
  });

  it("gives Python TensorFlow's numbers", () => {
    ORACLE_SCORING.batches.forEach((oracle, index) => {
      const { logits, probabilities, classes } = auto.batches[index]!;
      expect(classes).toBe(oracle.classes.data);
      for (const [data, want] of [
        [logits, oracle.logits],
        [probabilities, oracle.probabilities],
      ] as const) {
        const got = decode({ ...want, data }) as Float32Array;
        decode(want).forEach((value, i) => expect(got[i]).toBeCloseTo(Number(value), 5));
      }
    });
  });

  it('leaves no tensor behind on any leg', () => {
    for (const { before, after } of [auto, native, fallback]) {
      expect(before).toBeGreaterThan(0);
      expect(after).toBe(before);
    }
  });

  it('refuses to run in native mode what is not native, and says why', () => {
    for (const name of ['mixed', 'unlowered', 'slow'] as const) {
      expect(native.others[name]).toMatchObject({
        code: 'TFE_MODE_NOT_NATIVE',
        facts: { function: name, status: name === 'unlowered' ? 'fallback' : 'mixed' },
      });
    }
  });

  it('checks its annotated parameters on the lowered leg only', () => {
    expect(auto.others.rank).toMatchObject({
      code: 'TFE_BOUNDARY_RANK',
      facts: { function: 'probabilities', parameter: 'logits', expected: 2, received: 1 },
    });
    expect(auto.others.disposed).toMatchObject({ code: 'TFE_BOUNDARY_DISPOSED' });
    expect((fallback.others.disposed as Failure).code).toBe('TFE_TENSOR_DISPOSED');
  });

  it("locates an op's error in the source, with the same code as when written", () => {
    const failure = auto.others.shape as Failure;
    expect(failure.code).toBe((fallback.others.shape as Failure).code);
    expect(failure.site).toMatch(/^score\.ts:15:\d+$/);
    expect(failure.ruleId).toMatch(/^tfe-tensorflow\//);
  });
});
