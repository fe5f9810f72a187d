import { OrthantError } from "@orthant/core";
import { ByteReader } from "@orthant/core/bytes";
import { PositionMap } from "@orthant/core/lattice";
import type { DiskFile } from "@orthant/disk";
import { atFile } from "@orthant/disk/files";
import { chunkOfBodyVersion1, decodeBody, type PixelBody } from "../format/body.ts";
import { CHUNK_EDGE, PIXEL_BYTES } from "../format/limits.ts";
import { comparePixelBodies, type PixelBodyRef, type PixelChunkRef, type PixelSave } from "../format/save.ts";
import { decodeVersion1Chunk, type Strictness } from "./chunk-payload.ts";
import { HEADER_BYTES, PREFIX_BYTES, readHeader, readVersion1Index, type Version1Header } from "./header.ts";

/**
 * Opens a version 1 file of either dialect, read strictly. The save then owns `file`. Throws at the first fault in the
 * header, table or index.
 */
export async function openVersion1Save(
  path: string,
  file: DiskFile,
  dialect: Version1Header["dialect"],
): Promise<PixelSave> {
  const header = await readHeader(file, dialect, "strict");
  const { chunks, bodies: listed } = await readVersion1Index(file, header, (error) => {
    throw error;
  });
  const bodies = dialect === "native" ? listed : await trueBodies(file, listed);
  const live = [...chunks, ...bodies].reduce((sum, { bytes }) => sum + bytes, 0);
  const byPosition = new PositionMap<PixelChunkRef>();
  for (const chunk of chunks) byPosition.set(chunk.x, chunk.y, 0, 0, chunk);
  return {
    dialect,
    facts: header.facts,
    modifiedMs: header.modifiedMs,
    generation: 0,
    chunkCount: chunks.length,
    bodyCount: bodies.length,
    fileBytes: await file.size(),
    deadBytes: Math.max(0, header.tableOffset - HEADER_BYTES - live),
    chunks: () => chunks,
    chunkAt: (x, y) => byPosition.get(x, y, 0, 0),
    bodies: () => bodies,
    async readChunk(ref) {
      const payload = await readPayload(file, ref, "strict");
      const what = `chunk [${ref.x}, ${ref.y}]`;
      return atFile({ path, what }, () => decodeVersion1Chunk(payload, ref.storage, "strict"));
    },
    async readBody(ref) {
      const record = await file.readAt(ref.offset, ref.bytes);
      return atFile({ path }, () => bodyOfRecord(record, ref));
    },
    close: () => file.close(),
  };
}

/** Returns the bodies that a browser's index names, corrected from their records, in order. */
async function trueBodies(file: DiskFile, listed: readonly PixelBodyRef[]): Promise<readonly PixelBodyRef[]> {
  const bodies: PixelBodyRef[] = [];
  for (const ref of listed) bodies.push(await truePosition(file, ref));
  return bodies.sort(comparePixelBodies);
}

/** Reads the payload of a chunk. If strict, the length before it must match the table. */
export async function readPayload(
  file: DiskFile,
  { offset, bytes, x, y }: PixelChunkRef,
  strictness: Strictness,
): Promise<Uint8Array> {
  const entry = await file.readAt(offset, bytes);
  const said = new ByteReader(entry).u32();
  if (strictness === "strict" && said !== bytes - PREFIX_BYTES) {
    const detail = `chunk [${x}, ${y}]: ${said} bytes, the table says ${bytes - PREFIX_BYTES}`;
    throw new OrthantError("ORT_RECORD", detail, { offset });
  }
  return entry.subarray(PREFIX_BYTES);
}

/** Decodes a body, which must be the one that the index names. */
export function bodyOfRecord(record: Uint8Array, { id, offset }: PixelBodyRef): PixelBody {
  const body = decodeBody(record, PIXEL_BYTES);
  if (body.id === id) return body;
  throw new OrthantError("ORT_RECORD", `body ${body.id}, where the index has ${id}`, { offset });
}

/**
 * Corrects an entry of a browser's index from the body's record: the browser wrote chunk [0, 0] for every
 * body, and ids that had been rounded to a number. Throws if the id is not even the rounded one: the index is
 * damaged.
 */
export async function truePosition(file: DiskFile, ref: PixelBodyRef): Promise<PixelBodyRef> {
  const body = decodeBody(await file.readAt(ref.offset, ref.bytes), PIXEL_BYTES);
  // As the page wrote it: the id as a number, then text, then a bigint.
  if (ref.id !== body.id && ref.id !== BigInt.asUintN(64, BigInt(String(Number(body.id))))) {
    throw new OrthantError("ORT_RECORD", `body ${body.id}, where the index has ${ref.id}`, {
      offset: ref.offset,
    });
  }
  const [x, y] = chunkOfBodyVersion1(body, CHUNK_EDGE);
  return { ...ref, id: body.id, x, y };
}
