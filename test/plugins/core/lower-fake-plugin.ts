/**
 * A plugin small enough to be read at a glance: it claims `add`, `relu`, `softmax` and `concat` of the package `fake` on
 * 2-D tensors, and `*` between two of them. Tests of lowering give it a `lower` of their own.
 */
import {
  claimed,
  notCovered,
  type ClaimSite,
  type LoweredExpr,
  type LoweringContext,
  type Plugin,
  type RuleRecord,
} from '../../../plugins/core/api';

export const T2 = 'tfe-fake/t2';

const TARGETS = ['tf.add', 'tf.relu', 'tf.softmax', 'tf.concat'];

function ruleOf(target: string): string {
  return `tfe-fake/${target === '*' ? 'times' : target.slice(3)}`;
}

const RULES: RuleRecord[] = [...TARGETS, '*'].map((target, index) => ({
  id: ruleOf(target),
  scope: { kind: target === '*' ? 'binop' : 'call', pattern: target },
  constraint: 'Bit-exact.',
  outcome: 'native',
  diagnosticCode: `TFEP-FAKE-00${index}`,
  guidance: 'None.',
  stability: 'stable',
}));

export type Lower = (site: ClaimSite, context: LoweringContext) => LoweredExpr;

/** Tensors are passed on; a literal second operand of softmax is its axis. */
export const plainLower: Lower = (site, context) => {
  const name = site.kind === 'binop' ? 'times' : site.target.slice(3);
  if (name !== 'softmax') {
    return { expr: context.apply({ kind: 'core', name }, context.operands) };
  }
  const literal = site.operandLiterals[1];
  const axis = literal?.kind === 'int' ? literal.value : -1;
  const op = { kind: 'family', familyId: 'fake.softmax.v1', payload: { axis } } as const;
  return { expr: context.apply(op, context.operands.slice(0, 1)) };
};

export function loweringPlugin(lower: Lower = plainLower): Plugin {
  return {
    id: 'tfe-fake',
    apiVersion: '1.0',
    covers: () => ({ packages: ['fake'], symbols: [...TARGETS, 'tf.cos'] }),
    describe: () => RULES,
    typeVocabulary: () => [
      {
        key: T2,
        annotations: [{ module: 'fake/types', name: 'T2' }],
        tensor: { dtype: 'float32', rank: 2 },
      },
    ],
    claim(site) {
      if (site.receiver?.type === T2) return claimed(ruleOf('tf.add'), T2);
      const isTensor = site.operandTypes[0] === T2;
      if (!isTensor) return notCovered(null);
      if (site.kind === 'binop') {
        return site.target === '*' ? claimed(ruleOf('*'), T2) : notCovered(T2);
      }
      return TARGETS.includes(site.target) ? claimed(ruleOf(site.target), T2) : notCovered(T2);
    },
    lower,
  };
}
