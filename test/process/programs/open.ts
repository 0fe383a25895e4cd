/** Opens libraries through the addon, step by step, and says what each step answered. */
import { requireBinding } from '../../../lib/native/binding';
import { describeError, say, task } from './program';

export type Step =
  | {
      readonly open: {
        readonly cc: string;
        readonly framework: string;
        readonly version?: string;
        readonly flags?: readonly string[];
      };
    }
  /** Maps an image that is no addon. */
  | { readonly map: string }
  | { readonly library: true }
  /** Makes a tensor. */
  | { readonly use: true };

const binding = requireBinding(process.env['TFE_NODE_ADDON']!);

for (const step of task<readonly Step[]>()) {
  try {
    if ('map' in step) {
      process.dlopen({ exports: {} }, step.map);
    } else if ('library' in step) {
      say({ library: binding.library() ?? null });
    } else if ('use' in step) {
      say({ id: binding.create(1, 0, new Float32Array(1)) });
    } else {
      const { cc, framework, version = '2.21.0', flags = [] } = step.open;
      say({ reused: binding.open(cc, framework, version, flags) });
    }
  } catch (error) {
    if ('map' in step) say({ mapped: step.map });
    else say(describeError(error));
  }
}
