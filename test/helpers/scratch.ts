/** Folders of one test, and what lies in them. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';

const made: string[] = [];

/** A folder that is gone after the test. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tfe-node-test-'));
  made.push(folder);
  return folder;
}

/** Call once at the top of a test file. */
export function cleanScratchAfterEach(): void {
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
}

/** Every path under a folder, folders with a slash at the end, sorted. */
export function tree(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
      return entry.isDirectory() ? `${path}/` : path;
    })
    .sort();
}
