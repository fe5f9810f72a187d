import {
  type Chunk,
  CUBE_CHUNKS,
  chunkFromVoxels,
  emptyChunk,
  GeneratorRegistry,
  type Position,
  uniformChunk,
} from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratorRef,
  generatorRef,
  MAZE_DEFAULTS,
  mazeGenerator,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import {
  comparePositions,
  cubeAt,
  PositionMap,
  positionsLexicographic,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { type DiskFile, MemoryDisk, type OpenMode } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  applyRepair,
  BulkSaveWriter,
  type ChunkEntry,
  createSave,
  DEFAULT_LIMITS,
  type GlobalState,
  type LeafEntry,
  openSave,
  plainDescription,
  planRepair,
  resumeSave,
  type Save,
  type SaveWriter,
  verifySave,
} from "@orthant/save";
import { generatedChunks, realizeStored } from "@orthant/save/content";
import { LEAF_CHUNKS_TARGET } from "@orthant/save/internal";
import { codeOfRejection, Prng } from "@orthant/testkit";
import {
  chunkOf,
  chunksOf,
  entityAt,
  entryAt,
  GLOBAL,
  ORIGIN_CELL,
  TIGHT_LIMITS,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

/** Its ground is at positive positions, so that all of it can be in one leaf. */
const HIGH = { ...TERRAIN_DEFAULTS, baseLevel: 200 };
const TERRAIN = generatorRef(terrainGenerator, HIGH, 7n);
const VOLUME = CUBE_CHUNKS.volume;

function globalWith({ generatorId, parameters, seed, versionHash }: GeneratorRef): GlobalState {
  return {
    ...GLOBAL,
    base: { kind: "generated" },
    generators: [{ generatorId, params: parameters, seed, versionHash }],
    description: plainDescription(CUBE_CHUNKS),
  };
}

const global = globalWith(TERRAIN);
const generated = generatedChunks(global);

/** Returns the generated chunk at a position, with some voxels of another block. */
function edited(position: Position, cubes: number, prng: Prng): Chunk {
  const edits = Array.from({ length: cubes }, () => ({
    index: prng.below(VOLUME),
    block: prng.between(200, 209),
  }));
  return generated(position).edit(edits);
}

async function save(
  chunks: readonly ChunkEntry[],
  limits = DEFAULT_LIMITS,
): Promise<{ disk: MemoryDisk; writer: SaveWriter }> {
  const disk = new MemoryDisk();
  const writer = await createSave(disk, {
    nowMs: 1,
    global,
    limits,
    leaves: [{ cube: ORIGIN_CELL, chunks }],
  });
  return { disk, writer };
}

function leavesOf({ index }: Pick<Save, "index">): readonly LeafEntry[] {
  return [...index.touching(WHOLE_LATTICE)].sort((a, b) => comparePositions(a.cube.min, b.cube.min));
}

function onlyLeaf(opened: Pick<Save, "index">): LeafEntry {
  const leaves = leavesOf(opened);
  expect(leaves).toHaveLength(1);
  return leaves[0] as LeafEntry;
}

async function contentOf(opened: Save): Promise<PositionMap<Chunk>> {
  const content = new PositionMap<Chunk>();
  for (const leaf of leavesOf(opened)) {
    for (const { position, chunk } of await opened.readChunks(leaf)) content.set(...position, chunk);
  }
  return content;
}

describe("a stored chunk", () => {
  test("[S81] takes the form with the fewest bytes: a chunk, a change to air, or a change to the generated chunk", async () => {
    const prng = new Prng(1);
    const ground: Position = [0, 5, 0, 0];
    const sky: Position = [0, 40, 0, 0];
    expect([generated(ground).isEmpty, generated(sky).isEmpty]).toEqual([false, true]);
    const noise = chunkFromVoxels(Uint16Array.from({ length: VOLUME }, () => prng.below(9)));
    const { disk } = await save([
      { position: ground, chunk: edited(ground, 3, prng) },
      { position: sky, chunk: edited(sky, 3, prng) },
      { position: [1, 5, 0, 0], chunk: noise },
      { position: [2, 5, 0, 0], chunk: uniformChunk(VOLUME, 5) },
      { position: [3, 5, 0, 0], chunk: emptyChunk(VOLUME) },
    ]);
    const opened = await openSave(disk);
    const stored = await opened.readStored(onlyLeaf(opened));
    expect(stored.map((entry) => (entry.kind === "chunk" ? entry.kind : entry.base))).toEqual([
      "generator",
      "air",
      "chunk",
      "chunk",
      "chunk",
    ]);
  });

  test("[S81] is a chunk when many positions share it and each of them would need a change", async () => {
    const pillar = emptyChunk(VOLUME).fill(CUBE_CHUNKS, { min: [4, 0, 4, 0], max: [5, 16, 5, 1] }, 9);
    const positions = Array.from({ length: 300 }, (_, x) => [x, 40, 0, 0] as const);
    const { disk } = await save(positions.map((position) => ({ position, chunk: pillar })));
    const opened = await openSave(disk);
    const kinds = (await opened.readStored(onlyLeaf(opened))).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(["chunk"]));
    const one = await save([{ position: [0, 40, 0, 0], chunk: pillar }]);
    const [alone] = await one.writer.currentSave().readStored(onlyLeaf(one.writer.state));
    expect(alone?.kind).toBe("change");
  });

  test("[S81] a stored chunk that is a change is unreadable without the generator, but its neighbours are readable", async () => {
    const prng = new Prng(2);
    const position: Position = [0, 5, 0, 0];
    const chunk = edited(position, 3, prng);
    const { disk } = await save([{ position, chunk }]);
    const generators = new GeneratorRegistry([]);
    const opened = await openSave(disk, { generators });
    const leaf = onlyLeaf(opened);
    expect(await codeOfRejection(() => opened.readChunks(leaf))).toBe("ORT_GENERATOR_UNKNOWN");
    const [stored] = await opened.readStored(leaf);
    expect(stored?.position).toEqual(position);
    expect(await codeOfRejection(() => realizeStored(stored as NonNullable<typeof stored>, undefined))).toBe(
      "ORT_NOT_FOUND",
    );
    // A writer without the generator keeps the existing changes.
    const writer = await resumeSave(disk, opened, { generators });
    const other: Position = [1, 5, 0, 0];
    const otherChunk = edited(other, 3, prng);
    await writer.commit({
      nowMs: 2,
      leaves: [{ cube: ORIGIN_CELL, changed: [{ position: other, chunk: otherChunk }] }],
    });
    const again = await openSave(disk);
    const bases = (await again.readStored(onlyLeaf(again))).map(
      (entry) => entry.kind === "change" && entry.base,
    );
    expect(bases).toEqual(["generator", "air"]);
    const content = await contentOf(again);
    expect(content.get(...position)?.equals(chunk)).toBe(true);
    expect(content.get(...other)?.equals(otherChunk)).toBe(true);
    expect(isWhole(await verifySave(disk))).toBe(true);
  });

  test("[S81] keeps its meaning: a commit cannot change the world's generator", async () => {
    const { writer } = await save([]);
    const reseeded = globalWith(generatorRef(terrainGenerator, HIGH, 8n));
    for (const other of [
      reseeded,
      { ...global, base: { kind: "empty" } as const },
      { ...global, generators: [] },
    ]) {
      expect(await codeOfRejection(() => writer.commit({ nowMs: 2, global: other }))).toBe("ORT_ARGUMENT");
    }
    await writer.commit({ nowMs: 2, global: { ...global, nextEntityId: 5n } });
  });

  test("[S81] a stored chunk that is a change counts as lost in a repair without a global file", async () => {
    const prng = new Prng(3);
    const ground: Position = [0, 5, 0, 0];
    const sky: Position = [0, 40, 0, 0];
    const { disk } = await save([
      { position: ground, chunk: edited(ground, 3, prng) },
      { position: sky, chunk: edited(sky, 3, prng) },
    ]);
    await disk.remove("global.g0000000000000000.v4g");
    const plan = await planRepair(disk);
    expect(plan.losses.map(({ what }) => what)).toEqual(["global", "chunks"]);
    expect(plan.losses[1]?.message).toContain("1 chunk");
    const target = new MemoryDisk();
    await applyRepair(disk, plan, target);
    expect([...(await contentOf(await openSave(target))).positions()]).toEqual([sky]);
  });

  test.each<[name: string, ref: GeneratorRef]>([
    ["flat", generatorRef(flatGenerator, FLAT_DEFAULTS, 1n)],
    ["terrain", TERRAIN],
    ["platforms", generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 1n)],
    ["maze", generatorRef(mazeGenerator, MAZE_DEFAULTS, 1n)],
  ])("[S75, S77, S81] round-trips over %s after arbitrary edits", async (_name, ref) => {
    const prng = new Prng(4);
    const space = DEFAULT_GENERATORS.open(ref, CUBE_CHUNKS);
    const chunks = [...positionsLexicographic({ min: [-2, -3, -2, 0], max: [2, 3, 2, 1] })].map(
      (position) => {
        let chunk = space.realize(...position);
        for (let edits = prng.below(6); edits > 0; edits--) {
          const min: Position = [prng.below(16), prng.below(16), prng.below(16), 0];
          const edge = prng.pick([1, 1, 2, 5, 16]);
          const max: Position = [
            Math.min(16, min[0] + edge),
            Math.min(16, min[1] + edge),
            Math.min(16, min[2] + edge),
            1,
          ];
          chunk = chunk.fill(CUBE_CHUNKS, { min, max }, prng.pick([0, 1, 5, 70, 60_000]));
        }
        return { position, chunk };
      },
    );
    const disk = new MemoryDisk();
    await createSave(disk, {
      nowMs: 1,
      global: globalWith(ref),
      leaves: [{ cube: cubeAt([-4, -4, -4, -4], 4), chunks: [] }],
    });
    const writer = await resumeSave(disk, await openSave(disk));
    for (const entry of chunks) {
      const cube = cubeAt(
        [
          entry.position[0] < 0 ? -65_536 : 0,
          entry.position[1] < 0 ? -65_536 : 0,
          entry.position[2] < 0 ? -65_536 : 0,
          0,
        ],
        65_536,
      );
      await writer.commit({ nowMs: 2, leaves: [{ cube, changed: [entry] }] });
    }
    const content = await contentOf(await openSave(disk));
    expect(content.size).toBe(chunks.length);
    for (const { position, chunk } of chunks) expect(content.get(...position)?.equals(chunk)).toBe(true);
    expect(isWhole(await verifySave(disk))).toBe(true);
  });
});

describe("a leaf with some changed chunks", () => {
  test("[S84] keeps all other chunks byte for byte, without calling the generator for them", async () => {
    const prng = new Prng(5);
    const positions = Array.from({ length: 20 }, (_, x) => [x, 5, 0, 0] as const);
    const { disk } = await save(
      positions.map((position) => ({ position, chunk: edited(position, 4, prng) })),
    );
    const asked: Position[] = [];
    const spying = new GeneratorRegistry([
      {
        ...terrainGenerator,
        open: (parameters: never, seed: bigint, shape) => {
          const source = terrainGenerator.open(parameters, seed, shape);
          return {
            repeatedIn: (box) => source.repeatedIn(box),
            contentBounds: (box) => source.contentBounds(box),
            realize: (x, y, z, w) => {
              asked.push([x, y, z, w]);
              return source.realize(x, y, z, w);
            },
          };
        },
      },
    ]);
    const before = await openSave(disk);
    const storedBefore = await before.readStored(onlyLeaf(before));
    const writer = await resumeSave(disk, before, { generators: spying });
    const changed = [
      { position: [3, 5, 0, 0] as const, chunk: edited([3, 5, 0, 0], 9, prng) },
      { position: [5, 5, 0, 0] as const, chunk: undefined },
      { position: [6, 5, 0, 0] as const, chunk: uniformChunk(VOLUME, 3) },
      { position: [25, 5, 0, 0] as const, chunk: edited([25, 5, 0, 0], 1, prng) },
    ];
    const after = await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, changed }] });
    expect(asked).toEqual([
      [3, 5, 0, 0],
      [25, 5, 0, 0],
    ]);
    const stored = await after.readStored(onlyLeaf(after));
    expect(stored.map(({ position }) => position[0])).toEqual([
      0,
      1,
      2,
      3,
      4,
      ...Array.from({ length: 14 }, (_, at) => at + 6),
      25,
    ]);
    const touched = new Set<number>(changed.map(({ position }) => position[0]));
    for (const entry of storedBefore) {
      if (touched.has(entry.position[0])) continue;
      expect(stored.find(({ position }) => position[0] === entry.position[0])).toEqual(entry);
    }
  });

  test("[S84] is refused with both all of its chunks and the changed ones", async () => {
    const { writer } = await save([]);
    const leaves = [{ cube: ORIGIN_CELL, chunks: [], changed: [] }];
    expect(await codeOfRejection(() => writer.commit({ nowMs: 2, leaves }))).toBe("ORT_ARGUMENT");
  });

  test("[S84] a leaf of version 1 becomes version 2 as a whole, while other leaves stay", async () => {
    const disk = new MemoryDisk();
    const far = cubeAt([65_536, 0, 0, 0], 65_536);
    const first = await createSave(disk, {
      nowMs: 1,
      global: GLOBAL,
      indexVersion: 1,
      leaves: [
        {
          cube: ORIGIN_CELL,
          chunks: [entryAt([0, 0, 0, 0], 5), entryAt([1, 0, 0, 0], 6)],
          entities: [entityAt(1n, [0, 0, 0, 0])],
        },
        { cube: far, chunks: [entryAt([65_536, 0, 0, 0], 7)] },
      ],
    });
    const versions = (leaves: readonly LeafEntry[]): readonly number[] =>
      leaves.flatMap(({ chunkRefs, entityRefs }) =>
        [...chunkRefs, ...entityRefs].map(({ blobVersion }) => blobVersion),
      );
    expect(versions(leavesOf(first.state))).toEqual([1, 1, 1]);
    await first.commit({ nowMs: 2, leaves: [{ cube: far, changed: [entryAt([65_537, 0, 0, 0], 8)] }] });
    expect(versions(leavesOf(first.state))).toEqual([1, 1, 1]);
    const opened = await openSave(disk);
    const second = await resumeSave(disk, opened.share({ ...opened, indexVersion: 2 }));
    await second.commit({ nowMs: 3, leaves: [{ cube: ORIGIN_CELL, changed: [entryAt([2, 0, 0, 0], 9)] }] });
    expect(versions(leavesOf(second.state))).toEqual([2, 1, 1]);
    expect(await chunksOf(await openSave(disk))).toEqual({
      "0,0,0,0": 5,
      "1,0,0,0": 6,
      "2,0,0,0": 9,
      "65536,0,0,0": 7,
      "65537,0,0,0": 8,
    });
    expect(isWhole(await verifySave(disk))).toBe(true);
  });

  test("[S84] equals one that is given all of its chunks, however many commits it took", async () => {
    const prng = new Prng(6);
    const disks = [new MemoryDisk(), new MemoryDisk()] as const;
    const writers = [
      await createSave(disks[0], { nowMs: 1, global: GLOBAL, limits: TIGHT_LIMITS }),
      await createSave(disks[1], { nowMs: 1, global: GLOBAL, limits: TIGHT_LIMITS }),
    ] as const;
    const model = new PositionMap<Chunk>();
    for (let round = 0; round < 150; round++) {
      const position: Position = [prng.below(24), prng.below(3), 0, 0];
      const chunk = prng.chance(0.4) ? undefined : chunkOf(prng.between(2, 40));
      if (chunk === undefined) model.delete(...position);
      else model.set(...position, chunk);
      for (const [index, writer] of writers.entries()) {
        const leaf = leavesOf(writer.state).find(
          ({ cube }) =>
            cube.min[0] <= position[0] &&
            position[0] < cube.max[0] &&
            cube.min[1] <= position[1] &&
            position[1] < cube.max[1],
        );
        const cube = leaf?.cube ?? (leavesOf(writer.state).length === 0 ? ORIGIN_CELL : cubeAt(position, 1));
        const all = Array.from(model, ([at, made]) => ({ position: at, chunk: made })).filter(
          ({ position: at }) =>
            at.every(
              (coordinate, axis) =>
                coordinate >= (cube.min[axis] as number) && coordinate < (cube.max[axis] as number),
            ),
        );
        const change = index === 0 ? { cube, changed: [{ position, chunk }] } : { cube, chunks: all };
        await (await writer.commit({ nowMs: round, leaves: [change] })).close();
      }
    }
    const expected = Object.fromEntries(
      Array.from(model, ([position, chunk]) => [position.join(), chunk.get(3)]),
    );
    for (const disk of disks) {
      expect(await chunksOf(await openSave(disk))).toEqual(expected);
      expect(isWhole(await verifySave(disk))).toBe(true);
    }
  });
});

describe("the size of a leaf", () => {
  const scattered = (count: number): readonly ChunkEntry[] =>
    Array.from({ length: count }, (_, at) => ({
      position: [(at * 7) % 64, Math.floor(at / 64), (at * 11) % 64, 0] as const,
      chunk: emptyChunk(VOLUME),
    }));

  test("[S82] is at most 2,048 chunks, however few bytes they take", async () => {
    const { disk, writer } = await save(scattered(LEAF_CHUNKS_TARGET));
    expect(leavesOf(writer.state)).toHaveLength(1);
    await writer.commit({
      nowMs: 2,
      leaves: [{ cube: ORIGIN_CELL, chunks: scattered(LEAF_CHUNKS_TARGET + 1) }],
    });
    const opened = await openSave(disk);
    expect(leavesOf(opened).length).toBeGreaterThan(1);
    expect((await contentOf(opened)).size).toBe(LEAF_CHUNKS_TARGET + 1);
  });

  test("[S82] is measured before compression", async () => {
    const striped = (number: number): Chunk =>
      chunkFromVoxels(Uint16Array.from({ length: VOLUME }, (_, cell) => 1 + ((cell % (number + 2)) % 7)));
    const count = 100;
    const chunks = Array.from({ length: count }, (_, x) => ({
      position: [x, 0, 0, 0] as const,
      chunk: striped(x + 1),
    }));
    const { disk } = await save(chunks);
    const opened = await openSave(disk);
    const bytes = leavesOf(opened)
      .flatMap(({ chunkRefs }) => chunkRefs)
      .reduce((sum, { recordBytes }) => sum + recordBytes, 0);
    // Three bits per voxel: 150 KiB in all, and much less on disk.
    expect(leavesOf(opened).length).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(DEFAULT_LIMITS.chunkBlobTargetBytes / 2);
  });

  test("[S83] does not oscillate: split leaves are merged only when their content has halved", async () => {
    const { disk, writer } = await save(scattered(LEAF_CHUNKS_TARGET + 1));
    const split = leavesOf(writer.state).length;
    expect(split).toBeGreaterThan(1);
    const all = scattered(LEAF_CHUNKS_TARGET + 1);
    const remove = async (chunks: readonly ChunkEntry[]): Promise<number> => {
      const leaves = leavesOf(writer.state).map(({ cube }) => ({
        cube,
        changed: chunks
          .filter(({ position }) =>
            position.every((at, axis) => at >= (cube.min[axis] as number) && at < (cube.max[axis] as number)),
          )
          .map(({ position }) => ({ position, chunk: undefined })),
      }));
      await (
        await writer.commit({ nowMs: 2, leaves: leaves.filter(({ changed }) => changed.length > 0) })
      ).close();
      return leavesOf(writer.state).length;
    };
    expect(await remove(all.slice(0, 1))).toBe(split);
    expect(await remove(all.slice(1, 900))).toBeGreaterThan(1);
    expect(await remove(all.slice(900, 1_200))).toBe(1);
    expect((await contentOf(await openSave(disk))).size).toBe(LEAF_CHUNKS_TARGET + 1 - 1_200);
  });

  test("[S83] is checked once: neighbours found too large to merge are not read again", async () => {
    const base = chunkFromVoxels(Uint16Array.from({ length: VOLUME }, (_, cell) => 1 + ((cell * cell) % 7)));
    const variant = (number: number): Chunk => base.set(number, 9);
    const cubes = [cubeAt([0, 0, 0, 0], 64), cubeAt([64, 0, 0, 0], 64)] as const;
    const disk = new ReadCounter();
    const bulk = await BulkSaveWriter.create(disk, CUBE_CHUNKS);
    for (const [cube, length] of [[cubes[0], 10] as const, [cubes[1], 60] as const]) {
      const positions = Array.from({ length }, (_, at) => [cube.min[0] + at, 0, 0, 0] as const);
      await bulk.add([
        { cube, chunks: positions.map((position) => ({ position, chunk: variant(position[0]) })) },
      ]);
    }
    await bulk.finish({ nowMs: 1, global, players: [] });
    await bulk.close();
    const writer = await resumeSave(disk, await openSave(disk));
    const reads: number[] = [];
    for (let round = 0; round < 3; round++) {
      const before = disk.recordsRead;
      const changed = [{ position: [0, 0, 0, 0] as const, chunk: variant(1_000 + round) }];
      await (await writer.commit({ nowMs: 2 + round, leaves: [{ cube: cubes[0], changed }] })).close();
      reads.push(disk.recordsRead - before);
    }
    // The leaf itself and its neighbour, then only the leaf.
    expect(reads).toEqual([2, 1, 1]);
    expect(leavesOf(writer.state)).toHaveLength(2);
    expect((await contentOf(await openSave(disk))).size).toBe(70);
  });
});

/** Counts reads of packs after their headers. */
class ReadCounter extends MemoryDisk {
  recordsRead = 0;

  override async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await super.open(path, mode);
    const readAt = file.readAt.bind(file);
    file.readAt = (offset, length) => {
      if (path.startsWith("data/") && offset > 0) this.recordsRead++;
      return readAt(offset, length);
    };
    return file;
  }
}

describe("a bulk copy", () => {
  test("[S84] takes chunks in stored form", async () => {
    const prng = new Prng(8);
    const position: Position = [0, 5, 0, 0];
    const { disk } = await save([{ position, chunk: edited(position, 3, prng) }]);
    const from = await openSave(disk);
    const target = new MemoryDisk();
    const bulk = await BulkSaveWriter.create(target, CUBE_CHUNKS);
    for (const leaf of leavesOf(from))
      await bulk.add([{ cube: leaf.cube, chunks: await from.readStored(leaf) }]);
    await bulk.finish({ nowMs: 1, global, players: [] });
    await bulk.close();
    const copy = await openSave(target);
    expect(await copy.readStored(onlyLeaf(copy))).toEqual(await from.readStored(onlyLeaf(from)));
  });
});
