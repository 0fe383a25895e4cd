/** Which known name was probably meant. */

function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, before[j - 2]! + 1); // Two letters swapped.
      }
      next.push(best);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}

/** Names are not compared beyond this: nobody mistypes so much, and the table is quadratic. */
const MAX_LENGTH = 80;

/**
 * The known path nearest to `path`: the same last name elsewhere (`tf.softmax` for `tf.nn.softmax`), or one that
 * differs by a slip of the hand. `null` when none is near.
 */
export function similarPath(path: string, known: readonly string[]): string | null {
  if (path.length > MAX_LENGTH) return null;
  const last = path.slice(path.lastIndexOf('.') + 1);
  const moved = known.find((other) => other.slice(other.lastIndexOf('.') + 1) === last);
  if (moved !== undefined && moved !== path) return moved;
  let best: string | null = null;
  let bestDistance = Math.min(3, Math.floor(last.length / 3) + 1);
  for (const other of known) {
    const found = distance(path.toLowerCase(), other.toLowerCase());
    if (found > 0 && found < bestDistance) {
      best = other;
      bestDistance = found;
    } else if (found === 0 && other !== path) {
      return other; // Only the case differs.
    }
  }
  return best;
}
