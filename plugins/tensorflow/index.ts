/**
 * The plugin `tfe-tensorflow`: which calls of tfe-node's `tf` are lowered to extension and core ops.
 * Decisions are pure functions of a site; nothing here loads TensorFlow or the addon.
 */
import { definePlugin, PLUGIN_API_VERSION } from '../core/api';
import { COVERAGE } from './coverage';
import { lowerJudged } from './family';
import { FAMILIES, judge } from './router';
import { PLUGIN_ID, VOCABULARY } from './types';

const RECORDS = FAMILIES.flatMap(({ records }) => records);

export const plugin = definePlugin({
  id: PLUGIN_ID,
  apiVersion: PLUGIN_API_VERSION,
  covers: () => COVERAGE,
  describe: () => RECORDS,
  typeVocabulary: () => VOCABULARY,
  claim: (site) => judge(site).verdict,
  lower: (site, context) => lowerJudged(site, judge(site), context),
});
