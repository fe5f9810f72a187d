import { CUBE_CHUNKS, cubeAt, type Position, TILE_CHUNKS, uniformChunk } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createSave, plainDescription } from "@orthant/save";
import { FakeTime } from "@orthant/testkit";
import { createWorldStore, openWorldStore, type WorldStore } from "@orthant/world/store";
import { describe, expect, test } from "vitest";

const quiet = { time: new FakeTime(), autosave: false };

/** Returns a save of three dimensions from an earlier program, with a chunk of block 7 at w = 3. */
async function saveWithOutsideChunk(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const writer = await createSave(disk, {
    nowMs: 1,
    global: {
      base: { kind: "empty" },
      worldSeed: 7n,
      generators: [],
      nextEntityId: 1n,
      playerEntityHints: [],
      description: plainDescription(CUBE_CHUNKS),
    },
  });
  const chunks = [{ position: [0, 0, 0, 3] as const, chunk: uniformChunk(CUBE_CHUNKS.volume, 7) }];
  const save = await writer.commit({ nowMs: 2, leaves: [{ cube: cubeAt([0, 0, 0, 0], 65_536), chunks }] });
  await save.close();
  await writer.close();
  return disk;
}

describe("an axis on which chunks are one voxel wide", () => {
  const box = { min: [0, 0, 0, 0], max: [2, 2, 2, 2] } as const;
  const outside = cubeAt([0, 0, 0, 3], 1);

  test.each<[name: string, edit: (world: WorldStore) => Promise<unknown>, position: string]>([
    ["set", (world) => world.set([1, 2, 3, 3], 1), "voxel [1,2,3,3]"],
    ["edit", (world) => world.edit([{ voxel: [1, 2, 3, -1], block: 1 }]), "voxel [1,2,3,-1]"],
    ["fill", (world) => world.fill(outside, 1), "voxel [0,0,0,3]"],
    ["fill of a box that reaches over", (world) => world.fill(box, 1), "voxel [1,1,1,1]"],
    ["copy", (world) => world.copy(cubeAt([0, 0, 0, 0], 1), [0, 0, 0, 3]), "voxel [0,0,0,3]"],
    [
      "setChunks",
      (world) => world.setChunks([[[0, 0, 0, 3], uniformChunk(CUBE_CHUNKS.volume, 1)]]),
      "chunk [0,0,0,3]",
    ],
  ])("is 0 in every %s, which is rejected elsewhere", async (_name, edit, position) => {
    const world = await createWorldStore(new MemoryDisk(), { shape: CUBE_CHUNKS }, quiet);
    await expect(edit(world)).rejects.toMatchObject({
      code: "ORT_ARGUMENT",
      detail: `${position} is outside of the world: with chunks of [16,16,16,1] voxels w is always 0`,
    });
    expect(await world.get([0, 0, 0, 3])).toBe(0);
    expect(world.generation).toBe(await world.save());
    await world.close();
  });

  test("is named in the error: the first axis on which a position is outside", async () => {
    const world = await createWorldStore(new MemoryDisk(), { shape: TILE_CHUNKS }, quiet);
    await expect(world.set([1, 2, 3, 4], 1)).rejects.toMatchObject({
      detail: "voxel [1,2,3,4] is outside of the world: with chunks of [32,32,1,1] voxels z is always 0",
    });
    await world.set([1, 2, 0, 0], 1);
    expect(await world.get([1, 2, 0, 0])).toBe(1);
    await world.close();
  });

  test("may have content in imported worlds, which is read, copied and kept", async () => {
    const disk = await saveWithOutsideChunk();
    const voxel: Position = [1, 2, 3, 3];
    const world = await openWorldStore(disk, quiet);
    expect(await world.get(voxel)).toBe(7);
    await world.set([1, 2, 3, 0], 1);
    await world.copy({ min: voxel, max: [2, 3, 4, 4] }, [5, 5, 5, 0]);
    expect(await world.get([5, 5, 5, 0])).toBe(7);
    const other = new MemoryDisk();
    await world.saveAs(other);
    await world.close();
    for (const saved of [disk, other]) {
      const again = await openWorldStore(saved, quiet);
      expect(await again.get(voxel)).toBe(7);
      expect(await again.get([1, 2, 3, 0])).toBe(1);
      await again.close();
    }
  });
});
