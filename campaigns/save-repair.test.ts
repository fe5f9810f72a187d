import { Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import { findRepairFault, longSave } from "./save-repair.ts";

const SAVES = 60;
/** Seeds in which an entity moved from a leaf with a damaged page to one with a damaged record. */
const WALKED = [65, 4998, 5002];
/** A seed in which only the version in the header of a record is damaged. */
const MISLABELLED = [8158];

test("repair recovers every intact record of randomly damaged saves, and reports every other", async () => {
  const save = await longSave();
  for (const seed of [...Array(SAVES).keys(), ...WALKED, ...MISLABELLED]) {
    expect(await findRepairFault(save, new Prng(seed)), `seed ${seed}`).toBeUndefined();
  }
}, 60_000);
