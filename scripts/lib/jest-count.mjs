/** Prints `PASSED FAILED` of a jest JSON report; a file that could not run counts as one failure, and so does an empty run. */
import { readJson } from './files.mjs';

const report = readJson(process.argv[2]);
const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
const passed = report.numPassedTests;
console.log(`${String(passed)} ${String(passed + failed === 0 ? 1 : failed)}`);
