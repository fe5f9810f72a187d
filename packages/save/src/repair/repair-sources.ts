import { type Box, type ChunkShape, OrthantError } from "@orthant/core";
import { ByteReader, type Codec, crc32, decode } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import { attempt, readWhole } from "@orthant/disk/files";
import { compareAge, type RecordRef } from "../codec/blob.ts";
import { type StoredPlayer, sortPlayers } from "../codec/entity.ts";
import type { GenerationFiles } from "../codec/files.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import { requireSameWorld } from "../codec/manifest.ts";
import {
  type FileSeal,
  globalPayloadFile,
  type PayloadFile,
  playersPayloadFile,
  requireSealed,
} from "../codec/payload-file.ts";
import { plainDescription } from "../codec/world-description.ts";
import { type ReadIndex, requireGeneration } from "../leaves/index-reader.ts";
import type { LeafIndex } from "../leaves/leaf-index.ts";
import { readGlobal, readIndex } from "../read/reader.ts";
import { filesOfGeneration, type Survey, sealsOfGeneration } from "../read/survey.ts";
import type { Loss, OlderLeaves } from "./salvage.ts";

/** A value, and the newest generation it could be read from. */
interface Found<Value> {
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
  return findNewest(survey, async ({ indexFile }, generation) => {
    const index = await readIndex(disk, indexFile, sealsOfGeneration(survey, generation).indexFile);
    if (survey.manifest?.manifest.currentGeneration !== generation) {
      requireGeneration(indexFile, index, generation);
    }
    return index;
  });
}

/** Finds the leaves in a cube, from the newest generation before this one that has them all. */
export async function findOlderLeaves(
  disk: Disk,
  survey: Survey,
  before: number,
  cube: Box,
): Promise<OlderLeaves | undefined> {
  for (const generation of usableGenerations(survey)) {
    if (generation >= before) continue;
    const [found] = await attempt(async () => {
      const { index } = await readIndex(disk, filesOfGeneration(survey, generation).indexFile);
      await index.load(cube);
      return { generation, leaves: [...index.touching(cube)], lastRecord: await lastRecordOf(index) };
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the last written record that the readable part of an index refers to. */
async function lastRecordOf(index: LeafIndex): Promise<RecordRef | undefined> {
  let last: RecordRef | undefined;
  for await (const { leaves } of index.parts()) {
    for (const { chunkRefs, entityRefs } of leaves) {
      for (const ref of [...chunkRefs, ...entityRefs]) {
        if (last === undefined || compareAge(ref, last) > 0) last = ref;
      }
    }
  }
  return last;
}

/**
 * Finds the newest readable global file; `undefined` if there is none. Also accepts an intact payload behind a
 * damaged header.
 */
export async function findGlobal<Stored, Global>(
  disk: Disk,
  survey: Survey,
  codec: Codec<Stored>,
  convert: (stored: Stored, path: string) => Global,
  losses: Loss[],
): Promise<Global | undefined> {
  const found = await findNewest(survey, async ({ globalFile: path }, generation) => {
    await refuseOther(disk, path, globalPayloadFile, sealsOfGeneration(survey, generation).globalFile);
    const payload = await readPayload(disk, path, "proven");
    return convert(globalPayloadFile.decodePayload(path, codec, payload), path);
  });
  if (found !== undefined && found.generation !== usableGenerations(survey)[0]) {
    losses.push(loss("global", `taken from generation ${found.generation}`));
  }
  return found?.value;
}

/**
 * Finds the players of the newest file with a proven payload. Adds, from newer files whose payload is
 * unproven but decodable, the players that are in no other.
 */
export async function findPlayers(
  disk: Disk,
  survey: Survey,
  codec: Codec<readonly StoredPlayer[]>,
  losses: Loss[],
): Promise<readonly StoredPlayer[]> {
  const decodeFile = async (generation: number, trust: Trust): Promise<readonly StoredPlayer[]> => {
    const path = filesOfGeneration(survey, generation).playersFile;
    await refuseOther(disk, path, playersPayloadFile, await playersSealOf(disk, survey, generation));
    return decode(codec, await readPayload(disk, path, trust));
  };
  const found = await findNewest(survey, (_files, generation) => decodeFile(generation, "proven"));
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

/** Returns the seal of a players file, from the manifest or from the generation's own global file. */
async function playersSealOf(disk: Disk, survey: Survey, generation: number): Promise<FileSeal | undefined> {
  const { playersFile } = sealsOfGeneration(survey, generation);
  if (playersFile !== undefined) return playersFile;
  const { globalFile } = filesOfGeneration(survey, generation);
  const [seal] = await attempt(async () => {
    const global = await readGlobal(disk, globalFile);
    requireSameWorld(globalFile, global, survey.manifest?.manifest.worldId);
    return global.playersSeal;
  });
  return seal;
}

/** Throws for an intact file other than the one its generation means: it is from another world or time. */
async function refuseOther(
  disk: Disk,
  path: string,
  kind: PayloadFile,
  seal: FileSeal | undefined,
): Promise<void> {
  const bytes = await readWhole(disk, path);
  const [payload] = await attempt(async () => kind.payload(path, bytes));
  if (payload !== undefined) requireSealed(path, bytes, seal);
}

/** Whether a payload must have the right checksum. */
type Trust = "proven" | "unproven";

/** Reads the payload of a file with a possibly damaged header: as much as the header says, or everything. */
async function readPayload(disk: Disk, path: string, trust: Trust): Promise<Uint8Array> {
  const bytes = await readWhole(disk, path);
  const { offsets, bytes: headerBytes } = playersPayloadFile.header;
  const header = new ByteReader(bytes.subarray(offsets.payloadBytes));
  const payload = bytes.subarray(headerBytes, headerBytes + header.u32());
  if (trust === "proven" && (payload.length === 0 || crc32(payload) !== header.u32())) {
    throw new OrthantError("ORT_CHECKSUM", "the payload is damaged", { path });
  }
  return payload;
}

/** Returns the value of the newest committed generation from which it can be read. */
export async function findNewest<Value>(
  survey: Survey,
  read: (files: GenerationFiles, generation: number) => Promise<Value>,
): Promise<Found<Value> | undefined> {
  for (const generation of usableGenerations(survey)) {
    const [value] = await attempt(() => read(filesOfGeneration(survey, generation), generation));
    if (value !== undefined) return { generation, value };
  }
  return undefined;
}

/** Returns a made-up global record with an empty base, and notes the loss of the real one. */
export function unknownGlobal(shape: ChunkShape, losses: Loss[]): GlobalRecord {
  const extents = `chunks of [${shape.extents}]`;
  losses.push(loss("global", `none can be read; base, seed and description are made up, with ${extents}`));
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

/** Returns the loss of the manifest, if it cannot be read. */
export function lostManifest({ manifestError }: Survey): readonly Loss[] {
  return manifestError === undefined
    ? []
    : [loss("manifest", `rebuilt, because of ${manifestError.message}`)];
}

function loss(what: Loss["what"], message: string): Loss {
  return { what, chunks: undefined, message };
}
