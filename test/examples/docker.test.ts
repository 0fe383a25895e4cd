/**
 * examples/docker/Dockerfile, without a Docker engine: its instructions are read, and the last stage is laid out in a folder
 * and run from there, with no program on PATH.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { installRuntime } from '../../lib/native/install';
import { locateRuntime } from '../../lib/native/locate';
import { defaultPin } from '../../lib/native/pin';

const everything = mkdtempSync(join(tmpdir(), 'tfe-node-test-'));
afterAll(() => rmSync(everything, { recursive: true, force: true }));

const ROOT = join(__dirname, '../..');
const FILE = readFileSync(join(ROOT, 'examples/docker/Dockerfile'), 'utf8');

interface Instruction {
  readonly name: string;
  readonly text: string;
}

interface Stage {
  readonly name: string | null;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

interface Copy {
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

function stages(): Stage[] {
  const lines = FILE.replace(/^#.*\n/gmu, '')
    .replace(/\\\n/gu, ' ')
    .split('\n');
  const found: { name: string | null; image: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name, text] = /^([A-Z]+)\s+(.*)$/u.exec(line) ?? [];
    if (name === undefined || text === undefined) continue;
    if (name === 'FROM') {
      const [, image, stage] = /^(\S+)(?: AS (\S+))?$/u.exec(text)!;
      found.push({ image: image!, name: stage ?? null, instructions: [] });
    } else {
      found.at(-1)!.instructions.push({ name, text: text.replace(/\s+/gu, ' ').trim() });
    }
  }
  return found;
}

function copies({ instructions }: Stage): Copy[] {
  return instructions
    .filter(({ name }) => name === 'COPY')
    .map(({ text }) => {
      const [, from, rest] = /^(?:--from=(\S+) )?(.*)$/u.exec(text)!;
      const words = rest!.split(' ');
      return { from: from ?? null, sources: words.slice(0, -1), target: words.at(-1)! };
    });
}

function settings({ instructions }: Stage): Record<string, string> {
  const pairs = instructions
    .filter(({ name }) => name === 'ENV')
    .map(({ text }) => text.split('=') as [string, string]);
  return Object.fromEntries(pairs);
}

const STAGES = stages();
const last = STAGES.at(-1)!;

describe('the Dockerfile', () => {
  test('has a stage for the wheel, one for the build, and a slim one that runs', () => {
    expect(STAGES.map(({ name, image }) => [name, image])).toEqual([
      ['wheel', expect.stringMatching(/^python:3\.11-slim/u)],
      ['build', 'node:20-bookworm'],
      [null, 'node:20-bookworm-slim'],
    ]);
  });

  test('copies only what the checkout or an earlier stage has', () => {
    const made: Readonly<Record<string, readonly string[]>> = {
      wheel: ['/wheels'],
      build: ['/opt/tensorflow', '/src/dist', '/src/build/cmake/Release/tfe_node.node'],
    };
    for (const [i, stage] of STAGES.entries()) {
      for (const { from, sources } of copies(stage)) {
        if (from !== null) expect(STAGES.slice(0, i).map(({ name }) => name)).toContain(from);
        for (const source of sources) {
          const inCheckout = source.replace(/^\/src\//u, '');
          const known = made[from ?? '']?.includes(source) ?? false;
          expect({ source, exists: known || existsSync(join(ROOT, inCheckout)) }).toEqual({
            source,
            exists: true,
          });
        }
      }
    }
  });

  test('fetches the wheel that is pinned', () => {
    const artefact = defaultPin().artefacts.cpu!['linux-x86_64']!;
    const run = STAGES[0]!.instructions.find(({ name }) => name === 'RUN')!.text;
    expect(run).toContain(`${artefact.project}==${defaultPin().tensorflow}`);
    expect(run).toContain(`--platform ${artefact.pipPlatform} `);
    expect(run).toContain(`--abi ${artefact.pythonTag} `);
  });

  test('has no pip, Python, compiler or package manager in the stage that runs', () => {
    const run = last.instructions.filter(({ name }) => name === 'RUN' || name === 'CMD');
    for (const { text } of run) expect(JSON.parse(text)).toEqual(expect.arrayContaining(['node']));
    expect(last.image).toMatch(/-slim$/u);
    expect(copies(last).flatMap(({ sources }) => sources)).not.toContain('/wheels');
    expect(last.instructions).toContainEqual({ name: 'USER', text: 'node' });
  });

  test('keeps from the build what the checkout may hold of this machine', () => {
    const ignored = readFileSync(join(ROOT, 'examples/docker/Dockerfile.dockerignore'), 'utf8');
    for (const name of ['node_modules', 'dist', 'build', '.git', '.cache']) {
      expect(ignored.split('\n')).toContain(name);
    }
  });
});

describe('the stage that runs, laid out in a folder', () => {
  /** The library as `runtime install --dest` leaves it; the 850 MB are linked, not copied. */
  async function library(folder: string): Promise<void> {
    const { ccPath, frameworkPath } = locateRuntime();
    mkdirSync(folder, { recursive: true });
    for (const path of [ccPath, frameworkPath]) {
      const target = join(folder, path.slice(dirname(path).length + 1));
      try {
        linkSync(path, target);
      } catch {
        cpSync(path, target); // another file system
      }
    }
    await installRuntime({ dest: folder });
  }

  let app: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    const root = everything;
    const workdir = last.instructions.find(({ name }) => name === 'WORKDIR')!.text;
    for (const { from, sources, target } of copies(last)) {
      const place = join(root, target.startsWith('/') ? target : join(workdir, target));
      for (const source of sources) {
        if (from === 'build' && source === '/opt/tensorflow') await library(place);
        else {
          mkdirSync(dirname(place), { recursive: true });
          cpSync(join(ROOT, source.replace(/^\/src\//u, '')), place, { recursive: true });
        }
      }
    }
    const { TFE_NODE_RUNTIME, ...rest } = settings(last);
    app = join(root, workdir);
    env = { ...rest, PATH: '', PORT: '0', TFE_NODE_RUNTIME: join(root, TFE_NODE_RUNTIME!) };
  });

  test('holds the package and the service, and no other dependency', () => {
    expect(readdirSync(app).sort()).toEqual(['node_modules', 'service.mjs']);
    expect(readdirSync(join(app, 'node_modules'))).toEqual(['tfe-node']);
  });

  test('passes its own doctor, as the RUN instruction asks', () => {
    const run = last.instructions.find(({ name }) => name === 'RUN')!;
    const [, ...argv] = JSON.parse(run.text) as string[];
    const { status, stdout } = spawnSync(process.execPath, argv, {
      cwd: app,
      env,
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/^ok +manifest: .*portable: sizes only$/mu);
    expect(stdout).toMatch(/tfe-node works here\n$/u);
    expect(status).toBe(0);
  });

  test('serves, and ends when it is told to', async () => {
    const command = last.instructions.find(({ name }) => name === 'CMD')!;
    const [, ...argv] = JSON.parse(command.text) as string[];
    const service = spawn(process.execPath, argv, {
      cwd: app,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise((resolve) => service.once('close', (...ending) => resolve(ending)));
    service.stderr.resume();
    const port = await new Promise<string>((resolve, reject) => {
      createInterface(service.stdout).on('line', (line) => {
        const match = /^listening on (\d+)$/u.exec(line);
        if (match !== null) resolve(match[1]!);
      });
      void ended.then((ending) => reject(new Error(`the service ended: ${String(ending)}`)));
    });
    try {
      const url = `http://127.0.0.1:${port}`;
      const health = await fetch(`${url}/health`);
      expect(await health.json()).toEqual({ tensorflow: '2.21.0' });
      // By hand: the columns of the weights are (1, 0), (0, 1) and (-1, -1); the largest product wins.
      const body = JSON.stringify([
        [3, 1],
        [1, 3],
        [-2, -1],
      ]);
      const answer = await fetch(`${url}/classify`, { method: 'POST', body });
      expect(await answer.json()).toEqual({ classes: [0, 1, 2] });
      const refused = await fetch(`${url}/classify`, { method: 'POST', body: '[[1,2,3]]' });
      expect([refused.status, await refused.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'TFE_OP_SHAPE' }),
      ]);
    } finally {
      service.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  });
});
