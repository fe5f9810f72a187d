import { Prng } from "@orthant/testkit";

/** The items in an order that follows from a seed: another history of the same steps, with other disks on the way. */
export function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  const prng = new Prng(seed);
  const rest = [...items];
  return items.map(() => rest.splice(prng.below(rest.length), 1)[0] as Item);
}
