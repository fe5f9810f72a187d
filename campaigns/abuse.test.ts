import { expect, test } from "vitest";
import { BesiegedHost } from "./abuse/target-sync-server.ts";

const BLOWS = 3_000;
const SEED = 20;

test("a host takes 3,000 damaged messages with nothing but goodbyes, and an honest client goes on", async () => {
  const host = await BesiegedHost.create(SEED);
  for (let blows = 0; blows < BLOWS; ) {
    const wave = await host.wave(BLOWS - blows);
    expect(wave.faults).toEqual([]);
    blows += wave.blows;
  }
  expect(await host.calm()).toEqual([]);
  expect(host.honestEdits.made).toBeGreaterThan(50);
  expect(host.goodbyes.get("malformed")).toBeGreaterThan(500);
});
