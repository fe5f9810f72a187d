import { OrthantError } from "@orthant/core";
import { ByteReader } from "@orthant/core/bytes";
import { PositionMap } from "@orthant/core/lattice";
import type { DiskFile } from "@orthant/disk";
import { atFile } from "@orthant/disk/files";
import { chunkOfBodyVersion1, decodeBody, type PixelBody } from "../format/body.ts";
import { CHUNK_EDGE, PIXEL_BYTES } from "../format/limits.ts";
import type { StoredPixelChunk } from "../format/pixels.ts";
import {
  comparePixelBodies,
  type PixelBodyRef,
  type PixelChunkRef,
  type PixelFacts,
  type PixelSave,
} from "../format/save.ts";
import { decodeVersion1Chunk, type Strictness } from "./chunk-payload.ts";
import {
  HEADER_BYTES,
  PREFIX_BYTES,
  readHeader,
  readVersion1Index,
  type Version1Header,
  type Version1Index,
} from "./header.ts";

/** A version 1 file of either dialect, read strictly. */
export class Version1Save implements PixelSave {
  readonly dialect: Version1Header["dialect"];
  readonly facts: PixelFacts;
  readonly modifiedMs: number;
  readonly generation = 0;
  readonly fileBytes: number;
  readonly deadBytes: number;
  readonly #path: string;
  readonly #file: DiskFile;
  readonly #index: Version1Index;
  readonly #byPosition = new PositionMap<PixelChunkRef>();

  private constructor(
    path: string,
    file: DiskFile,
    header: Version1Header,
    index: Version1Index,
    fileBytes: number,
  ) {
    this.#path = path;
    this.#file = file;
    this.#index = index;
    this.dialect = header.dialect;
    this.facts = header.facts;
    this.modifiedMs = header.modifiedMs;
    this.fileBytes = fileBytes;
    const live = [...index.chunks, ...index.bodies].reduce((sum, { bytes }) => sum + bytes, 0);
    this.deadBytes = Math.max(0, header.tableOffset - HEADER_BYTES - live);
    for (const chunk of index.chunks) this.#byPosition.set(chunk.x, chunk.y, 0, 0, chunk);
  }

  /** Opens a save, which then owns `file`. Throws at the first fault in the header, table or index. */
  static async open(path: string, file: DiskFile, dialect: Version1Header["dialect"]): Promise<Version1Save> {
    const header = await readHeader(file, dialect, "strict");
    const index = await readVersion1Index(file, header, (error) => {
      throw error;
    });
    if (dialect === "native") return new Version1Save(path, file, header, index, await file.size());
    const bodies: PixelBodyRef[] = [];
    for (const ref of index.bodies) bodies.push(await truePosition(file, ref));
    return new Version1Save(
      path,
      file,
      header,
      { ...index, bodies: bodies.sort(comparePixelBodies) },
      await file.size(),
    );
  }

  get chunkCount(): number {
    return this.#index.chunks.length;
  }

  get bodyCount(): number {
    return this.#index.bodies.length;
  }

  chunks(): Iterable<PixelChunkRef> {
    return this.#index.chunks;
  }

  chunkAt(x: number, y: number): PixelChunkRef | undefined {
    return this.#byPosition.get(x, y, 0, 0);
  }

  bodies(): Iterable<PixelBodyRef> {
    return this.#index.bodies;
  }

  async readChunk(ref: PixelChunkRef): Promise<StoredPixelChunk> {
    const payload = await readPayload(this.#file, ref, "strict");
    const what = `chunk [${ref.x}, ${ref.y}]`;
    return atFile({ path: this.#path, what }, () => decodeVersion1Chunk(payload, ref.storage, "strict"));
  }

  async readBody(ref: PixelBodyRef): Promise<PixelBody> {
    const record = await this.#file.readAt(ref.offset, ref.bytes);
    return atFile({ path: this.#path }, () => bodyOfRecord(record, ref));
  }

  close(): Promise<void> {
    return this.#file.close();
  }
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
