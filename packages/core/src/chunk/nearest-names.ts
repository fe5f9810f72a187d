import { BLOCK_NAME_LENGTH_MAX } from "./block-type.ts";

/** Number of names that an error suggests. */
const SUGGESTIONS_MAX = 5;

/** Lists the names that are nearest to a wrong one, for an error. */
export function nearestNames(wrong: string, names: readonly string[]): string {
  const sought = wrong.toLowerCase().slice(0, BLOCK_NAME_LENGTH_MAX);
  const nearest = names
    .map((name) => ({ name, distance: editDistance(sought, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTIONS_MAX);
  return `the nearest are ${nearest.map(({ name }) => JSON.stringify(name)).join(", ")}`;
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
