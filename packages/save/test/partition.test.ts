import type { Position } from "@orthant/core";
import { boxContainsBox, boxesIntersect, CHUNK_VOXELS_MAX, cubeAt } from "@orthant/core/lattice";
import { openSave, type Save } from "@orthant/save";
import { LeafMap } from "@orthant/save/content";
import {
  allLeaves,
  ChunkContent,
  Pacer,
  partitionLeaf,
  prepareLeaf,
  wholeChunk,
} from "@orthant/save/internal";
import { codeOfRejection, Prng } from "@orthant/testkit";
import {
  chunksOf,
  entityAt,
  entityIdsOf,
  entryAt,
  ORIGIN_CELL,
  smallWorld,
  TIGHT_LIMITS,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const row = (count: number, y = 0): readonly Position[] =>
  Array.from({ length: count }, (_, x) => [x, y, 0, 0] as const);

describe("a growing leaf", () => {
  test("[S34] is one leaf up to its target and several beyond it, without loss", async () => {
    const { disk, writer } = await smallWorld(TIGHT_LIMITS);
    const few = row(10).map((position, number) => entryAt(position, number + 2));
    await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks: few }] });
    expect((await allLeaves(writer.state.index)).map(({ cube }) => cube)).toEqual([ORIGIN_CELL]);
    const many = row(40).map((position, number) => entryAt(position, number + 2));
    await writer.commit({ nowMs: 3, leaves: [{ cube: ORIGIN_CELL, chunks: many }] });
    const save = await openSave(disk);
    expect(save.index.totals.leaves).toBeGreaterThan(1);
    expect(await chunksOf(save)).toEqual(
      Object.fromEntries(many.map(({ position }, number) => [position.join(), number + 2])),
    );
    await expectLimits(save, TIGHT_LIMITS.chunkBlobTargetBytes);
  });

  test("yields to the loop while it is split", async () => {
    const chunks = row(600).map((position, number) => {
      const { chunk } = entryAt(position, number + 2);
      return wholeChunk(position, ChunkContent.of(chunk));
    });
    const { description } = (await smallWorld()).writer.state.global;
    const content = prepareLeaf(ORIGIN_CELL, chunks, [], [], description.chunkShape);
    let pauses = 0;
    const pacer = new Pacer(CHUNK_VOXELS_MAX, { pause: async () => void pauses++ });
    expect((await partitionLeaf(content, TIGHT_LIMITS, undefined, pacer)).length).toBeGreaterThan(10);
    // All of them are measured again at every level.
    expect(pauses).toBeGreaterThan(10);
  });

  test("[S34] a growing leaf with an edge of four chunks or less splits only at the hard limit", async () => {
    const { disk, writer } = await smallWorld(TIGHT_LIMITS);
    const cube = cubeAt([0, 0, 0, 0], 4);
    const chunks = Array.from({ length: 64 }, (_, at) =>
      entryAt([at % 4, (at >> 2) % 4, at >> 4, 0], at + 2),
    );
    await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks }] });
    const save = await openSave(disk);
    expect((await allLeaves(save.index)).map(({ cube }) => cube)).toEqual([cube]);
    // Each change has at least eleven bytes before compression.
    expect(chunks.length * 11).toBeGreaterThan(TIGHT_LIMITS.chunkBlobTargetBytes);
  });

  test("[S34] a growing leaf that splits because of its entities takes its chunks along, even if only the entities were given", async () => {
    const { disk, writer } = await smallWorld(TIGHT_LIMITS);
    const entities = Array.from({ length: 12 }, (_, id) => entityAt(BigInt(id), [id * 40, 0, 0, 0]));
    await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, entities }] });
    const save = await openSave(disk);
    expect(save.index.totals.leaves).toBeGreaterThan(1);
    expect(await chunksOf(save)).toEqual({ "1,2,3,4": 9 });
    expect(await entityIdsOf(save)).toEqual(entities.map(({ entityId }) => entityId));
    for await (const { cube, entityRefs } of save.index.all()) {
      for (const { recordBytes } of entityRefs)
        expect(recordBytes).toBeLessThanOrEqual(TIGHT_LIMITS.entityBlobTargetBytes + 15);
      expect(boxContainsBox(ORIGIN_CELL, cube)).toBe(true);
    }
  });

  test("[S34] a growing leaf with one crowded chunk has several entity records, and no entity is in two of them", async () => {
    const { disk, writer } = await smallWorld(TIGHT_LIMITS);
    const crowd = Array.from({ length: 60 }, (_, id) => entityAt(BigInt(id), [1, 1, 0, 0], 50));
    await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, entities: crowd }] });
    const save = await openSave(disk);
    const crowded = (await allLeaves(save.index)).find(({ entityRefs }) => entityRefs.length > 1);
    expect(crowded?.entityRefs.length).toBeGreaterThan(1);
    for (const { recordBytes } of crowded?.entityRefs ?? []) expect(recordBytes).toBeLessThan(4_096 + 15);
    expect(await entityIdsOf(save)).toEqual(crowd.map(({ entityId }) => entityId));
    const giant = [entityAt(1n, [0, 0, 0, 0], 5_000)];
    const cube = crowded?.cube ?? ORIGIN_CELL;
    expect(
      await codeOfRejection(() => writer.commit({ nowMs: 3, leaves: [{ cube, entities: giant }] })),
    ).toBe("ORT_LIMIT");
  });

  test("[S34] is removed when its content is removed", async () => {
    const { disk, writer } = await smallWorld();
    await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks: [] }] });
    expect(await allLeaves((await openSave(disk)).index)).toEqual([]);
  });

  test("[S28, S34] keeps a clock where no chunks are left, and assigns it to the right part", async () => {
    const { disk, writer } = await smallWorld(TIGHT_LIMITS);
    const clocks = [
      { region: [0, 0, 0, 0], clock: 5 },
      { region: [9, 0, 0, 0], clock: 6 },
    ] as const;
    const many = row(40, 1).map((position, number) => entryAt(position, number + 2));
    await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks: many, clocks }] });
    const split = await openSave(disk);
    expect((await allLeaves(split.index)).flatMap((leaf) => leaf.clocks)).toEqual(clocks);
    expect(split.index.totals.leaves).toBeGreaterThan(1);
    const gone = (await allLeaves(split.index)).map(({ cube }) => ({ cube, chunks: [] }));
    await writer.commit({ nowMs: 3, leaves: gone });
    expect((await allLeaves((await openSave(disk)).index)).flatMap((leaf) => leaf.clocks)).toEqual(clocks);
  });
});

describe("the cube of a position", () => {
  test("[S35] is that of its leaf or, without one, the largest free cube", () => {
    const map = new LeafMap<{ cube: ReturnType<typeof cubeAt> }>();
    expect(map.cubeFor([5, 5, 5, 5])).toEqual(ORIGIN_CELL);
    map.add({ cube: cubeAt([8, 8, 8, 8], 8) });
    expect(map.cubeFor([9, 9, 9, 9])).toEqual(cubeAt([8, 8, 8, 8], 8));
    expect(map.cubeFor([0, 0, 0, 0])).toEqual(cubeAt([0, 0, 0, 0], 8));
    expect(map.cubeFor([16, 0, 0, 0])).toEqual(cubeAt([16, 0, 0, 0], 16));
    expect(map.cubeFor([-1, -1, -1, -1])).toEqual(cubeAt([-65_536, -65_536, -65_536, -65_536], 65_536));
    expect(map.cubeFor([2_147_483_647, 0, 0, -2_147_483_648])).toEqual(
      cubeAt([2_147_418_112, 0, 0, -2_147_483_648], 65_536),
    );
  });

  test("[S35] never leads to overlapping leaves, however positions come and go", async () => {
    const prng = new Prng(11);
    const map = new LeafMap<{ cube: ReturnType<typeof cubeAt> }>();
    const cubes: ReturnType<typeof cubeAt>[] = [];
    for (let step = 0; step < 400; step++) {
      const position: Position = [prng.between(-40, 40), prng.between(-3, 3), 0, prng.between(-1, 1)];
      if (prng.chance(0.3) && cubes.length > 0) {
        const [removed] = cubes.splice(prng.below(cubes.length), 1);
        if (removed !== undefined) expect(map.remove(removed)).toBeDefined();
        continue;
      }
      if (map.find(position) !== undefined) continue;
      const whole = map.cubeFor(position);
      const cube = prng.chance(0.5) ? whole : cubeAt(position, 1);
      map.add({ cube });
      expect(cubes.some((other) => boxesIntersect(other, cube))).toBe(false);
      expect(await codeOfRejection(() => map.add({ cube }))).toBe("ORT_ARGUMENT");
      cubes.push(cube);
    }
    for (const cube of cubes) expect([...map.inside(cube)]).toHaveLength(1);
  });

  test("[S35] is that of a merged leaf when its neighbours have become small", async () => {
    const { disk, writer } = await smallWorld(TIGHT_LIMITS);
    const many = row(40).map((position, number) => entryAt(position, number + 2));
    await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks: many }] });
    const leaves = await allLeaves(writer.state.index);
    expect(leaves.length).toBeGreaterThan(2);
    const emptied = leaves.slice(1).map(({ cube }) => ({ cube, chunks: [entryAt(cube.min, 7)] }));
    const first = leaves[0] as (typeof leaves)[0];
    await writer.commit({
      nowMs: 3,
      leaves: [...emptied, { cube: first.cube, chunks: [entryAt([0, 0, 0, 0], 8)] }],
    });
    const save = await openSave(disk);
    expect((await allLeaves(save.index)).map(({ cube }) => cube)).toEqual([ORIGIN_CELL]);
    const expected = Object.fromEntries(emptied.map(({ cube }) => [cube.min.join(), 7]));
    expect(await chunksOf(save)).toEqual({ ...expected, "0,0,0,0": 8 });
  });
});

async function expectLimits(save: Save, chunkBytes: number): Promise<void> {
  for await (const { cube, chunkRefs } of save.index.all()) {
    if (cube.max[0] - cube.min[0] <= 4) continue;
    for (const { recordBytes } of chunkRefs) expect(recordBytes).toBeLessThanOrEqual(chunkBytes + 15);
  }
}
