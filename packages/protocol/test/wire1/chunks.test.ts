import { TILE_CHUNKS, uniformChunk } from "@orthant/core";
import { generatorRef, MAZE_DEFAULTS, mazeGenerator } from "@orthant/core/generate";
import { describe, expect, test } from "vitest";
import { SampleWorld } from "../server/sample-world.ts";
import { TICK_MS, Wire1Stage } from "./server-stage.ts";

const SECOND_TICKS = 1_000 / TICK_MS;

const placesOf = (chunks: readonly { readonly x: number; readonly y: number }[]): readonly string[] =>
  chunks.map(({ x, y }) => `${x} ${y}`);

describe("the chunks of a session", () => {
  test("[W36] are at first the 25 around the spawn, by x and then y", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    await stage.tick(4);
    const expected = [-2, -1, 0, 1, 2].flatMap((x) => [-2, -1, 0, 1, 2].map((y) => `${x} ${y}`));
    expect(placesOf(peer.takeChunks()).slice(0, 25)).toEqual(expected);
  });

  test("[W37] arrive with the world's contents, one per datagram, some in each tick", async () => {
    const world = new SampleWorld({ generator: generatorRef(mazeGenerator, MAZE_DEFAULTS, 5n) });
    const stage = new Wire1Stage({ world, limits: { wire1SessionBytesPerTick: 6_000 } });
    const peer = await stage.peer();
    const counts: number[] = [];
    for (let tick = 0; tick < 8; tick++) {
      const chunks = peer.takeChunks();
      counts.push(chunks.length);
      for (const { x, y, tiles } of chunks) {
        expect(tiles).toEqual(world.state.realizeChunk(x, y, 0, 0).voxels());
      }
      await stage.tick();
    }
    expect(counts).toEqual(new Array(8).fill(3));
  });

  test("[W37] the chunks of all sessions together stay within the budget of a tick and all arrive eventually", async () => {
    const stage = new Wire1Stage({ limits: { wire1BytesPerTick: 20_000 } });
    const peers = [await stage.peer(), await stage.peer("10.0.0.2"), await stage.peer("10.0.0.3")];
    for (const peer of peers) peer.take();
    let before = stage.server.counts.sentBytes;
    for (let tick = 0; tick < 30; tick++) {
      await stage.tick();
      const { sentBytes } = stage.server.counts;
      expect(sentBytes - before).toBeLessThan(20_000 + 2_059 + 3 * 4);
      before = sentBytes;
      for (const peer of peers) peer.say("heartbeat");
    }
    for (const peer of peers) expect(new Set(placesOf(peer.takeChunks())).size).toBe(25);
  });

  test("[W37] are sent again at growing intervals, because clients do not acknowledge them", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    const sentMs: number[] = [];
    const startMs = stage.time.nowMs();
    for (let tick = 0; tick < 130 * SECOND_TICKS; tick++) {
      for (const { x, y } of peer.takeChunks()) {
        if (x === -2 && y === -2) sentMs.push(stage.time.nowMs() - startMs);
      }
      if (tick % 10 === 0) peer.say("heartbeat");
      await stage.tick();
    }
    expect(sentMs).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000, 63_000, 123_000]);
  });

  test("[W37] chunks that were never sent come before those that may have been lost", async () => {
    const stage = new Wire1Stage({ limits: { wire1SessionBytesPerTick: 2_059 } });
    const peer = await stage.peer();
    for (let tick = 0; tick < 24; tick++) await stage.tick();
    expect(placesOf(peer.takeChunks())).toHaveLength(25);
    peer.say("heartbeat");
    await stage.tick(3);
    stage.world.change([{ voxel: [5, 5, 0, 0], block: 3 }]);
    peer.take();
    await stage.tick();
    expect(placesOf(peer.takeChunks())).toEqual(["0 0"]);
  });

  test("[W37] are sent at once when they change, without the unchanged ones", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    await stage.tick(2);
    await quiet(stage, [peer], 20);
    peer.take();
    stage.world.change([{ voxel: [5, -3, 0, 0], block: 3 }]);
    await stage.tick();
    const chunks = peer.takeChunks();
    expect(placesOf(chunks)).toEqual(["0 -1"]);
    expect(chunks[0]?.tiles[29 * 32 + 5]).toBe(3);
  });

  test("[W37] chunks that are on disk arrive after they are read, and are not sent before", async () => {
    let release: () => void = () => undefined;
    const world = new SampleWorld({ stored: [{ voxel: [1, 1, 0, 0], block: 4 }] });
    world.loading = new Promise((resolve) => {
      release = resolve;
    });
    const stage = new Wire1Stage({ world });
    const peer = await stage.peer();
    await stage.tick(5);
    const early = placesOf(peer.takeChunks());
    expect(early).not.toContain("0 0");
    expect(early.length).toBeGreaterThan(0);
    release();
    await stage.tick(3);
    const [chunk] = peer.takeChunks().filter(({ x, y }) => x === 0 && y === 0);
    expect(chunk?.tiles[33]).toBe(4);
  });

  test("[W37] chunks that were read from disk are sent when an edit removes the stored voxels", async () => {
    const world = new SampleWorld({ stored: [{ voxel: [1, 1, 0, 0], block: 4 }] });
    const stage = new Wire1Stage({ world });
    const peer = await stage.peer();
    await stage.tick(5);
    peer.take();
    world.changeChunks([[[0, 0, 0, 0], uniformChunk(TILE_CHUNKS.volume, 0)]]);
    await stage.tick();
    const [chunk] = peer.takeChunks().filter(({ x, y }) => x === 0 && y === 0);
    expect(chunk?.tiles[33]).toBe(0);
  });

  test("[W36] stay loaded as long as a session sees them", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    const regions = (): readonly string[] =>
      Array.from(stage.world.keptBoxes, ({ min }) => min.slice(0, 2).join(" ")).sort();
    const first = regions();
    expect(first).toContain("0 0");
    peer.command({ kind: "loadChunk", chunkX: 6, chunkY: 0 });
    expect(regions().filter((region) => !first.includes(region))).toHaveLength(1);
    peer.command({ kind: "unloadChunk", chunkX: 6, chunkY: 0 });
    expect(regions()).toEqual(first);
    stage.server.close();
    expect(regions()).toEqual([]);
  });

  test("[W36] follow the session's load and unload commands, which change nothing in the world", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    stage.world.change([{ voxel: [5, 5, 0, 0], block: 8 }]);
    peer.command({ kind: "unloadChunk", chunkX: 0, chunkY: 0 });
    peer.command({ kind: "loadChunk", chunkX: 4, chunkY: 4 });
    await quiet(stage, [peer], 1);
    peer.take();
    stage.world.change([{ voxel: [6, 5, 0, 0], block: 8 }]);
    stage.world.change([{ voxel: [128, 128, 0, 0], block: 8 }]);
    await stage.tick();
    const positions = placesOf(peer.takeChunks());
    expect(positions).toContain("4 4");
    expect(positions).not.toContain("0 0");
    expect(stage.world.state.voxelAt(5, 5, 0, 0)).toBe(8);
  });

  test("[W36] are sent again when the session requests them again", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    await quiet(stage, [peer], 20);
    peer.take();
    peer.command({ kind: "loadChunk", chunkX: 1, chunkY: 1 });
    peer.command({ kind: "loadChunk", chunkX: 1, chunkY: 1 });
    await stage.tick();
    expect(placesOf(peer.takeChunks())).toEqual(["1 1"]);
  });

  test("[W36] are limited in number, and the farthest ones make room", async () => {
    const stage = new Wire1Stage({ limits: { wire1ChunksMax: 26 } });
    const peer = await stage.peer();
    peer.command({ kind: "loadChunk", chunkX: 3, chunkY: 2 });
    peer.command({ kind: "loadChunk", chunkX: 4, chunkY: 2 });
    await quiet(stage, [peer], 1);
    peer.take();
    stage.world.change([
      { voxel: [-64, -64, 0, 0], block: 3 },
      { voxel: [-64, 64, 0, 0], block: 3 },
      { voxel: [64, 64, 0, 0], block: 3 },
      { voxel: [128, 64, 0, 0], block: 3 },
    ]);
    await stage.tick();
    expect(placesOf(peer.takeChunks()).filter((position) => ["2 2", "4 2"].includes(position))).toHaveLength(
      2,
    );
  });

  test("[W36] are limited to those near the last requested chunk", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    peer.command({ kind: "loadChunk", chunkX: 1_000, chunkY: 0 });
    await quiet(stage, [peer], 3);
    peer.take();
    stage.world.change([{ voxel: [5, 5, 0, 0], block: 3 }]);
    stage.world.change([{ voxel: [32_001, 5, 0, 0], block: 3 }]);
    await stage.tick();
    expect(placesOf(peer.takeChunks())).toEqual(["1000 0"]);
  });

  test("[W36] end where tile coordinates end", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    for (const chunk of [2 ** 26, -(2 ** 26), 2 ** 31 - 1, -(2 ** 31)]) {
      peer.command({ kind: "loadChunk", chunkX: chunk, chunkY: 0 });
      peer.command({ kind: "loadChunk", chunkX: 0, chunkY: chunk });
    }
    expect(stage.dropped("reach")).toBe(8);
    peer.command({ kind: "loadChunk", chunkX: 2 ** 26 - 1, chunkY: -(2 ** 26) + 1 });
    peer.command({ kind: "unloadChunk", chunkX: -(2 ** 31), chunkY: 2 ** 31 - 1 });
    await stage.tick(3);
    expect([stage.dropped("reach"), stage.failures]).toEqual([8, []]);
    expect(placesOf(peer.takeChunks())).toContain("67108863 -67108863");
  });

  test("[W36] can be requested only at a limited rate", async () => {
    const stage = new Wire1Stage({ limits: { wire1ChunksMax: 40 } });
    const peer = await stage.peer();
    for (let chunkX = 0; chunkX < 60; chunkX++) peer.command({ kind: "loadChunk", chunkX, chunkY: 9 });
    expect(stage.dropped("rate")).toBe(20);
  });

  test("[W39] are never accepted from a client", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    const before = stage.world.state;
    peer.send(Uint8Array.of(1, 3, 0));
    peer.send(Uint8Array.of(1, 4, 0xff, 0xff));
    await stage.tick();
    expect([stage.dropped("direction"), stage.world.state === before]).toEqual([2, true]);
  });
});

/** Lets seconds pass in which clients only send heartbeats. */
async function quiet(
  stage: Wire1Stage,
  peers: readonly { say(control: "heartbeat"): void }[],
  seconds: number,
): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await stage.tick(SECOND_TICKS);
    for (const peer of peers) peer.say("heartbeat");
  }
}
