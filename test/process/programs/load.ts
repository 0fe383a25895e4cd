/** Opens the library as users do, and says what that answered; once more at the end, because a failure must not stick. */
import { status } from '../../../lib/native/status';
import { describeError, say, task } from './program';

interface LoadTask {
  /** What this Node pretends to offer. */
  readonly napi?: string | null;
  /** The second attempt's addon. */
  readonly then?: string;
}

function load(): void {
  try {
    say({ version: status({ load: true }).tensorflow?.version });
  } catch (error) {
    say(describeError(error));
  }
}

const { napi, then } = task<LoadTask>();
const honest = process.versions;
if (napi !== undefined) {
  Object.defineProperty(process, 'versions', {
    configurable: true,
    value: { ...honest, napi: napi ?? undefined },
  });
}
load();
if (then !== undefined) {
  Object.defineProperty(process, 'versions', { configurable: true, value: honest });
  process.env['TFE_NODE_ADDON'] = then;
  load();
}
