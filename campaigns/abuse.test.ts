import { expect, test } from "vitest";
import { TargetSyncServer } from "./abuse/target-sync-server.ts";

const FRAMES = 3_000;
const SEED = 20;

test("a server answers 3,000 damaged messages only with goodbyes, and still serves an honest client", async () => {
  const server = await TargetSyncServer.create(SEED);
  for (let sent = 0; sent < FRAMES; ) {
    const wave = await server.wave(FRAMES - sent);
    expect(wave.faults).toEqual([]);
    sent += wave.sent;
  }
  expect(await server.calm()).toEqual([]);
  expect(server.honestEdits.made).toBeGreaterThan(50);
  expect(server.goodbyes.get("malformed")).toBeGreaterThan(500);
}, 120_000);
