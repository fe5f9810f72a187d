import { ByteReader, type Codec, type FixedCodec, i32, struct, u16, u32 } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import { DIALECT_TRAITS, type MarsMinerDialect } from "./layout.ts";
import { type Octree, octreeCodec, octreeHeadBytes } from "./octree.ts";
import { pointerCodec, type StoredPointer } from "./pointer.ts";

/** A kind of block: how to read and write it, and how to determine its length from its first bytes. */
export interface BlockKind<Value> extends Codec<Value> {
  /** For messages. */
  readonly name: string;
  readonly headBytes: number;
  /** Returns the size of the whole block. */
  bytesOf(head: Uint8Array): number;
}

/** The root of one saved state. */
interface StateIndex {
  /** Units of 100 ns since the beginning of year 1, UTC; beyond 2^53. */
  readonly ticks: bigint;
  readonly name: StoredPointer;
  readonly chunkTable: StoredPointer;
}

/** One entry of a chunk table. */
interface ChunkTableEntry {
  readonly x: number;
  readonly z: number;
  readonly chunk: StoredPointer;
}

/** A column of octrees and the table that defines their block ids. */
interface ChunkBlock {
  readonly blockTypes: StoredPointer;
  readonly octrees: readonly StoredPointer[];
}

/** One entry of a table of block types. */
interface BlockTypeEntry {
  readonly name: StoredPointer;
  /** `undefined` in the dialect without subtypes. */
  readonly subtype: number | undefined;
}

/** Every kind of block of one dialect. */
export interface BlockKinds {
  readonly stateIndex: BlockKind<StateIndex>;
  readonly chunkTable: BlockKind<readonly ChunkTableEntry[]>;
  readonly chunk: BlockKind<ChunkBlock>;
  readonly blockTypes: BlockKind<readonly BlockTypeEntry[]>;
  readonly octree: BlockKind<Octree>;
  /** The text of a string block; `undefined` for a null string. */
  readonly string: BlockKind<Uint8Array | undefined>;
}

/** Returns the blocks of a dialect, always the same object. Rules M9 to M13. */
export function blockKinds(dialect: MarsMinerDialect): BlockKinds {
  return getOrAdd(kindsByDialect, dialect, () => makeKinds(dialect));
}

const kindsByDialect = new Map<MarsMinerDialect, BlockKinds>();

function makeKinds(dialect: MarsMinerDialect): BlockKinds {
  const { hasPointerFile, hasSubtypes, strings } = DIALECT_TRAITS[dialect];
  const pointer = pointerCodec(hasPointerFile);
  // A pointer into `strings` is a plain address without a flag.
  const stringPointer = strings === "file" ? stringAddress : pointer;
  return {
    stateIndex: fixedKind(
      "the index of a state",
      struct({ ticks, name: stringPointer, chunkTable: pointer }),
    ),
    chunkTable: listKind("a chunk table", u32, struct({ x: i32, z: i32, chunk: pointer })),
    chunk: chunkKind(pointer),
    blockTypes: blockTypesKind(stringPointer, hasSubtypes),
    octree: {
      name: "an octree",
      headBytes: octreeHeadBytes,
      bytesOf: (head) => octreeHeadBytes + uint32(head, 0) + uint32(head, 4),
      ...octreeCodec,
    },
    string: stringKind,
  };
}

const ticks: FixedCodec<bigint> = {
  bytes: 8,
  write: (out, value) => out.u64(BigInt.asUintN(64, value)),
  read: (input) => BigInt.asIntN(64, input.u64()),
};

const stringAddress: FixedCodec<StoredPointer> = {
  bytes: 4,
  write: (out, pointer) => out.u32(pointer.kind === "local" ? pointer.address : 0),
  read(input) {
    const address = input.u32();
    return address === 0 ? { kind: "null" } : { kind: "local", address };
  },
};

const NULL_STRING_BYTES = -1;

const stringKind: BlockKind<Uint8Array | undefined> = {
  name: "a string",
  headBytes: i32.bytes,
  bytesOf: (head) => i32.bytes + Math.max(0, new ByteReader(head).i32()),
  write(out, bytes) {
    out.i32(bytes?.length ?? NULL_STRING_BYTES);
    if (bytes !== undefined) out.raw(bytes);
  },
  read(input) {
    const length = input.i32();
    if (length < NULL_STRING_BYTES) throw input.fail("ORT_TRUNCATED", `a string of ${length} bytes`);
    return length === NULL_STRING_BYTES ? undefined : input.view(length).slice();
  },
};

function chunkKind(pointer: FixedCodec<StoredPointer>): BlockKind<ChunkBlock> {
  const headBytes = pointer.bytes + 1;
  return {
    name: "a chunk",
    headBytes,
    bytesOf: (head) => headBytes + (head[pointer.bytes] ?? 0) * pointer.bytes,
    write(out, { blockTypes, octrees }) {
      pointer.write(out, blockTypes);
      out.u8(octrees.length);
      for (const octree of octrees) pointer.write(out, octree);
    },
    read(input) {
      const blockTypes = pointer.read(input);
      const count = input.u8();
      return { blockTypes, octrees: Array.from({ length: count }, () => pointer.read(input)) };
    },
  };
}

function blockTypesKind(
  name: FixedCodec<StoredPointer>,
  hasSubtypes: boolean,
): BlockKind<readonly BlockTypeEntry[]> {
  const entry: FixedCodec<BlockTypeEntry> = {
    bytes: name.bytes + (hasSubtypes ? i32.bytes : 0),
    write(out, value) {
      name.write(out, value.name);
      if (hasSubtypes) out.i32(value.subtype ?? 0);
    },
    read: (input) => ({ name: name.read(input), subtype: hasSubtypes ? input.i32() : undefined }),
  };
  return listKind("a table of block types", u16, entry);
}

function fixedKind<Value>(name: string, codec: FixedCodec<Value>): BlockKind<Value> {
  return { name, headBytes: codec.bytes, bytesOf: () => codec.bytes, ...codec };
}

/** A count, then that many entries of a fixed size. */
function listKind<Entry>(
  name: string,
  count: FixedCodec<number>,
  entry: FixedCodec<Entry>,
): BlockKind<readonly Entry[]> {
  return {
    name,
    headBytes: count.bytes,
    bytesOf: (head) => count.bytes + count.read(new ByteReader(head)) * entry.bytes,
    write(out, entries) {
      count.write(out, entries.length);
      for (const each of entries) entry.write(out, each);
    },
    read(input) {
      const length = count.read(input);
      if (length * entry.bytes > input.remaining) {
        throw input.fail("ORT_TRUNCATED", `${length} entries in ${input.remaining} bytes`);
      }
      const entries: Entry[] = [];
      for (let index = 0; index < length; index++) entries.push(entry.read(input));
      return entries;
    },
  };
}

function uint32(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);
}
