import { Prng } from "@orthant/testkit";

/** Shuffles items by a seed: the same steps in another order lead to other disks. */
export function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  const prng = new Prng(seed);
  const rest = [...items];
  return items.map(() => rest.splice(prng.below(rest.length), 1)[0] as Item);
}
