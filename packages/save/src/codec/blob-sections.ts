import { OrthantError } from "@orthant/core";
import { type ByteReader, type ByteWriter, U32_MAX } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";

/** Tag of the data of voxels. */
export const VOXEL_DATA_PART = 1;
/** Tag of scheduled ticks. */
export const TICKS_PART = 2;

/** An entry of a chunk blob, which may have parts, such as the data of its voxels. */
interface HasParts {
  readonly parts?: readonly TaggedPart[];
}

/** Returns the bytes of a part; `undefined` if the entry doesn't have it. */
export function partOf({ parts = NO_PARTS }: HasParts, tag: number): Uint8Array | undefined {
  return parts.find((part) => part.tag === tag)?.bytes;
}

/** Returns the size of an entry's parts, without what locates them. */
export function partBytes({ parts = NO_PARTS }: HasParts): number {
  if (parts.length === 0) return 0;
  return parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** Writes a section for each tag in use, in ascending order: nothing at all if no entry has parts. */
export function writeSections(out: ByteWriter, entries: readonly HasParts[], scratch: ByteWriter): void {
  const byTag = new Map<number, { readonly entry: number; readonly bytes: Uint8Array }[]>();
  for (const [entry, { parts = NO_PARTS }] of entries.entries()) {
    for (const { tag, bytes } of parts) {
      if (bytes.length === 0) throw new OrthantError("ORT_ARGUMENT", `an empty part with tag ${tag}`);
      getOrAdd(byTag, tag, () => []).push({ entry, bytes });
    }
  }
  for (const [tag, parts] of [...byTag].sort(([a], [b]) => a - b)) {
    scratch.clear();
    scratch.varUint(parts.length);
    let next = 0;
    for (const { entry, bytes } of parts) {
      scratch.varUint(entry - next);
      scratch.varUint(bytes.length);
      next = entry + 1;
    }
    for (const { bytes } of parts) scratch.raw(bytes);
    out.varU32(tag);
    out.varU32(scratch.length);
    out.raw(scratch.view());
  }
}

/**
 * Reads all sections up to the end of the input. Returns the parts of each entry that has some, as views; checks
 * where they are, not what they are.
 */
export function readSections(
  input: ByteReader,
  entryCount: number,
): ReadonlyMap<number, readonly TaggedPart[]> {
  const parts = new Map<number, TaggedPart[]>();
  let previous = 0;
  while (input.remaining > 0) {
    const tag = input.varU32();
    if (tag <= previous) throw input.fail("ORT_BLOB", `section ${tag} after section ${previous}`);
    previous = tag;
    readSection(input.within(input.varU32()), tag, entryCount, parts);
  }
  return parts;
}

function readSection(
  input: ByteReader,
  tag: number,
  entryCount: number,
  parts: Map<number, TaggedPart[]>,
): void {
  const count = input.count(entryCount);
  if (count === 0) throw input.fail("ORT_BLOB", `section ${tag} of no entry`);
  const entries = new Uint32Array(count);
  const lengths = new Uint32Array(count);
  let next = 0;
  for (let index = 0; index < count; index++) {
    const entry = next + input.varUint();
    if (entry >= entryCount)
      throw input.fail("ORT_BLOB", `section ${tag} has entry ${entry} of ${entryCount}`);
    entries[index] = entry;
    lengths[index] = requireLength(input, input.varUint());
    next = entry + 1;
  }
  for (const [index, entry] of entries.entries()) {
    const part = { tag, bytes: input.view(lengths[index] as number) };
    getOrAdd(parts, entry, () => []).push(part);
  }
  input.end();
}

function requireLength(input: ByteReader, length: number): number {
  if (length >= 1 && length <= U32_MAX) return length;
  throw input.fail("ORT_BLOB", `a part of ${length} bytes`);
}

/** Bytes with a tag that says what they are. A program keeps parts whose tag it doesn't know. */
export interface TaggedPart {
  /** From 1 on. The parts of one thing have ascending tags. */
  readonly tag: number;
  /** At least one byte. */
  readonly bytes: Uint8Array;
}

/** The parts of most things. */
export const NO_PARTS: readonly TaggedPart[] = [];
