/**
 * Staging folders: where an installation is prepared, beside its target so that one rename can put it into place.
 * Owns their names, and the question whether the process that made one still lives.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { at } from './disk';
import { errnoOf } from './files';

const PREFIX = '.tfe-node-staging-';
const NAME = /^\.tfe-node-staging-(\d+)-(\d+)-([0-9a-f]{8})-[0-9a-f]{8}$/u;

/** After this long a staging folder of another machine or container counts as abandoned. */
const FOREIGN_LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Makes a staging folder. Its name says who made it: process id, start time of that process (ids are reused) and
 * the machine or container in which the id means something.
 */
export async function makeStaging(parent: string): Promise<string> {
  const { pid } = process;
  const name = [pid, startTime(pid) ?? 0, machineTag(), randomBytes(4).toString('hex')].join('-');
  const staging = join(parent, `${PREFIX}${name}`);
  await at(staging, () => mkdir(staging, { mode: 0o700 }));
  return staging;
}

/** Removes the staging folders that dead processes left in `parent`; returns their names. */
export async function sweepStaging(parent: string): Promise<string[]> {
  const swept: string[] = [];
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name);
    if (!(await isAbandoned(path, name))) continue;
    // Another installation may sweep the same folder at the same time; that is as good as our doing it.
    try {
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
      swept.push(name);
    } catch {
      // Another user's, in a cache that is shared: it stays, and nobody says that it went.
    }
  }
  return swept;
}

async function isAbandoned(path: string, name: string): Promise<boolean> {
  const match = NAME.exec(name);
  if (match === null) return false;
  const [, pid, start, tag] = match;
  if (tag === machineTag()) return !isAlive(Number(pid), Number(start));
  try {
    return Date.now() - (await stat(path)).mtimeMs > FOREIGN_LIFETIME_MS;
  } catch {
    // Swept meanwhile, or nothing that this user may look at.
    return false;
  }
}

function isAlive(pid: number, start: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if (errnoOf(error) !== 'EPERM') return false;
  }
  const now = startTime(pid);
  return now !== ENDED && (now === null || start === 0 || now === start);
}

/** No process that runs has started then. */
const ENDED = -1;

/** When a process started, in clock ticks since boot; null where the system does not say. */
function startTime(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name, which may itself hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Killed, and kept in the table by a parent that does not ask for its ending, as the first process of a container.
    if (fields[0] === 'Z') return ENDED;
    const ticks = Number(fields[19]);
    return Number.isSafeInteger(ticks) ? ticks : null;
  } catch {
    return null;
  }
}

let tag: string | undefined;

/** Tells machines and containers apart that share a cache folder: a process id means nothing outside its own. */
function machineTag(): string {
  if (tag === undefined) {
    let namespace = '';
    try {
      namespace = readlinkSync('/proc/self/ns/pid');
    } catch {
      // Only Linux has process id namespaces.
    }
    tag = createHash('sha256').update(`${hostname()}\0${namespace}`).digest('hex').slice(0, 8);
  }
  return tag;
}
