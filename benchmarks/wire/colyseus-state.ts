import type { Chunk } from "@orthant/core";
import type { VoxelEdit } from "@orthant/core/chunk";
import { ifInstalled } from "../peer-stores.ts";

const BUFFER_BYTES = 1 << 24;

/** An edited chunk, as a whole and as its edits. */
export interface ChangedChunk {
  readonly key: string;
  readonly chunk: Chunk;
  readonly edits: readonly VoxelEdit[];
}

/** Size of a Colyseus room's state, encoded by `@colyseus/schema`. */
export interface Colyseus {
  /** Returns the longest patch of single voxel edits in one chunk, for clients that have the chunk. */
  patchBytes(chunk: Chunk, edits: readonly VoxelEdit[]): number;
  /** Returns the size of the state for a joining client, with chunks as arrays of voxels. */
  wholeJoinBytes(chunks: readonly ChangedChunk[]): number;
  /** Returns the same for a game that shares only edits, as maps from cells to blocks. */
  editsJoinBytes(chunks: readonly ChangedChunk[]): number;
}

interface Voxels {
  voxels: {
    [cell: number]: number;
    push(...blocks: number[]): void;
    set(key: string, value: number): void;
  };
}

interface State {
  readonly chunks: { set(key: string, chunk: Voxels): void; get(key: string): Voxels | undefined };
}

interface Schema {
  readonly schema: <Instance>(fields: object, name: string) => new () => Instance;
  readonly t: { array(type: string): unknown; map(type: unknown): unknown };
  readonly Encoder: {
    new (state: State): { encode(): Uint8Array; encodeAll(): Uint8Array; discardChanges(): void };
    BUFFER_SIZE: number;
  };
  readonly Decoder: new (state: State) => { decode(bytes: Uint8Array): unknown };
}

/** Loads the encoder of Colyseus alone, without rooms and sockets, which add to its bytes. */
export function loadColyseus(): Colyseus | undefined {
  return ifInstalled("@colyseus/schema", (load) => new SchemaStates(load("@colyseus/schema") as Schema));
}

class SchemaStates implements Colyseus {
  readonly #library: Schema;
  readonly #WholeChunk: new () => Voxels;
  readonly #Edits: new () => Voxels;
  readonly #WholeState: new () => State;
  readonly #EditsState: new () => State;

  constructor(library: Schema) {
    const { schema, t, Encoder } = library;
    Encoder.BUFFER_SIZE = BUFFER_BYTES;
    this.#library = library;
    this.#WholeChunk = schema<Voxels>({ voxels: t.array("uint16") }, "WholeChunk");
    this.#Edits = schema<Voxels>({ voxels: t.map("uint16") }, "Edits");
    this.#WholeState = schema<State>({ chunks: t.map(this.#WholeChunk) }, "WholeState");
    this.#EditsState = schema<State>({ chunks: t.map(this.#Edits) }, "EditsState");
  }

  patchBytes(chunk: Chunk, edits: readonly VoxelEdit[]): number {
    const state = new this.#WholeState();
    const encoder = new this.#library.Encoder(state);
    const whole = this.#whole(chunk);
    state.chunks.set("chunk", whole);
    encoder.encode();
    encoder.discardChanges();
    const sizes = edits.map(({ index, block }) => {
      whole.voxels[index] = block;
      const bytes = encoder.encode().length;
      encoder.discardChanges();
      return bytes;
    });
    return Math.max(...sizes);
  }

  wholeJoinBytes(chunks: readonly ChangedChunk[]): number {
    const bytes = this.#join(new this.#WholeState(), chunks, ({ chunk }) => this.#whole(chunk));
    const copy = this.#joined(new this.#WholeState(), bytes);
    const last = chunks.at(-1);
    if (last !== undefined && copy.chunks.get(last.key)?.voxels[7] !== last.chunk.get(7))
      throw new Error("Colyseus gave another chunk back");
    return bytes.length;
  }

  editsJoinBytes(chunks: readonly ChangedChunk[]): number {
    const bytes = this.#join(new this.#EditsState(), chunks, ({ edits }) => {
      const changed = new this.#Edits();
      for (const { index, block } of edits) changed.voxels.set(`${index}`, block);
      return changed;
    });
    return bytes.length;
  }

  #whole(chunk: Chunk): Voxels {
    const whole = new this.#WholeChunk();
    whole.voxels.push(...chunk.voxels());
    return whole;
  }

  #join(state: State, chunks: readonly ChangedChunk[], shared: (chunk: ChangedChunk) => Voxels): Uint8Array {
    const encoder = new this.#library.Encoder(state);
    for (const chunk of chunks) state.chunks.set(chunk.key, shared(chunk));
    return encoder.encodeAll();
  }

  #joined(state: State, bytes: Uint8Array): State {
    new this.#library.Decoder(state).decode(bytes);
    return state;
  }
}
