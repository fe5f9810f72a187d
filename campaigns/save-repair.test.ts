import { Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import { findRepairFault, longSave } from "./save-repair.ts";

const SAVES = 60;
/** Seeds in which an entity moved from a leaf with a damaged page to one with a damaged record. */
const WALKED = [702, 2069, 2138];

test("repair recovers every intact record of randomly damaged saves, and reports every other", async () => {
  const image = await longSave();
  for (const seed of [...Array(SAVES).keys(), ...WALKED]) {
    expect(await findRepairFault(image, new Prng(seed)), `seed ${seed}`).toBeUndefined();
  }
}, 60_000);
