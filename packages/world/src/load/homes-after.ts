import { type Box, clampInto, type Place } from "@orthant/core";
import { LeafMap } from "@orthant/formats";
import type { LeafStep } from "./entity-loader.ts";

/**
 * Tells in which cell an entity is stored after a commit that was stored in this cell before it, or should have been:
 * in the same one, unless the commit has split or merged the leaf.
 */
export function homesAfter({ added }: Pick<LeafStep, "added">): (home: Box, storedAt: Place) => Box {
  const map = new LeafMap(added);
  // Leaves do not overlap, so a new one where the entity was stored is the one that has it now.
  return (home, storedAt) => map.find(clampInto(home, storedAt))?.cell ?? home;
}
