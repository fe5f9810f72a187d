import type { Disk } from "@orthant/disk";
import { chunkOfBody, encodeBody, type PixelBody } from "../format/body.ts";
import { NewFile, type NewFileOptions } from "../format/files.ts";
import { ENTRIES_OFFSET } from "../format/layout.ts";
import { keptPixels, type PixelGenerator, STORAGE, type StoredPixelChunk } from "../format/pixels.ts";
import type { PixelFacts } from "../format/save.ts";
import { type EncodedChunk, encodeChunk, shortestForm } from "./chunk-payload.ts";
import { encodeEntry, type NewEntry } from "./entry.ts";
import { deadBytesOf, encodeSlot, slotOffset } from "./header.ts";
import { BodyIndex, ChunkIndex, encodeTable, wholeTable } from "./table.ts";

/** Approximate size of a write; smaller entries are batched. */
const BATCH_BYTES = 1_048_576;

/** Options for writing a version 2 file. */
export interface PixelSaveWriterOptions extends NewFileOptions {
  /** First generation of the file; 1 by default, higher when it continues another file. */
  readonly generation?: number;
}

/**
 * Writes a whole world to a version 2 file, chunk by chunk, keeping only the index in memory. The file exists
 * only after {@link finish}. A chunk or body that is added again replaces the earlier one.
 */
export class PixelSaveWriter {
  readonly #file: NewFile;
  readonly #facts: PixelFacts;
  readonly #generation: number;
  readonly #index = { chunks: new ChunkIndex(), bodies: new BodyIndex() };
  #end = ENTRIES_OFFSET;
  #batch: Uint8Array[] = [];
  #batchBytes = 0;

  private constructor(file: NewFile, facts: PixelFacts, generation: number) {
    this.#file = file;
    this.#facts = facts;
    this.#generation = generation;
  }

  /** Starts a file. Throws `ORT_EXISTS` if the file exists and may not be replaced. */
  static async create(
    disk: Disk,
    path: string,
    facts: PixelFacts,
    options: PixelSaveWriterOptions = {},
  ): Promise<PixelSaveWriter> {
    const { generation = 1, ...fileOptions } = options;
    // Reject facts that do not fit in a header before creating anything.
    encodeSlot({
      facts,
      generation,
      modifiedMs: 0,
      tableOffset: 0,
      tableBytes: 0,
      deadBytes: 0,
      chunkCount: 0,
      bodyCount: 0,
    });
    const file = await NewFile.create(disk, path, fileOptions);
    await file.append(new Uint8Array(ENTRIES_OFFSET));
    return new PixelSaveWriter(file, facts, generation);
  }

  /** Adds a chunk in its shortest form; skips one that equals the generator's output. */
  async addPixels(x: number, y: number, pixels: Uint8Array, generator?: PixelGenerator): Promise<void> {
    const encoded = await shortestForm(keptPixels(pixels, this.#facts.layers), this.#facts, generator, x, y);
    if (encoded !== undefined) await this.addEncoded(x, y, encoded);
  }

  /** Adds a chunk in the form that it already has. */
  async addChunk(x: number, y: number, chunk: StoredPixelChunk): Promise<void> {
    await this.addEncoded(x, y, encodeChunk(chunk, this.#facts));
  }

  /** Adds a chunk that is already encoded. */
  async addEncoded(x: number, y: number, { storage, payload }: EncodedChunk): Promise<void> {
    const offset = this.#end;
    const bytes = await this.#append({ kind: "chunk", storage: STORAGE[storage], x, y, id: 0n, payload });
    this.#index.chunks.set(x, y, STORAGE[storage], offset, bytes);
  }

  async addBody(body: PixelBody): Promise<void> {
    const { layers, chunkEdge } = this.#facts;
    const [x, y] = chunkOfBody(body, chunkEdge);
    await this.addBodyRecord(body.id, x, y, encodeBody(body, layers.length));
  }

  /** Adds a body that is already encoded. */
  async addBodyRecord(id: bigint, x: number, y: number, record: Uint8Array): Promise<void> {
    const offset = this.#end;
    const bytes = await this.#append({ kind: "body", storage: 0, x, y, id, payload: record });
    this.#index.bodies.set({ id, x, y, offset, bytes });
  }

  /** Writes the table and both headers, and publishes the file under its name, durably. */
  async finish(modifiedMs: number): Promise<void> {
    await this.complete(modifiedMs);
    await this.publish();
  }

  /** Writes the table and both headers, and makes the file durable, still under its temporary name. */
  async complete(modifiedMs: number): Promise<void> {
    const { chunks, bodies } = this.#index;
    const tableOffset = this.#end;
    const payload = encodeTable(wholeTable(this.#index), { chunks: chunks.size, bodies: bodies.size });
    const tableBytes = await this.#append({ kind: "table", storage: 0, x: 0, y: 0, id: 0n, payload });
    await this.#flush();
    const deadBytes = deadBytesOf(this.#index, [{ offset: tableOffset, bytes: tableBytes }], this.#end);
    // Both headers name the same table, so that either is enough from the start.
    for (const generation of [this.#generation - 1, this.#generation]) {
      const slot = { facts: this.#facts, generation, modifiedMs, tableOffset, tableBytes, deadBytes };
      await this.#file.writeAt(
        slotOffset(generation),
        encodeSlot({ ...slot, chunkCount: chunks.size, bodyCount: bodies.size }),
      );
    }
    await this.#file.sync();
  }

  /** Renames the file to its final name, durably. */
  publish(): Promise<void> {
    return this.#file.publish();
  }

  /** Closes the file, and removes it if it is unfinished. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  async #append(entry: NewEntry): Promise<number> {
    const bytes = encodeEntry(entry, this.#end, this.#generation);
    this.#batch.push(bytes);
    this.#batchBytes += bytes.length;
    this.#end += bytes.length;
    if (this.#batchBytes >= BATCH_BYTES) await this.#flush();
    return bytes.length;
  }

  async #flush(): Promise<void> {
    const joined = new Uint8Array(this.#batchBytes);
    let end = 0;
    for (const bytes of this.#batch) {
      joined.set(bytes, end);
      end += bytes.length;
    }
    this.#batch = [];
    this.#batchBytes = 0;
    await this.#file.append(joined);
  }
}
