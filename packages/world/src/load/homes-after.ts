import type { Box, Place } from "@orthant/core";
import { LeafMap } from "@orthant/formats";
import { cellKey, clampPlace } from "../cell-key.ts";
import type { LeafStep } from "./entity-loader.ts";

/**
 * Tells in which cell an entity is stored after a commit that was stored in this cell before it: in the same one,
 * unless the commit has split or merged the leaf.
 */
export function homesAfter({ added, removed }: LeafStep): (home: Box, storedAt: Place) => Box | undefined {
  const gone = new Set(removed.map(({ cell }) => cellKey(cell)));
  const map = new LeafMap(added);
  return (home, storedAt) => {
    if (!gone.has(cellKey(home))) return home;
    return map.at(home) === undefined ? map.find(clampPlace(storedAt, home))?.cell : home;
  };
}
