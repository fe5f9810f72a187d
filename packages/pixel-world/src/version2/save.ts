import { OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { atFile } from "@orthant/disk/files";
import { decodeBody, type PixelBody } from "../format/body.ts";
import { STORAGE, type StoredPixelChunk } from "../format/pixels.ts";
import type { PixelBodyRef, PixelChunkRef, PixelFacts, PixelSave } from "../format/save.ts";
import { decodeChunk } from "./chunk-payload.ts";
import { readEntry } from "./entry.ts";
import { readState } from "./header.ts";

/** Opens a version 2 file as of its last commit. The save then owns `file`. Throws if no committed state is readable. */
export async function openVersion2Save(path: string, file: DiskFile): Promise<PixelSave> {
  const { facts, modifiedMs, generation, index, deadBytes, end } = await readState(file);
  const fileBytes = await file.size();
  return {
    dialect: "version2",
    facts,
    modifiedMs,
    generation,
    chunkCount: index.chunks.size,
    bodyCount: index.bodies.size,
    fileBytes,
    deadBytes: deadBytes + fileBytes - end,
    chunks: () => index.chunks,
    chunkAt: (x, y) => index.chunks.get(x, y),
    bodies: () => index.bodies,
    readChunk: (ref) => readChunkEntry(path, file, ref, facts),
    readBody: (ref) => readBodyEntry(path, file, ref, facts),
    close: () => file.close(),
  };
}

/** Reads a chunk from its entry, which must match `ref`. */
export async function readChunkEntry(
  path: string,
  file: DiskFile,
  ref: PixelChunkRef,
  facts: PixelFacts,
): Promise<StoredPixelChunk> {
  const entry = await readEntry(file, "chunk", ref.offset, ref.bytes);
  const { x, y, storage, offset } = ref;
  return atFile({ path, what: `chunk [${x}, ${y}]` }, () => {
    if (entry.x !== x || entry.y !== y || entry.storage !== STORAGE[storage]) {
      throw new OrthantError(
        "ORT_RECORD",
        `an entry of chunk [${entry.x}, ${entry.y}], stored in way ${entry.storage}`,
        { offset },
      );
    }
    return decodeChunk({ storage, payload: entry.payload }, facts);
  });
}

/** Reads a body from its entry, which must match `ref`. */
export async function readBodyEntry(
  path: string,
  file: DiskFile,
  ref: PixelBodyRef,
  facts: PixelFacts,
): Promise<PixelBody> {
  const entry = await readEntry(file, "body", ref.offset, ref.bytes);
  return atFile({ path, what: `body ${ref.id}` }, () => {
    const body = decodeBody(entry.payload, facts.layers.length);
    if (entry.id === ref.id && body.id === ref.id && entry.x === ref.x && entry.y === ref.y) return body;
    throw new OrthantError("ORT_RECORD", `an entry of body ${entry.id}, with a record of ${body.id}`, {
      offset: ref.offset,
    });
  });
}
