import { OrthantError } from "@orthant/core";
import { decodeUtf8, inflateFirst } from "@orthant/core/bytes";
import { NOT_STORED, type Triple, type VoxelPart } from "../part/voxel-part.ts";
import { readZstd } from "../zstd/zstd.ts";

/** Maximum bytes of a block before compression: 16 KiB of nodes, and what signs, books and chests hold. */
export const LUANTI_BLOCK_BYTES_MAX = 4_194_304;
const EDGE = 16;
const NODES = EDGE ** 3;
/** The engine has not generated a block with this flag; all of it is `ignore`. */
const NOT_GENERATED = 0x08;
const IGNORE = "ignore";

/** A list of an inventory. */
export interface LuantiInventoryList {
  readonly width: number;
  /** Item strings, such as `default:dirt 99`; an empty place is an empty string. */
  readonly items: readonly string[];
}

/** Metadata of a node. */
export interface LuantiNodeData {
  readonly position: Triple;
  readonly fields: ReadonlyMap<string, string>;
  /** Names of fields that clients may not see. */
  readonly privateFields: readonly string[];
  readonly inventory: ReadonlyMap<string, LuantiInventoryList>;
}

/** Something that moves, as the engine has saved it. */
export interface LuantiObject {
  readonly type: number;
  /** In nodes; fractions count. */
  readonly position: Triple;
  readonly data: Uint8Array;
}

/** A timer of a node, in seconds. */
export interface LuantiTimer {
  readonly position: Triple;
  readonly timeout: number;
  readonly elapsed: number;
}

/** A block of 16 x 16 x 16 nodes. Nodes that the engine has not generated are not stored. */
export interface LuantiBlock extends VoxelPart {
  readonly indices: Uint16Array;
  /** In the order of the indices. What it means is up to the node: a direction, a colour, a level. */
  readonly param1: Uint8Array;
  readonly param2: Uint8Array;
  readonly isGenerated: boolean;
  readonly nodeData: readonly LuantiNodeData[];
  readonly objects: readonly LuantiObject[];
  readonly timers: readonly LuantiTimer[];
  /** Number of nodes whose name is missing; they are not stored. */
  readonly nameless: number;
}

/** Reads a block at a place in blocks. Throws an `OrthantError` for one that is damaged or of another version. */
export function readLuantiBlock(stored: Uint8Array, place: Triple): LuantiBlock {
  const version = stored[0];
  const min: Triple = [place[0] * EDGE, place[1] * EDGE, place[2] * EDGE];
  if (version === 29) return readVersion29(stored, min);
  if (version === 28) return readVersion28(stored, min);
  throw new OrthantError("ORT_VERSION", `a block of version ${version ?? "unknown"}; 28 and 29 are read`);
}

function readVersion29(stored: Uint8Array, min: Triple): LuantiBlock {
  const input = new BlockReader(readZstd(stored.subarray(1), LUANTI_BLOCK_BYTES_MAX));
  const flags = input.u8();
  input.u16();
  input.u32();
  const names = readNames(input);
  requireWidths(input);
  const nodes = readNodes(input, names);
  const nodeData = readMetadata(input, min);
  const objects = readObjects(input);
  return blockOf(min, flags, nodes, nodeData, objects, readTimers(input, min));
}

function readVersion28(stored: Uint8Array, min: Triple): LuantiBlock {
  const head = new BlockReader(stored, 1);
  const flags = head.u8();
  head.u16();
  requireWidths(head);
  const packed = inflateFirst(head.rest(), LUANTI_BLOCK_BYTES_MAX);
  const after = head.rest().subarray(packed.consumed);
  const metadata = inflateFirst(after, LUANTI_BLOCK_BYTES_MAX);
  const input = new BlockReader(after.subarray(metadata.consumed));
  const objects = readObjects(input);
  input.u32();
  const nodes = readNodes(new BlockReader(packed.output), readNames(input));
  const nodeData = readMetadata(new BlockReader(metadata.output), min);
  return blockOf(min, flags, nodes, nodeData, objects, readTimers(input, min));
}

type Nodes = Pick<LuantiBlock, "palette" | "indices" | "param1" | "param2" | "nameless">;

function blockOf(
  min: Triple,
  flags: number,
  nodes: Nodes,
  nodeData: readonly LuantiNodeData[],
  objects: readonly LuantiObject[],
  timers: readonly LuantiTimer[],
): LuantiBlock {
  return {
    min,
    size: [EDGE, EDGE, EDGE],
    isGenerated: (flags & NOT_GENERATED) === 0,
    ...nodes,
    nodeData,
    objects,
    timers,
  };
}

function requireWidths(input: BlockReader): void {
  const [content, params] = [input.u8(), input.u8()];
  if (content !== 2 || params !== 2)
    throw new OrthantError("ORT_FOREIGN", `nodes of ${content} and ${params} bytes`);
}

function readNames(input: BlockReader): ReadonlyMap<number, string> {
  const version = input.u8();
  if (version !== 0) throw new OrthantError("ORT_VERSION", `a table of names of version ${version}`);
  const names = new Map<number, string>();
  for (let left = input.u16(); left > 0; left--) {
    const id = input.u16();
    names.set(id, input.text(input.u16()));
  }
  return names;
}

/** Nodes lie x fastest, then y, then z; parts of voxels lie x fastest, then z, then y. */
function readNodes(input: BlockReader, names: ReadonlyMap<number, string>): Nodes {
  const ids = input.bytes(NODES * 2);
  const [stored1, stored2] = [input.bytes(NODES), input.bytes(NODES)];
  const palette = [...names.values()];
  const places = new Map(
    [...names.keys()].map((id, place) => [id, names.get(id) === IGNORE ? NOT_STORED : place]),
  );
  const [indices, param1, param2] = [new Uint16Array(NODES), new Uint8Array(NODES), new Uint8Array(NODES)];
  let nameless = 0;
  let last = -1;
  let place: number | undefined;
  for (let at = 0; at < NODES; at++) {
    const to = (at & 0x0f) | ((at >>> 8) << 4) | (((at >>> 4) & 0x0f) << 8);
    const id = ((ids[at * 2] as number) << 8) | (ids[at * 2 + 1] as number);
    // Nodes are often like the one before.
    if (id !== last) place = places.get(id);
    last = id;
    if (place === undefined) nameless++;
    indices[to] = place ?? NOT_STORED;
    param1[to] = stored1[at] as number;
    param2[to] = stored2[at] as number;
  }
  return { palette, indices, param1, param2, nameless };
}

function positionIn(min: Triple, index: number): Triple {
  if (index >= NODES) throw new OrthantError("ORT_FOREIGN", `node ${index} of ${NODES}`);
  return [min[0] + (index & 0x0f), min[1] + ((index >>> 4) & 0x0f), min[2] + (index >>> 8)];
}

function readMetadata(input: BlockReader, min: Triple): readonly LuantiNodeData[] {
  const version = input.u8();
  if (version === 0) return [];
  if (version > 2) throw new OrthantError("ORT_VERSION", `metadata of version ${version}`);
  const found: LuantiNodeData[] = [];
  for (let left = input.u16(); left > 0; left--) {
    const position = positionIn(min, input.u16());
    const fields = new Map<string, string>();
    const privateFields: string[] = [];
    for (let fieldsLeft = input.u32(); fieldsLeft > 0; fieldsLeft--) {
      const name = input.text(input.u16());
      fields.set(name, input.text(input.u32()));
      if (version === 2 && input.u8() === 1) privateFields.push(name);
    }
    found.push({ position, fields, privateFields, inventory: readInventory(input) });
  }
  return found;
}

function readInventory(input: BlockReader): ReadonlyMap<string, LuantiInventoryList> {
  const lists = new Map<string, LuantiInventoryList>();
  for (let line = input.line(); line !== "EndInventory"; line = input.line()) {
    if (!line.startsWith("List ")) continue;
    const name = line.split(" ")[1] ?? "";
    const items: string[] = [];
    let width = 0;
    for (let item = input.line(); item !== "EndInventoryList"; item = input.line()) {
      if (item.startsWith("Width ")) width = Number(item.slice(6)) || 0;
      else items.push(item.startsWith("Item ") ? item.slice(5) : "");
    }
    lists.set(name, { width, items });
  }
  return lists;
}

function readObjects(input: BlockReader): readonly LuantiObject[] {
  input.u8();
  const found: LuantiObject[] = [];
  for (let left = input.u16(); left > 0; left--) {
    const type = input.u8();
    // Thousandths of ten units a node.
    const position: Triple = [input.i32() / 10_000, input.i32() / 10_000, input.i32() / 10_000];
    found.push({ type, position, data: input.bytes(input.u16()).slice() });
  }
  return found;
}

function readTimers(input: BlockReader, min: Triple): readonly LuantiTimer[] {
  const bytes = input.u8();
  if (bytes !== 10) throw new OrthantError("ORT_FOREIGN", `timers of ${bytes} bytes`);
  const found: LuantiTimer[] = [];
  for (let left = input.u16(); left > 0; left--) {
    const position = positionIn(min, input.u16());
    found.push({ position, timeout: input.i32() / 1_000, elapsed: input.i32() / 1_000 });
  }
  return found;
}

/** Reads the big-endian fields of a block, each compared with the bytes that are left. */
class BlockReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#offset = offset;
  }

  /** All bytes that are not read yet. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#offset);
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2));
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4));
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4));
  }

  /** Returns a view of `length` bytes. */
  bytes(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Reads text of `length` bytes; those that are not UTF-8 become one character each. */
  text(length: number): string {
    const bytes = this.bytes(length);
    return decodeUtf8(bytes, 0, length) ?? Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  }

  /** Reads a line of text, and the newline after it. */
  line(): string {
    const end = this.#bytes.indexOf(10, this.#offset);
    if (end < 0) throw new OrthantError("ORT_TRUNCATED", "a line without an end");
    const line = this.text(end - this.#offset);
    this.#offset = end + 1;
    return line;
  }

  #take(length: number): number {
    const start = this.#offset;
    const left = this.#bytes.length - start;
    if (length > left)
      throw new OrthantError("ORT_TRUNCATED", `${length} bytes at ${start}, ${left} are left`);
    this.#offset += length;
    return start;
  }
}
