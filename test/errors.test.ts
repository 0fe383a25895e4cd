/** Walks the one registry of errors: every code has a message and a way out that are whole sentences. */
import { describe, expect, test } from '@jest/globals';
import { raw, tf, type Tensor } from '../lib';
import { isTfeError, TfeError, tfeError, ERRORS, type TfeErrorCode } from '../lib/errors';
import { ANALYSIS_ERRORS } from '../lib/errors/analysis';
import { BUILD_ERRORS } from '../lib/errors/build';
import { CALL_ERRORS } from '../lib/errors/call';
import { CLI_ERRORS } from '../lib/errors/cli';
import { EXTENSION_ERRORS } from '../lib/errors/extension';
import { INSTALL_ERRORS } from '../lib/errors/install';
import { LOAD_ERRORS } from '../lib/errors/load';
import { OP_ERRORS } from '../lib/errors/op';
import { TENSOR_ERRORS } from '../lib/errors/tensor';
import { stand } from './helpers/stand-in';

const TABLES = {
  analysis: ANALYSIS_ERRORS,
  build: BUILD_ERRORS,
  call: CALL_ERRORS,
  cli: CLI_ERRORS,
  extension: EXTENSION_ERRORS,
  install: INSTALL_ERRORS,
  load: LOAD_ERRORS,
  op: OP_ERRORS,
  tensor: TENSOR_ERRORS,
};
const CODES = Object.keys(ERRORS) as TfeErrorCode[];

/** Messages that end in what somebody else said: TensorFlow, a parser, or the reason of another finding. */
const ENDS_IN_A_REASON = new Set<TfeErrorCode>([
  'TFE_BUILD_PARSE',
  'TFE_MODE_NOT_NATIVE',
  'TFE_OP_FAILED',
  'TFE_PLATFORM_UNSUPPORTED',
]);

const SENTENCE = /[.!?][)"'`]?$/;

describe('the registry of errors', () => {
  test('has every code of every table, once', () => {
    const listed = Object.values(TABLES).flatMap((table) => Object.keys(table));
    expect(new Set(listed).size).toBe(listed.length);
    expect([...listed].sort()).toEqual([...CODES].sort());
  });

  // Word by word, as in an index: ALIAS, ALIAS_COVERAGE, ALIASES. The table of install goes by its steps.
  test.each(Object.entries(TABLES).filter(([name]) => name !== 'install'))(
    'keeps the table of %s sorted',
    (_, table) => {
      const codes = Object.keys(table);
      const words = (code: string) => code.split('_');
      const sorted = [...codes].sort((a, b) => {
        const [left, right] = [words(a), words(b)];
        const i = left.findIndex((word, at) => word !== right[at]);
        if (i < 0 || right[i] === undefined) return left.length - right.length;
        return left[i]! < right[i] ? -1 : 1;
      });
      expect(codes).toEqual(sorted);
    },
  );

  test.each(CODES)('%s is named in upper case, after the package', (code) => {
    expect(code).toMatch(/^TFE_[A-Z0-9]+(_[A-Z0-9]+)*$/);
  });
});

describe.each(CODES)('%s', (code) => {
  const { facts, asked } = stand();
  const error = new TfeError(code, facts);
  const hint = String(error.hint);
  const message = error.message.slice(0, error.message.length - hint.length).trimEnd();

  test('has a message of whole sentences', () => {
    // What another program printed may follow on lines of its own.
    const [said] = message.split('\n');
    expect(said).not.toBe('');
    if (!ENDS_IN_A_REASON.has(code)) expect(said).toMatch(SENTENCE);
  });

  test('has a way out of whole sentences or a command', () => {
    if (hint.startsWith('<') || hint.startsWith('Run: ')) return;
    expect(hint).toMatch(/^[A-Z`"']/);
    expect(hint).toMatch(SENTENCE);
  });

  test('puts every fact that it asks for into words', () => {
    expect(error.message).not.toMatch(/undefined|\[object|NaN/);
    for (const fact of asked) expect(fact).toMatch(/^[a-z][A-Za-z0-9]*$/);
  });
});

describe('a TfeError', () => {
  test.each<[string, (x: Tensor) => unknown]>([
    ['tf.matmul', (x) => tf.matmul(x as Tensor<'float32', 2>, x as Tensor<'float32', 2>)],
    ['tf.nn.softmax', (x) => tf.nn.softmax(tf.cast(x, 'int32'))],
    ['tf.nn.bias_add', (x) => tf.nn.bias_add(x as Tensor<'float32', 2>, x as never)],
    ['raw', (x) => raw.TopKV2(x as Tensor<'float32', 2>, 3 as never)],
    [
      'tf.addAsync',
      async (x) => (tf.addAsync as (...values: never[]) => Promise<unknown>)(x as never),
    ],
  ])(
    'of %s shows where it was called, with the ten frames that V8 keeps by default',
    async (_, call) => {
      const theCaller = async (): Promise<unknown> => {
        using x = tf.constant([[1, 2]]);
        return await call(x);
      };
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 10;
      const reason: unknown = await theCaller().catch((error: unknown) => error);
      expect(Error.stackTraceLimit).toBe(10);
      Error.stackTraceLimit = stackTraceLimit;
      expect((reason as Error).stack).toContain('theCaller');
    },
  );

  test('keeps no stack where the caller wants none', () => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    const { stack } = tfeError('TFE_QUEUE_FULL', { limit: '1' });
    Error.stackTraceLimit = stackTraceLimit;
    expect(stack).not.toContain('\n    at ');
  });

  const facts = { op: 'tf.add', axis: 2, rank: 1 };

  test('is an Error with code, phase, hint and facts', () => {
    const error = tfeError('TFE_OP_AXIS', facts);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'TfeError',
      code: 'TFE_OP_AXIS',
      phase: 'op',
      hint: 'Use an axis from -1 to 0.',
      facts,
    });
  });

  test('says where its code is explained', () => {
    expect(tfeError('TFE_OP_AXIS', facts).docs).toBe('docs/errors.md#tfe_op_axis');
  });

  test('says message and hint in one text', () => {
    expect(tfeError('TFE_OP_AXIS', facts).message).toBe(
      'tf.add: axis 2 is out of range for a tensor of rank 1. Use an axis from -1 to 0.',
    );
  });

  test('carries where it belongs, and nothing that is not known', () => {
    const tfStatus = { code: 3, name: 'INVALID_ARGUMENT', message: 'no' };
    const cause = new Error('below');
    const error = tfeError('TFE_OP_AXIS', facts, { op: 'tf.add', tfStatus, cause });
    expect(error).toMatchObject({ op: 'tf.add', tfStatus, cause });
    expect(error.familyId).toBeUndefined();
    expect('cause' in tfeError('TFE_OP_AXIS', facts)).toBe(false);
  });

  test('of another copy of the package is recognised by its name and code', () => {
    expect(isTfeError(Object.assign(new Error('x'), { name: 'TfeError', code: 'TFE_X' }))).toBe(
      true,
    );
    expect(isTfeError(tfeError('TFE_OP_AXIS', facts))).toBe(true);
    for (const other of [
      new Error('x'),
      null,
      'TfeError',
      { name: 'TfeError' },
      { code: 'TFE_X' },
    ]) {
      expect(isTfeError(other)).toBe(false);
    }
  });
});
