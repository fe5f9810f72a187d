import { requireInteger } from "@orthant/core/arguments";
import { ByteWriter, crc8, encode } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import { chunkOfBodyVersion1, encodeBody, type PixelBody } from "../format/body.ts";
import { NewFile } from "../format/files.ts";
import { bodyIndexEntry, bodySection, NATIVE_MAGIC, nativeHeader, pageEntry } from "../format/layout.ts";
import { CHUNK_EDGE, PIXEL_BYTES, PIXEL_TILE_EDGE } from "../format/limits.ts";
import { STORAGE, type StoredPixelChunk } from "../format/pixels.ts";
import {
  comparePixelBodies,
  comparePixelChunks,
  type PixelBodyRef,
  type PixelChunkRef,
} from "../format/save.ts";
import { encodeVersion1Chunk } from "./chunk-payload.ts";
import { HEADER_BYTES, PREFIX_BYTES } from "./header.ts";

/** Facts that a version 1 file stores about its world. */
export interface Version1Facts {
  readonly worldSeed: bigint;
  readonly createdMs: number;
  readonly modifiedMs: number;
}

/**
 * Writes a native version 1 file, which the original's program can open, chunk by chunk. The file exists only
 * after {@link finish}.
 */
export class Version1Writer {
  readonly #file: NewFile;
  readonly #chunks: PixelChunkRef[] = [];
  readonly #bodies: PixelBodyRef[] = [];

  private constructor(file: NewFile) {
    this.#file = file;
  }

  /** Starts a file. Throws `ORT_EXISTS` if the file exists. */
  static async create(disk: Disk, path: string): Promise<Version1Writer> {
    const file = await NewFile.create(disk, path);
    await file.append(new Uint8Array(HEADER_BYTES));
    return new Version1Writer(file);
  }

  /** Adds a chunk. Each position may be added only once. */
  async addChunk(x: number, y: number, chunk: StoredPixelChunk): Promise<void> {
    await this.addPayload({ x, y, storage: chunk.storage }, encodeVersion1Chunk(chunk));
  }

  /** Adds a chunk that is already encoded. */
  async addPayload(
    { x, y, storage }: Pick<PixelChunkRef, "x" | "y" | "storage">,
    payload: Uint8Array,
  ): Promise<void> {
    const out = new ByteWriter(PREFIX_BYTES + payload.length);
    out.u32(payload.length);
    out.raw(payload);
    const offset = await this.#file.append(out.view());
    this.#chunks.push({ x, y, storage, offset, bytes: out.length });
  }

  /** Adds a body. Each id may be added only once. */
  async addBody(body: PixelBody): Promise<void> {
    const record = encodeBody(body, PIXEL_BYTES);
    const offset = await this.#file.append(record);
    const [x, y] = chunkOfBodyVersion1(body, CHUNK_EDGE);
    this.#bodies.push({ id: body.id, x, y, offset, bytes: record.length });
  }

  /** Writes table, index and header, and publishes the file under its name, durably. */
  async finish({ worldSeed, createdMs, modifiedMs }: Version1Facts): Promise<void> {
    const tables = new ByteWriter();
    for (const chunk of this.#chunks.sort(comparePixelChunks)) writePageEntry(tables, chunk);
    const tableBytes = tables.length;
    const hasBodies = this.#bodies.length > 0;
    if (hasBodies) {
      bodySection.write(tables, { count: this.#bodies.length, reserved: 0 });
      for (const { id, x, y, offset, bytes } of this.#bodies.sort(comparePixelBodies)) {
        bodyIndexEntry.write(tables, { id, recordOffset: offset, recordBytes: bytes, x, y });
      }
    }
    const tableOffset = await this.#file.append(tables.view());
    await this.#file.writeAt(
      0,
      encode(nativeHeader, {
        magic: NATIVE_MAGIC,
        version: 1,
        flags: 0,
        worldSeed,
        createdSeconds: seconds(createdMs),
        modifiedSeconds: seconds(modifiedMs),
        chunkCount: this.#chunks.length,
        tableBytes,
        tableOffset,
        chunkEdge: CHUNK_EDGE,
        tileEdge: PIXEL_TILE_EDGE,
        pixelBytes: PIXEL_BYTES,
        bodiesOffset: hasBodies ? tableOffset + tableBytes : 0,
        reserved: new Uint8Array(3),
      }),
    );
    await this.#file.sync();
    await this.#file.publish();
  }

  /** Closes the file, and removes it if it is unfinished. */
  async close(): Promise<void> {
    await this.#file.close();
  }
}

function writePageEntry(out: ByteWriter, { x, y, storage, offset, bytes }: PixelChunkRef): void {
  const entry = encode(pageEntry, {
    x,
    y,
    payloadOffset: offset + PREFIX_BYTES,
    payloadBytes: bytes - PREFIX_BYTES,
    storage: STORAGE[storage],
    crc8: 0,
    reserved: 0,
  });
  entry[pageEntry.offsets.crc8] = crc8(entry.subarray(0, pageEntry.offsets.crc8));
  out.raw(entry);
}

function seconds(ms: number): number {
  requireInteger(ms, 0, Number.MAX_SAFE_INTEGER);
  return Math.floor(ms / 1_000);
}
