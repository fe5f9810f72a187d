import { type Box, type GeneratorRegistry, isOrthantError, type Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import {
  boxContains,
  boxesIntersect,
  clampInto,
  cubeAt,
  PositionMap,
  positionFrom,
  regionBox,
  regionOf,
} from "@orthant/core/lattice";
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
import { withTicksDelayed } from "@orthant/save/content";
import {
  type BorderEdit,
  EVERYTHING_LOADED,
  openWorldEngine,
  stepCountOf,
  withStepCount,
} from "@orthant/world/engine";
import { BorderState } from "../journal/border-state.ts";
import { withoutCheckpoint } from "../journal/checkpoint.ts";
import type { EditTransfer } from "../shard/border-edits.ts";
import { chunksOfSectors, SECTOR_EDGE_CHUNKS, sectorOfRegion } from "../shard/sectors.ts";
import { newerBlocks, type ShardMap, shardOf } from "../shard/shard-map.ts";

/** The saves of a world's shards. */
export interface ShardSaves {
  readonly map: ShardMap;
  /** The disk with the save of each shard of the map. */
  readonly disks: ReadonlyMap<string, Disk>;
}

/** Options for merging shards. */
export interface MergeOptions {
  readonly nowMs: number;
  /** The generators of the world, which edits on their way between shards may need. Default: those of Orthant. */
  readonly generators?: GeneratorRegistry;
  /** Called after each leaf that was read. */
  readonly onLeaf?: () => void;
  /** Called for edits on their way between shards that cannot be applied. */
  readonly onRefused?: (error: unknown) => void;
}

/**
 * Writes the world of a cluster as one ordinary save on an empty disk. Every sector has the content of the shard that
 * the map names, and players and everything else about the world are those of the first shard. Holds one leaf at a
 * time. Rule K50.
 */
export async function mergeShards(shards: ShardSaves, target: Disk, options: MergeOptions): Promise<void> {
  const { edits, step } = await writeShards(shards, target, options);
  if (edits.length > 0) await applyEdits(target, edits, step, options);
}

/** Writes the content of all shards. Returns what is left to apply, and the number of the step after that. */
async function writeShards(
  { map, disks }: ShardSaves,
  target: Disk,
  { nowMs, onLeaf }: MergeOptions,
): Promise<{ readonly edits: readonly EditTransfer[]; readonly step: number }> {
  const saves = new Map<string, Save>();
  try {
    for (const [shard, disk] of disks) saves.set(shard, await openSave(disk));
    const first = saves.get(map.first) as Save;
    const borders = bordersOf(saves);
    const leaving = undelivered(borders);
    const edits = undeliveredEdits(map, borders);
    const last = Math.max(...Array.from(saves.values(), ({ global }) => stepCountOf(global.description)));
    // Each transfer is applied in a step of its own.
    const step = last + edits.length;
    const { limits } = first.manifest;
    const writer = await BulkSaveWriter.create(target, map.world.shape, { limits });
    try {
      for (const [shard, save] of saves)
        for await (const leaf of save.index.all()) {
          const { cube, clocks } = leaf;
          const stored = await save.readStored(leaf);
          const later = step - stepCountOf(save.global.description);
          const chunks = stored.map((chunk) => withTicksDelayed(chunk, map.world.shape.volume, later));
          const entities = await save.readEntities(leaf);
          const parts = ownParts(map, shard, { cube, chunks, entities, clocks });
          await writer.add(parts.map((part) => withArrivals(map, part, leaving)));
          onLeaf?.();
        }
      for (const entity of leaving) {
        const chunk = cubeAt(chunkOfEntity(entity, map.world.shape), 1);
        await writer.add([withArrivals(map, { cube: chunk }, leaving)]);
      }
      const global = globalOf(map, first, [...saves.values()], last);
      await writer.finish({ nowMs, global, players: first.players, store: first.storeEntries() });
      return { edits, step };
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

function bordersOf(saves: ReadonlyMap<string, Save>): ReadonlyMap<string, BorderState> {
  return new Map(
    Array.from(saves, ([shard, { global }]) => {
      const border = new BorderState();
      border.load(global.description);
      return [shard, border];
    }),
  );
}

/** Returns the entities that left one shard and did not arrive in another. Rule K60. */
function undelivered(borders: ReadonlyMap<string, BorderState>): Set<StoredEntity> {
  const leaving = new Set<StoredEntity>();
  for (const [from, { entities }] of borders)
    for (const { transfer } of entities.outbox.inOrder())
      if (![...borders.values()].some((other) => other.entities.inbox.has(from, transfer)))
        leaving.add(transfer.entity);
  return leaving;
}

/** Returns the edits that one shard sent and the other did not apply, in order. Rule K70. */
function undeliveredEdits(map: ShardMap, borders: ReadonlyMap<string, BorderState>): readonly EditTransfer[] {
  return [...borders].flatMap(([from, { edits }]) =>
    edits.outbox
      .inOrder()
      .map(({ transfer }) => transfer)
      .filter(
        (transfer) => borders.get(shardOf(map, transfer.region))?.edits.inbox.has(from, transfer) !== true,
      ),
  );
}

/** Applies edits that were on their way. Their ticks are due as many steps after the last one as they had left. */
async function applyEdits(
  target: Disk,
  transfers: readonly EditTransfer[],
  lastStep: number,
  { generators, onRefused }: MergeOptions,
): Promise<void> {
  const world = await openWorldEngine(target, { autosave: false, ...(generators && { generators }) });
  try {
    for (const { region, edits } of transfers) {
      const release = world.keep(regionBox(region));
      try {
        await world.load(regionBox(region));
        const forget = await world.state.keepGenerated([regionBox(region)]);
        await world.steps.make(EVERYTHING_LOADED, (step) => {
          for (const edit of edits) step.apply(withDelay(edit, lastStep + 1 - step.count));
        });
        forget();
      } catch (error) {
        if (world.failure !== undefined || !isOrthantError(error)) throw error;
        onRefused?.(error);
      } finally {
        release();
      }
    }
    world.steps.skipTo(lastStep);
  } finally {
    await world.close();
  }
}

/** Returns an edit whose tick is due later. */
function withDelay(edit: BorderEdit, steps: number): BorderEdit {
  return "tick" in edit && edit.inSteps > 0 ? { ...edit, inSteps: edit.inSteps + steps } : edit;
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
  const parts = new PositionMap<Part>();
  const partAt = (sector: Position): Part =>
    parts.getOrAdd(...sector, () => {
      const corner = positionFrom((axis) => sector[axis] * SECTOR_EDGE_CHUNKS);
      return { cube: cubeAt(corner, SECTOR_EDGE_CHUNKS), chunks: [], entities: [], clocks: [] };
    });
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

function globalOf(map: ShardMap, { global }: Save, all: readonly Save[], step: number): Save["global"] {
  const description = step === 0 ? global.description : withStepCount(global.description, step);
  return {
    ...global,
    nextEntityId: all.map((save) => save.global.nextEntityId).reduce(later),
    description: {
      ...withoutCheckpoint(description),
      blocks: encode(blockCatalogCodec, newerBlocks(catalogOf(description), map)),
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
