// Scores handwritten digits with a small trained network. Written as any TypeScript is: nothing here knows that it may be
// lowered, apart from the annotations.
import { tf } from 'tfe-node';
import type { TensorF32Cpu1D, TensorF32Cpu2D, TensorI64Cpu1D } from 'tfe-node/types';

/** Probabilities of the ten digits for each image: `[batch, 64]` pixels to `[batch, 10]`. */
export function score(
  pixels: TensorF32Cpu2D,
  mean: TensorF32Cpu1D,
  scale: TensorF32Cpu1D,
  wIn: TensorF32Cpu2D,
  bIn: TensorF32Cpu1D,
  wHidden: TensorF32Cpu2D,
  bHidden: TensorF32Cpu1D,
  wOut: TensorF32Cpu2D,
  bOut: TensorF32Cpu1D,
  rounds: number,
): TensorF32Cpu2D {
  let h = tf.divide(tf.subtract(pixels, mean), scale);
  h = tf.nn.bias_add(tf.matmul(h, wIn), bIn);
  for (let round = 0; round < rounds; round++) {
    h = tf.nn.bias_add(tf.matmul(h, wHidden), bHidden);
    if (round % 2 === 0) {
      h = tf.nn.relu(h);
    } else {
      h = tf.nn.tanh(h);
    }
  }
  const logits = tf.nn.bias_add(tf.matmul(h, wOut), bOut);
  return tf.nn.softmax(logits, 1);
}

/** The most probable digit of each image: `[batch, 10]` probabilities to `[batch]` classes. */
export function classify(probabilities: TensorF32Cpu2D): TensorI64Cpu1D {
  return tf.argmax(probabilities, 1);
}
