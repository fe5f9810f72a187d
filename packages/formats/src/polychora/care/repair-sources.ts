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
import { attempt } from "../../files/attempt.ts";
import { readWhole } from "../../files/read-whole.ts";
import type { Dialect } from "../dialect.ts";
import { flatPlayersCodec } from "../flat/flat-payloads.ts";
import { type ReadIndex, requireGeneration } from "../index-reader.ts";
import { playersHeader } from "../layout.ts";
import { globalOfPayload, type ReadGlobal, readGlobal, readIndex, readPlayers } from "../reader.ts";
import { type BlobRef, compareAge } from "../records/blob-ref.ts";
import { requireSameWorld } from "../records/file-seal.ts";
import type { GlobalRecord } from "../records/global-record.ts";
import type { LeafEntry } from "../records/leaf-entry.ts";
import { type PlayerRecord, playersCodec, sortPlayers } from "../records/player-record.ts";
import { plainDescription } from "../records/world-description.ts";
import type { LeafIndex } from "../tree-index/leaf-index.ts";
import type { Loss } from "./repair-plan.ts";
import { filesOfGeneration, type Survey, sealsOfGeneration } from "./survey.ts";

/** The newest generation of which something could be read, and what that is. */
export interface Found<Value> {
  readonly generation: number;
  readonly value: Value;
}

/** The generations that a repair may use, newest first: never one that the manifest says was not committed. */
export function usableGenerations({ manifest, generations }: Survey): readonly number[] {
  const current = manifest?.manifest.currentGeneration ?? Number.POSITIVE_INFINITY;
  return generations.filter((generation) => generation <= current);
}

/** The newest index that can be read. */
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

/** What an older generation had in a cell. */
export interface OlderLeaves {
  readonly generation: number;
  readonly leaves: readonly LeafEntry[];
  /** The record of that generation, wherever it is used, that was written last. */
  readonly lastRecord: BlobRef | undefined;
}

/** The leaves in a cell, of the newest generation before this one that has them all. */
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

/** The record that was written last of those that an index refers to, as far as it can be read. */
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

/** A global file, or one that is made up because none can be read. */
export interface FoundGlobal extends ReadGlobal {
  readonly isMadeUp: boolean;
}

/** The newest global file that can be read; a world without one gets an empty base. */
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
    // A whole file that the manifest does not mean is none of this world, or of another time.
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
 * The players of the newest file whose payload is proven and, from newer files whose payload is not but can still
 * be decoded, those who are in no other.
 */
export async function findPlayers(
  disk: Disk,
  survey: Survey,
  dialect: Dialect,
  losses: Loss[],
): Promise<readonly PlayerRecord[]> {
  const codec = dialect === "tree" ? playersCodec : flatPlayersCodec;
  const decodeFile = async (generation: number, trust: Trust): Promise<readonly PlayerRecord[]> => {
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

/** Whether a payload has to have the right checksum. */
type Trust = "proven" | "unproven";

/** The payload of a file whose header may be damaged: as much as the header says, or all there is. */
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
