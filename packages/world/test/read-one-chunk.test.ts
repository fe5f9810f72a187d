import { chunkFromVoxels, chunkShape, defineGenerator, HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { cubeAt, positionsLexicographic } from "@orthant/core/lattice";
import { type DiskCall, GatedDisk, MemoryDisk } from "@orthant/disk";
import { openSave } from "@orthant/save";
import { codeOfRejection, Prng } from "@orthant/testkit";
import { createWorld, openWorld } from "@orthant/world";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const { volume } = HYPERCUBE_CHUNKS;

/** A disk, and the reads of its packs. */
function recorded(disk: MemoryDisk): { readonly disk: GatedDisk; readonly reads: DiskCall[] } {
  const reads: DiskCall[] = [];
  const gated = new GatedDisk(disk, (call, happen) => {
    if (call.operation === "readAt" && call.path.startsWith("data/")) reads.push(call);
    return happen();
  });
  return { disk: gated, reads };
}

/** Returns two saved regions whose chunks fill several leaves each. */
async function noisyRegions(): Promise<MemoryDisk> {
  const prng = new Prng(1);
  const disk = new MemoryDisk();
  const world = await createWorldEngine(disk, {}, { autosave: false });
  const positions = [[0, 0, 0, 0] as const, [4, 0, 0, 0] as const].flatMap((corner) => [
    ...positionsLexicographic(cubeAt(corner, 4)),
  ]);
  const chunks = positions.map((position) => {
    return [position, chunkFromVoxels(Uint16Array.from({ length: volume }, () => prng.below(200)))] as const;
  });
  await world.setChunks(chunks);
  await world.close();
  return disk;
}

/** Returns a chunk's voxels as one number. */
async function sumOf(world: WorldEngine, position: Position): Promise<number> {
  return (await world.chunk(position))
    .voxels()
    .reduce((sum, block, index) => (sum * 31 + block + index) | 0, 0);
}

describe("a read of one chunk", () => {
  test("generates only that chunk, of all that are stored as changes in its region", async () => {
    let generated = 0;
    const ground = defineGenerator({
      id: "test:counted",
      version: 1,
      dimensions: 3,
      open: () => (x, y, z) => {
        generated++;
        return 1 + ((x * 7 + y * 3 + z) % 5);
      },
    });
    const disk = new MemoryDisk();
    const options = { autosave: false, generators: [ground] } as const;
    const shape = chunkShape([8, 8, 8]);
    const world = await createWorld(
      disk,
      { dimensions: 3, chunkShape: shape, generator: ground({ seed: 1n }) },
      options,
    );
    const corners = Array.from({ length: 64 }, (_, cell): readonly [number, number, number] => {
      return [(cell & 3) * 8, ((cell >> 2) & 3) * 8, (cell >> 4) * 8];
    });
    for (const [x, y, z] of corners) {
      await world.edit([1, 2, 3].map((step) => ({ position: [x + step, y, z], block: 900 + step })));
    }
    await world.close();
    const again = await openWorld(disk, { ...options, dimensions: 3, readOnly: true });
    generated = 0;
    for (const [x, y, z] of corners.slice(10, 13)) expect(await again.get([x + 2, y, z])).toBe(902);
    // The first chunk of a region tells whether all of it may be one block.
    expect(generated).toBeLessThanOrEqual(4 * shape.volume);
    for (const [x, y, z] of corners) {
      const wanted = 1 + (((x + 5) * 7 + y * 3 + z) % 5);
      expect([await again.get([x + 3, y, z]), await again.get([x + 5, y, z])]).toEqual([903, wanted]);
    }
    await again.close();
  });

  test("gets all leaves of its region with one read", async () => {
    const whole = await noisyRegions();
    const save = await openSave(whole);
    const leaves = [];
    for await (const leaf of save.index.all()) leaves.push(leaf);
    await save.close();
    expect(leaves.filter(({ cube }) => cube.min.every((low) => low < 4)).length).toBeGreaterThan(4);
    const { disk, reads } = recorded(whole);
    const world = await openWorldEngine(disk, { readOnly: true });
    const before = reads.length;
    await world.chunk([0, 0, 0, 0]);
    // One of the header, when the pack is opened.
    expect(reads.length - before).toBeLessThanOrEqual(2);
    await world.close();
  });

  test("finds damage in a leaf of its region, and nothing of it elsewhere", async () => {
    const whole = await noisyRegions();
    const save = await openSave(whole);
    const [leaf] = await save.leavesIn(cubeAt([0, 0, 0, 0], 1));
    await save.close();
    const world = await openWorldEngine(whole, { readOnly: true });
    const far = await sumOf(world, [5, 0, 0, 0]);
    await world.close();
    const file = await whole.open("data/dt-000001.v4dt", "write");
    const offset = (leaf?.chunkRefs[0]?.recordOffset ?? 0) + 40;
    const [byte = 0] = await file.readAt(offset, 1);
    await file.writeAt(offset, Uint8Array.of(byte ^ 1));
    await file.close();
    const damaged = await openWorldEngine(whole, { readOnly: true });
    expect(await codeOfRejection(damaged.chunk([3, 3, 3, 3]))).toBe("ORT_CHECKSUM");
    expect(await sumOf(damaged, [5, 0, 0, 0])).toBe(far);
    await damaged.close();
  });
});
