/**
 * The acceptance matrix: which forms are claimed, by which rule, and which code refuses the others.
 * Forms, rule slugs and numbers are those of rextio-plugin-protocol.md 5.4 and of
 * the seed's tables (003_887d807fd9fc667f.txt, "Supported TensorFlow forms"). A row where we answer
 * otherwise than rextio says so with "ours".
 */
import type { ClaimSite, OpRef, TypeKey } from '../../../plugins/core/api';
import {
  ABSENT,
  binop,
  call,
  DYNAMIC,
  F1,
  F2,
  FOREIGN,
  I1,
  options,
  SOME_NUMBER,
  SPREAD,
  written,
} from './sites';

export interface Accepted {
  readonly site: ClaimSite;
  readonly slug: string;
  readonly resultType: TypeKey;
  readonly op: OpRef;
  /** How many of the operands reach the op. */
  readonly tensors: number;
}

export interface Refused {
  readonly site: ClaimSite;
  readonly code: string;
  /** What the call returns when it runs as written. */
  readonly resultType: TypeKey | null;
  /** Part of the message. */
  readonly reason: RegExp;
  /** Part of the suggestion. */
  readonly suggestion: RegExp;
}

export interface Uncovered {
  readonly site: ClaimSite;
  readonly resultType: TypeKey | null;
  readonly why: string;
}

function accepted(
  site: ClaimSite,
  slug: string,
  resultType: TypeKey,
  op: OpRef,
  tensors = site.operandTypes.length,
): Accepted {
  return { site, slug, resultType, op, tensors };
}

function refused(
  site: ClaimSite,
  code: string,
  resultType: TypeKey | null,
  reason: RegExp,
  suggestion = /./,
): Refused {
  return { site, code, resultType, reason, suggestion };
}

const core = (name: string): OpRef => ({ kind: 'core', name });
const family = (name: string, payload: Record<string, unknown>): OpRef => ({
  kind: 'family',
  familyId: `tfe-node.${name}.v1`,
  payload,
});

const matmulOp = (transposeA: boolean, transposeB: boolean): OpRef =>
  family('matmul', { transposeA, transposeB });
const biasAddOp = family('bias_add', { dataFormat: 'NHWC' });
const softmaxOp = (axis: number): OpRef => family('softmax', { axis });
const argmaxOp = (axis: number): OpRef => family('argmax', { axis, outputType: 'int64' });

/** A literal that says one type, and a value of another: what no analysis would hand out. */
const forged = (value: Parameters<typeof written>[0], type: string | null): typeof SOME_NUMBER => ({
  type,
  literal: written(value).literal,
});

const ACTIVATIONS = [
  { name: 'relu', rank2: '002', rank1: '018', ofInt64: I1 },
  { name: 'sigmoid', rank2: '005', rank1: '019', ofInt64: null },
  { name: 'tanh', rank2: '009', rank1: '020', ofInt64: null },
] as const;

/** Row B of 5.4: 2x2 -> 2, 1x1 -> 1, 2x1 -> 2, 1x2 -> 2. */
const B: readonly (readonly [TypeKey, TypeKey, TypeKey])[] = [
  [F2, F2, F2],
  [F1, F1, F1],
  [F2, F1, F2],
  [F1, F2, F2],
];

const BINARY = [
  { name: 'add', slug: 'add', operator: '+', code: '003', binopCode: '006', ofInt64: I1 },
  { name: 'multiply', slug: 'mul', operator: '*', code: '013', binopCode: '012', ofInt64: I1 },
  { name: 'subtract', slug: 'sub', operator: '-', code: '014', binopCode: '015', ofInt64: I1 },
  // TensorFlow's true division of int64 is float64, which has no key.
  { name: 'divide', slug: 'div', operator: '/', code: '016', binopCode: '017', ofInt64: null },
] as const;

const MATMUL_SLUG = 'matmul-f32-cpu-2d';
const BIAS_ADD_SLUG = 'bias-add-nhwc-f32-cpu-2d';

export const ACCEPTED: readonly Accepted[] = [
  accepted(call('tf.matmul', [F2, F2]), MATMUL_SLUG, F2, matmulOp(false, false)),
  accepted(call('tf.linalg.matmul', [F2, F2]), MATMUL_SLUG, F2, matmulOp(false, false)),
  accepted(call('tf.matmul', [F2, F2], options()), MATMUL_SLUG, F2, matmulOp(false, false)),
  // ours: the family takes the transposes in its payload, so literal ones change no number.
  accepted(
    call('tf.matmul', [F2, F2], options(['transpose_b', true])),
    MATMUL_SLUG,
    F2,
    matmulOp(false, true),
  ),
  accepted(
    call('tf.matmul', [F2, F2], options(['transpose_b', false], ['transpose_a', true])),
    MATMUL_SLUG,
    F2,
    matmulOp(true, false),
  ),
  ...ACTIVATIONS.flatMap(({ name }) => [
    accepted(call(`tf.nn.${name}`, [F2]), `${name}-f32-cpu-2d`, F2, core(name)),
    accepted(call(`tf.nn.${name}`, [F1]), `${name}-f32-cpu-1d`, F1, core(name)),
  ]),
  ...BINARY.flatMap(({ name, slug }) =>
    B.flatMap(([left, right, result]) =>
      [`tf.${name}`, `tf.math.${name}`].map((target) =>
        accepted(call(target, [left, right]), `${slug}-call-f32-cpu`, result, core(name)),
      ),
    ),
  ),
  accepted(call('tf.nn.bias_add', [F2, F1]), BIAS_ADD_SLUG, F2, biasAddOp),
  accepted(
    call('tf.nn.bias_add', [F2, F1], options(['data_format', 'NHWC'])),
    BIAS_ADD_SLUG,
    F2,
    biasAddOp,
  ),
  ...[
    call('tf.nn.softmax', [F2, written(1)]),
    call('tf.nn.softmax', [F2], options(['axis', 1])),
  ].map((site) => accepted(site, 'softmax-axis1-f32-cpu-2d', F2, softmaxOp(1), 1)),
  ...[
    call('tf.nn.softmax', [F1]),
    call('tf.nn.softmax', [F1, written(0)]),
    call('tf.nn.softmax', [F1], options(['axis', 0])),
    // 8.3: literals are folded values, so -0 is 0.
    call('tf.nn.softmax', [F1], options(['axis', -0])),
  ].map((site) => accepted(site, 'softmax-axis0-f32-cpu-1d', F1, softmaxOp(0), 1)),
  ...[0, 1].flatMap((axis) =>
    [call('tf.argmax', [F2, written(axis)]), call('tf.argmax', [F2], options(['axis', axis]))].map(
      (site) => accepted(site, `argmax-axis${axis}-i64-cpu-2d`, I1, argmaxOp(axis), 1),
    ),
  ),
];

const MATMUL: readonly Refused[] = [
  refused(call('tf.matmul', [F2]), '001', null, /takes a, b by position, not 1 operand$/),
  refused(call('tf.matmul', []), '001', null, /not 0 operands/),
  refused(
    call('tf.matmul', [F2, F2, written(true)]),
    '001',
    F2,
    /not 3 operands/,
    /options lowered are transpose_a and transpose_b/,
  ),
  refused(call('tf.matmul', [F2, F2], options(['adjoint_a', true])), '001', F2, /'adjoint_a'/),
  refused(call('tf.matmul', [F2, F2], options(['a_is_sparse', false])), '001', F2, /a_is_sparse/),
  // output_type decides the dtype, so the type of the result is not told.
  refused(call('tf.matmul', [F2, F2], options(['output_type', 'int32'])), '001', null, /output_/),
  refused(
    call('tf.matmul', [F2, F2], options(['name', 'logits'])),
    '001',
    F2,
    /eager execution has none/,
    /^Remove the option 'name'/,
  ),
  refused(
    call('tf.matmul', [F2, F2], options(['transpose_a', { type: 'boolean', literal: DYNAMIC }])),
    '001',
    F2,
    /'transpose_a' is not a literal/,
    /^Write true or false in place/,
  ),
  refused(call('tf.matmul', [F2, F2], options(['transpose_a', 1])), '001', F2, /is 1; only true/),
  refused(
    call('tf.matmul', [F2, F2], options(['transpose_a', undefined])),
    '001',
    F2,
    /'transpose_a' is undefined/,
  ),
  refused(
    call('tf.matmul', [F2, F2], options(['transpose_a', true], ['transpose_a', true])),
    '001',
    F2,
    /given twice/,
  ),
  refused(
    call('tf.matmul', [F2, F2], SPREAD),
    '001',
    null,
    /not known before it runs \(spread\)/,
    /object literal/,
  ),
  // A fault of shape is said even where types are unresolved (5.3).
  refused(call('tf.matmul', [null, null], options(['name', 'x'])), '001', null, /'name'/),
  // Ranks and dtypes of our own types are 010 for matmul (5.4).
  refused(call('tf.matmul', [F1, F2]), '010', null, /not for TensorF32Cpu1D and TensorF32Cpu2D/),
  refused(call('tf.matmul', [F2, F1]), '010', null, /TensorF32Cpu2D and TensorF32Cpu1D/),
  refused(call('tf.matmul', [F1, F1]), '010', null, /TensorF32Cpu1D/),
  refused(call('tf.matmul', [F2, I1]), '010', null, /TensorI64Cpu1D/, /two TensorF32Cpu2D/),
  refused(call('tf.matmul', [F2, FOREIGN]), '010', null, /operand 2 is other-plugin/, /Annotate/),
  refused(call('tf.matmul', [written(1), F2]), '010', null, /operand 1 is number/),
  refused(call('tf.matmul', [forged(1, F2), F2]), '001', F2, /operand 1 is a literal/),
];

const ACTIVATION_REFUSALS = ACTIVATIONS.flatMap(({ name, rank2, rank1, ofInt64 }) => {
  const target = `tf.nn.${name}`;
  return [
    refused(call(target, []), rank2, null, /not 0 operands/),
    refused(call(target, [F2, F2]), rank2, F2, /not 2 operands/),
    refused(call(target, [F2], options(['name', 'h'])), rank2, F2, /'name'/, /Remove/),
    refused(call(target, [F2], SPREAD), rank2, F2, /not known/),
    // ours: rextio says the rank-2 code here although the operand's rank is known.
    refused(call(target, [F1], options(['name', 'h'])), rank1, F1, /'name'/),
    refused(call(target, [I1]), rank1, ofInt64, /does not take TensorI64Cpu1D/),
    refused(call(target, [null], options(['alpha', 0.2])), rank2, null, /'alpha'/),
    refused(call(target, [FOREIGN]), '010', null, /other-plugin/),
    refused(call(target, [written(1)]), '010', null, /operand 1 is number/),
    refused(call(target, [written(null)]), '010', null, /operand 1 is null/),
    refused(call(target, [forged(1, F2)]), rank2, F2, /literal/),
  ];
});

const BINARY_REFUSALS = BINARY.flatMap(({ name, operator, code, binopCode, ofInt64 }) => {
  const target = `tf.${name}`;
  return [
    refused(call(target, [F2]), code, null, /takes x, y by position, not 1 operand$/),
    refused(call(target, [F2, F1, F1]), code, F2, /not 3 operands/),
    refused(call(`tf.math.${name}`, [F2, F2], options(['name', 'h'])), code, F2, /'name'/),
    refused(call(target, [F2, F2], options(['x', 1])), code, F2, /option 'x' is not one/),
    refused(call(target, [F1, F2], SPREAD), code, F2, /not known/),
    refused(call(target, [I1, F1]), code, null, /TensorI64Cpu1D and TensorF32Cpu1D/),
    refused(call(target, [I1, I1]), code, ofInt64, /TensorI64Cpu1D and TensorI64Cpu1D/),
    refused(call(target, [F2, written(0.5)]), '010', F2, /operand 2 is number/, /Annotate/),
    refused(call(target, [SOME_NUMBER, F1]), '010', F1, /operand 1 is number/),
    refused(call(target, [I1, written(2)]), '010', ofInt64, /operand 2 is number/),
    refused(call(target, [F2, FOREIGN]), '010', null, /other-plugin/),
    refused(call(target, [forged(1, F2), F2]), code, F2, /operand 1 is a literal/),
    // ours: JavaScript has no operator overloading, so what rextio lowers throws here.
    ...B.map(([left, right, result]) =>
      refused(
        binop(operator, left, right),
        binopCode,
        result,
        /no operator overloading/,
        new RegExp(`^Write tf\\.${name}\\(x, y\\)`),
      ),
    ),
    refused(binop(operator, F2, I1), binopCode, null, /TensorF32Cpu2D and TensorI64Cpu1D/),
    refused(binop(operator, F2, written(1)), '010', F2, /operand 2 is number/, /^Write tf\./),
    refused(binop(operator, written(1), F1), '010', F1, /operand 1 is number/),
    refused(binop(operator, written('h = '), F1), '010', null, /is string/, /toString\(\)/),
    refused(binop(operator, F2, FOREIGN), '010', null, /other-plugin/),
  ];
});

const BIAS_ADD: readonly Refused[] = [
  refused(call('tf.nn.bias_add', [F2]), '021', F2, /takes value, bias by position, not 1/),
  refused(call('tf.nn.bias_add', [F2, F1, written('NHWC')]), '021', F2, /not 3 operands/),
  refused(call('tf.nn.bias_add', [F2, written(1)]), '021', F2, /operand 2 is a literal/),
  refused(call('tf.nn.bias_add', [written(0.5), F1]), '021', null, /operand 1 is a literal/),
  refused(
    call('tf.nn.bias_add', [F2, F1], options(['data_format', 'NCHW'])),
    '021',
    F2,
    /'data_format' is 'NCHW'; only 'NHWC' is lowered/,
  ),
  refused(
    call(
      'tf.nn.bias_add',
      [F2, F1],
      options(['data_format', { type: 'string', literal: DYNAMIC }]),
    ),
    '021',
    F2,
    /not a literal/,
    /^Write 'NHWC' in place/,
  ),
  refused(
    call('tf.nn.bias_add', [F2, F1], options(['data_format', forged('NHWC', 'number')])),
    '021',
    F2,
    /its type is number/,
  ),
  refused(
    call('tf.nn.bias_add', [F2, F1], options(['data_format', null])),
    '021',
    F2,
    /'data_format' is null/,
  ),
  refused(
    call('tf.nn.bias_add', [F2, F1], options(['data_format', 'NHWC'], ['data_format', 'NHWC'])),
    '021',
    F2,
    /given twice/,
  ),
  refused(call('tf.nn.bias_add', [F2, F1], options(['name', 'b'])), '021', F2, /'name'/),
  refused(
    call('tf.nn.bias_add', [F2], options(['bias', { type: F1, literal: DYNAMIC }])),
    '021',
    F2,
    /not 1 operand/,
    /by position/,
  ),
  refused(call('tf.nn.bias_add', [F2, F1], SPREAD), '021', F2, /not known/),
  refused(call('tf.nn.bias_add', [F1, F2]), '021', null, /TensorF32Cpu1D and TensorF32Cpu2D/),
  refused(call('tf.nn.bias_add', [F2, F2]), '021', F2, /TensorF32Cpu2D and TensorF32Cpu2D/),
  refused(call('tf.nn.bias_add', [F2, I1]), '021', F2, /TensorI64Cpu1D/),
  refused(call('tf.nn.bias_add', [F2, FOREIGN]), '010', F2, /other-plugin/),
];

const SOFTMAX: readonly Refused[] = [
  refused(call('tf.nn.softmax', []), '007', null, /takes logits, optional axis by position/),
  refused(call('tf.nn.softmax', [F2]), '007', F2, /axis is left out/, /\{ axis: 1 \}/),
  refused(
    call('tf.nn.softmax', [F2, written(0)]),
    '007',
    F2,
    /over axis 0/,
    /\{ axis: 1 \} only if the last axis is meant/,
  ),
  refused(call('tf.nn.softmax', [F2], options(['axis', 0])), '007', F2, /over axis 0/),
  // 8.3: rextio's text for -1 names both axes, one of which it refuses next.
  refused(
    call('tf.nn.softmax', [F2], options(['axis', -1])),
    '007',
    F2,
    /'axis' is -1; only 1 is lowered/,
    /write 1 in place of -1\.$/,
  ),
  refused(
    call('tf.nn.softmax', [F1, written(-1)]),
    '025',
    F1,
    /'axis' is -1; only 0 is lowered/,
    /write 0 in place of -1\.$/,
  ),
  refused(
    call('tf.nn.softmax', [null, written(-1)]),
    '007',
    null,
    /only the last axis/,
    /1 for a TensorF32Cpu2D, 0 for a TensorF32Cpu1D/,
  ),
  refused(call('tf.nn.softmax', [F2, written(2)]), '007', F2, /'axis' is 2; only 1/),
  refused(call('tf.nn.softmax', [F2, written(1.5)]), '007', F2, /'axis' is 1.5/),
  refused(call('tf.nn.softmax', [F2, written(1n)]), '007', F2, /'axis' is 1n/),
  refused(call('tf.nn.softmax', [F2, written(true)]), '007', F2, /'axis' is true/),
  refused(call('tf.nn.softmax', [F2, written(undefined)]), '007', F2, /'axis' is undefined/),
  refused(
    call(
      'tf.nn.softmax',
      [F2],
      options(['axis', { type: null, literal: { kind: 'intTuple', value: [1] } }]),
    ),
    '007',
    F2,
    /'axis' is \[1\]/,
  ),
  refused(
    call('tf.nn.softmax', [F2, SOME_NUMBER]),
    '007',
    F2,
    /'axis' is not a literal/,
    /^Write 1 in place of the expression/,
  ),
  refused(call('tf.nn.softmax', [F2], options(['axis', undefined])), '007', F2, /is undefined/),
  refused(call('tf.nn.softmax', [F2, written(1)], options(['axis', 1])), '007', F2, /twice/),
  refused(call('tf.nn.softmax', [F2, forged(1, 'boolean')]), '007', F2, /its type is boolean/),
  refused(call('tf.nn.softmax', [F2, forged(1, null)]), '007', F2, /its type is unresolved/),
  refused(
    call('tf.nn.softmax', [F2], options(['axis', 1], ['name', 'p'])),
    '007',
    F2,
    /'name'/,
    /Remove/,
  ),
  refused(call('tf.nn.softmax', [F2, written(1), written('p')]), '007', F2, /not 3 operands/),
  refused(call('tf.nn.softmax', [F2], SPREAD), '007', F2, /not known/),
  refused(
    { ...call('tf.nn.softmax', [F2, written(1)]), operandLiterals: [DYNAMIC] },
    '007',
    F2,
    /do not match its operands one to one/,
  ),
  refused(call('tf.nn.softmax', [I1]), '007', null, /does not take TensorI64Cpu1D/),
  refused(call('tf.nn.softmax', [FOREIGN]), '010', null, /other-plugin/),
  refused(call('tf.nn.softmax', [F1, written(1)]), '025', F1, /no axis 1/, /leave the axis out/),
  refused(call('tf.nn.softmax', [F1], options(['keepdims', true])), '025', F1, /'keepdims'/),
  refused(call('tf.nn.softmax', [F1], options(['axis', 0], ['axis', 0])), '025', F1, /twice/),
  refused(call('tf.nn.softmax', [forged(0, F1)]), '025', F1, /operand 1 is a literal/),
];

const ARGMAX: readonly Refused[] = [
  refused(call('tf.argmax', []), '008', null, /takes input, optional axis by position/),
  refused(
    call('tf.argmax', [F2]),
    '008',
    I1,
    /axis is left out/,
    /\{ axis: 0 \} for what it does now/,
  ),
  refused(call('tf.argmax', [null]), '008', null, /axis is left out/),
  refused(call('tf.argmax', [F2, written(-1)]), '008', I1, /'axis' is -1/, /write 1,/),
  refused(call('tf.argmax', [F2, written(-2)]), '008', I1, /'axis' is -2/, /write 0,/),
  refused(call('tf.argmax', [F2, written(2)]), '008', I1, /only 0 or 1 is lowered/),
  refused(call('tf.argmax', [F2, SOME_NUMBER]), '008', I1, /not a literal/, /^Write 0 or 1/),
  refused(call('tf.argmax', [F2, written(1)], options(['axis', 1])), '008', I1, /twice/),
  refused(
    call('tf.argmax', [F2], options(['axis', 1], ['output_type', 'int32'])),
    '008',
    null,
    /'output_type'/,
    /leave output_type and name out/,
  ),
  refused(call('tf.argmax', [F2], options(['axis', 1], ['keepdims', true])), '008', I1, /keepdims/),
  refused(call('tf.argmax', [F2], SPREAD), '008', null, /not known/),
  refused(call('tf.argmax', [F2, written(1), written('int32')]), '008', null, /not 3 operands/),
  refused(call('tf.argmax', [F1, written(1)]), '008', null, /does not take TensorF32Cpu1D/),
  refused(call('tf.argmax', [FOREIGN, written(1)]), '010', null, /other-plugin/),
  // ours: rextio never emits 024, it answers every refused argmax with 008.
  refused(call('tf.argmax', [F1, written(0)]), '024', null, /does not take TensorF32Cpu1D/),
  refused(call('tf.argmax', [I1], options(['axis', 0])), '024', null, /TensorI64Cpu1D/),
  refused(
    call('tf.argmax', [F2], options(['axis', 0], ['output_type', 'int32'])),
    '024',
    null,
    /'output_type'/,
  ),
  refused(call('tf.argmax', [F2, written(0)], options(['axis', 0])), '024', I1, /twice/),
  refused(call('tf.argmax', [F2, forged(0, 'boolean')]), '024', I1, /its type is boolean/),
];

const OPERATORS: readonly Refused[] = [
  ...['%', '**', '<', '<=', '>', '>=', '&', '|', '^', '<<', '>>', '>>>'].flatMap((operator) => [
    refused(binop(operator, F2, F2), '010', null, /throws on a tensor/, /Call the tf function/),
    refused(binop(operator, F2, written(2)), '010', null, /operand 2 is number/),
  ]),
  ...['==', '!=', '===', '!=='].map((operator) =>
    refused(binop(operator, F1, F1), '010', 'boolean', /one tensor object/, /dataSync/),
  ),
];

export const REFUSED: readonly Refused[] = [
  ...MATMUL,
  ...ACTIVATION_REFUSALS,
  ...BINARY_REFUSALS,
  ...BIAS_ADD,
  ...SOFTMAX,
  ...ARGMAX,
  ...OPERATORS,
];

const METHOD = { type: F2 };

export const UNCOVERED: readonly Uncovered[] = [
  { site: call('tf.cos', [F2]), resultType: F2, why: 'no rule; an elementwise op keeps its type' },
  { site: call('tf.cos', [F1]), resultType: F1, why: 'no rule' },
  { site: call('tf.cos', [null]), resultType: null, why: 'no rule, untyped' },
  { site: call('tf.cos', [FOREIGN]), resultType: null, why: 'no rule, foreign' },
  { site: call('tf.cos', []), resultType: null, why: 'no rule, no operand' },
  { site: call('tf.tanh', [F2]), resultType: F2, why: 'rules take exact paths, no inferred alias' },
  { site: call('tf.math.truediv', [F2, F2]), resultType: null, why: 'no inferred alias' },
  { site: call('tf.math.argmax', [F2, written(1)]), resultType: null, why: 'no inferred alias' },
  { site: call('tf.constant', [SOME_NUMBER]), resultType: null, why: 'no rule' },
  { site: call('execute', [written('MatMul')]), resultType: null, why: 'not an op of tf' },
  { site: call('tf.matmul', [null, F2]), resultType: null, why: 'untyped operand' },
  { site: call('tf.matmul', [null, FOREIGN]), resultType: null, why: 'untyped comes before 010' },
  { site: call('tf.nn.relu', [null]), resultType: null, why: 'untyped operand' },
  { site: call('tf.add', [F2, null]), resultType: null, why: 'the other rank may be greater' },
  { site: call('tf.nn.bias_add', [F2, null]), resultType: F2, why: 'it has the type of value' },
  { site: call('tf.nn.softmax', [null, written(0)]), resultType: null, why: 'untyped operand' },
  { site: call('tf.nn.softmax', [null]), resultType: null, why: 'untyped: rank 1 may omit axis' },
  { site: call('tf.argmax', [null, written(1)]), resultType: null, why: 'untyped operand' },
  {
    site: { ...call('tf.nn.relu', [F2]), receiver: METHOD },
    resultType: null,
    why: 'a method is another function',
  },
  {
    site: { ...call('tf.cos', [F2]), receiver: METHOD },
    resultType: null,
    why: 'a method is another function',
  },
  {
    site: { ...call('tf.nn.relu', [F2]), module: 'other-package' },
    resultType: null,
    why: 'same path in another package',
  },
  {
    site: { ...call('tf.nn.relu', [F2]), kind: 'binop', options: ABSENT },
    resultType: null,
    why: 'not an operator',
  },
  { site: binop('+', F2, null), resultType: null, why: 'untyped operand' },
  { site: binop('+', 'number', 'number'), resultType: null, why: 'no tensor in it' },
  { site: binop('%', null, F2), resultType: null, why: 'untyped operand' },
  { site: binop('<', 'number', 'number'), resultType: null, why: 'no tensor in it' },
  { site: binop('===', F2, written(undefined)), resultType: 'boolean', why: 'asks for presence' },
  { site: binop('in', 'string', F2), resultType: null, why: 'not arithmetic' },
];
