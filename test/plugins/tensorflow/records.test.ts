/** What the plugin declares about itself. */
import { describe, expect, test } from '@jest/globals';
import { PLUGIN_API_VERSION } from '../../../plugins/core/api';
import { plugin } from '../../../plugins/tensorflow';
import { F1, F2, I1 } from './sites';

const records = plugin.describe();

/** Numbers and slugs of rextio-plugin-protocol.md 5.4, the ones of this plugin's ops. */
const NUMBERED = {
  '001': 'matmul-f32-cpu-2d',
  '002': 'relu-f32-cpu-2d',
  '003': 'add-call-f32-cpu',
  '005': 'sigmoid-f32-cpu-2d',
  '006': 'add-binop-f32-cpu',
  '007': 'softmax-axis1-f32-cpu-2d',
  '008': 'argmax-axis1-i64-cpu-2d',
  '009': 'tanh-f32-cpu-2d',
  '010': 'unsupported-tensor-surface',
  '012': 'mul-binop-f32-cpu',
  '013': 'mul-call-f32-cpu',
  '014': 'sub-call-f32-cpu',
  '015': 'sub-binop-f32-cpu',
  '016': 'div-call-f32-cpu',
  '017': 'div-binop-f32-cpu',
  '018': 'relu-f32-cpu-1d',
  '019': 'sigmoid-f32-cpu-1d',
  '020': 'tanh-f32-cpu-1d',
  '021': 'bias-add-nhwc-f32-cpu-2d',
  '024': 'argmax-axis0-i64-cpu-2d',
  '025': 'softmax-axis0-f32-cpu-1d',
} as const;

describe('rule records', () => {
  test('carry the numbers and slugs of rextio-tensorflow, one rule for each code', () => {
    const expected = Object.entries(NUMBERED).map(
      ([number, slug]) => [`TFEP-TENSORFLOW-${number}`, `tfe-tensorflow/${slug}`] as const,
    );
    const declared = records.map(({ diagnosticCode, id }) => [diagnosticCode, id] as const);
    expect(new Map(declared)).toEqual(new Map(expected));
    expect(records).toHaveLength(expected.length);
  });

  test.each(records.map((record) => [record.id, record] as const))(
    '%s says what must hold and what to write',
    (_, { constraint, guidance, scope }) => {
      for (const text of [constraint, guidance]) expect(text).toMatch(/^\S.*\.$/);
      expect(scope.pattern).not.toBe('');
    },
  );

  test('lower calls only; every operator is refused', () => {
    for (const { scope, outcome } of records) {
      expect(outcome).toBe({ call: 'native', binop: 'reject', type: 'fallback' }[scope.kind]);
    }
  });
});

test('the vocabulary names the types that tfe-node/types exports, with what a boundary checks', () => {
  expect(plugin.typeVocabulary()).toEqual([
    {
      key: F2,
      annotations: [{ module: 'tfe-node/types', name: 'TensorF32Cpu2D' }],
      tensor: { dtype: 'float32', rank: 2 },
    },
    {
      key: F1,
      annotations: [{ module: 'tfe-node/types', name: 'TensorF32Cpu1D' }],
      tensor: { dtype: 'float32', rank: 1 },
    },
    {
      key: I1,
      annotations: [{ module: 'tfe-node/types', name: 'TensorI64Cpu1D' }],
      tensor: { dtype: 'int64', rank: 1 },
    },
  ]);
});

test('the coverage lists every path that a rule claims, aliases included, and nothing else', () => {
  const { packages, symbols } = plugin.covers();
  expect(packages).toEqual(['tfe-node']);
  expect([...symbols].sort()).toEqual(
    [
      'tf.add',
      'tf.argmax',
      'tf.divide',
      'tf.linalg.matmul',
      'tf.math.add',
      'tf.math.divide',
      'tf.math.multiply',
      'tf.math.subtract',
      'tf.matmul',
      'tf.multiply',
      'tf.nn.bias_add',
      'tf.nn.relu',
      'tf.nn.sigmoid',
      'tf.nn.softmax',
      'tf.nn.tanh',
      'tf.subtract',
    ].sort(),
  );
});

test('the plugin says who it is and which API it speaks', () => {
  expect(plugin.id).toBe('tfe-tensorflow');
  expect(plugin.apiVersion).toBe(PLUGIN_API_VERSION);
});
