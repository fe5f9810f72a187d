import { chunkFromVoxels, type Position, TILE_CHUNKS, uniformChunk } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { exportTileSave, importTileSave, openTileSave } from "@orthant/formats";
import { encodeTileSave } from "@orthant/formats/internal";
import { createSave, openSave, plainDescription, verifySave } from "@orthant/save";
import { LeafMap } from "@orthant/save/content";
import { codeOfRejection } from "@orthant/testkit";
import { GLOBAL } from "@orthant/testkit/saves";
import { openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { chunkOf, FULL_SAVE } from "./sample-saves.ts";

const NOW_MS = 1_700_000_000_000;

describe("a tile save", () => {
  test("[TS16] becomes a world with the same tiles, and converts back byte for byte", async () => {
    const chunks = Array.from({ length: 100 }, (_, index) =>
      chunkOf((index % 20) - 10, Math.floor(index / 20), index),
    );
    const save = { ...FULL_SAVE, chunks: [...chunks].sort((a, b) => a.x - b.x || a.y - b.y) };
    const disk = new MemoryDisk();
    const report = await importTileSave(save, disk, NOW_MS);
    expect(report).toMatchObject({ chunks: 100, losses: [{ what: "the terrain that the game makes" }] });
    expect((await verifySave(disk)).filter(({ severity }) => severity === "damage")).toEqual([]);

    const world = await openWorldEngine(disk, { readOnly: true });
    for (const { x, y, tiles } of save.chunks) {
      expect((await world.chunk([x, y, 0, 0])).equals(chunkFromVoxels(tiles))).toBe(true);
    }
    expect(await world.get([100_000, 0, 0, 0])).toBe(0);
    expect(world.catalog.byId(9)?.name).toBe("workbench");
    await world.close();

    const target = new MemoryDisk();
    const opened = await openSave(disk);
    expect(await exportTileSave(opened, target)).toMatchObject({ chunks: 100, losses: [] });
    await opened.close();
    const again = encodeTileSave((await openTileSave(target)).save);
    expect(Buffer.compare(again, encodeTileSave(save))).toBe(0);
  });

  test("[TS16] can be edited as a world, and the next export contains the edits", async () => {
    const disk = new MemoryDisk();
    await importTileSave({ ...FULL_SAVE, chunks: [chunkOf(0, 0, 2)] }, disk, NOW_MS);
    const world = await openWorldEngine(disk);
    await world.set([-1, 5, 0, 0], 8);
    await world.close();
    const target = new MemoryDisk();
    const opened = await openSave(disk);
    const { losses } = await exportTileSave(opened, target);
    await opened.close();
    expect(losses.map(({ what }) => what)).toEqual(["clocks of regions"]);
    const { chunks = [] } = (await openTileSave(target)).save;
    expect(chunks.map(({ x, y }) => [x, y])).toEqual([
      [-1, 0],
      [0, 0],
    ]);
    expect(chunks[0]?.tiles[5 * 32 + 31]).toBe(8);
  });

  test("[TS16] reports what it cannot hold, even without writing", async () => {
    const disk = new MemoryDisk();
    const entries = [[0, 0, 0, 0] as Position, [1, 0, 2, 0] as Position].map((position) => ({
      position,
      chunk: uniformChunk(TILE_CHUNKS.volume, 4),
    }));
    const leaves = [{ cube: new LeafMap([]).cubeFor([0, 0, 0, 0]), chunks: entries }];
    const description = { ...plainDescription(TILE_CHUNKS), name: "Plain" };
    const global = {
      base: { kind: "generated" },
      worldSeed: 0n,
      generators: [],
      nextEntityId: 1n,
      playerEntityHints: [],
      description,
    } as const;
    const writer = await createSave(disk, { nowMs: NOW_MS, global, leaves });
    const { losses, chunks } = await exportTileSave(writer.currentSave(), undefined);
    expect(chunks).toBe(1);
    expect(losses.map(({ what }) => what).sort()).toEqual([
      "chunks outside of the plane",
      "the generator",
      "the name of the world",
    ]);
    await writer.close();
  });

  test("[TS16] cannot be made from a world with other chunks", async () => {
    const disk = new MemoryDisk();
    const global = { ...GLOBAL, description: plainDescription() };
    const writer = await createSave(disk, { nowMs: NOW_MS, global });
    expect(await codeOfRejection(exportTileSave(writer.currentSave(), undefined))).toBe("ORT_DIALECT");
    await writer.close();
  });
});
