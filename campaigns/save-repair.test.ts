import { Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import { findRepairFault, longSave } from "./save-repair.ts";

const SAVES = 60;

test("repair brings back every whole record of 60 saves damaged at random, and reports every other", async () => {
  const image = await longSave();
  for (let seed = 0; seed < SAVES; seed++) {
    expect(await findRepairFault(image, new Prng(seed)), `seed ${seed}`).toBeUndefined();
  }
}, 60_000);
