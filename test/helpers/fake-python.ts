/** Pythons that have a TensorFlow installed, as far as the library manager asks: a package's folder, and what answers for it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface FakePackage {
  /** Files of the package by their name in the wheel. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** Default: tensorflow-cpu 2.21.0. */
  readonly found?: Readonly<Record<string, string>>;
}

/** Lays the package out in `root`, as pip does. Answers the folder that is on Python's path. */
export function sitePackages(root: string, { files, found }: FakePackage): string {
  const site = join(root, 'site-packages');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(site, path)), { recursive: true });
    writeFileSync(join(site, path), content);
  }
  // Importing it would be seen.
  mkdirSync(join(site, 'tensorflow'), { recursive: true });
  writeFileSync(join(site, 'tensorflow/__init__.py'), 'raise SystemExit("imported")\n');
  for (const [name, version] of Object.entries(found ?? { 'tensorflow-cpu': '2.21.0' })) {
    const info = join(site, `${name.replace('-', '_')}-${version}.dist-info`);
    mkdirSync(info, { recursive: true });
    writeFileSync(
      join(info, 'METADATA'),
      `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    );
  }
  return site;
}

/** An executable that answers what a Python with the package would. */
export function fakePython(root: string, fake: FakePackage): string {
  const site = sitePackages(root, fake);
  return answering(root, [
    'hello from sitecustomize',
    JSON.stringify({
      python: '3.12.4',
      found: fake.found ?? { 'tensorflow-cpu': '2.21.0' },
      folders: [join(site, 'tensorflow')],
    }),
  ]);
}

/** An executable that prints these lines, whatever it is asked, and ends with that code. */
export function answering(root: string, lines: readonly string[], code = 0): string {
  const file = join(root, 'python');
  const print = lines.map((line) => `printf '%s\\n' '${line}'`);
  writeFileSync(file, `#!/bin/sh\n${print.join('\n')}\nexit ${code}\n`, { mode: 0o755 });
  return file;
}
