import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Chunk, CUBE_CHUNKS, emptyChunk, type Position } from "@orthant/core";
import { ByteReader, decode, encode } from "@orthant/core/bytes";
import { applyChunkChange, packedChunkCodec, type VoxelEdit } from "@orthant/core/chunk";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { voxelEditsCodec } from "@orthant/core/tree";
import { DEFAULT_LIMITS, type StoredChunk } from "@orthant/save";
import {
  ChunkContent,
  locatedBlobCodec,
  openBlob,
  packedBlobCodec,
  scanPack,
  sealBlob,
  wholeChunk,
} from "@orthant/save/internal";
import { COUNTRY } from "../rest/edited-worlds.ts";

/** How much shorter than its chunk a change must be to be stored, as in a save. */
const CHANGE_WEIGHT = 4;
const { volume } = CUBE_CHUNKS;
const listCodec = voxelEditsCodec(volume);
const space = DEFAULT_GENERATORS.open(COUNTRY, CUBE_CHUNKS);

/** A chunk that a save stores as its difference from what the generator makes. */
export interface StoredDifference {
  readonly position: Position;
  readonly change: Uint8Array;
}

/** Returns the chunk that the generator makes. */
export function generatedAt(position: Position): Chunk {
  return space.realize(...position);
}

/** Encodes the records of a world again, with lists of voxels in place of runs, and counts the bytes of both. */
export async function recordBytes(
  root: string,
): Promise<{ asRuns: number; asLists: number; differences: readonly StoredDifference[] }> {
  const blobs = packedBlobCodec(volume, 3);
  const differences: StoredDifference[] = [];
  let [asRuns, asLists] = [0, 0];
  for (const pack of await readdir(join(root, "data"))) {
    for (const piece of scanPack(await readFile(join(root, "data", pack)), 1)) {
      if (piece.kind === "gap") throw new Error(`${pack} has a gap at ${piece.offset}`);
      const inner = await openBlob(piece.payload, DEFAULT_LIMITS.chunkBlobHardMaxBytes);
      const entries = decode(locatedBlobCodec(volume, 3), inner);
      for (const entry of entries) {
        if (entry.kind === "change" && entry.base === "generator") differences.push(entry);
      }
      asRuns += (await sealBlob(encode(blobs, entries))).length;
      asLists += (await sealBlob(encode(blobs, entries.map(withList)))).length;
    }
  }
  return { asRuns, asLists, differences };
}

/** Stores a change as a list, or as a whole chunk if a save would prefer that to the list. */
function withList(entry: StoredChunk): StoredChunk {
  if (entry.kind === "chunk") return entry;
  const list = encode(listCodec, editsOfChange(entry.change));
  const base = entry.base === "air" ? emptyChunk(volume) : generatedAt(entry.position);
  const chunk = applyChunkChange(base, entry.change);
  if (list.length * CHANGE_WEIGHT < encode(packedChunkCodec(volume), chunk).length) {
    return { ...entry, change: list };
  }
  return wholeChunk(entry.position, ChunkContent.of(chunk));
}

/** Returns the voxels of a stored change and their new blocks, without the chunk that it changes. Rules S77 to S79. */
export function editsOfChange(change: Uint8Array): readonly VoxelEdit[] {
  const input = new ByteReader(change);
  const form = input.tag(4);
  const count = input.count(volume);
  const gaps = Array.from({ length: count }, () => input.varU16());
  const lengths = gaps.map(() => (form >= 2 ? input.varU16() + 1 : 1));
  const only = form % 2 === 1 ? input.varU16() : undefined;
  const edits: VoxelEdit[] = [];
  let index = 0;
  for (const [item, gap] of gaps.entries()) {
    const block = only ?? input.varU16();
    index += gap;
    for (const end = index + (lengths[item] as number); index < end; index++) edits.push({ index, block });
  }
  return edits;
}
