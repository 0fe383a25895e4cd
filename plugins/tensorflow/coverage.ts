/** What the host offers to this plugin, and what reports say it knows. */
import * as surface from '../../lib';
import type { Coverage } from '../core/api';
import { PACKAGE } from './family';
import { FAMILIES } from './router';

/** `tf.nn.relu`, `scope` and so on: every function that the package really exports. */
function pathsOf(namespace: object, prefix: string): string[] {
  return Object.entries(namespace).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${name}`;
    if (typeof value === 'function') return [path];
    return typeof value === 'object' && value !== null ? pathsOf(value, `${path}.`) : [];
  });
}

export const COVERAGE: Coverage = {
  packages: [PACKAGE],
  symbols: FAMILIES.flatMap(({ targets }) => targets),
  exports: pathsOf(surface, ''),
};
