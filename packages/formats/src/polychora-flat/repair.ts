import { type Chunk, HYPERCUBE_CHUNKS, OrthantError, type Position } from "@orthant/core";
import { U64_MAX } from "@orthant/core/bytes";
import { boxContains, PositionMap } from "@orthant/core/engine";
import type { Disk } from "@orthant/disk";
import { attempt, type Finding, readWhole } from "@orthant/disk/files";
import {
  chunkOfEntity,
  DEFAULT_LIMITS,
  type Loss,
  type SaveLimits,
  type StoredEntity,
  type StoredPlayer,
  surveySave,
} from "@orthant/save";
import {
  CHUNK_BLOB,
  filesOfGeneration,
  findGlobal,
  findNewest,
  findPlayers,
  followIndex,
  type IntactRecord,
  lostManifest,
  orderPieces,
  PackReader,
  packFile,
  type RepairPiece,
  salvageRecords,
  scanPack,
  unknownGlobal,
  usableGenerations,
} from "@orthant/save/parts";

import { flatPlayersCodec } from "./payloads.ts";
import { decodeFlatRecord, type FlatGlobalContent, flatGlobalOfPayload, readFlatIndex } from "./reader.ts";
import { verifyFlatSave } from "./verify.ts";
import { writeFlatSave } from "./writer.ts";

/** The effect of a repair. Applying it writes a new save and leaves the old one alone. */
export interface FlatRepairPlan extends FlatGlobalContent {
  readonly findings: readonly Finding[];
  /** Generation whose index is used; `undefined` if none is readable. */
  readonly generation: number | undefined;
  readonly limits: SaveLimits;
  readonly players: readonly StoredPlayer[];
  readonly pieces: readonly RepairPiece[];
  readonly keptRecords: number;
  readonly keptBytes: number;
  readonly losses: readonly Loss[];
}

/**
 * Determines how much of a flat save can be recovered: the newest readable index, or the records alone, the
 * newest global and players files, and every intact record. Writes nothing. Rule S49.
 */
export async function planFlatRepair(disk: Disk): Promise<FlatRepairPlan> {
  const findings = await verifyFlatSave(disk);
  const survey = await surveySave(disk);
  const { manifest, manifestError } = survey;
  const losses: Loss[] = manifestError === undefined ? [] : [lostManifest(manifestError)];
  const index = await findNewest(survey, (generation) => {
    const { indexFile } = filesOfGeneration(survey, generation);
    // The manifest names the live index, which may state another generation.
    const isLive = manifest?.manifest.currentGeneration === generation;
    return readFlatIndex(disk, indexFile, isLive ? undefined : generation);
  });
  const global = (await findGlobal(disk, survey, flatGlobalOfPayload, losses)) ?? unknownFlatGlobal(losses);
  const players = await findPlayers(disk, survey, flatPlayersCodec, losses);
  const intact = await findIntactRecords(disk, survey.packIds);
  const leaves = index?.value.leaves ?? [];
  const isNewest = index !== undefined && index.generation === usableGenerations(survey)[0];
  const selection = isNewest
    ? followIndex(leaves, intact)
    : salvageRecords(leaves, intact, index?.generation, findings);
  const pieces = orderPieces([selection]);
  return {
    ...global,
    findings,
    generation: index?.generation,
    limits: manifest?.manifest.limits ?? DEFAULT_LIMITS,
    players,
    pieces,
    keptRecords: pieces.length,
    keptBytes: pieces.reduce((sum, { ref }) => sum + ref.recordBytes, 0),
    losses: [...losses, ...selection.losses],
  };
}

/**
 * Writes the recoverable content of a plan as a new flat save to an empty disk. Only reads the damaged save.
 * Holds all of the content in memory.
 */
export async function applyFlatRepair(disk: Disk, plan: FlatRepairPlan, target: Disk): Promise<void> {
  const { base, worldSeed, playerEntityHints, lastModifiedMs: nowMs } = plan.global;
  const { players, customPayload, limits } = plan;
  const { chunks, entities } = await gather(disk, plan);
  // The original gave some entities ids at the very end of the range, so there is no next one.
  const nextEntityId = entities.reduce(
    (next, { entityId }) => (entityId >= next && entityId < U64_MAX ? entityId + 1n : next),
    plan.global.nextEntityId,
  );
  const facts = { base, worldSeed, playerEntityHints, nextEntityId, players, customPayload, nowMs };
  await writeFlatSave(target, {
    ...facts,
    chunks: Array.from(chunks, ([position, chunk]) => ({ position, chunk })),
    entities,
    limits,
  });
}

async function gather(
  disk: Disk,
  { pieces }: FlatRepairPlan,
): Promise<{ readonly chunks: PositionMap<Chunk>; readonly entities: readonly StoredEntity[] }> {
  const chunks = new PositionMap<Chunk>();
  const entities = new Map<bigint, StoredEntity>();
  // A strict reader would refuse a pack with a damaged header and intact records.
  const packs = new PackReader(disk, { isLenient: true });
  try {
    for (const { ref, clip } of pieces) {
      const content = decodeFlatRecord(ref, await packs.readPayload(ref, ref.recordBytes));
      if (content === undefined)
        throw new OrthantError("ORT_BLOB", "a record changed since the repair was planned");
      const isKept = (position: Position): boolean => clip === undefined || boxContains(clip, position);
      for (const { position, chunk } of content.chunks) if (isKept(position)) chunks.set(...position, chunk);
      for (const entity of content.entities) {
        if (isKept(chunkOfEntity(entity, HYPERCUBE_CHUNKS))) entities.set(entity.entityId, entity);
      }
    }
  } finally {
    await packs.release();
  }
  return { chunks, entities: [...entities.values()] };
}

/** Finds all records with a right checksum in all packs, oldest first. Skips damaged stretches. */
async function findIntactRecords(disk: Disk, packIds: readonly number[]): Promise<readonly IntactRecord[]> {
  const records: IntactRecord[] = [];
  for (const packId of packIds) {
    const [bytes] = await attempt(() => readWhole(disk, packFile(packId)));
    for (const piece of bytes === undefined ? [] : scanPack(bytes, packId)) {
      const content = piece.kind === "record" ? decodeFlatRecord(piece.ref, piece.payload) : undefined;
      if (piece.kind === "gap" || content === undefined) continue;
      const isChunks = piece.ref.blobType === CHUNK_BLOB;
      records.push({ ref: piece.ref, isChunks, volume: content.volume, changes: 0 });
    }
  }
  return records;
}

function unknownFlatGlobal(losses: Loss[]): FlatGlobalContent {
  return {
    global: unknownGlobal(HYPERCUBE_CHUNKS, losses),
    globalChunks: [],
    customPayload: new Uint8Array(0),
  };
}
