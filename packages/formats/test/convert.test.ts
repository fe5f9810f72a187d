import { type Box, chunkFromVoxels, HYPERCUBE_CHUNKS, type Position, uniformChunk } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { MemoryDisk } from "@orthant/disk";
import { convertFlatSave, openFlatSave } from "@orthant/formats";
import { convertToFlat, verifyFlatSave, worldOverrideCodec, writeFlatSave } from "@orthant/formats/internal";

import {
  type ChunkEntry,
  compareSaves,
  createSave,
  DEFAULT_LIMITS,
  type GlobalState,
  openSave,
  plainDescription,
  resumeSave,
  type Save,
  type SaveDifference,
  type StoredEntity,
  verifySave,
} from "@orthant/save";
import { LeafMap } from "@orthant/save/content";
import { codeOfRejection, Prng } from "@orthant/testkit";
import { entityAt, playerOf, smallWorld } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const { volume: VOLUME } = HYPERCUBE_CHUNKS;
const bare = { ...playerOf(7n), authKey: new Uint8Array(0), name: undefined };
const GLOBAL: GlobalState = {
  base: { kind: "flatFloor", block: 11 },
  worldSeed: 7n,
  generators: [],
  nextEntityId: 9n,
  playerEntityHints: [],
  description: plainDescription(HYPERCUBE_CHUNKS),
};

/** Scattered chunks, dense in some regions and isolated in others. */
function scattered(seed: number): readonly ChunkEntry[] {
  const prng = new Prng(seed);
  const chunks = new Map<string, ChunkEntry>();
  for (let count = 0; count < 120; count++) {
    const spread = prng.chance(0.7) ? 6 : 200_000;
    const at = (): number => prng.between(-spread, spread);
    const position: Position = [at(), at(), at(), at()];
    const chunk = prng.chance(0.1)
      ? uniformChunk(VOLUME, prng.below(3))
      : chunkFromVoxels(Uint16Array.from({ length: VOLUME }, (_, cell) => (cell === count ? 200 : cell % 3)));
    chunks.set(position.join(), { position, chunk });
  }
  return [...chunks.values()];
}

async function treeOf(chunks: readonly ChunkEntry[], change: Partial<GlobalState> = {}): Promise<Save> {
  const disk = new MemoryDisk();
  const cubes = new LeafMap();
  const leaves = new Map<string, { cube: Box; chunks: ChunkEntry[]; entities: StoredEntity[] }>();
  for (const entry of chunks) {
    const cube = cubes.cubeFor(entry.position);
    const leaf = leaves.get(cube.min.join()) ?? { cube, chunks: [], entities: [] };
    leaves.set(cube.min.join(), leaf);
    leaf.chunks.push(entry);
  }
  leaves.get("0,0,0,0")?.entities.push(entityAt(1n, [3, 3, 3, 3]), entityAt(2n, [900, 3, 3, 3]));
  const limits = { ...DEFAULT_LIMITS, chunkBlobTargetBytes: 4_096 };
  const global = { ...GLOBAL, ...change };
  const writer = await createSave(disk, {
    nowMs: 1,
    global,
    players: [bare],
    limits,
    leaves: [...leaves.values()],
  });
  await writer.close();
  return openSave(disk);
}

function floorOf(thickness: number): GlobalState["generators"] {
  const { generatorId, parameters, seed, versionHash } = generatorRef(
    flatGenerator,
    { ...FLAT_DEFAULTS, thickness },
    1n,
  );
  return [{ generatorId, params: parameters, seed, versionHash }];
}

async function expectEqual(before: Save, after: Save): Promise<void> {
  const found: SaveDifference[] = [];
  for await (const difference of compareSaves(before, after)) found.push(difference);
  expect(found).toEqual([]);
}

describe("conversion to and from flat saves", () => {
  test("converts a world from tree to flat and back without loss if a flat save can hold it", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const tree = await treeOf(scattered(seed));
      const flatDisk = new MemoryDisk();
      const there = await convertToFlat(tree, flatDisk);
      expect(there).toEqual({ chunks: scattered(seed).length, entities: 2, players: 1, losses: [] });
      expect(await verifyFlatSave(flatDisk)).toMatchObject([
        { severity: "notice", message: "the manifest has no checksum" },
      ]);
      const flat = await openFlatSave(flatDisk);
      const treeDisk = new MemoryDisk();
      expect(await convertFlatSave(flat, treeDisk)).toEqual(there);
      expect(await verifySave(treeDisk)).toEqual([]);
      const back = await openSave(treeDisk);
      await expectEqual(tree, back);
      const writer = await resumeSave(treeDisk, back);
      await (await writer.commit({ nowMs: 5 })).close();
      await writer.close();
    }
  });

  test("lists what a flat save cannot hold, and converts the rest", async () => {
    const wide = chunkFromVoxels(Uint16Array.from({ length: VOLUME }, (_, cell) => (cell === 0 ? 300 : 2)));
    const tree = await treeOf([{ position: [0, 0, 0, 0], chunk: wide }], {
      base: { kind: "generated" },
      generators: floorOf(5),
      description: { ...GLOBAL.description, name: "isles", spawn: [1, 2, 3, 4] },
    });
    const report = await convertToFlat(tree, undefined);
    expect(report.losses.map(({ what, count }) => [what, count])).toEqual([
      ["the name of the world", 1],
      ["the spawn point", 1],
      ["the generator", 1],
      ["chunks with blocks above 255", 1],
    ]);
    const disk = new MemoryDisk();
    expect(await convertToFlat(tree, disk, { standInBlock: 9 })).toEqual({
      ...report,
      losses: report.losses.map((loss) => ({
        ...loss,
        remark: loss.remark.replace("block 1;", "block 9;"),
      })),
    });
    const flat = await openFlatSave(disk);
    const [leaf] = flat.leaves;
    const [entry] = leaf === undefined ? [] : await flat.readChunks(leaf);
    expect(entry?.chunk.get(0)).toBe(9);
    expect(entry?.chunk.get(1)).toBe(2);
  });

  test.each<[thickness: number, base: object]>([
    [0, { kind: "empty" }],
    [2, { kind: "flatFloor", block: 3 }],
  ])("recognizes a floor of %i voxels by its parameters", async (thickness, base) => {
    const generators = floorOf(thickness);
    const disk = new MemoryDisk();
    const { losses } = await convertToFlat(
      await treeOf([], { base: { kind: "generated" }, generators }),
      disk,
    );
    expect(losses).toEqual([]);
    expect((await openFlatSave(disk)).global.base).toEqual(base);
  });

  test("reads chunks from a flat save's global file, and regions of any edge", async () => {
    const global: readonly ChunkEntry[] = [
      { position: [-9, 0, 0, 0], chunk: uniformChunk(VOLUME, 5) },
      { position: [1, 0, 0, 0], chunk: uniformChunk(VOLUME, 6) },
    ];
    const disk = new MemoryDisk();
    await writeFlatSave(disk, {
      base: { kind: "empty" },
      worldSeed: 1n,
      nextEntityId: 1n,
      players: [],
      chunks: [
        { position: [1, 0, 0, 0], chunk: uniformChunk(VOLUME, 7) },
        { position: [2, 0, 0, 0], chunk: uniformChunk(VOLUME, 8) },
        { position: [-4, -5, 11, 3], chunk: uniformChunk(VOLUME, 9) },
      ],
      entities: [entityAt(4n, [-1, 20, 30, 40])],
      customPayload: encode(worldOverrideCodec, global),
      nowMs: 4,
      limits: { ...DEFAULT_LIMITS, regionChunkEdge: 3 },
    });
    const flat = await openFlatSave(disk);
    const target = new MemoryDisk();
    expect(await convertFlatSave(flat, target)).toEqual({
      chunks: 4,
      entities: 1,
      players: 0,
      losses: [],
    });
    expect(await verifySave(target)).toEqual([]);
    const tree = await openSave(target);
    const found = new Map<string, number | undefined>();
    for await (const leaf of tree.index.all()) {
      for (const { position, chunk } of await tree.readChunks(leaf))
        found.set(`${position}`, chunk.uniformBlock);
      for (const { entityId } of await tree.readEntities(leaf)) expect(entityId).toBe(4n);
    }
    expect(Object.fromEntries(found)).toEqual({ "-9,0,0,0": 5, "1,0,0,0": 6, "2,0,0,0": 8, "-4,-5,11,3": 9 });
  });

  test("keeps one of several players with the same id and omits entities that are players", async () => {
    const disk = new MemoryDisk();
    await writeFlatSave(disk, {
      base: { kind: "empty" },
      worldSeed: 1n,
      nextEntityId: 1n,
      players: [bare, { ...bare, lastSavedMs: 99 }],
      chunks: [],
      entities: [{ ...entityAt(4n, [1, 1, 1, 1]), entityClass: 0 }],
      nowMs: 4,
    });
    const target = new MemoryDisk();
    const { losses } = await convertFlatSave(await openFlatSave(disk), target);
    expect(losses.map(({ what }) => what)).toEqual([
      "players that were there twice",
      "entities that are players",
    ]);
    expect((await openSave(target)).players.map(({ lastSavedMs }) => lastSavedMs)).toEqual([99]);
  });

  test("refuses chunks of another shape, and a folder that is not empty", async () => {
    const { disk, writer } = await smallWorld();
    await writer.close();
    const odd = await openSave(disk);
    expect(await codeOfRejection(convertToFlat(odd, new MemoryDisk()))).toBe("ORT_DIALECT");
    expect(await codeOfRejection(convertToFlat(await treeOf([]), disk))).toBe("ORT_NOT_EMPTY");
  });
});
