// Contestants that take turns, and the ratios between them: the machine's noise hits both sides of a ratio, so it is taken
// within a round. The order is turned around in every other round.

/** The value below which a part `q` of the sorted values lies. */
export function quantile(sorted, q) {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

export function median(values) {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/**
 * 95 % confidence interval of the median, from order statistics (binomial, normal approximation): it assumes nothing about how
 * the values are spread.
 */
export function medianInterval(sorted) {
  const n = sorted.length;
  const away = 0.98 * Math.sqrt(n); // 1.96 standard deviations of B(n, 1/2)
  const low = Math.max(0, Math.floor(n / 2 - away));
  const high = Math.min(n - 1, Math.ceil(n / 2 + away) - 1);
  return [sorted[low], sorted[high]];
}

/**
 * Runs each contestant once per round, and answers the nanoseconds of each, by name. One that measures several things answers
 * them by name.
 *
 * @typedef {number | Record<string, number>} Measured
 * @param {{ name: string, run: () => Measured | Promise<Measured> }[]} contestants
 * @param {number} rounds
 */
export async function takeTurns(contestants, rounds) {
  const times = new Map();
  const note = (name, time) => {
    if (!times.has(name)) times.set(name, []);
    times.get(name).push(time);
  };
  for (const { run } of contestants) await run(); // warm-up
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? contestants : [...contestants].reverse();
    for (const { name, run } of order) {
      const measured = await run();
      if (typeof measured === 'number') note(name, measured);
      else for (const [part, time] of Object.entries(measured)) note(part, time);
    }
  }
  return times;
}

/** `pass` and `FAIL` only where the whole interval lies on one side of the bar. */
function verdict(bar, [low, high]) {
  if (bar === undefined) return '';
  if (high <= bar) return 'pass';
  return low > bar ? 'FAIL' : 'open';
}

const UNITS = { ns: 1, us: 1e3, ms: 1e6 };

/**
 * Prints each row: its time, and its ratio to the one that it is `against` (default: the first).
 *
 * @param {{ name: string, against?: string, bar?: number }[]} rows
 * @param {Map<string, number[]>} times
 * @param {keyof typeof UNITS} unit
 */
export function printTable(rows, times, unit) {
  const columns = [unit, 'ratio', '95% CI', 'p10-p90', 'bar', ''];
  const widths = [10, 8, 14, 14, 7, 6];
  const line = (name, cells) =>
    console.log(name.padEnd(34) + cells.map((cell, i) => cell.padStart(widths[i])).join(''));
  line('', columns);
  for (const { name, against = rows[0].name, bar } of rows) {
    const time = (median(times.get(name)) / UNITS[unit]).toFixed(unit === 'ns' ? 0 : 2);
    if (name === against) {
      line(name, [time, '1']);
      continue;
    }
    const base = times.get(against);
    const ratios = times
      .get(name)
      .map((value, round) => value / base[round])
      .sort((a, b) => a - b);
    const interval = medianInterval(ratios);
    const range = (low, high) => `${low.toFixed(2)}-${high.toFixed(2)}`;
    line(name, [
      time,
      quantile(ratios, 0.5).toFixed(3),
      range(...interval),
      range(quantile(ratios, 0.1), quantile(ratios, 0.9)),
      bar === undefined ? '' : String(bar),
      verdict(bar, interval),
    ]);
  }
}
