/** Asks the families in order; the first that knows a site answers for it. */
import type { ClaimSite } from '../core/api';
import { activations } from './activations';
import { argmax } from './argmax';
import { biasAdd } from './bias-add';
import { binary } from './binary';
import type { Family, Judgement } from './family';
import { matmul } from './matmul';
import { softmax } from './softmax';
import { uncovered } from './uncovered';
import { unsupported } from './unsupported';

export const FAMILIES: readonly Family[] = [
  matmul,
  ...activations,
  ...binary,
  biasAdd,
  softmax,
  argmax,
  unsupported,
];

export function judge(site: ClaimSite): Judgement {
  for (const family of FAMILIES) {
    const judgement = family.judge(site);
    if (judgement !== null) return judgement;
  }
  return { verdict: uncovered(site) };
}
