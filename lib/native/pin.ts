/**
 * The one place that says which files of TensorFlow this package works with. Owns reading `pin.json`; nobody
 * else knows a size, a hash or a wheel's name.
 */
import { tfeError } from '../errors';
import { TENSORFLOW_VERSION } from '../version';
import pinData from './pin.json';
import type { PlatformId } from './platforms';

export type Variant = 'cpu' | 'cuda';
export const VARIANTS: readonly Variant[] = ['cpu', 'cuda'];

/** A file inside a wheel, and what it must be byte for byte. */
export interface PinnedFile {
  /** Name in the installed folder. */
  readonly name: string;
  /** Name of the entry in the wheel. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export interface PinnedLibrary extends PinnedFile {
  /** SONAME, or the install name on macOS. */
  readonly soname: string;
}

export interface PinnedSource {
  /** Name of the project in the package index. */
  readonly project: string;
  readonly pythonTag: string;
  readonly pipPlatform: string;
  readonly wheel: { readonly file: string; readonly size: number; readonly sha256: string };
}

export interface Artefact extends PinnedSource {
  readonly libraries: { readonly cc: PinnedLibrary; readonly framework: PinnedLibrary };
  /** The licence texts, kept beside the libraries. */
  readonly notices: readonly PinnedFile[];
}

export interface Pin {
  readonly schema: 1;
  readonly tensorflow: string;
  readonly artefacts: Readonly<
    Partial<Record<Variant, Readonly<Partial<Record<PlatformId, Artefact>>>>>
  >;
  /** Published wheels that hold no library this package could open, and why. */
  readonly refused: readonly (PinnedSource & {
    readonly platform: string;
    readonly reason: string;
  })[];
}

/**
 * Checks a pin's shape.
 *
 * @throws TFE_PIN_INVALID with the place that deviates.
 */
export function readPin(data: unknown): Pin {
  // Loaded on use: a process that never reads a pin does not pay for the schema library.
  const { check, pinSchema } = require('./schema') as typeof import('./schema');
  const result = check(pinSchema, data);
  if ('problem' in result) throw tfeError('TFE_PIN_INVALID', { problem: result.problem });
  return result.value;
}

let shipped: Pin | undefined;

/** The pin that ships with this package. */
export function defaultPin(): Pin {
  if (shipped === undefined) {
    const pin = readPin(pinData);
    if (pin.tensorflow !== TENSORFLOW_VERSION) {
      throw tfeError('TFE_PIN_INVALID', {
        problem: `it pins TensorFlow ${pin.tensorflow}, the package is built for ${TENSORFLOW_VERSION}`,
      });
    }
    shipped = pin;
  }
  return shipped;
}

/**
 * The wheel and the files for a platform.
 *
 * @throws TFE_VARIANT_UNAVAILABLE where TensorFlow publishes no such wheel: `cuda` outside Linux x86_64.
 */
export function artefactFor(
  platform: PlatformId,
  variant: Variant,
  pin: Pin = defaultPin(),
): Artefact {
  const artefact = pin.artefacts[variant]?.[platform];
  if (artefact === undefined) {
    throw tfeError('TFE_VARIANT_UNAVAILABLE', {
      variant,
      platform,
      available: variantsFor(platform, pin),
    });
  }
  return artefact;
}

/** The variants that exist for a platform, the default first. */
export function variantsFor(platform: PlatformId, pin: Pin = defaultPin()): Variant[] {
  return VARIANTS.filter((variant) => pin.artefacts[variant]?.[platform] !== undefined);
}

/** The two libraries, in the order in which they are opened: cc depends on the framework. */
export function librariesOf(artefact: Artefact): readonly [PinnedLibrary, PinnedLibrary] {
  return [artefact.libraries.framework, artefact.libraries.cc];
}

/** Every file of an artefact, in the order in which it is unpacked. */
export function filesOf(artefact: Artefact): readonly PinnedFile[] {
  return [...librariesOf(artefact), ...artefact.notices];
}
