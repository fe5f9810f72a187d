import { type Chunk, HYPERCUBE_CHUNKS, OrthantError, type Position } from "@orthant/core";
import { U64_MAX } from "@orthant/core/bytes";
import { boxContains, PositionMap } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import type { Finding } from "@orthant/disk/files";
import {
  chunkOfEntity,
  type Loss,
  type SaveLimits,
  type StoredEntity,
  type StoredPlayer,
} from "@orthant/save";
import { PackReader, type RepairPiece, recoverFiles } from "@orthant/save/files";

import { flatGlobalCodec, flatPlayersCodec } from "./payloads.ts";
import { decodeFlatRecord, type FlatGlobalContent, flatGlobalContent, readFlatIndex } from "./reader.ts";
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
  const { global, ...recovered } = await recoverFiles(disk, findings, {
    shape: HYPERCUBE_CHUNKS,
    globalCodec: flatGlobalCodec,
    playersCodec: flatPlayersCodec,
    globalOf: flatGlobalContent,
    unknownGlobal: (record) => ({ global: record, globalChunks: [], customPayload: new Uint8Array(0) }),
    readIndex: async ({ indexFile }, generation) => (await readFlatIndex(disk, indexFile, generation)).leaves,
    measure: async (ref, payload) => {
      const content = decodeFlatRecord(ref, payload);
      return content && { volume: content.volume, changes: 0 };
    },
  });
  return { ...recovered, ...global };
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
