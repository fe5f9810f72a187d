import { type Box, OrthantError, type Position } from "@orthant/core";
import { type ByteReader, ByteWriter, type Codec } from "@orthant/core/bytes";
import {
  AXES,
  boxCodec,
  boxEquals,
  boxExtents,
  checkChunkChange,
  checkPackedChunk,
} from "@orthant/core/engine";
import { LEAF_LEVEL_MAX } from "./layout.ts";
import { Bounds, chunkBounds, hasEqualParts } from "./prepared-chunks.ts";
import { arrangeChunks, ChunkContent, type StoredChunk, WholeChunk } from "./stored-chunk.ts";

/**
 * More than any leaf holds: a leaf with more than 2,048 is split, unless its cube has 256 chunks or fewer.
 */
const CHUNKS_MAX = 65_536;
/** Content numbers of entries that are stored as a change. Chunks are numbered after them. */
const CHANGE_TO_GENERATED = 0;
const CHANGE_TO_AIR = 1;
const FIRST_CHUNK = 2;

/**
 * Codec of a version 2 chunk blob before compression: the positions, the content number of each, the chunks,
 * the changes. Reading creates only views of chunks and changes. Rules S73 to S80.
 */
export function packedBlobCodec(chunkVolume: number): Codec<readonly StoredChunk[]> {
  return {
    write: (out, chunks) => writeBlob(out, arrangeChunks(chunks)),
    read(input) {
      const { positions, contents, chunks, changes } = readBlob(input, chunkVolume);
      const dictionary = chunks.ends.map((_, index) =>
        ChunkContent.stored(partAt(chunks, index), chunkVolume),
      );
      let next = 0;
      return positions.map((position, index): StoredChunk => {
        const number = contents[index] as number;
        const content = dictionary[number - FIRST_CHUNK];
        if (content !== undefined) return new WholeChunk(position, content);
        const base = number === CHANGE_TO_AIR ? "air" : "generator";
        return { kind: "change", position, base, volume: chunkVolume, change: partAt(changes, next++) };
      });
    },
  };
}

/** Encodes chunks that are already arranged. */
export function encodePackedBlob(chunks: readonly StoredChunk[]): Uint8Array {
  const out = new ByteWriter(packedBytesAtLeast(chunks) + chunks.length * 4);
  writeBlob(out, chunks);
  return out.copy();
}

/** Returns a lower bound for the size of such a blob that is cheap to compute. */
export function packedBytesAtLeast(chunks: readonly StoredChunk[]): number {
  let bytes = chunks.length * 2;
  const counted = new Set<ChunkContent>();
  for (const entry of chunks) {
    if (entry.kind === "change") bytes += entry.change.length;
    else if (!counted.has(entry.content)) {
      counted.add(entry.content);
      bytes += entry.content.bytes.length;
    }
  }
  return bytes;
}

/** Runs all checks of the codec. Returns the positions of the blob's chunks. */
export function checkPackedBlob(input: ByteReader, chunkVolume: number): readonly Position[] {
  return readBlob(input, chunkVolume).positions;
}

function writeBlob(out: ByteWriter, chunks: readonly StoredChunk[]): void {
  if (chunks.length === 0) throw new OrthantError("ORT_ARGUMENT", "a chunk blob without chunks");
  const volume = chunkBounds(chunks);
  const dictionary = new Map<ChunkContent, number>();
  for (const entry of chunks) {
    if (entry.kind === "chunk" && !dictionary.has(entry.content)) {
      dictionary.set(entry.content, FIRST_CHUNK + dictionary.size);
    }
  }
  boxCodec.write(out, volume);
  out.varUint(chunks.length);
  out.varUint(dictionary.size);
  writePositions(out, volume, chunks);
  for (const entry of chunks) out.varUint(contentNumber(entry, dictionary));
  for (const { bytes } of dictionary.keys()) out.raw(bytes);
  for (const entry of chunks) if (entry.kind === "change") out.raw(entry.change);
}

function contentNumber(entry: StoredChunk, dictionary: ReadonlyMap<ChunkContent, number>): number {
  if (entry.kind === "chunk") return dictionary.get(entry.content) as number;
  return entry.base === "air" ? CHANGE_TO_AIR : CHANGE_TO_GENERATED;
}

interface ReadBlob {
  readonly positions: readonly Position[];
  /** Content number of each position: a kind of change, or a chunk. */
  readonly contents: Uint32Array;
  readonly chunks: Parts;
  readonly changes: Parts;
}

/** Adjacent parts, and the offset where each ends. */
interface Parts {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
}

function readBlob(input: ByteReader, chunkVolume: number): ReadBlob {
  const volume = boxCodec.read(input);
  const count = input.count(CHUNKS_MAX);
  if (count === 0) throw input.fail("ORT_BLOB", "a chunk blob without chunks");
  const chunkCount = input.count(count);
  const positions = readPositions(input, volume, count);
  const contents = readContents(input, count, chunkCount);
  const chunks = readParts(input, chunkCount, () => checkPackedChunk(input, chunkVolume));
  // Each content has exactly one encoding, so equal chunks have equal bytes.
  if (hasEqualParts(chunks.bytes, chunks.ends)) {
    throw input.fail("ORT_BLOB", "a chunk in the dictionary twice");
  }
  const changeCount = contents.reduce((sum, number) => sum + (number < FIRST_CHUNK ? 1 : 0), 0);
  const changes = readParts(input, changeCount, () => checkChunkChange(input, chunkVolume));
  return { positions, contents, chunks, changes };
}

/** Reads the content number of each chunk. Chunks are numbered in order of first appearance. */
function readContents(input: ByteReader, count: number, chunkCount: number): Uint32Array {
  const contents = new Uint32Array(count);
  let used = 0;
  for (let index = 0; index < count; index++) {
    const number = input.varUint();
    const chunk = number - FIRST_CHUNK;
    if (chunk > used || chunk >= chunkCount) {
      throw input.fail("ORT_BLOB", `chunk ${chunk} after ${used} of ${chunkCount} in the dictionary`);
    }
    if (chunk === used) used++;
    contents[index] = number;
  }
  if (used < chunkCount) throw input.fail("ORT_BLOB", "a chunk in the dictionary that is not used");
  return contents;
}

function readParts(input: ByteReader, count: number, readPast: () => void): Parts {
  const start = input.offset;
  const ends: number[] = [];
  for (let index = 0; index < count; index++) {
    readPast();
    ends.push(input.offset - start);
  }
  return { bytes: input.since(start), ends };
}

function partAt({ bytes, ends }: Parts, index: number): Uint8Array {
  return bytes.subarray(ends[index - 1] ?? 0, ends[index]);
}

/** Writes positions in lexicographic order. `box` must be their bounding box. Rule S74. */
function writePositions(out: ByteWriter, box: Box, chunks: readonly { readonly position: Position }[]): void {
  const grid = gridOf(box);
  let last = BEFORE_FIRST;
  for (const { position } of chunks) {
    const next = spotOf(grid, position);
    if (grid.isWide) {
      out.varU32(next.column - last.column);
      out.varU32(next.column === last.column ? next.row - last.row - 1 : next.row);
    } else {
      out.varUint((next.column - last.column) * grid.rows + next.row - last.row - 1);
    }
    last = next;
  }
}

/**
 * Reads what {@link writePositions} writes. Throws `ORT_BLOB` for positions outside the box, or a box that is
 * too large.
 */
function readPositions(input: ByteReader, box: Box, count: number): readonly Position[] {
  if (AXES.some((axis) => box.max[axis] - box.min[axis] > 2 ** LEAF_LEVEL_MAX)) {
    throw input.fail("ORT_BLOB", `a volume from [${box.min}] to [${box.max}]`);
  }
  const grid = gridOf(box);
  const bounds = new Bounds();
  const positions: Position[] = [];
  let last = BEFORE_FIRST;
  for (let index = 0; index < count; index++) {
    last = grid.isWide ? readWide(input, last) : readNarrow(input, grid, last);
    if (last.column >= grid.columns || last.row >= grid.rows) {
      throw input.fail("ORT_BLOB", `chunk ${index} of ${count} is outside of its volume`);
    }
    const position = positionOf(grid, last);
    bounds.add(position);
    positions.push(position);
  }
  if (!boxEquals(bounds.box(), box)) throw input.fail("ORT_BLOB", "a volume larger than its chunks");
  return positions;
}

/** A box as a table: one column per pair of x and y, one row per pair of z and w. */
interface Grid {
  readonly min: Position;
  readonly extents: Position;
  readonly columns: number;
  readonly rows: number;
  /** Whether the index of a position in the box may exceed the safe integers. */
  readonly isWide: boolean;
}

/** Location of a position in the table. Lexicographic order compares columns, then rows. */
interface Spot {
  readonly column: number;
  readonly row: number;
}

/** The spot before the first one, so that the first gap equals its index. */
const BEFORE_FIRST: Spot = { column: 0, row: -1 };

function gridOf(box: Box): Grid {
  const extents = boxExtents(box);
  const columns = extents[0] * extents[1];
  const rows = extents[2] * extents[3];
  return { min: box.min, extents, columns, rows, isWide: columns * rows > Number.MAX_SAFE_INTEGER };
}

function spotOf({ min, extents }: Grid, [x, y, z, w]: Position): Spot {
  return {
    column: (x - min[0]) * extents[1] + y - min[1],
    row: (z - min[2]) * extents[3] + w - min[3],
  };
}

function positionOf({ min, extents }: Grid, { column, row }: Spot): Position {
  return [
    min[0] + Math.floor(column / extents[1]),
    min[1] + (column % extents[1]),
    min[2] + Math.floor(row / extents[3]),
    min[3] + (row % extents[3]),
  ];
}

function readNarrow(input: ByteReader, { rows }: Grid, { column, row }: Spot): Spot {
  const next = row + 1 + input.varUint();
  return { column: column + Math.floor(next / rows), row: next % rows };
}

function readWide(input: ByteReader, { column, row }: Spot): Spot {
  const columnGap = input.varU32();
  const rowGap = input.varU32();
  return { column: column + columnGap, row: columnGap === 0 ? row + 1 + rowGap : rowGap };
}
