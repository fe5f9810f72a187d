import { BLOCK_NAME_LENGTH_MAX } from "./block-type.ts";

/** Number of names that an error suggests. */
const SUGGESTIONS_MAX = 5;
/** A name is near if at most one letter in this many is wrong. */
const LETTERS_PER_MISTAKE = 3;

/**
 * Says for an error which names a wrong one may stand for: those with few other letters, and those that it is a part of.
 */
export function nearestNames(wrong: string, names: readonly string[]): string {
  const nearest = nearNames(wrong, names).map((name) => JSON.stringify(name));
  if (nearest.length === 0) return "its types list those that it has";
  return `the nearest ${nearest.length === 1 ? "is" : "are"} ${nearest.join(", ")}`;
}

/** Returns the names that a wrong one may stand for, the nearest first. */
export function nearNames(wrong: string, names: readonly string[]): readonly string[] {
  const sought = wrong.toLowerCase().slice(0, BLOCK_NAME_LENGTH_MAX);
  return names
    .map((name) => ({ name, distance: editDistance(sought, name.toLowerCase()) }))
    .filter(({ name, distance }) => isNear(sought, name.toLowerCase(), distance))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTIONS_MAX)
    .map(({ name }) => name);
}

function isNear(sought: string, name: string, distance: number): boolean {
  const mistakesMax = Math.max(1, Math.floor(Math.max(sought.length, name.length) / LETTERS_PER_MISTAKE));
  // A part of one or two letters is in too many names.
  const isPart = sought.length >= LETTERS_PER_MISTAKE && name.includes(sought);
  return isPart || (distance <= mistakesMax && distance < sought.length);
}

/** Returns how many letters must be added, removed or replaced to turn one word into another. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] as number) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] as number) + 1, (next[column - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
