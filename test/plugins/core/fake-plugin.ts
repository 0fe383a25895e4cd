/**
 * A small plugin for tests of the host: covers `tfe-node` with the types of `tfe-node/types`, so that fixtures read as
 * a user would write them, but knows nothing of TensorFlow. Its answers are simple enough to be checked by eye.
 */
import {
  claimed,
  notCovered,
  PLUGIN_API_VERSION,
  rejected,
  type ClaimSite,
  type Plugin,
  type RuleRecord,
  type TypeKey,
  type Verdict,
} from '../../../plugins/core/api';

export const F32_1D: TypeKey = 'tfe-fake/f32-1d';
export const F32_2D: TypeKey = 'tfe-fake/f32-2d';
export const I64_1D: TypeKey = 'tfe-fake/i64-1d';

function rule(slug: string, code: string, kind: RuleRecord['scope']['kind'] = 'call'): RuleRecord {
  return {
    id: `tfe-fake/${slug}`,
    scope: { kind, pattern: slug },
    constraint: 'a fake',
    outcome: 'native',
    diagnosticCode: `TFEP-FAKE-${code}`,
    guidance: 'write it otherwise',
    stability: 'stable',
  };
}

export const RULES: readonly RuleRecord[] = [
  rule('unary', '001'),
  rule('binary', '002'),
  rule('matmul', '003'),
  rule('axis', '004'),
  rule('binop', '005', 'binop'),
  rule('method', '006'),
];

const UNARY = new Set(['tf.nn.relu', 'tf.nn.tanh', 'tf.nn.sigmoid']);
const BINARY = new Set(['tf.add', 'tf.subtract', 'tf.multiply', 'tf.divide', 'tf.nn.bias_add']);
const AXIS = new Set(['tf.nn.softmax', 'tf.argmax']);
export const SYMBOLS = [...UNARY, ...BINARY, ...AXIS, 'tf.matmul'];

const isTensor = (type: TypeKey | null | undefined): type is TypeKey =>
  type === F32_1D || type === F32_2D || type === I64_1D;

function reject(code: string, message: string, resultType: TypeKey | null): Verdict {
  return rejected(
    { code: `TFEP-FAKE-${code}`, message, suggestion: 'write it otherwise' },
    resultType,
  );
}

function claim(site: ClaimSite): Verdict {
  const [a = null, b = null] = site.operandTypes;
  if (site.kind === 'binop') {
    // `%` stands for an operator that a plugin does claim.
    if (site.target === '%' && a === F32_2D && b === F32_2D)
      return claimed('tfe-fake/binop', F32_2D);
    return site.target === '+' ? reject('005', 'no operators', isTensor(a) ? a : b) : notCovered();
  }
  if (site.receiver !== null) {
    return site.target === 'relu' && isTensor(site.receiver.type)
      ? claimed('tfe-fake/method', site.receiver.type)
      : notCovered();
  }
  if (UNARY.has(site.target)) {
    if (site.operandTypes.length !== 1) return reject('001', 'one operand', null);
    return isTensor(a) ? claimed('tfe-fake/unary', a) : notCovered();
  }
  if (BINARY.has(site.target)) {
    if (!isTensor(a) || !isTensor(b)) return notCovered();
    return claimed('tfe-fake/binary', a === F32_2D || b === F32_2D ? F32_2D : a);
  }
  if (site.target === 'tf.matmul') {
    if (!isTensor(a) || !isTensor(b)) return notCovered();
    return a === F32_2D && b === F32_2D
      ? claimed('tfe-fake/matmul', F32_2D)
      : reject('003', 'rank 2 only', F32_2D);
  }
  if (AXIS.has(site.target)) {
    if (!isTensor(a)) return notCovered();
    const result = site.target === 'tf.argmax' ? I64_1D : a;
    if (site.options.kind === 'dynamic') return reject('004', site.options.reason, result);
    const entry =
      site.options.kind === 'static'
        ? site.options.entries.find(({ name }) => name === 'axis')?.literal
        : undefined;
    const literal = entry ?? site.operandLiterals[1];
    return literal?.kind === 'int' && (literal.value === 1 || literal.value === -1)
      ? claimed('tfe-fake/axis', result)
      : reject('004', 'a literal axis', result);
  }
  // Uncovered ops: of `tf.cos` the type is known, of `tf.opaque` it is not.
  if (site.target === 'tf.cos') return notCovered(isTensor(a) ? a : null);
  if (site.target === 'tf.constant') return notCovered(F32_2D);
  return notCovered();
}

export const fakePlugin: Plugin = {
  id: 'tfe-fake',
  apiVersion: PLUGIN_API_VERSION,
  covers: () => ({ packages: ['tfe-node'], symbols: SYMBOLS }),
  describe: () => RULES,
  typeVocabulary: () => [
    {
      key: F32_1D,
      annotations: [{ module: 'tfe-node/types', name: 'TensorF32Cpu1D' }],
      tensor: { dtype: 'float32', rank: 1 },
    },
    {
      key: F32_2D,
      annotations: [{ module: 'tfe-node/types', name: 'TensorF32Cpu2D' }],
      tensor: { dtype: 'float32', rank: 2 },
    },
    {
      key: I64_1D,
      annotations: [{ module: 'tfe-node/types', name: 'TensorI64Cpu1D' }],
      tensor: { dtype: 'int64', rank: 1 },
    },
  ],
  claim,
  lower: () => ({ expr: 'undefined' }),
};
