// `npm run quickstart`: lowers score.ts, runs it lowered and as written over all 1,797 digits, and compares both with
// what Python TensorFlow computed for the same weights. Exits 1 when anything disagrees.
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { tf, scope, status } from 'tfe-node';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const built = join(root, 'build', 'examples', 'digits');

const PIXELS = 64;
const CLASSES = 10;
const ROUNDS = 4;
const BATCH = 32;
const TOLERANCE = 1e-5;
const SHADES = ' .:-=+*#%@';

const failures = [];

function heading(text) {
  console.log(`\n${text}\n${'-'.repeat(text.length)}`);
}

function expect(good, text) {
  console.log(`${good ? 'ok  ' : 'FAIL'} ${text}`);
  if (!good) failures.push(text);
}

// --- The data and the trained weights -------------------------------------------------------------------------------

function readJson(...path) {
  return JSON.parse(readFileSync(join(here, ...path), 'utf8'));
}

function floats(base64) {
  const bytes = Buffer.from(base64, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function readDigits() {
  const lines = readFileSync(join(here, 'data', 'digits.csv'), 'utf8')
    .trim()
    .split('\n');
  const pixels = new Float32Array(lines.length * PIXELS);
  const labels = lines.map((line, row) => {
    const values = line.split(',').map(Number);
    pixels.set(values.slice(0, PIXELS), row * PIXELS);
    return values[PIXELS];
  });
  return { rows: lines.length, pixels, labels };
}

// --- Lowering -------------------------------------------------------------------------------------------------------

async function cli(argv) {
  const { run } = createRequire(import.meta.url)(join(root, 'dist', 'lib', 'cli', 'main.js'));
  let output = '';
  const context = {
    cwd: root,
    env: process.env,
    isTerminal: false,
    out: (text) => (output += text),
    err: (text) => process.stderr.write(text),
    exitCode: 0,
  };
  const exitCode = await run(argv, context);
  if (exitCode !== 0) throw new Error(`tfe-node ${argv.join(' ')} answered ${exitCode}\n${output}`);
  return output;
}

function printSites(report) {
  for (const file of report.files) {
    for (const fn of file.functions) {
      console.log(`${fn.name}: ${fn.status}, route ${fn.route}`);
      for (const site of fn.sites) {
        const where = `${relative(root, join(root, file.file))}:${site.range.line}:${site.range.column}`;
        console.log(
          `  ${where.padEnd(34)} ${site.target.padEnd(16)} ${site.ruleId ?? site.reason.code}`,
        );
      }
      expect(fn.status === 'native', `${fn.name} is native`);
    }
  }
}

/** The built module with one leg chosen. The leg is read once per module instance, so each leg is an instance. */
async function importLeg(mode) {
  process.env.TFE_NODE_MODE = mode;
  const url = `${pathToFileURL(join(built, 'score.js')).href}?leg=${mode}`;
  const leg = await import(url);
  scoreBatch(leg, 0, 1).dispose();
  delete process.env.TFE_NODE_MODE;
  return leg;
}

// --- Running --------------------------------------------------------------------------------------------------------

const digits = readDigits();
const model = readJson('model', 'weights.json');
const weights = Object.fromEntries(
  Object.entries(model.tensors).map(([name, { shape, data }]) => [
    name,
    tf.constant(floats(data), { shape }),
  ]),
);

function scoreBatch(leg, first, count) {
  return scope(() => {
    const batch = digits.pixels.subarray(first * PIXELS, (first + count) * PIXELS);
    const x = tf.constant(batch, { shape: [count, PIXELS] });
    const w = weights;
    return leg.score(
      x,
      w.mean,
      w.scale,
      w.w_in,
      w.b_in,
      w.w_hidden,
      w.b_hidden,
      w.w_out,
      w.b_out,
      ROUNDS, // prettier-ignore
    );
  });
}

/** Probabilities and classes of all rows, batch by batch. */
function scoreAll(leg) {
  const probabilities = new Float32Array(digits.rows * CLASSES);
  const classes = [];
  for (let first = 0; first < digits.rows; first += BATCH) {
    const count = Math.min(BATCH, digits.rows - first);
    scope(() => {
      const batch = scoreBatch(leg, first, count);
      probabilities.set(batch.dataSync(), first * CLASSES);
      classes.push(...leg.classify(batch).dataSync({ int64: 'number' }));
    });
  }
  return { probabilities, classes };
}

function largestDifference(a, b) {
  let largest = 0;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i] - b[i]));
  return largest;
}

function sameClasses(a, b) {
  return a.filter((value, row) => value === b[row]).length;
}

/** Rows per second of each leg: the median of rounds in which the legs take turns, since machines are noisy. */
function measure(legs) {
  const seconds = legs.map(() => []);
  for (let round = 0; round < 9; round++) {
    legs.forEach((leg, i) => {
      const start = process.hrtime.bigint();
      scoreAll(leg);
      seconds[i].push(Number(process.hrtime.bigint() - start) / 1e9);
    });
  }
  return seconds.map((times) => digits.rows / times.sort((a, b) => a - b)[times.length >> 1]);
}

function draw(rows, classes) {
  for (let line = 0; line < 8; line++) {
    const cells = rows.map((row) =>
      Array.from(digits.pixels.subarray(row * PIXELS + line * 8, row * PIXELS + line * 8 + 8))
        .map((ink) => SHADES[Math.min(9, Math.floor((ink / 16) * 10))].repeat(2))
        .join(''),
    );
    console.log(cells.join('   '));
  }
  console.log(rows.map((row) => `  -> ${classes[row]}`.padEnd(16)).join('   '));
}

// --- The report -----------------------------------------------------------------------------------------------------

heading('What is claimed in examples/digits/score.ts');
const sourceArgument = relative(root, join(here, 'score.ts'));
printSites(JSON.parse(await cli(['check', sourceArgument, '--json'])));

// Built files find this package by its name, as they would in a user's project.
const link = join(root, 'build', 'node_modules', 'tfe-node');
mkdirSync(dirname(link), { recursive: true });
if (!existsSync(link)) symlinkSync(root, link, 'junction');
await cli(['build', sourceArgument, '--out', relative(root, built)]);

const lowered = await importLeg('native');
const asWritten = await importLeg('fallback');
const before = status().liveTensors;
const a = scoreAll(lowered);
const b = scoreAll(asWritten);

heading(`All ${digits.rows} rows, TensorFlow ${status().tensorflow.version}, no Python`);
const { heldOut } = readJson('model', 'split.json');
const right = heldOut.filter((row) => a.classes[row] === digits.labels[row]).length;
console.log(
  `held-out accuracy ${((100 * right) / heldOut.length).toFixed(2)} % (${right} of ${heldOut.length} rows that training did not see)`,
);

const difference = largestDifference(a.probabilities, b.probabilities);
expect(
  sameClasses(a.classes, b.classes) === digits.rows && difference <= TOLERANCE,
  `lowered and as written agree: ${sameClasses(a.classes, b.classes)} of ${digits.rows} classes equal, probabilities within ${difference}`,
);
const python = readJson('model', 'expected.json');
const agreed = sameClasses(a.classes, python.classes);
const distance = largestDifference(a.probabilities, floats(python.probabilities));
expect(
  agreed === digits.rows && distance <= TOLERANCE,
  `Python TensorFlow ${python.tensorflow} agrees: ${agreed} of ${digits.rows} classes equal, probabilities within ${distance.toExponential(1)}`,
);
expect(
  Math.abs(right / heldOut.length - python.heldOutAccuracy) < 1e-9,
  `held-out accuracy is the one that Python TensorFlow measured`,
);
expect(status().liveTensors === before, `no tensor is left behind (${before} live, the weights)`);

const [fast, slow] = measure([lowered, asWritten]);
console.log(
  `rows per second, batch ${BATCH}: lowered ${Math.round(fast)}, as written ${Math.round(slow)} (x${(fast / slow).toFixed(2)})`,
);

heading('A few digits and what the network says');
draw([0, 1, 2, 3, 4], a.classes);
draw(heldOut.slice(0, 5), a.classes);

for (const tensor of Object.values(weights)) tensor.dispose();
if (failures.length > 0) {
  console.error(`\n${failures.length} checks failed`);
  process.exitCode = 1;
}
