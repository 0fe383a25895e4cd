/** dataSync({ copy: false }): the tensor's own memory, for as long as somebody has it. */
import { describe, expect, test } from '@jest/globals';
import { scope, status, tf, type Tensor } from '../../lib';
import { native } from '../../lib/native/loader';
import { newCarrier, PLAIN_DTYPES } from '../../lib/tensor/dtype';
import { Kernel } from '../../lib/tensor/kernel';
import { collect, collectUntil } from '../helpers/collect';
import { codeOf, expectNoTensorsLeft } from './accounting';

expectNoTensorsLeft();

const LARGE = 1 << 18;
const BYTES = LARGE * 4;
const RESHAPE = new Kernel({
  label: 'test',
  name: 'Reshape',
  inputs: 1,
  constants: [{ position: 1, values: [-1, 1], dtype: 'int32' }],
});

const large = (): Tensor<'float32', 1> => tf.constant(new Float32Array(LARGE).fill(7));
const lentBytes = (): number => status({ load: true }).lentBytes;

describe('a lend', () => {
  test('is not a copy', () => {
    scope(() => {
      const tensor = large();
      const before = lentBytes();
      const [first, second] = [tensor.dataSync({ copy: false }), tensor.dataSync({ copy: false })];
      expect(lentBytes() - before).toBe(2 * BYTES);
      // What the page forbids, to see that it is one memory.
      first[0] = 8;
      expect([second[0], tensor.dataSync()[0]]).toEqual([8, 8]);
    });
  });

  test.each(PLAIN_DTYPES)('of %s has the bytes of a copy', (dtype) => {
    scope(() => {
      const carrier = newCarrier(dtype, LARGE);
      new Uint8Array(carrier.buffer).forEach((_, i, bytes) => (bytes[i] = i % 2));
      const tensor = tf.constant(carrier, { dtype });
      const lent = tensor.dataSync({ copy: false, float16: 'bits' }) as Uint8Array;
      expect(lent.constructor).toBe(carrier.constructor);
      expect(Buffer.from(lent.buffer).equals(Buffer.from(carrier.buffer))).toBe(true);
    });
  });

  test('outlives the tensor, and the tensors that come after it', () => {
    const tensor = large();
    const lent = tensor.dataSync({ copy: false });
    tensor.dispose();
    scope(() => {
      for (let i = 0; i < 20; i++) tf.constant(new Float32Array(LARGE).fill(i));
      expect(lent.every((value) => value === 7)).toBe(true);
    });
  });

  test('is not written to by an op that could work in place', () => {
    scope(() => {
      // relu is the last user of the sum, and may write over it unless somebody has a share.
      const sum = tf.add(large(), -14);
      const lent = sum.dataSync({ copy: false });
      const positive = tf.nn.relu(sum);
      sum.dispose();
      expect([lent[0], positive.dataSync()[0]]).toEqual([-7, 0]);
    });
  });

  test('of tensors that share memory is possible for both', () => {
    scope(() => {
      const tensor = large();
      const column = RESHAPE.run1(tensor) as Tensor<'float32', 2>;
      const [a, b] = [tensor.dataSync({ copy: false }), column.dataSync({ copy: false })];
      tensor.dispose();
      column.dispose();
      expect([a[5], b[5]]).toEqual([7, 7]);
    });
  });

  test('is given back when it is collected', async () => {
    const before = lentBytes();
    for (let i = 0; i < 20; i++) {
      using tensor = large();
      tensor.dataSync({ copy: false });
    }
    expect(lentBytes()).toBeGreaterThan(before);
    await collectUntil(() => lentBytes() <= before);
    expect(lentBytes()).toBeLessThanOrEqual(before);
  });

  test('is not given back while a part of it can be reached', async () => {
    const part = scope(() => large().dataSync({ copy: false }).subarray(10, 20));
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
    expect([...part]).toEqual(new Array(10).fill(7));
  });

  test('cannot be taken away to another thread', () => {
    scope(() => {
      const { buffer } = large().dataSync({ copy: false });
      try {
        structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
      } catch {
        // Node 21 and later refuse; before, it is copied instead.
      }
      expect(buffer.byteLength).toBe(BYTES);
    });
  });

  test('may be promised, too', async () => {
    using tensor = large();
    expect((await tensor.data({ copy: false }))[0]).toBe(7);
  });

  test('is refused of a disposed tensor', () => {
    const tensor = large();
    tensor.dispose();
    expect(codeOf(() => tensor.dataSync({ copy: false }))).toBe('TFE_TENSOR_DISPOSED');
  });
});

describe('a copy is answered all the same', () => {
  const copies = (tensor: Tensor, options: object = {}): void => {
    const before = lentBytes();
    tensor.dataSync({ copy: false, ...options });
    expect(lentBytes()).toBe(before);
  };

  test('for a small tensor, where a lend would cost more', () => {
    scope(() => copies(tf.constant(new Float32Array(100))));
  });

  test('for an empty one', () => {
    scope(() => copies(tf.constant(new Float32Array(0))));
  });

  test('where the values have another form', () => {
    scope(() => {
      copies(tf.cast(large(), 'float16'));
      copies(tf.cast(large(), 'int64'), { int64: 'number' });
      copies(tf.constant(new Array<string>(1000).fill('x'.repeat(100))));
    });
  });

  test('where the host forbids memory that is not its own', () => {
    const binding = native() as { lend: unknown };
    const lend = binding.lend;
    binding.lend = () => undefined;
    try {
      scope(() => {
        const tensor = large();
        const data = tensor.dataSync({ copy: false });
        expect(data).toEqual(tensor.dataSync());
      });
    } finally {
      binding.lend = lend;
    }
  });
});
