import type { Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import {
  chunkOfVoxel,
  PositionMap,
  positionFrom,
  positionsLexicographic,
  regionBox,
  regionOf,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import { boxesOfRegions } from "@orthant/core/tree";
import {
  ENTITIES_MAX,
  NO_DETAILS,
  type VisibleEntity,
  visibleEntity,
  visibleEntityCodec,
} from "@orthant/protocol";
import { type JournalChunk, journalChunkBytesMax } from "@orthant/save/journal";
import type { WorldEngine } from "@orthant/world/engine";
import type { ShardLog } from "../journal/shard-log.ts";
import type {
  EntitiesAnswer,
  EntitiesOfRegion,
  OwnerAnswer,
  RegionAnswer,
  RegionEntities,
  RegionRequest,
} from "../shard/owner-messages.ts";
import { nameOfPosition, sectorOfRegion } from "../shard/sectors.ts";

/** Approximate limit for the chunks in one answer, in bytes. */
const REGIONS_BYTES = 786_432;

/**
 * Returns the current content of regions. Everything in the answer is stored when this resolves. If the
 * gateway knows a later clock of a region than the world has, because a journal was lost, the region gets a
 * new clock first: clocks never go back, and no gateway waits for a clock that never comes. Rule K20.
 */
export async function answerRegions(
  world: WorldEngine,
  regions: readonly RegionRequest[],
  log: ShardLog,
): Promise<OwnerAnswer> {
  const answers: RegionAnswer[] = [];
  let room = REGIONS_BYTES;
  for (const request of regions) {
    const answer = room <= 0 ? LATER : await answerOf(world, request, room, log);
    if (answer.kind === "chunks") room -= answer.chunks.reduce((sum, change) => sum + bytesOf(change), 1);
    answers.push(answer);
  }
  await log.whenDurable();
  return { kind: "regions", answers };
}

const LATER: RegionAnswer = { kind: "later" };

async function answerOf(
  world: WorldEngine,
  { region, held, latest, at, from }: RegionRequest,
  room: number,
  log: ShardLog,
): Promise<RegionAnswer> {
  if (!log.owns(region)) return { kind: "elsewhere" };
  const box = regionBox(region);
  // Keeps the region loaded until it is read; another request might unload it.
  const release = world.keep(box);
  try {
    await world.load(box);
    if ((world.clockOf(region) ?? 0) < latest) await world.renewClocks([region]);
    const clock = world.clockOf(region) ?? 0;
    // Ends the current record at this clock, so that the next record builds on it.
    log.cut();
    if (clock === held && from === 0) return { kind: "same" };
    // If the clock changed, the part sent before is outdated, so all of it is sent again.
    const start = at === clock ? from : 0;
    const made: JournalChunk[] = [];
    let skipped = 0;
    let bytes = 0;
    const { overrides } = world.state;
    for (const position of positionsLexicographic(box)) {
      const chunk = overrides.at(...position);
      if (chunk === undefined || skipped++ < start) continue;
      const change = { position, chunk };
      if (made.length > 0 && bytes + journalChunkBytesMax(change) > room)
        return { kind: "chunks", clock, chunks: made, more: true };
      made.push(change);
      bytes += journalChunkBytesMax(change);
    }
    return { kind: "chunks", clock, chunks: made, more: false };
  } finally {
    release();
  }
}

function bytesOf(change: JournalChunk): number {
  return "chunk" in change ? journalChunkBytesMax(change) : 0;
}

/** Approximate limit for the entities in one answer, in bytes. */
const ENTITIES_BYTES = 524_288;

/**
 * Returns the entities of those regions that belong to this shard. Everything in the answer is stored when this
 * resolves. Rule K34.
 */
export async function answerEntities(
  world: WorldEngine,
  regions: readonly EntitiesOfRegion[],
  log: ShardLog,
): Promise<EntitiesAnswer> {
  const found = new PositionMap<VisibleEntity[]>();
  const stampOf = (region: Position): number => log.border.stamps.of(nameOfPosition(sectorOfRegion(region)));
  // Taken before the entities are read: what changes meanwhile is in the answer and in a later record, too.
  const stamps = regions.map(({ region }) => stampOf(region));
  // Later changes get a later stamp.
  log.cut();
  for (const [index, { region, held }] of regions.entries())
    if (log.owns(region) && stamps[index] !== held) found.set(...region, []);
  // Merges adjacent regions into one query, because a world may scan all its entities for each.
  for (const chunks of boxesOfRegions([...found.positions()])) {
    for (const entity of await world.entities.in(voxelsOfChunks(world.shape, chunks))) {
      const voxel = positionFrom((axis) => Math.floor(entity.position[axis]));
      const there = found.get(...regionOf(chunkOfVoxel(world.shape, voxel)));
      // No client could be shown more.
      if (there !== undefined && there.length < ENTITIES_MAX) there.push(visibleEntity(entity));
    }
  }
  let room = ENTITIES_BYTES;
  const answers = regions.map(({ region }, index): RegionEntities => {
    if (!log.owns(region)) return { kind: "elsewhere" };
    const entities = found.get(...region);
    if (entities === undefined) return { kind: "same" };
    if (room <= 0) return { kind: "later" };
    const shown: VisibleEntity[] = [];
    for (const entity of entities) {
      // Many entities with much data would not fit into a message.
      const sent = room > 0 ? entity : { ...entity, ...NO_DETAILS };
      room -= encode(visibleEntityCodec, sent).length;
      shown.push(sent);
    }
    return { kind: "here", stamp: stamps[index] ?? 0, entities: shown };
  });
  await log.whenDurable();
  return { kind: "entities", answers };
}
