/**
 * The library in the plain jest environment, whose realm is not the process's: what users' own tests run in. The addon makes
 * its objects in the process's realm; none of them may reach a user.
 */
import { statSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { isTfeError, scope, scopeAsync, Tensor, tf, TfeError } from 'tfe-node';
import { defineExtensionOp } from 'tfe-node/extension';

test('this realm is not the one of the process', () => {
  expect(statSync(__filename).mtime instanceof Date).toBe(false);
});

describe('values of this realm', () => {
  test.each([
    ['float32', new Float32Array([1, 2])],
    ['float64', new Float64Array([1, 2])],
    ['int8', new Int8Array([1, 2])],
    ['int16', new Int16Array([1, 2])],
    ['int32', new Int32Array([1, 2])],
    ['int64', new BigInt64Array([1n, 2n])],
    ['uint8', new Uint8Array([1, 2])],
    ['uint16', new Uint16Array([1, 2])],
    ['uint32', new Uint32Array([1, 2])],
    ['uint64', new BigUint64Array([1n, 2n])],
  ] as const)('typed arrays of %s are taken, and come back in this realm', (dtype, values) => {
    scope(() => {
      const tensor = tf.constant(values);
      expect(tensor.dtype).toBe(dtype);
      const data = tensor.dataSync();
      expect(data).toEqual(values);
      expect(data).toBeInstanceOf(values.constructor);
    });
  });

  test('nested arrays are taken, and come back in this realm', () => {
    scope(() => {
      const rows = tf.constant([[1, 2], [3, 4]]).arraySync(); // prettier-ignore
      expect(rows).toEqual([[1, 2], [3, 4]]); // prettier-ignore
      expect(rows).toBeInstanceOf(Array);
    });
  });

  test('a Buffer is taken, too', () => {
    scope(() => {
      expect(tf.constant(Buffer.from([1, 2])).dataSync()).toEqual(new Uint8Array([1, 2]));
    });
  });

  test('strings and complex numbers are taken, and come back in this realm', () => {
    scope(() => {
      const texts = tf.constant([new Uint8Array([97]), 'é'], { dtype: 'string' });
      expect(texts.dataSync()).toEqual(['a', 'é']);
      expect(texts.dataSync()).toBeInstanceOf(Array);
      expect(texts.dataSync({ string: 'bytes' })[0]).toBeInstanceOf(Uint8Array);
      const complex = tf.constant([{ re: 1, im: 2 }]).arraySync();
      expect(complex).toEqual([{ re: 1, im: 2 }]);
      expect(complex[0]).toBeInstanceOf(Object);
    });
  });

  test('memory that is lent is seen through a typed array of this realm', () => {
    scope(() => {
      const tensor = tf.constant(new Float32Array(10_000).fill(3));
      const lent = tensor.dataSync({ copy: false });
      expect(lent).toBeInstanceOf(Float32Array);
      expect(lent[9999]).toBe(3);
      expect(tf.constant(lent).dataSync()).toEqual(tensor.dataSync());
    });
  });

  test('plain objects of this realm are payloads and results', () => {
    const family = defineExtensionOp({
      familyId: 'test.realm.v1',
      inputCount: 1,
      outputCount: 1,
      effects: [],
      aliases: 'allFresh',
      inferOutputMeta: () => [],
    });
    expect(family.op({ axes: [0] }).payload).toEqual({ axes: [0] });
    const { x } = scope(() => ({ x: tf.constant(1) }));
    expect(x.isDisposed).toBe(false);
    x.dispose();
  });
});

describe('results of ops', () => {
  test('are typed arrays of this realm', () => {
    scope(() => {
      const y = tf.nn.softmax(tf.matmul(tf.constant([[0]]), tf.constant([[0]])), 1);
      expect(y.dataSync()).toBeInstanceOf(Float32Array);
      expect(tf.argmax(y, 1).dataSync()).toBeInstanceOf(BigInt64Array);
    });
  });

  test('are promises of this realm', async () => {
    using tensor = tf.constant([1]);
    const promise = tensor.data();
    expect(promise).toBeInstanceOf(Promise);
    expect(await promise).toBeInstanceOf(Float32Array);
    expect(scopeAsync(() => Promise.resolve(1))).toBeInstanceOf(Promise);
  });
});

describe('errors', () => {
  const thrown = (run: () => unknown): unknown => {
    try {
      run();
    } catch (error) {
      return error;
    }
    return undefined;
  };
  // Passes our own checks; that no op has answered its id is the addon's to find.
  const forged = Reflect.construct(Tensor as unknown as typeof Object, [
    5,
    'float32',
    [1],
  ]) as Tensor;
  const ours: readonly (readonly [string, () => unknown])[] = [
    ['of our own checks', () => tf.constant([[1], [1, 2]] as never)],
    ['of the addon', () => forged.dataSync()],
    ['of TensorFlow', () => scope(() => tf.add(tf.constant([1, 2]), tf.constant([1, 2, 3])))],
  ];

  test.each(ours)('%s are TfeErrors and Errors of this realm', (_, run) => {
    const error = thrown(run);
    expect(error).toBeInstanceOf(TfeError);
    expect(error).toBeInstanceOf(Error);
    expect(isTfeError(error)).toBe(true);
  });

  test.each(ours)('%s are caught by toThrow', (_, run) => {
    expect(run).toThrow(TfeError);
  });

  test('of promises reject with a TfeError', async () => {
    const tensor = tf.constant(1);
    tensor.dispose();
    await expect(tensor.data()).rejects.toBeInstanceOf(TfeError);
  });
});
