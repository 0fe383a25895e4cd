/** An installed library made of stubs that really open, with a pin that says so: for walks through every step of loading. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pin } from '../../lib/native/pin';
import { verifyRuntime } from '../../lib/native/verify';
import { CC, FRAMEWORK, fakeWheel, PLATFORM, sha256 } from './fake-wheel';
import { stubLibrary, type StubOptions } from './stub-library';

export interface StubRuntime {
  readonly directory: string;
  readonly pin: Pin;
  /** Everything that a child process needs to find the folder. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A pin whose two libraries are the files in `directory`. */
export function pinOf(directory: string, names: { cc?: string; framework?: string } = {}): Pin {
  const { pin } = fakeWheel();
  const artefact = pin.artefacts.cpu![PLATFORM]!;
  const pinned = (which: 'cc' | 'framework', name: string) => {
    const content = readFileSync(join(directory, name));
    const { path } = artefact.libraries[which];
    const soname = names[which] ?? name;
    return { name, path, size: content.length, sha256: sha256(content), soname };
  };
  const libraries = { cc: pinned('cc', CC), framework: pinned('framework', FRAMEWORK) };
  return { ...pin, artefacts: { cpu: { [PLATFORM]: { ...artefact, libraries } } } };
}

/** Builds the stubs in `directory` and records them as an installation does. */
export async function stubRuntime(
  directory: string,
  options: StubOptions = {},
): Promise<StubRuntime> {
  stubLibrary(directory, options);
  const pin = pinOf(directory);
  const env = { ...process.env, TFE_NODE_RUNTIME: directory };
  await verifyRuntime({ pin, platform: PLATFORM, env });
  return { directory, pin, env };
}

/** Changes one byte of a file without changing its size. */
export function damage(file: string): void {
  const content = readFileSync(file);
  content[content.length - 1]! ^= 1;
  writeFileSync(file, content);
}
