import { OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { atFile } from "@orthant/disk/files";
import { decodeBody, type PixelBody } from "../format/body.ts";
import { STORAGE, type StoredPixelChunk } from "../format/pixels.ts";
import type { PixelBodyRef, PixelChunkRef, PixelFacts, PixelSave } from "../format/save.ts";
import { decodeChunk } from "./chunk-payload.ts";
import { readEntry } from "./entry.ts";
import { readState, type Version2State } from "./header.ts";

/** A version 2 file as of its last commit. */
export class Version2Save implements PixelSave {
  readonly dialect = "version2";
  readonly fileBytes: number;
  readonly state: Version2State;
  readonly #path: string;
  readonly #file: DiskFile;

  private constructor(path: string, file: DiskFile, state: Version2State, fileBytes: number) {
    this.#path = path;
    this.#file = file;
    this.state = state;
    this.fileBytes = fileBytes;
  }

  /** Opens a save, which then owns `file`. Throws if no committed state is readable. */
  static async open(path: string, file: DiskFile): Promise<Version2Save> {
    return new Version2Save(path, file, await readState(file), await file.size());
  }

  get facts(): PixelFacts {
    return this.state.facts;
  }

  get modifiedMs(): number {
    return this.state.modifiedMs;
  }

  get generation(): number {
    return this.state.generation;
  }

  get chunkCount(): number {
    return this.state.index.chunks.size;
  }

  get bodyCount(): number {
    return this.state.index.bodies.size;
  }

  get deadBytes(): number {
    return this.state.deadBytes + this.fileBytes - this.state.end;
  }

  chunks(): Iterable<PixelChunkRef> {
    return this.state.index.chunks;
  }

  chunkAt(x: number, y: number): PixelChunkRef | undefined {
    return this.state.index.chunks.get(x, y);
  }

  bodies(): Iterable<PixelBodyRef> {
    return this.state.index.bodies;
  }

  async readChunk(ref: PixelChunkRef): Promise<StoredPixelChunk> {
    return readChunkEntry(this.#path, this.#file, ref, this.facts);
  }

  async readBody(ref: PixelBodyRef): Promise<PixelBody> {
    return readBodyEntry(this.#path, this.#file, ref, this.facts);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
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
