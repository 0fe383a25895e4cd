'use strict';
// One side of bench/start.mjs: prints the nanoseconds from here to the first result.
const start = process.hrtime.bigint();
const { tf } = require('tfe-node');
const x = tf.constant(new Float32Array([1, 2, 3, 4]), { shape: [2, 2] });
const y = tf.constant(new Float32Array([10, 20, 30, 40]), { shape: [2, 2] });
const [first] = tf.add(x, y).dataSync();
const took = process.hrtime.bigint() - start;
if (first !== 11) throw new Error(`1 + 10 is not ${first}`);
console.log(String(took));
