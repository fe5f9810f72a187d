import type { Position } from "@orthant/core";
import { ByteReader } from "@orthant/core/bytes";
import { chunkOfKey, indexOfKey } from "./changed-voxels.ts";

const SWITCH_TO_REF = 255;
const ADD = 128;
const REPLACE = 0;
const STATE_REF = 0;
const SHORT_STRING = 0xa0;
const SHORT_STRING_BYTES_MAX = 31;

/** The map of a chunk's changed voxels. */
interface ChangedCells {
  readonly chunk: Position;
  /** Indices of voxels by the numbers that patches have for them. */
  readonly indices: Map<number, number>;
}

/**
 * Reads what `@colyseus/schema` writes for the state of `colyseus-room.ts`, entry by entry, without keeping the state: only
 * the numbers that stand for chunks and voxels, which are the same for all clients of a room. The SDK would keep a copy of the
 * state for each client.
 */
export class RoomReader {
  #chunksRef: number | undefined;
  readonly #chunkOfRef = new Map<number, Position>();
  readonly #cellsOfRef = new Map<number, ChangedCells>();

  /** Reads a state or a patch, calls `onEdit` for each voxel in it, and returns their number. */
  read(bytes: Uint8Array, onEdit?: (chunk: Position, index: number) => void): number {
    const input = new ByteReader(bytes);
    let ref = STATE_REF;
    let edits = 0;
    while (input.remaining > 0) {
      const operation = input.u8();
      if (operation === SWITCH_TO_REF) {
        ref = readNumber(input);
        continue;
      }
      const cells = this.#cellsOfRef.get(ref);
      if (cells === undefined) {
        this.#readStructure(input, ref, operation);
        continue;
      }
      const index = readCell(input, operation, cells);
      // The block.
      readNumber(input);
      onEdit?.(cells.chunk, index);
      edits++;
    }
    return edits;
  }

  /** Reads an entry of anything but the voxels of a chunk. */
  #readStructure(input: ByteReader, ref: number, operation: number): void {
    if (operation !== ADD) throw new Error(`a room has operation ${operation} on structure ${ref}`);
    const chunk = this.#chunkOfRef.get(ref);
    if (ref === STATE_REF) this.#chunksRef = readNumber(input);
    else if (ref === this.#chunksRef) {
      readNumber(input);
      const key = readKey(input);
      this.#chunkOfRef.set(readNumber(input), chunkOfKey(key));
    } else if (chunk !== undefined) {
      const cellsRef = readNumber(input);
      if (!this.#cellsOfRef.has(cellsRef)) this.#cellsOfRef.set(cellsRef, { chunk, indices: new Map() });
    } else throw new Error(`a room has an unknown structure ${ref}`);
  }
}

/** Reads which voxel an entry is about: only the first entry for a voxel has its key. */
function readCell(input: ByteReader, operation: number, { indices }: ChangedCells): number {
  const number = readNumber(input);
  const known = indices.get(number);
  if (operation === ADD) {
    if (known !== undefined) {
      input.skip(keyBytes(input));
      return known;
    }
    const index = indexOfKey(readKey(input));
    indices.set(number, index);
    return index;
  }
  if (operation !== REPLACE || known === undefined)
    throw new Error(`a room has operation ${operation} on entry ${number}`);
  return known;
}

function readKey(input: ByteReader): string {
  return String.fromCharCode(...input.view(keyBytes(input)));
}

function keyBytes(input: ByteReader): number {
  const bytes = input.u8() - SHORT_STRING;
  if (bytes < 0 || bytes > SHORT_STRING_BYTES_MAX) throw new Error("a room has a long key");
  return bytes;
}

/** Reads a number in the form of MessagePack, but with the low byte first. */
function readNumber(input: ByteReader): number {
  const first = input.u8();
  if (first < 0x80) return first;
  if (first === 0xcc) return input.u8();
  if (first === 0xcd) return input.u16();
  if (first === 0xce) return input.u32();
  throw new Error(`a room has a number that begins with ${first}`);
}
