import type { Box, Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import {
  blockCatalogCodec,
  boxContains,
  boxesIntersect,
  clampInto,
  cubeAt,
  positionFrom,
  regionOf,
} from "@orthant/core/engine";
import type { Disk } from "@orthant/disk";
import {
  BulkSaveWriter,
  catalogOf,
  chunkOfEntity,
  type LeafChange,
  openSave,
  type Save,
  type StoredEntity,
} from "@orthant/save";
import { transfersOf, withoutCheckpoint } from "../owner/checkpoint.ts";
import { TransferBook } from "../owner/transfer-book.ts";
import { chunksOfSectors, nameOfPosition, SECTOR_EDGE_CHUNKS, sectorOfRegion } from "../shard/sectors.ts";
import { laterBlocks, type ShardMap, shardOf } from "../shard/shard-map.ts";

/** The saves of a world's shards. */
export interface ShardSaves {
  readonly map: ShardMap;
  /** The disk with the save of each shard of the map. */
  readonly disks: ReadonlyMap<string, Disk>;
}

/** Options for merging shards. */
export interface MergeOptions {
  readonly nowMs: number;
  /** Called after each leaf that was read. */
  readonly onLeaf?: () => void;
}

/**
 * Writes the world of a cluster as one ordinary save on an empty disk. Every sector has the content of the shard that
 * the map names, and players and everything else about the world are those of the first shard. Holds one leaf at a
 * time. Rule K50.
 */
export async function mergeShards(
  { map, disks }: ShardSaves,
  target: Disk,
  { nowMs, onLeaf }: MergeOptions,
): Promise<void> {
  const saves = new Map<string, Save>();
  try {
    for (const [shard, disk] of disks) saves.set(shard, await openSave(disk));
    const first = saves.get(map.first) as Save;
    const leaving = undelivered(saves);
    const { limits } = first.manifest;
    const writer = await BulkSaveWriter.create(target, map.world.shape, { limits });
    try {
      for (const [shard, save] of saves)
        for await (const leaf of save.index.all()) {
          const { cube, clocks } = leaf;
          const chunks = await save.readStored(leaf);
          const entities = await save.readEntities(leaf);
          const parts = ownParts(map, shard, { cube, chunks, entities, clocks });
          await writer.add(parts.map((part) => withArrivals(map, part, leaving)));
          onLeaf?.();
        }
      for (const entity of leaving) {
        const chunk = cubeAt(chunkOfEntity(entity, map.world.shape), 1);
        await writer.add([withArrivals(map, { cube: chunk }, leaving)]);
      }
      const global = globalOf(map, first, [...saves.values()]);
      await writer.finish({ nowMs, global, players: first.players, store: first.storeEntries() });
    } finally {
      await writer.close();
    }
  } finally {
    for (const save of saves.values()) await save.close();
  }
}

/** Returns what a leaf of a shard's save has in the shard's own sectors. */
function ownParts(map: ShardMap, shard: string, leaf: LeafChange): readonly LeafChange[] {
  const { cube } = leaf;
  const isDivided = map.splits.some(({ sectors }) => boxesIntersect(chunksOfSectors(sectors), cube));
  const isSmall = cube.max[0] - cube.min[0] <= SECTOR_EDGE_CHUNKS;
  if (!isDivided || isSmall) return shardOf(map, regionOf(cube.min)) === shard ? [leaf] : [];
  return sectorsOf(map, leaf).filter(({ cube: { min } }) => shardOf(map, regionOf(min)) === shard);
}

/** Returns the entities that left one shard and did not arrive in another. Rule K60. */
function undelivered(saves: ReadonlyMap<string, Save>): Set<StoredEntity> {
  const books = new Map(
    Array.from(saves, ([shard, { global }]) => {
      const book = new TransferBook();
      const saved = transfersOf(global.description);
      if (saved !== undefined) book.load(saved);
      return [shard, book];
    }),
  );
  const leaving = new Set<StoredEntity>();
  for (const [from, { outbox }] of books)
    for (const transfer of outbox)
      if (![...books.values()].some((book) => book.has(from, transfer))) leaving.add(transfer.entity);
  return leaving;
}

/** Moves the entities that arrive in a leaf into it. */
function withArrivals(map: ShardMap, leaf: LeafChange, leaving: Set<StoredEntity>): LeafChange {
  const arriving = [...leaving].filter((entity) =>
    boxContains(leaf.cube, chunkOfEntity(entity, map.world.shape)),
  );
  for (const entity of arriving) leaving.delete(entity);
  return arriving.length === 0 ? leaf : { ...leaf, entities: [...(leaf.entities ?? []), ...arriving] };
}

/** Divides a leaf into one for each sector in which it has something. */
function sectorsOf(
  map: ShardMap,
  { cube, chunks = [], entities = [], clocks = [] }: LeafChange,
): readonly LeafChange[] {
  const parts = new Map<string, Part>();
  const partAt = (sector: Position): Part => {
    const name = nameOfPosition(sector);
    const known = parts.get(name);
    if (known !== undefined) return known;
    const corner = positionFrom((axis) => sector[axis] * SECTOR_EDGE_CHUNKS);
    const part = { cube: cubeAt(corner, SECTOR_EDGE_CHUNKS), chunks: [], entities: [], clocks: [] };
    parts.set(name, part);
    return part;
  };
  for (const chunk of chunks) partAt(sectorOfRegion(regionOf(chunk.position))).chunks.push(chunk);
  for (const clock of clocks) partAt(sectorOfRegion(clock.region)).clocks.push(clock);
  for (const entity of entities) {
    // An entity may have moved a little out of the leaf that stores it.
    const chunk = clampInto(cube, chunkOfEntity(entity, map.world.shape));
    partAt(sectorOfRegion(regionOf(chunk))).entities.push(entity);
  }
  return [...parts.values()];
}

interface Part {
  readonly cube: Box;
  readonly chunks: NonNullable<LeafChange["chunks"]>[number][];
  readonly entities: NonNullable<LeafChange["entities"]>[number][];
  readonly clocks: NonNullable<LeafChange["clocks"]>[number][];
}

function globalOf(map: ShardMap, { global }: Save, all: readonly Save[]): Save["global"] {
  const { description } = global;
  return {
    ...global,
    nextEntityId: all.map((save) => save.global.nextEntityId).reduce(later),
    description: {
      ...withoutCheckpoint(description),
      blocks: encode(blockCatalogCodec, laterBlocks(catalogOf(description), map)),
      clockEpoch: Math.max(...all.map((save) => save.global.description.clockEpoch)),
      // Only the cluster's gateways knew the epochs of its clocks, so that clients fetch the world again.
      epochs: [],
      namedGenerations: [],
      // Shards know clients by other numbers than a server does, and each knows only its own edits.
      edits: [],
    },
  };
}

function later(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}
