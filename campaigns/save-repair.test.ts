import { Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import { findRepairFault, longSave } from "./save-repair.ts";

const SAVES = 60;
/** An entity went from a place whose page is damaged to one whose record is. */
const WALKED = [702, 2069, 2138];

test("repair brings back every whole record of saves damaged at random, and reports every other", async () => {
  const image = await longSave();
  for (const seed of [...Array(SAVES).keys(), ...WALKED]) {
    expect(await findRepairFault(image, new Prng(seed)), `seed ${seed}`).toBeUndefined();
  }
}, 60_000);
