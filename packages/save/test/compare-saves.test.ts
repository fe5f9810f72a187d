import {
  BlockCatalog,
  type Chunk,
  DEFAULT_BLOCKS,
  emptyChunk,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { blockCatalogCodec, changeBlock, defineBlocks, retireBlock } from "@orthant/core/chunk";
import { MemoryDisk } from "@orthant/disk";
import {
  type ChunkEntry,
  compareSaves,
  createSave,
  openSave,
  type Save,
  type SaveDifference,
  type SaveLimits,
  type StoredEntity,
} from "@orthant/save";
import { allLeaves } from "@orthant/save/internal";
import { Prng } from "@orthant/testkit";
import {
  entityAt,
  entryAt,
  GLOBAL,
  ORIGIN_CELL,
  playerOf,
  SHAPE,
  smallWorld,
  TIGHT_LIMITS,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

async function saveOf(
  chunks: readonly ChunkEntry[],
  entities: readonly StoredEntity[] = [],
  limits?: SaveLimits,
): Promise<Save> {
  const disk = new MemoryDisk();
  const leaves = [{ cube: ORIGIN_CELL, chunks, entities }];
  const writer = await createSave(disk, { nowMs: 1, global: GLOBAL, leaves, ...(limits && { limits }) });
  await writer.close();
  return openSave(disk);
}

/** Returns a world with its own blocks, of which only `door` has properties, and one chunk. */
async function worldOf(
  worldId: bigint,
  ids: Readonly<Record<string, number>>,
  ofDoor: Readonly<Record<string, readonly string[]>>,
  chunk: Chunk,
): Promise<Save> {
  const catalog = new BlockCatalog([
    { id: 0, name: "air", colour: 0, solid: false },
    ...Object.entries(ids).map(([name, id]) => ({
      ...{ id, name, colour: 0, solid: true },
      ...(name === "door" && {
        properties: Object.entries(ofDoor).map(([property, values]) => ({ name: property, values })),
      }),
    })),
  ]);
  const description = { ...GLOBAL.description, worldId, blocks: encode(blockCatalogCodec, catalog) };
  const leaves = [{ cube: ORIGIN_CELL, chunks: [{ position: [0, 0, 0, 0], chunk }] as const, entities: [] }];
  const disk = new MemoryDisk();
  await (await createSave(disk, { nowMs: 1, global: { ...GLOBAL, description }, leaves })).close();
  return openSave(disk);
}

async function differences(before: Save, after: Save, samePacks = false): Promise<readonly SaveDifference[]> {
  const found: SaveDifference[] = [];
  for await (const difference of compareSaves(before, after, { samePacks })) found.push(difference);
  await before.close();
  await after.close();
  return found;
}

describe("compareSaves", () => {
  test("finds nothing between equal worlds, however their leaves are split", async () => {
    const chunks = Array.from({ length: 40 }, (_, index) => entryAt([index, index % 3, 0, 0], 100 + index));
    const entities = [entityAt(1n, [1, 1, 0, 0]), entityAt(2n, [90, 1, 0, 0])];
    const [one, many] = [await saveOf(chunks, entities), await saveOf(chunks, entities, TIGHT_LIMITS)];
    expect(await allLeaves(one.index)).toHaveLength(1);
    expect(many.index.totals.leaves).toBeGreaterThan(4);
    expect(await differences(one, many)).toEqual([]);
    expect(
      await differences(await saveOf(chunks, entities, TIGHT_LIMITS), await saveOf(chunks, entities)),
    ).toEqual([]);
  });

  test("distinguishes untouched, empty and content, and counts voxels where both sides have content", async () => {
    const before = await saveOf([
      entryAt([0, 0, 0, 0], 5),
      entryAt([1, 0, 0, 0], 5),
      entryAt([2, 0, 0, 0], 5),
    ]);
    const after = await saveOf([
      entryAt([0, 0, 0, 0], 6),
      { position: [2, 0, 0, 0], chunk: emptyChunk(SHAPE.volume) },
      entryAt([3, 0, 0, 0], 5),
    ]);
    expect(await differences(before, after)).toEqual([
      { kind: "chunk", position: [0, 0, 0, 0], before: "content", after: "content", voxels: 1, data: 0 },
      { kind: "chunk", position: [2, 0, 0, 0], before: "content", after: "empty", voxels: 16, data: 0 },
      {
        kind: "chunk",
        position: [3, 0, 0, 0],
        before: "untouched",
        after: "content",
        voxels: undefined,
        data: undefined,
      },
      {
        kind: "chunk",
        position: [1, 0, 0, 0],
        before: "content",
        after: "untouched",
        voxels: undefined,
        data: undefined,
      },
    ]);
  });

  test("agrees with a model on random worlds of small and large leaves", async () => {
    const prng = new Prng(11);
    for (let round = 0; round < 30; round++) {
      const model = (): Map<string, ChunkEntry> => {
        const chunks = new Map<string, ChunkEntry>();
        for (let count = prng.below(40); count > 0; count--) {
          const position: Position = [prng.below(9), prng.below(3), prng.below(9), 0];
          chunks.set(position.join(), entryAt(position, 1 + prng.below(2)));
        }
        return chunks;
      };
      const [before, after] = [model(), model()];
      const limits = (): SaveLimits | undefined => (prng.chance(0.5) ? TIGHT_LIMITS : undefined);
      const expected = [...new Set([...before.keys(), ...after.keys()])].filter((key) => {
        const [old, now] = [before.get(key)?.chunk, after.get(key)?.chunk];
        return old === undefined || now === undefined || !old.equals(now);
      });
      const found = await differences(
        await saveOf([...before.values()], [], limits()),
        await saveOf([...after.values()], [], limits()),
      );
      const positions = found.map((difference) =>
        difference.kind === "chunk" ? difference.position.join() : "",
      );
      expect(positions.sort(), `round ${round}`).toEqual(expected.sort());
    }
  });

  test.each<[what: string, ids: readonly number[], voxels: number | undefined]>([
    ["the same blocks under other ids", [3, 7], undefined],
    ["other values of a property", [3, 6], 1],
    ["a block with the same id and another name", [1, 7], SHAPE.volume - 1],
  ])("compares the blocks of two worlds by name and properties: %s", async (_what, [wall, door], voxels) => {
    const north = { facing: ["north", "east"] };
    const before = await worldOf(5n, { wall: 1, door: 2 }, north, uniformChunk(SHAPE.volume, 1).set(0, 3));
    const content = uniformChunk(SHAPE.volume, wall as number).set(0, door as number);
    const after = await worldOf(6n, { brick: 1, wall: 3, door: 6 }, north, content);
    const found = (await differences(before, after)).filter(({ kind }) => kind === "chunk");
    expect(found).toMatchObject(
      voxels === undefined ? [] : [{ before: "content", after: "content", voxels }],
    );
  });

  test("finds a block that was renamed in one world unchanged", async () => {
    const content = uniformChunk(SHAPE.volume, 1);
    const [before, after] = [
      await worldOf(5n, { wall: 1 }, {}, content),
      await worldOf(5n, { brick: 1 }, {}, content),
    ];
    expect(await differences(before, after)).toEqual([
      { kind: "fact", fact: "blocks", before: "wall", after: "brick" },
    ]);
  });

  test("lists the types of blocks that changed, with what changed, and those that came and went", async () => {
    const open = async (worldId: bigint, next: (types: BlockCatalog) => BlockCatalog): Promise<Save> => {
      const blocks = encode(blockCatalogCodec, next(DEFAULT_BLOCKS));
      const disk = new MemoryDisk();
      const global = { ...GLOBAL, description: { ...GLOBAL.description, worldId, blocks } };
      await (await createSave(disk, { nowMs: 1, global, leaves: [] })).close();
      return openSave(disk);
    };
    const later = (types: BlockCatalog): BlockCatalog =>
      retireBlock(
        changeBlock(defineBlocks(types, { tin: {} }), "stone", { colour: 1, opacity: 4, tags: ["a", "b"] }),
        "sand",
      );
    const found = await differences(await open(5n, (types) => types), await open(5n, later));
    expect(found).toEqual([
      {
        ...{ kind: "fact", fact: "blocks" },
        before: "stone (colour 0x8a8d91, opacity 15, no tags)",
        after: "stone (colour 0x000001, opacity 4, tags a b)",
      },
      { kind: "fact", fact: "blocks", before: "sand (in use)", after: "sand (retired)" },
      { kind: "fact", fact: "blocks", before: "none", after: "tin" },
    ]);
    const back = await differences(await open(5n, later), await open(6n, (types) => types));
    expect(back.at(-1)).toEqual({ kind: "fact", fact: "blocks", before: "tin", after: "none" });
  });

  test("follows entities and players by id", async () => {
    const moved = entityAt(2n, [90, 1, 0, 0]);
    const before = await saveOf([], [entityAt(1n, [1, 1, 0, 0]), entityAt(2n, [1, 1, 0, 0])]);
    const after = await saveOf([], [moved, entityAt(3n, [1, 1, 0, 0])]);
    expect(await differences(before, after)).toEqual([
      { kind: "entity", entityId: 1n, change: "removed" },
      { kind: "entity", entityId: 2n, change: "changed" },
      { kind: "entity", entityId: 3n, change: "added" },
    ]);
    const { disk, writer } = await smallWorld();
    await (await writer.commit({ nowMs: 2, players: [playerOf(1n, 9), playerOf(2n)] })).close();
    await writer.close();
    expect(await differences(await openSave(disk, { generation: 0 }), await openSave(disk), true)).toEqual([
      { kind: "player", playerId: 1n, change: "changed" },
      { kind: "player", playerId: 2n, change: "added" },
    ]);
  });

  test("does not read leaves that two generations share", async () => {
    const { disk, writer } = await smallWorld();
    await (await writer.commit({ nowMs: 2 })).close();
    await writer.close();
    const [before, after] = [await openSave(disk, { generation: 0 }), await openSave(disk)];
    await disk.remove("data/dt-000001.v4dt");
    expect(await differences(before, after, true)).toEqual([]);
  });

  test("reports facts, and does not compare chunks of different shapes", async () => {
    const { disk, writer } = await smallWorld();
    const description = { ...GLOBAL.description, name: "isles" };
    await (await writer.commit({ nowMs: 2, global: { ...GLOBAL, worldSeed: 8n, description } })).close();
    await writer.close();
    expect(await differences(await openSave(disk, { generation: 0 }), await openSave(disk), true)).toEqual([
      { kind: "fact", fact: "seed", before: "7", after: "8" },
      { kind: "fact", fact: "name", before: '""', after: '"isles"' },
    ]);
  });
});
