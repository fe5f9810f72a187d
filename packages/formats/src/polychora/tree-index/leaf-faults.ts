import { boxesIntersect, comparePlaces, PlaceSet, regionBox } from "@orthant/core";
import type { IndexVersion, LeafEntry } from "../records/leaf-entry.ts";
import { describeCell } from "./cell.ts";

/** What is wrong with the content of leaves whose cells are in order; `undefined` when nothing is. */
export function findLeafFault(leaves: readonly LeafEntry[], version: IndexVersion): string | undefined {
  const regions = new PlaceSet();
  for (const { cell, blockRefs, entityRefs, clocks } of leaves) {
    // Put together only when there is something to say: every commit comes through here with every leaf.
    const where = (): string => `the leaf at ${describeCell(cell)}`;
    if (blockRefs.length + entityRefs.length === 0 && (version === 1 || clocks.length === 0)) {
      return `${where()} holds nothing`;
    }
    if (version === 1) continue;
    for (const [index, { region }] of clocks.entries()) {
      const previous = clocks[index - 1];
      if (previous !== undefined && comparePlaces(previous.region, region) >= 0) {
        return `${where()} lists the clock of region [${region}] out of order`;
      }
      if (regions.has(...region)) return `two leaves have a clock of region [${region}]`;
      if (!boxesIntersect(regionBox(region), cell)) return `${where()} has a clock of region [${region}]`;
      regions.add(...region);
    }
  }
  return undefined;
}
