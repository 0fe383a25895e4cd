/**
 * One set-up at a time per checkout. The lock is a folder (mkdir either makes it or fails) holding its owner's process
 * id; the owner renews the folder's time while it works. A lock whose owner is dead, or gives no sign of life, is
 * removed by whoever waits for it.
 */
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;
const HEARTBEAT_MS = 1_000;
/** Polls without a heartbeat after which a lock counts as abandoned. Polls, not clock time: a laptop may have slept. */
const SILENT_POLLS = 300;
/** A breaker holds its own lock for microseconds, so one this old belongs to a dead process. */
const BREAKER_MS = 10_000;

function tryMkdir(path) {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** What can be read of a lock; undefined when there is none. `pid` is missing while its owner is still writing. */
function inspect(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  let owner = {};
  try {
    owner = JSON.parse(readFileSync(join(path, 'owner.json'), 'utf8'));
  } catch {
    // Not written yet, or just removed.
  }
  return { pid: owner.pid, host: owner.host, beat: stat.mtimeMs };
}

function isDead(lock) {
  return lock.pid !== undefined && lock.host === hostname() && !isAlive(lock.pid);
}

/**
 * Removes the lock that was judged abandoned, if it is still the same one. Under a lock of its own: two waiters
 * must not remove the lock that a third has just taken.
 */
function removeAbandoned(path, judged) {
  const breaker = `${path}.break`;
  if (!tryMkdir(breaker)) {
    const stat = statSync(breaker, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > BREAKER_MS) {
      rmSync(breaker, { recursive: true, force: true });
    }
    return;
  }
  try {
    const now = inspect(path);
    if (now !== undefined && now.pid === judged.pid && now.beat === judged.beat) {
      rmSync(path, { recursive: true, force: true });
    }
  } finally {
    rmSync(breaker, { recursive: true, force: true });
  }
}

/** Runs `work` while holding the lock at `path`. `onWait(pid)` is called once when another process holds it. */
export async function withLock(path, work, onWait = () => {}) {
  mkdirSync(dirname(path), { recursive: true });
  let announced = false;
  let last;
  let silent = 0;
  while (!tryMkdir(path)) {
    const lock = inspect(path);
    if (lock === undefined) continue;
    silent =
      last !== undefined && last.pid === lock.pid && last.beat === lock.beat ? silent + 1 : 0;
    last = lock;
    if (isDead(lock) || silent > SILENT_POLLS) {
      removeAbandoned(path, lock);
    } else if (!announced && lock.pid !== undefined) {
      announced = true;
      onWait(lock.pid);
    }
    await sleep(POLL_MS);
  }
  const heartbeat = setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // Removed by hand; the work goes on.
    }
  }, HEARTBEAT_MS);
  try {
    writeFileSync(join(path, 'owner.json'), JSON.stringify({ pid: process.pid, host: hostname() }));
    return await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(path, { recursive: true, force: true });
  }
}
