import { TILE_CHUNKS } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { Wire1Recorder } from "@orthant/protocol/wire1";
import { replayWire1InWorld } from "@orthant/server";
import { fromHex, Prng } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";

const SYN = fromHex("01010101");
const ACK = fromHex("01010102");
const HOST = "203.0.113.9";

/** Returns what 5 players send in 8 seconds: each sets tiles at random, and repeats and breaks some datagrams. */
function randomRecording(seed: number): Uint8Array {
  const prng = new Prng(seed);
  const pieces: Uint8Array[] = [];
  const recorder = new Wire1Recorder((bytes) => pieces.push(bytes), 0);
  const send = (player: number, datagram: Uint8Array, nowMs: number): void =>
    recorder.datagram({ address: HOST, port: 7_000 + player }, datagram, nowMs);
  for (let tick = 0; tick < 80; tick++) {
    for (let player = 1; player <= 5; player++) {
      const atMs = tick * 100 + 10 * player;
      if (tick === player) send(player, SYN, atMs);
      if (tick === player + 1) send(player, ACK, atMs);
      if (tick <= player + 1) continue;
      // setTile: x and y from -8 to 7 take one byte each.
      const tile = [prng.below(16), prng.below(16), 1 + prng.below(9)];
      const datagram = Uint8Array.of(1, 2, 6, player, 10, 3, ...tile);
      if (prng.below(10) === 0) datagram[prng.below(datagram.length)] = prng.below(256);
      send(player, datagram, atMs);
      if (prng.below(10) === 0) send(player, datagram, atMs);
    }
    recorder.tick((tick + 1) * 100);
  }
  return Buffer.concat(pieces);
}

async function tilesOf(world: WorldEngine): Promise<readonly number[]> {
  const tiles: number[] = [];
  for (let x = -8; x < 8; x++) for (let y = -8; y < 8; y++) tiles.push(await world.get([x, y, 0, 0]));
  return tiles;
}

test("[W63] a recording replayed into equal worlds gives equal worlds, on a disk too", async () => {
  const recording = randomRecording(1);
  const results: unknown[] = [];
  for (const isStored of [false, true]) {
    const disk = new MemoryDisk();
    let world = await createWorldEngine(disk, { shape: TILE_CHUNKS });
    await world.set([3, 3, 0, 0], 7);
    if (isStored) {
      // The replay then waits for regions that are read.
      await world.close();
      world = await openWorldEngine(disk);
    }
    results.push([await replayWire1InWorld(world, recording), await tilesOf(world)]);
    await world.close();
  }
  expect(results[1]).toEqual(results[0]);
  const [[{ ticks, durationMs, taken, dropped }, tiles]] = results as [
    [Awaited<ReturnType<typeof replayWire1InWorld>>, readonly number[]],
  ];
  expect([ticks, durationMs]).toEqual([80, 8_000]);
  expect(taken).toBeGreaterThan(300);
  expect(dropped.payload + dropped.unknownCommand + dropped.length).toBeGreaterThan(0);
  expect(new Set(tiles).size).toBe(10);
});

test("a replay obeys the role, and passes the commands of the game on", async () => {
  const pieces: Uint8Array[] = [];
  const recorder = new Wire1Recorder((bytes) => pieces.push(bytes), 0);
  const from = { address: HOST, port: 7_000 };
  recorder.datagram(from, SYN, 0);
  recorder.datagram(from, ACK, 10);
  recorder.datagram(from, fromHex("010206010a030a0a08"), 20);
  recorder.datagram(from, fromHex("0102040119 0103"), 30);
  for (let tick = 1; tick <= 5; tick++) recorder.tick(tick * 100);
  for (const role of ["viewer", "builder"] as const) {
    const world = await createWorldEngine(new MemoryDisk(), { shape: TILE_CHUNKS });
    const commands: unknown[] = [];
    await replayWire1InWorld(world, Buffer.concat(pieces), {
      role,
      onCommand: ({ name }, command) => commands.push([name, command]),
    });
    expect(await world.get([5, 5, 0, 0])).toBe(role === "viewer" ? 0 : 8);
    expect(commands).toEqual([["tile player 1", { kind: "craftRecipe", recipe: 3 }]]);
    await world.close();
  }
});
