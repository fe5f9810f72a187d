import {
  type Box,
  ByteReader,
  type ChunkShape,
  crc32,
  decode,
  HYPERCUBE_CHUNKS,
  OrthantError,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt, readWhole } from "@orthant/disk/files";
import { type BlobRef, compareAge } from "../codec/blob-ref.ts";
import type { Dialect } from "../codec/dialect.ts";
import { requireSameWorld } from "../codec/file-seal.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import { playersHeader } from "../codec/layout.ts";
import type { LeafEntry } from "../codec/leaf-entry.ts";
import { playersCodec, type StoredPlayer, sortPlayers } from "../codec/player-record.ts";
import { plainDescription } from "../codec/world-description.ts";
import { flatPlayersCodec } from "../flat/flat-payloads.ts";
import { type ReadIndex, requireGeneration } from "../index/index-reader.ts";
import type { LeafIndex } from "../index/leaf-index.ts";
import { globalOfPayload, type ReadGlobal, readGlobal, readIndex, readPlayers } from "../read/reader.ts";
import type { Loss } from "./repair-plan.ts";
import { filesOfGeneration, type Survey, sealsOfGeneration } from "./survey.ts";

/** A value, and the newest generation it could be read from. */
export interface Found<Value> {
  readonly generation: number;
  readonly value: Value;
}

/**
 * Returns the generations that a repair may use, newest first: never one that the manifest shows was not
 * committed.
 */
export function usableGenerations({ manifest, generations }: Survey): readonly number[] {
  const current = manifest?.manifest.currentGeneration ?? Number.POSITIVE_INFINITY;
  return generations.filter((generation) => generation <= current);
}

/** Finds the newest readable index. */
export function findIndex(disk: Disk, survey: Survey): Promise<Found<ReadIndex> | undefined> {
  return findNewest(survey, async (generation) => {
    const { indexFile } = filesOfGeneration(survey, generation);
    const index = await readIndex(disk, indexFile, sealsOfGeneration(survey, generation).indexFile);
    if (survey.manifest?.manifest.currentGeneration !== generation) {
      requireGeneration(indexFile, index, generation);
    }
    return index;
  });
}

/** The leaves of an older generation in a cell. */
export interface OlderLeaves {
  readonly generation: number;
  readonly leaves: readonly LeafEntry[];
  /** The last written record of that generation, in any cell. */
  readonly lastRecord: BlobRef | undefined;
}

/** Finds the leaves in a cell, from the newest generation before this one that has them all. */
export async function findOlderLeaves(
  disk: Disk,
  survey: Survey,
  before: number,
  cell: Box,
): Promise<OlderLeaves | undefined> {
  for (const generation of usableGenerations(survey)) {
    if (generation >= before) continue;
    const [found] = await attempt(async () => {
      const { index } = await readIndex(disk, filesOfGeneration(survey, generation).indexFile);
      await index.load(cell);
      return { generation, leaves: [...index.touching(cell)], lastRecord: await lastRecordOf(index) };
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the last written record that the readable part of an index refers to. */
async function lastRecordOf(index: LeafIndex): Promise<BlobRef | undefined> {
  let last: BlobRef | undefined;
  for await (const { leaves } of index.parts()) {
    for (const { blockRefs, entityRefs } of leaves) {
      for (const ref of [...blockRefs, ...entityRefs]) {
        if (last === undefined || compareAge(ref, last) > 0) last = ref;
      }
    }
  }
  return last;
}

/** A global file, or a made-up one if none is readable. */
export interface FoundGlobal extends ReadGlobal {
  readonly isMadeUp: boolean;
}

/** Finds the newest readable global file. Without one, the world gets an empty base. */
export async function findGlobal(
  disk: Disk,
  survey: Survey,
  dialect: Dialect,
  shape: ChunkShape = HYPERCUBE_CHUNKS,
  losses: Loss[] = [],
): Promise<FoundGlobal> {
  const found = await findNewest(survey, async (generation) => {
    const path = filesOfGeneration(survey, generation).globalFile;
    const seal = sealsOfGeneration(survey, generation).globalFile;
    const [strict, error] = await attempt(() => readGlobal(disk, path, dialect, seal));
    // An intact file other than the one the manifest means is from another world, or another time.
    if (error?.code === "ORT_GENERATION") throw error;
    const read = strict ?? globalOfPayload(path, dialect, await readPayload(disk, path, "proven"));
    requireSameWorld(path, read.global, survey.manifest?.manifest.worldId);
    return read;
  });
  const [newest] = usableGenerations(survey);
  if (found === undefined) {
    const extents = `chunks of [${shape.extents}]`;
    losses.push(loss("global", `none can be read; base, seed and description are made up, with ${extents}`));
    return { global: unknownGlobal(shape), globalBlocks: [], customPayload: undefined, isMadeUp: true };
  }
  if (found.generation !== newest) losses.push(loss("global", `taken from generation ${found.generation}`));
  return { ...found.value, isMadeUp: false };
}

/**
 * Finds the players of the newest file with a proven payload. Adds, from newer files whose payload is
 * unproven but decodable, the players that are in no other.
 */
export async function findPlayers(
  disk: Disk,
  survey: Survey,
  dialect: Dialect,
  losses: Loss[],
): Promise<readonly StoredPlayer[]> {
  const codec = dialect === "tree" ? playersCodec : flatPlayersCodec;
  const decodeFile = async (generation: number, trust: Trust): Promise<readonly StoredPlayer[]> => {
    const path = filesOfGeneration(survey, generation).playersFile;
    const seal = sealsOfGeneration(survey, generation).playersFile;
    const [, error] = await attempt(() => readPlayers(disk, path, dialect, seal));
    if (error?.code === "ORT_GENERATION") throw error;
    return decode(codec, await readPayload(disk, path, trust));
  };
  const found = await findNewest(survey, (generation) => decodeFile(generation, "proven"));
  const [newest] = usableGenerations(survey);
  if (found !== undefined && found.generation === newest) return found.value;
  const byId = new Map((found?.value ?? []).map((player) => [player.playerId, player]));
  const proven = byId.size;
  for (const generation of usableGenerations(survey)) {
    if (generation <= (found?.generation ?? -1)) break;
    const [players] = await attempt(() => decodeFile(generation, "unproven"));
    for (const player of players ?? []) if (!byId.has(player.playerId)) byId.set(player.playerId, player);
  }
  const from = found === undefined ? "no players file is whole" : `taken from generation ${found.generation}`;
  losses.push(
    loss("players", `${from}; ${byId.size - proven} more are kept although their checksum is wrong`),
  );
  return sortPlayers([...byId.values()]);
}

/** Whether a payload must have the right checksum. */
type Trust = "proven" | "unproven";

/** Reads the payload of a file with a possibly damaged header: as much as the header says, or everything. */
async function readPayload(disk: Disk, path: string, trust: Trust): Promise<Uint8Array> {
  const bytes = await readWhole(disk, path);
  const { offsets, bytes: headerBytes } = playersHeader;
  const header = new ByteReader(bytes.subarray(offsets.payloadBytes));
  const payload = bytes.subarray(headerBytes, headerBytes + header.u32());
  if (trust === "proven" && (payload.length === 0 || crc32(payload) !== header.u32())) {
    throw new OrthantError("ORT_CHECKSUM", "the payload is damaged", { path });
  }
  return payload;
}

async function findNewest<Value>(
  survey: Survey,
  read: (generation: number) => Promise<Value>,
): Promise<Found<Value> | undefined> {
  for (const generation of usableGenerations(survey)) {
    const [value] = await attempt(() => read(generation));
    if (value !== undefined) return { generation, value };
  }
  return undefined;
}

function unknownGlobal(shape: ChunkShape): GlobalRecord {
  return {
    base: { kind: "empty" },
    worldSeed: 0n,
    generators: [],
    nextEntityId: 1n,
    playerEntityHints: [],
    description: plainDescription(shape),
    nextDataFileId: 2,
    lastModifiedMs: 0,
  };
}

function loss(what: Loss["what"], message: string): Loss {
  return { what, cell: undefined, message };
}
