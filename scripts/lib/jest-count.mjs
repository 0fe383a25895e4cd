/** What a jest JSON report counts. Run as a script: prints `PASSED FAILED` of the report that it is given. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { readJson } from './files.mjs';

/** A file that could not run counts as one failure, and so does an empty run. */
export function jestCount(report) {
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  const passed = report.numPassedTests;
  return { passed, failed: passed + failed === 0 ? 1 : failed };
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { passed, failed } = jestCount(readJson(process.argv[2]));
  console.log(`${String(passed)} ${String(failed)}`);
}
