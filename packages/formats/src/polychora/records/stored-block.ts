import {
  applyChunkChange,
  bytesEqual,
  CHUNK_VOXELS_MAX,
  type Chunk,
  comparePlaces,
  crc32,
  decode,
  emptyChunk,
  encode,
  encodeShortChange,
  isOrthantError,
  OrthantError,
  type Place,
  packedChunkCodec,
  requireLatticePlace,
} from "@orthant/core";
import type { BlockAssignment, BlockEntry } from "./prepared-blocks.ts";

/** A place with what is stored for it: a chunk, or how the chunk differs from what the generator makes there. */
export type StoredBlock = StoredChunk | StoredChange;

/** What the generator of a world makes at a place. */
export type GeneratedChunks = (place: Place) => Chunk;

/** A place of which the whole chunk is stored. */
export class StoredChunk {
  readonly kind = "chunk";
  readonly place: Place;
  readonly content: ChunkContent;

  constructor(place: Place, content: ChunkContent) {
    this.place = place;
    this.content = content;
  }

  /** The chunk, which is made when it is first asked for. */
  get chunk(): Chunk {
    return this.content.chunk;
  }
}

/** A place of which is stored in which cells it differs from something else. */
export interface StoredChange {
  readonly kind: "change";
  readonly place: Place;
  /** What it differs from: what the world's generator makes there, or nothing but air, for which no generator is needed. */
  readonly base: "generator" | "air";
  readonly volume: number;
  /** The bytes of the change, a view: rules S77 to S79. */
  readonly change: Uint8Array;
}

/** A chunk or its bytes, or both, the other made when it is first asked for. Places with equal chunks may share it. */
export class ChunkContent {
  readonly #volume: number;
  #chunk: Chunk | undefined;
  #bytes: Uint8Array | undefined;

  private constructor(volume: number, chunk: Chunk | undefined, bytes: Uint8Array | undefined) {
    this.#volume = volume;
    this.#chunk = chunk;
    this.#bytes = bytes;
  }

  /** The content of a chunk. */
  static of(chunk: Chunk): ChunkContent {
    return new ChunkContent(chunk.volume, chunk, undefined);
  }

  /** The content of bytes that were checked, which are kept as they are. */
  static stored(bytes: Uint8Array, volume: number): ChunkContent {
    return new ChunkContent(volume, undefined, bytes);
  }

  /** The chunk. */
  get chunk(): Chunk {
    this.#chunk ??= decode(packedChunkCodec(this.#volume), this.bytes);
    return this.#chunk;
  }

  /** The chunk as a blob of version 2 holds it, as a view. Rules S75 and S76. */
  get bytes(): Uint8Array {
    this.#bytes ??= encode(packedChunkCodec(this.#volume), this.chunk);
    return this.#bytes;
  }
}

/** Whether only the world's generator can tell what a block is. */
export function needsGenerator(block: StoredBlock): boolean {
  return block.kind === "change" && block.base === "generator";
}

/** The chunk that a stored block stands for. A change to what a generator makes is `ORT_NOT_FOUND` without it. Rule S81. */
export function realizeBlock(block: StoredBlock, generated: GeneratedChunks | undefined): Chunk {
  if (block.kind === "chunk") return block.chunk;
  if (block.base === "air") return applyChunkChange(emptyChunk(block.volume), block.change);
  if (generated === undefined) {
    const detail = `the chunk at [${block.place}] is stored as a change to what the generator makes, which is not here`;
    throw new OrthantError("ORT_NOT_FOUND", detail);
  }
  return applyChunkChange(generated(block.place), block.change);
}

/** The blocks of a blob of version 1 or of the flat dialect; places that are virgin have none. */
export function storedChunks(blocks: readonly BlockAssignment[]): readonly StoredBlock[] {
  const contents = new Map<Chunk, ChunkContent>();
  const stored: StoredBlock[] = [];
  for (const { place, chunk } of blocks) {
    if (chunk === undefined) continue;
    const content = contents.get(chunk) ?? ChunkContent.of(chunk);
    contents.set(chunk, content);
    stored.push(new StoredChunk(place, content));
  }
  return stored;
}

/**
 * What makes of each of some blocks the one to be stored. One that is stored already stays as it is; another becomes what
 * takes fewer bytes, its chunk or how it differs from air or, with a generator, from what that makes.
 */
export function blockStorer(
  blocks: readonly (BlockEntry | StoredBlock)[],
  generated: GeneratedChunks | undefined,
): (block: BlockEntry | StoredBlock) => StoredBlock {
  const uses = new Map<Chunk, number>();
  for (const block of blocks) {
    if (!("kind" in block)) uses.set(block.chunk, (uses.get(block.chunk) ?? 0) + 1);
  }
  const contents = new Map<Chunk, ChunkContent>();
  const changes = new ChangeFinder(generated);
  return (block) => {
    if ("kind" in block) return block;
    const { place, chunk } = block;
    requireLatticePlace(...place);
    const content = contents.get(chunk) ?? ChunkContent.of(chunk);
    contents.set(chunk, content);
    // A chunk is stored once for all of its places, and each of them pays its part.
    const share = content.bytes.length / (uses.get(chunk) as number);
    return changes.find(place, chunk, share) ?? new StoredChunk(place, content);
  };
}

/**
 * A byte of a change counts for as many of a chunk: chunks shrink that much more when they are compressed, and are read
 * faster. docs/decisions/0014-blobs-that-say-what-changed.md has the figures.
 */
const CHANGE_WEIGHT = 4;

// The voxels of the chunk at hand, shared by all calls, which never overlap.
const scratch = new Uint16Array(CHUNK_VOXELS_MAX);

/** Finds how chunks differ from air and, as long as there is one, from what a generator makes. */
class ChangeFinder {
  #generated: GeneratedChunks | undefined;

  constructor(generated: GeneratedChunks | undefined) {
    this.#generated = generated;
  }

  /** The shortest change, when it counts for fewer bytes than a chunk does; to air when both are as long. */
  find(place: Place, chunk: Chunk, chunkBytes: number): StoredChange | undefined {
    const { volume } = chunk;
    // No change is shorter than a chunk of one material, and asking the generator is what costs.
    if (chunk.uniformMaterial !== undefined) return undefined;
    const generated = this.#generatedAt(place);
    const voxels = chunk.voxels(scratch.subarray(0, volume));
    const bytesMax = Math.ceil(chunkBytes / CHANGE_WEIGHT) - 1;
    const toAir = encodeShortChange(emptyChunk(volume), voxels, bytesMax);
    const toGenerated = generated && encodeShortChange(generated, voxels, bytesMax);
    const isAir = toGenerated === undefined || (toAir !== undefined && toAir.length <= toGenerated.length);
    const change = isAir ? toAir : toGenerated;
    return change && { kind: "change", place, base: isAir ? "air" : "generator", volume, change };
  }

  #generatedAt(place: Place): Chunk | undefined {
    try {
      const generated = this.#generated?.(place);
      return generated?.isEmpty === true ? undefined : generated;
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      // A world whose generator is not here is saved all the same, without its help.
      this.#generated = undefined;
      return undefined;
    }
  }
}

/**
 * Blocks in the order in which they are stored, with one content for equal chunks. `ORT_ARGUMENT` for two blocks at one
 * place.
 */
export function arrangeBlocks(blocks: readonly StoredBlock[]): readonly StoredBlock[] {
  const interner = new ContentInterner();
  const sorted = [...blocks].sort((a, b) => comparePlaces(a.place, b.place));
  return sorted.map((block, index) => {
    const previous = sorted[index - 1];
    if (previous !== undefined && comparePlaces(previous.place, block.place) === 0) {
      throw new OrthantError("ORT_ARGUMENT", `two blocks at [${block.place}]`);
    }
    if (block.kind === "change") return block;
    const content = interner.intern(block.content);
    return content === block.content ? block : new StoredChunk(block.place, content);
  });
}

class ContentInterner {
  readonly #known = new Map<ChunkContent, ChunkContent>();
  readonly #byCrc = new Map<number, ChunkContent[]>();

  intern(content: ChunkContent): ChunkContent {
    const known = this.#known.get(content) ?? this.#findOrAdd(content);
    this.#known.set(content, known);
    return known;
  }

  #findOrAdd(content: ChunkContent): ChunkContent {
    const crc = crc32(content.bytes);
    const bucket = this.#byCrc.get(crc) ?? [];
    const equal = bucket.find((other) => bytesEqual(other.bytes, content.bytes));
    if (equal === undefined) this.#byCrc.set(crc, [...bucket, content]);
    return equal ?? content;
  }
}
