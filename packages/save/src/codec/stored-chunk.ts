import { AIR, type Chunk, emptyChunk, isOrthantError, OrthantError, type Position } from "@orthant/core";
import { ByteReader, decode, encode } from "@orthant/core/bytes";
import {
  applyChunkChange,
  checkChunkChange,
  checkPackedChunk,
  encodePackedChunk,
  encodeShortChange,
  lazyChunk,
  packedChunkBytes,
  packedChunkCodec,
  type VoxelData,
  voxelDataCodec,
  voxelsMemoryBytes,
} from "@orthant/core/chunk";
import { comparePositions, getOrAdd, requireLatticePosition } from "@orthant/core/lattice";
import { NO_PARTS, partOf, type TaggedPart, TICKS_PART, VOXEL_DATA_PART } from "./blob-sections.ts";
import { type ChunkEntry, contentInterner } from "./prepared-chunks.ts";
import { type ScheduledTick, scheduledTicksCodec } from "./scheduled-ticks.ts";

/**
 * A position with its stored content: a chunk, or the chunk's difference from what the generator makes there.
 */
export type StoredChunk = WholeChunk | StoredChange;

/** Returns the chunk that a world's generator makes at a position. */
export type GeneratedChunks = (position: Position) => Chunk;

/** A position whose whole chunk is stored. */
interface WholeChunk {
  readonly kind: "chunk";
  readonly position: Position;
  /** The blocks. */
  readonly content: ChunkContent;
  readonly parts: readonly TaggedPart[];
}

/** Creates a {@link WholeChunk}. */
export function wholeChunk(
  position: Position,
  content: ChunkContent,
  parts: readonly TaggedPart[] = NO_PARTS,
): WholeChunk {
  return { kind: "chunk", position, content, parts };
}

/** A position stored as the voxels in which it differs from a base. */
interface StoredChange {
  readonly kind: "change";
  readonly position: Position;
  /** The base: the chunk of the world's generator, or only air, which needs no generator. */
  readonly base: "generator" | "air";
  readonly volume: number;
  /** A view of the encoded change. Rules S77 to S79. */
  readonly change: Uint8Array;
  readonly parts?: readonly TaggedPart[];
  /** False for a change that comes from a blob of version 3 and is checked when it is used. Default: true. */
  readonly isChecked?: boolean;
}

/**
 * A chunk, its bytes, or both; the missing one is computed on first use. Positions with equal chunks may
 * share it.
 */
export class ChunkContent {
  readonly #volume: number;
  #chunk: Chunk | undefined;
  #bytes: Uint8Array | undefined;

  private constructor(volume: number, chunk: Chunk | undefined, bytes: Uint8Array | undefined) {
    this.#volume = volume;
    this.#chunk = chunk;
    this.#bytes = bytes;
  }

  /** Wraps a chunk. */
  static of(chunk: Chunk): ChunkContent {
    return new ChunkContent(chunk.volume, chunk, undefined);
  }

  /** Wraps checked bytes without copying them. */
  static stored(bytes: Uint8Array, volume: number): ChunkContent {
    return new ChunkContent(volume, undefined, bytes);
  }

  /** The chunk, decoded on first use. */
  get chunk(): Chunk {
    this.#chunk ??= this.#decode();
    return this.#chunk;
  }

  /** Checks the bytes and returns the chunk, which is decoded when its blocks are first used. */
  checkedChunk(): Chunk {
    if (this.#chunk !== undefined) return this.#chunk;
    // A chunk of one block begins with a palette of one, and is shared with all others of that block.
    if (this.bytes[0] === 1) return this.chunk;
    const volume = this.#volume;
    const input = new ByteReader(this.bytes);
    const memoryBytes = voxelsMemoryBytes(volume, checkPackedChunk(input, volume));
    input.end();
    // A copy: the chunk may outlive the record, of which these bytes are a small part.
    const bytes = this.bytes.slice();
    const realize = (): Chunk => decode(packedChunkCodec(volume), bytes);
    this.#chunk = lazyChunk({ volume, isMixed: true, memoryBytes, realize });
    return this.#chunk;
  }

  /** A view of the chunk as encoded in a version 2 blob. Rules S75 and S76. */
  get bytes(): Uint8Array {
    this.#bytes ??= encodePackedChunk(this.chunk);
    return this.#bytes;
  }

  #decode(): Chunk {
    return decode(packedChunkCodec(this.#volume), this.bytes);
  }
}

/** Returns whether a chunk can be realized only with the world's generator. */
export function needsGenerator(entry: StoredChunk): boolean {
  return entry.kind === "change" && entry.base === "generator";
}

/**
 * Decodes a stored chunk. Throws `ORT_NOT_FOUND` for a change to generated content if the
 * generator is missing. Rule S81.
 */
export function realizeStored(entry: StoredChunk, generated: GeneratedChunks | undefined): Chunk {
  const blocks = realizeBlocks(entry, generated);
  const data = partOf(entry, VOXEL_DATA_PART);
  return data === undefined ? blocks : atChunk(entry, () => blocks.withData(decodeData(data, blocks.volume)));
}

/**
 * Checks a stored chunk like {@link realizeStored}, and returns the same chunk, which is decoded when its blocks are first
 * used. The generator must be able to make the chunk at any later time.
 */
export function lazyStoredChunk(entry: StoredChunk, generated: GeneratedChunks): Chunk {
  if (partOf(entry, VOXEL_DATA_PART) !== undefined) return realizeStored(entry, generated);
  if (entry.kind === "chunk") return atChunk(entry, () => entry.content.checkedChunk());
  const { position, base, volume } = entry;
  const { isMixed, blocksMax } = atChunk(entry, () =>
    checkChange(entry.change, volume, base === "air" ? AIR : undefined),
  );
  const blockCount = Math.min(volume, blocksMax + (base === "air" ? 1 : GENERATED_BLOCKS));
  // A copy: the chunk may outlive the record, of which these bytes are a small part.
  const change = entry.change.slice();
  const realize = (): Chunk =>
    applyChunkChange(base === "air" ? emptyChunk(volume) : generated(position), change);
  return lazyChunk({ volume, isMixed, memoryBytes: voxelsMemoryBytes(volume, blockCount), realize });
}

/** Different blocks that a generated chunk is assumed to have before it is generated. */
const GENERATED_BLOCKS = 16;

/** Returns the scheduled ticks of a stored chunk of `volume` voxels, in order. */
export function ticksOf(entry: StoredChunk, volume: number): readonly ScheduledTick[] {
  const ticks = partOf(entry, TICKS_PART);
  return ticks === undefined ? NO_TICKS : atChunk(entry, () => decode(scheduledTicksCodec(volume), ticks));
}

/** Returns a stored chunk of `volume` voxels whose ticks are due a number of steps later. */
export function withTicksDelayed(entry: StoredChunk, volume: number, steps: number): StoredChunk {
  const ticks = ticksOf(entry, volume);
  if (ticks.length === 0 || steps === 0) return entry;
  const later = ticks.map((tick) => ({ ...tick, step: tick.step + steps }));
  const bytes = encode(scheduledTicksCodec(volume), later);
  const parts = (entry.parts ?? NO_PARTS).map((part) =>
    part.tag === TICKS_PART ? { ...part, bytes } : part,
  );
  if (entry.kind === "chunk") return wholeChunk(entry.position, entry.content, parts);
  return { ...entry, parts };
}

const NO_TICKS: readonly ScheduledTick[] = [];

function realizeBlocks(entry: StoredChunk, generated: GeneratedChunks | undefined): Chunk {
  if (entry.kind === "chunk") return atChunk(entry, () => entry.content.chunk);
  if (entry.isChecked === false) atChunk(entry, () => checkChange(entry.change, entry.volume));
  if (entry.base === "air") return applyChunkChange(emptyChunk(entry.volume), entry.change);
  if (generated === undefined) {
    const detail = `the chunk at [${entry.position}] is stored as a change to what the generator makes, which is not here`;
    throw new OrthantError("ORT_NOT_FOUND", detail);
  }
  return applyChunkChange(generated(entry.position), entry.change);
}

/** Adds the position of a chunk to errors about its stored bytes. */
function atChunk<Value>({ position }: StoredChunk, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!isOrthantError(error)) throw error;
    const detail = `the chunk at [${position}]: ${error.detail}`;
    throw new OrthantError(error.code, detail, {}, { cause: error });
  }
}

/** Returns what `checkChunkChange` returns. */
function checkChange(
  change: Uint8Array,
  volume: number,
  blockBefore?: number,
): ReturnType<typeof checkChunkChange> {
  const input = new ByteReader(change);
  const checked = checkChunkChange(input, volume, blockBefore);
  input.end();
  return checked;
}

/** Throws unless the bytes of a part with a known tag are what its tag says. Rule S114. */
export function checkPart({ tag, bytes }: TaggedPart, volume: number): void {
  if (tag === VOXEL_DATA_PART) decodeData(bytes, volume);
  if (tag === TICKS_PART) decode(scheduledTicksCodec(volume), bytes);
}

function decodeData(bytes: Uint8Array, volume: number): VoxelData {
  const data = decode(voxelDataCodec(volume), bytes);
  if (data.size === 0) throw new OrthantError("ORT_BLOB", "voxel data of no voxel");
  return data;
}

/** Returns the parts of a chunk. */
function partsOf({ chunk: { data, volume }, ticks = NO_TICKS }: ChunkEntry): readonly TaggedPart[] {
  if (data.size === 0 && ticks.length === 0) return NO_PARTS;
  const parts: TaggedPart[] = [];
  if (data.size > 0) parts.push({ tag: VOXEL_DATA_PART, bytes: encode(voxelDataCodec(volume), data) });
  if (ticks.length > 0) parts.push({ tag: TICKS_PART, bytes: encode(scheduledTicksCodec(volume), ticks) });
  return parts;
}

/**
 * Returns a function that chooses how to store each of `chunks`. A chunk that is already stored stays
 * unchanged; any other is stored in the form that takes the fewest bytes: its chunk, its difference from air
 * or, with a generator, its difference from the generated chunk.
 */
export function entryStorer(
  chunks: readonly (ChunkEntry | StoredChunk)[],
  generated: GeneratedChunks | undefined,
): (entry: ChunkEntry | StoredChunk) => StoredChunk {
  const uses = new Map<Chunk, number>();
  for (const entry of chunks) {
    if (!("kind" in entry)) uses.set(entry.chunk, (uses.get(entry.chunk) ?? 0) + 1);
  }
  const contents = new Map<Chunk, ChunkContent>();
  const changes = new ChangeFinder(generated);
  return (entry) => {
    if ("kind" in entry) return entry;
    const { position, chunk } = entry;
    requireLatticePosition(...position);
    const parts = partsOf(entry);
    const blocks = chunk.withoutData();
    // A chunk is stored once for all of its positions, so each is charged its share.
    const share = packedChunkBytes(blocks) / (uses.get(blocks) ?? 1);
    const change = changes.find(position, blocks, share);
    if (change === undefined) {
      const content = getOrAdd(contents, blocks, () => ChunkContent.of(blocks));
      return wholeChunk(position, content, parts);
    }
    return parts.length === 0 ? change : { ...change, parts };
  };
}

/**
 * Weight of a byte of a change relative to a byte of a chunk: chunks compress that much better, and are read
 * faster. docs/decisions/0014-blobs-that-say-what-changed.md has the figures.
 */
const CHANGE_WEIGHT = 4;

/**
 * Whether the change of a chunk from one block to its own takes more bytes: each run of blocks takes one, and one for its
 * block. Counting runs is much cheaper than encoding them.
 */
function changeIsLonger(before: number, chunk: Chunk, bytesMax: number): boolean {
  const isLeft = chunk.blocks().includes(before);
  const runBytes = chunk.blockCount - (isLeft ? 1 : 0) > 1 ? 2 : 1;
  // Between two runs of what is left there is another one.
  const runsMax = Math.floor(bytesMax / runBytes) * (isLeft ? 2 : 1) + (isLeft ? 1 : 0);
  return chunk.countSteps(runsMax) + 1 > runsMax;
}

/** Returns the change of a chunk from another; `undefined` above `bytesMax`. */
function changeFrom(before: Chunk, chunk: Chunk, bytesMax: number): Uint8Array | undefined {
  const block = before.uniformBlock;
  if (block !== undefined && changeIsLonger(block, chunk, bytesMax)) return undefined;
  return encodeShortChange(before, chunk, bytesMax);
}

/** Finds how chunks differ from air and, while a generator is available, from its output. */
class ChangeFinder {
  #generated: GeneratedChunks | undefined;

  constructor(generated: GeneratedChunks | undefined) {
    this.#generated = generated;
  }

  /** Returns the shortest change if it costs less than the chunk. On a tie, the change to air wins. */
  find(position: Position, chunk: Chunk, chunkBytes: number): StoredChange | undefined {
    const { volume } = chunk;
    // No change is shorter than a chunk of one block, and calling the generator is the expensive part.
    if (chunk.uniformBlock !== undefined) return undefined;
    const generated = this.#generatedAt(position);
    const bytesMax = Math.ceil(chunkBytes / CHANGE_WEIGHT) - 1;
    const toGenerated = generated && changeFrom(generated, chunk, bytesMax);
    const toAir = changeFrom(emptyChunk(volume), chunk, toGenerated?.length ?? bytesMax);
    const base = toAir === undefined ? "generator" : "air";
    const change = toAir ?? toGenerated;
    return change && { kind: "change", position, base, volume, change };
  }

  #generatedAt(position: Position): Chunk | undefined {
    try {
      const generated = this.#generated?.(position);
      return generated?.isEmpty === true ? undefined : generated;
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      // A world whose generator is missing is still saved, without its help.
      this.#generated = undefined;
      return undefined;
    }
  }
}

/**
 * Returns the chunks in storage order, with one content for equal chunks. Throws `ORT_ARGUMENT` for two
 * chunks at one position.
 */
export function arrangeChunks(chunks: readonly StoredChunk[]): readonly StoredChunk[] {
  const intern = contentInterner((content: ChunkContent) => content);
  const sorted = [...chunks].sort((a, b) => comparePositions(a.position, b.position));
  return sorted.map((entry, index) => {
    const previous = sorted[index - 1];
    if (previous !== undefined && comparePositions(previous.position, entry.position) === 0) {
      throw new OrthantError("ORT_ARGUMENT", `two chunks at [${entry.position}]`);
    }
    if (entry.kind === "change") return entry;
    const content = intern(entry.content);
    return content === entry.content ? entry : wholeChunk(entry.position, content, entry.parts);
  });
}
