import { type Box, OrthantError, type Position } from "@orthant/core";
import { U64_MAX } from "@orthant/core/bytes";
import { boxContains, boxesIntersect, PositionMap, regionBox, regionOf } from "@orthant/core/lattice";
import { clockFrom, type RegionClock } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import { requireDisk } from "@orthant/disk/files";
import type { LeafChange } from "../change/save-change.ts";
import type { StoredEntity } from "../codec/entity.ts";
import { LEAF_LEVEL_MAX } from "../codec/layout.ts";
import type { ChunkEntry } from "../codec/prepared-chunks.ts";
import { needsGenerator, realizeStored, type StoredChunk, ticksOf } from "../codec/stored-chunk.ts";
import { createSave } from "../commit/start-writer.ts";
import { alignedCubeAt } from "../leaves/cube.ts";
import { chunkOfEntity } from "../leaves/leaf-partition.ts";
import { PackReader } from "../pack/pack-reader.ts";
import { decodeRecord, type RepairPlan, requirePlan } from "./salvage.ts";

/**
 * Writes the recoverable content of a plan as a new save to an empty disk. Only reads the damaged save. Holds all of the content in memory.
 */
export async function applyRepair(disk: Disk, plan: RepairPlan, target: Disk): Promise<void> {
  requireDisk("disk", disk);
  requirePlan(plan);
  requireDisk("target", target);
  const { chunks, entities } = await gather(disk, plan);
  const { global } = plan;
  const nextEntityId = entities.reduce(idBehind, global.nextEntityId);
  const clockEpoch = global.description.clockEpoch + 1;
  const writer = await createSave(target, {
    nowMs: global.lastModifiedMs,
    limits: plan.limits,
    // Named generations are dropped, because the new save starts its own numbering.
    global: {
      ...global,
      nextEntityId,
      description: { ...global.description, clockEpoch, namedGenerations: [] },
    },
    players: plan.players,
    store: plan.store,
    leaves: leavesOf(plan, chunks, entities, clockEpoch),
  });
  await writer.close();
}

interface Content {
  readonly chunks: readonly RepairedChunk[];
  readonly entities: readonly StoredEntity[];
}

/** A chunk, or its stored form if that needs a generator that is missing here. */
type RepairedChunk = ChunkEntry | StoredChunk;

async function gather(
  disk: Disk,
  { pieces, global, generated, namesGenerator }: RepairPlan,
): Promise<Content> {
  const shape = global.description.chunkShape;
  const chunks = new PositionMap<RepairedChunk>();
  const entities = new Map<bigint, StoredEntity>();
  // A strict reader would refuse a pack with a damaged header and intact records.
  const packReader = new PackReader(disk, { isLenient: true });
  try {
    for (const { ref, clip } of pieces) {
      const payload = await packReader.readPayload(ref, ref.recordBytes);
      const content = await decodeRecord(ref, payload, shape.volume);
      if (content === undefined)
        throw new OrthantError("ORT_BLOB", "a record changed since the repair was planned");
      for (const entry of content.chunks) {
        const { position } = entry;
        if (!isInside(clip, position)) continue;
        if (generated !== undefined || !needsGenerator(entry))
          chunks.set(...position, {
            position,
            chunk: realizeStored(entry, generated),
            ticks: ticksOf(entry, shape.volume),
          });
        // A change to the output of an unnamed generator is meaningless. The plan lists it among the losses.
        else if (namesGenerator) chunks.set(...position, entry);
      }
      for (const entity of content.entities) {
        if (isInside(clip, chunkOfEntity(entity, shape))) entities.set(entity.entityId, entity);
      }
    }
  } finally {
    await packReader.release();
  }
  return {
    chunks: Array.from(chunks, ([, repaired]) => repaired),
    entities: [...entities.values()],
  };
}

/** Returns one leaf for each non-empty cube of the largest size. The writer splits them as needed. */
function leavesOf(
  plan: RepairPlan,
  chunks: readonly RepairedChunk[],
  entities: readonly StoredEntity[],
  clockEpoch: number,
): readonly LeafChange[] {
  const leaves = new PositionMap<{
    readonly cube: Box;
    readonly chunks: RepairedChunk[];
    readonly entities: StoredEntity[];
    readonly clocks: RegionClock[];
  }>();
  const leafAt = (
    position: Position,
  ): { chunks: RepairedChunk[]; entities: StoredEntity[]; clocks: RegionClock[] } => {
    const cube = alignedCubeAt(position, LEAF_LEVEL_MAX);
    return leaves.getOrAdd(...cube.min, () => ({ cube, chunks: [], entities: [], clocks: [] }));
  };
  for (const entry of chunks) leafAt(entry.position).chunks.push(entry);
  const shape = plan.global.description.chunkShape;
  for (const entity of entities) leafAt(chunkOfEntity(entity, shape)).entities.push(entity);
  for (const clock of repairedClocks(plan, chunks, clockEpoch)) {
    leafAt(regionBox(clock.region).min).clocks.push(clock);
  }
  return [...leaves.values()];
}

/**
 * Equal clocks must always mean equal content, so a region with other content gets a clock of a new epoch.
 */
function repairedClocks(
  { clocks, changedCubes }: RepairPlan,
  chunks: readonly RepairedChunk[],
  clockEpoch: number,
): readonly RegionClock[] {
  const renewed = clockFrom(clockEpoch, 1);
  const isChanged = (region: Position): boolean =>
    changedCubes.some((cube) => boxesIntersect(cube, regionBox(region)));
  const result = new PositionMap<number>();
  for (const { region, clock } of clocks) result.set(...region, isChanged(region) ? renewed : clock);
  for (const { position } of chunks) {
    const region = regionOf(position);
    if (!result.has(...region) && isChanged(region)) result.set(...region, renewed);
  }
  return Array.from(result, ([region, clock]) => ({ region, clock }));
}

/** The original gave some entities ids at the very end of the range, so there is no next one. */
function idBehind(next: bigint, { entityId }: StoredEntity): bigint {
  return entityId >= next && entityId < U64_MAX ? entityId + 1n : next;
}

function isInside(clip: Box | undefined, position: Position): boolean {
  return clip === undefined || boxContains(clip, position);
}
