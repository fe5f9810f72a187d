import type { Box, Position } from "@orthant/core";
import { type ByteReader, ByteWriter, I32_MAX, I32_MIN, U32_MAX } from "@orthant/core/bytes";
import { AXES, regionOf } from "@orthant/core/lattice";
import type { RegionClock } from "@orthant/core/tree";
import { REFS_PER_LEAF_MAX, type RecordRef } from "../codec/blob.ts";
import { NO_PARTS, type TaggedPart } from "../codec/blob-sections.ts";
import { CHUNK_BLOB, ENTITY_BLOB, LEAF_LEVEL_MAX } from "../codec/layout.ts";
import { requireLevel } from "./cube.ts";
import { CLOCKS_PER_LEAF_MAX, type LeafEntry, type PageVersion } from "./leaf-entry.ts";
import type { PageLink } from "./leaf-trie.ts";

/** Flag for a link in the first byte of an entry, next to its level. */
const LINK = 0x40;
/** Flag for parts after the fields of an entry, only in version 4. */
const PARTS = 0x80;
/** Links of a page have cubes smaller than the lattice. */
const LINK_LEVEL_MAX = 31;
/** A path of links cannot be longer than the number of cube sizes. */
const HEIGHT_MAX = 31;

/** One entry of a page. */
type PageEntry =
  | { readonly leaf: LeafEntry; readonly link?: undefined }
  | { readonly link: PageLink; readonly leaf?: undefined };

/** Values that the next entry of a page is encoded relative to. */
interface Before {
  min: Position;
  clock: number;
  packId: number;
  recordEnd: number;
}

/** Writes the entries of a page, each relative to the previous one. Rules S55 to S58. */
export class PageEntryWriter {
  readonly #out: ByteWriter;
  readonly #generation: number;
  readonly #before: Before;
  readonly #version: PageVersion;

  /** Begins a page of a generation whose cube has this minimum corner. */
  constructor(out: ByteWriter, generation: number, corner: Position, version: PageVersion) {
    this.#version = version;
    this.#out = out;
    this.#generation = generation;
    this.#before = { min: corner, clock: 0, packId: 0, recordEnd: 0 };
  }

  /** Writes a leaf. */
  leaf({ cube, chunkRefs, entityRefs, chunks, clocks, parts }: LeafEntry): void {
    const out = this.#out;
    this.#cube(cube, this.#flagOf(parts));
    out.varU32(chunks);
    this.#refs(chunkRefs);
    this.#refs(entityRefs);
    this.#clocks(clocks, cube);
    this.#parts(parts);
  }

  /** Writes a link. */
  link({ cube, generation, number, bytes, crc32, height, totals, parts }: PageLink): void {
    const out = this.#out;
    this.#cube(cube, LINK | this.#flagOf(parts));
    out.varUint(this.#generation - generation);
    out.varU32(number);
    out.varU32(bytes);
    out.u32(crc32);
    out.u8(height);
    out.varUint(totals.leaves);
    out.varUint(totals.chunks);
    out.varUint(totals.uncounted);
    out.varUint(totals.clocks);
    out.varUint(totals.recordBytes);
    this.#parts(parts);
  }

  #flagOf(parts: readonly TaggedPart[] = NO_PARTS): number {
    return this.#version === 4 && parts.length > 0 ? PARTS : 0;
  }

  #parts(parts: readonly TaggedPart[] = NO_PARTS): void {
    if (this.#flagOf(parts) === 0) return;
    const out = new ByteWriter();
    for (const { tag, bytes } of parts) {
      out.varU32(tag);
      out.varU32(bytes.length);
      out.raw(bytes);
    }
    this.#out.varU32(out.length);
    this.#out.raw(out.view());
  }

  #cube(cube: Box, flag: number): void {
    const level = requireLevel(cube);
    const before = this.#before;
    this.#out.u8(level | flag);
    for (const axis of AXES) {
      this.#out.varInt(numberAt(cube.min[axis], level) - numberAt(before.min[axis], level));
    }
    before.min = cube.min;
  }

  #refs(refs: readonly RecordRef[]): void {
    const out = this.#out;
    const before = this.#before;
    out.varUint(refs.length);
    for (const { packId, recordOffset, recordBytes, recordCrc32, blobVersion } of refs) {
      out.varInt(packId - before.packId);
      out.varInt(recordOffset - before.recordEnd);
      out.varU32(recordBytes);
      out.u32(recordCrc32);
      out.varU16(blobVersion);
      before.packId = packId;
      before.recordEnd = recordOffset + recordBytes;
    }
  }

  #clocks(clocks: readonly RegionClock[], { min }: Box): void {
    const out = this.#out;
    out.varUint(clocks.length);
    let last = regionOf(min);
    for (const { region, clock } of clocks) {
      for (const axis of AXES) out.varInt(region[axis] - last[axis]);
      out.varInt(clock - this.#before.clock);
      last = region;
      this.#before.clock = clock;
    }
  }
}

/**
 * Reads what a {@link PageEntryWriter} wrote. Checks each field; the caller checks how entries fit together.
 */
export class PageEntryReader {
  readonly #input: ByteReader;
  readonly #generation: number;
  readonly #before: Before;
  readonly #version: PageVersion;

  constructor(input: ByteReader, generation: number, corner: Position, version: PageVersion) {
    this.#version = version;
    this.#input = input;
    this.#generation = generation;
    this.#before = { min: corner, clock: 0, packId: 0, recordEnd: 0 };
  }

  /** Reads the next entry. */
  next(): PageEntry {
    const head = this.#input.u8();
    const hasParts = this.#version === 4 && (head & PARTS) !== 0;
    const level = hasParts ? head & ~LINK & ~PARTS : head & ~LINK;
    if ((head & LINK) === 0) {
      const leaf = this.#leaf(this.#cube(level, LEAF_LEVEL_MAX));
      return { leaf: hasParts ? { ...leaf, parts: this.#parts() } : leaf };
    }
    const link = this.#link(this.#cube(level, LINK_LEVEL_MAX));
    return { link: hasParts ? { ...link, parts: this.#parts() } : link };
  }

  #parts(): readonly TaggedPart[] {
    const input = this.#input.within(this.#input.varU32());
    const parts: TaggedPart[] = [];
    let previous = 0;
    do {
      const tag = input.varU32();
      if (tag <= previous) throw input.fail("ORT_INDEX", `part ${tag} after part ${previous}`);
      previous = tag;
      const length = input.varU32();
      if (length === 0) throw input.fail("ORT_INDEX", `part ${tag} is empty`);
      parts.push({ tag, bytes: input.view(length).slice() });
    } while (input.remaining > 0);
    return parts;
  }

  #leaf(cube: Box): LeafEntry {
    const chunks = this.#input.varU32();
    const chunkRefs = this.#refs(CHUNK_BLOB);
    const entityRefs = this.#refs(ENTITY_BLOB);
    if (chunks > 0 && chunkRefs.length === 0) {
      throw this.#input.fail("ORT_INDEX", `a leaf with ${chunks} chunks and no record of them`);
    }
    return { cube, chunkRefs, entityRefs, chunks, clocks: this.#clocks(cube) };
  }

  #link(cube: Box): PageLink {
    const input = this.#input;
    const generation = this.#generation - input.varUint();
    if (generation < 0) throw input.fail("ORT_INDEX", "a page from before the first generation");
    const number = input.varU32();
    if (number === 0) throw input.fail("ORT_INDEX", "a link to a root");
    const bytes = input.varU32();
    const crc32 = input.u32();
    const height = input.u8();
    if (height > HEIGHT_MAX) throw input.fail("ORT_INDEX", `a page of height ${height}`);
    const totals = {
      leaves: input.varUint(),
      chunks: input.varUint(),
      uncounted: input.varUint(),
      clocks: input.varUint(),
      recordBytes: input.varUint(),
    };
    return { cube, generation, number, bytes, crc32, height, totals };
  }

  #cube(level: number, levelMax: number): Box {
    const input = this.#input;
    if (level > levelMax) throw input.fail("ORT_INDEX", `an entry with an edge of 2^${level} chunks`);
    const edge = 2 ** level;
    const countMax = 2 ** (32 - level);
    const { min: before } = this.#before;
    const corner = (coordinate: number): number => {
      const number = numberAt(coordinate, level) + input.varInt();
      if (number < 0 || number >= countMax) throw input.fail("ORT_INDEX", "an entry beyond the lattice");
      return number * edge + I32_MIN;
    };
    const min: Position = [corner(before[0]), corner(before[1]), corner(before[2]), corner(before[3])];
    this.#before.min = min;
    return { min, max: [min[0] + edge, min[1] + edge, min[2] + edge, min[3] + edge] };
  }

  #refs(blobType: number): readonly RecordRef[] {
    const input = this.#input;
    const before = this.#before;
    const refs: RecordRef[] = [];
    for (let count = input.count(REFS_PER_LEAF_MAX); count > 0; count--) {
      const packId = this.#within(before.packId + input.varInt(), 0, U32_MAX);
      const recordOffset = this.#within(before.recordEnd + input.varInt(), 0, Number.MAX_SAFE_INTEGER);
      const recordBytes = input.varU32();
      const recordCrc32 = input.u32();
      refs.push({
        packId,
        recordOffset,
        recordBytes,
        recordCrc32,
        blobType,
        blobVersion: input.varU16(),
      });
      before.packId = packId;
      before.recordEnd = this.#within(recordOffset + recordBytes, 0, Number.MAX_SAFE_INTEGER);
    }
    return refs;
  }

  #clocks({ min }: Box): readonly RegionClock[] {
    const input = this.#input;
    const clocks: RegionClock[] = [];
    let last = regionOf(min);
    for (let count = input.count(CLOCKS_PER_LEAF_MAX); count > 0; count--) {
      const [x, y, z, w] = last;
      const region: Position = [this.#step(x), this.#step(y), this.#step(z), this.#step(w)];
      const clock = this.#within(this.#before.clock + input.varInt(), 0, Number.MAX_SAFE_INTEGER);
      clocks.push({ region, clock });
      last = region;
      this.#before.clock = clock;
    }
    return clocks;
  }

  #step(coordinate: number): number {
    return this.#within(coordinate + this.#input.varInt(), I32_MIN, I32_MAX);
  }

  #within(value: number, min: number, max: number): number {
    if (value >= min && value <= max) return value;
    throw this.#input.fail("ORT_VARINT_RANGE", `${value}, expected ${min} to ${max}`);
  }
}

/**
 * Returns the index of the cube of a level that contains a coordinate, counted from the lattice's minimum.
 */
function numberAt(coordinate: number, level: number): number {
  return Math.floor((coordinate - I32_MIN) / 2 ** level);
}
