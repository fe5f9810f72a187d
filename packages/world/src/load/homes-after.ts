import { type Box, clampInto, type Position } from "@orthant/core";
import { LeafMap } from "@orthant/save";
import type { LeafStep } from "./entity-loader.ts";

/**
 * Returns a function that maps an entity's cell before a commit to its cell after it. They differ only when
 * the commit split or merged the leaf.
 */
export function homesAfter({ added }: Pick<LeafStep, "added">): (home: Box, storedAt: Position) => Box {
  const map = new LeafMap(added);
  // Leaves do not overlap, so a new leaf at the entity's stored position is the one that stores it now.
  return (home, storedAt) => map.find(clampInto(home, storedAt))?.cell ?? home;
}
