import { AIR } from "@orthant/core";
import { deflateWrapped, encodeUtf8, joinBytes } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import { boxWriter, type ExportedVoxels, isRecord, type VoxelsWriter } from "../exported/exported-voxels.ts";
import type { ConversionLosses } from "../format/losses.ts";
import { bigHalves, bigWords } from "../format/number-bytes.ts";
import { type SqliteBlob, writeSqlite } from "../sqlite/sqlite-writer.ts";

const EDGE = 16;
const NODES = EDGE ** 3;
const VERSION = 28;
const DAYLIGHT = 15;
/** Blocks lie within this many of the origin. */
const BLOCK_MAX = 2_047;
const SQL = "CREATE TABLE `blocks` (`pos` INTEGER PRIMARY KEY, `data` BLOB)";

/** What blocks of Orthant's own catalog are called in the games of Luanti. */
const OWN_NODES: ReadonlyMap<string, string> = new Map([
  ["stone", "default:stone"],
  ["soil", "default:dirt"],
  ["grass", "default:dirt_with_grass"],
  ["sand", "default:sand"],
  ["water", "default:water_source"],
  ["wood", "default:tree"],
  ["leaves", "default:leaves"],
  ["coal ore", "default:stone_with_coal"],
  ["iron ore", "default:stone_with_iron"],
  ["gold ore", "default:stone_with_gold"],
  ["brick", "default:brick"],
  ["glass", "default:glass"],
  ["lamp", "default:meselamp"],
  ["snow", "default:snowblock"],
  ["lava", "default:lava_source"],
]);

/** Writes maps of Luanti. */
export const luantiWriter: VoxelsWriter = boxWriter("map.sqlite", luantiMapOf);

/** Returns a `map.sqlite` of Luanti. Its z axis points away: the voxel [x, y, z] is the node [x, y, -1 - z]. Rules EX12 to EX15. */
async function luantiMapOf(voxels: ExportedVoxels, losses: ConversionLosses): Promise<Uint8Array> {
  const metadata = new LuantiMetadata(voxels, losses);
  const { min, size } = voxels;
  const low = [min[0], min[1], -(min[2] + size[2])].map((at) => Math.floor(at / EDGE));
  const high = [min[0] + size[0] - 1, min[1] + size[1] - 1, -1 - min[2]].map((at) => Math.floor(at / EDGE));
  const names = new NodeNames(voxels, losses);
  const rows: SqliteBlob[] = [];
  for (let z = low[2] as number; z <= (high[2] as number); z++) {
    for (let y = low[1] as number; y <= (high[1] as number); y++) {
      for (let x = low[0] as number; x <= (high[0] as number); x++) {
        if ([x, y, z].some((at) => Math.abs(at) > BLOCK_MAX)) {
          losses.add("blocks beyond the end of the world", `${BLOCK_MAX * EDGE} nodes from the origin`);
          continue;
        }
        const data = await blockOf(voxels, [x, y, z], names, metadata);
        if (data !== undefined) rows.push({ key: BigInt(z * 2 ** 24 + y * 2 ** 12 + x), data });
      }
    }
  }
  return writeSqlite(
    "blocks",
    SQL,
    rows.sort((a, b) => (a.key < b.key ? -1 : 1)),
  );
}

interface Node {
  readonly name: string;
  readonly param2: number;
}

class NodeNames {
  readonly #voxels: ExportedVoxels;
  readonly #losses: ConversionLosses;
  readonly #nodes = new Map<number, Node>([[AIR, { name: "air", param2: 0 }]]);

  constructor(voxels: ExportedVoxels, losses: ConversionLosses) {
    this.#voxels = voxels;
    this.#losses = losses;
  }

  of(block: number): Node {
    return getOrAdd(this.#nodes, block, () => this.#make(block));
  }

  #make(block: number): Node {
    const { type, properties } = this.#voxels.describe(block);
    const name = /^\w+:\w+$/.test(type)
      ? type
      : (OWN_NODES.get(type) ?? `orthant:${type.toLowerCase().replaceAll(/\W+/g, "_")}`);
    if (name !== type) this.#losses.addOnce("names of blocks", type, `${type} becomes ${name}`);
    const { param2 = "0", ...others } = properties;
    const lost = Object.keys(others);
    if (lost.length > 0) this.#losses.add("properties of blocks", `${type} has ${lost.join(", ")}`);
    const value = Number(param2);
    return { name, param2: Number.isInteger(value) && value >= 0 && value < 256 ? value : 0 };
  }
}

/** Returns a block of nodes; `undefined` if it is only air without data. Outside of the box there is air. */
async function blockOf(
  { min, size, blocks }: ExportedVoxels,
  place: readonly [number, number, number],
  names: NodeNames,
  metadata: LuantiMetadata,
): Promise<Uint8Array | undefined> {
  const nodes = new Uint8Array(NODES * 4);
  const ids = new Map<string, number>();
  let isAir = true;
  for (let index = 0; index < NODES; index++) {
    const x = place[0] * EDGE + (index & 15) - min[0];
    const y = place[1] * EDGE + ((index >> 4) & 15) - min[1];
    const z = -1 - (place[2] * EDGE + (index >> 8)) - min[2];
    const isInside = x >= 0 && y >= 0 && z >= 0 && x < size[0] && y < size[1] && z < size[2];
    const block = isInside ? (blocks[x + (z + y * size[2]) * size[0]] as number) : AIR;
    const { name, param2 } = names.of(block);
    const id = getOrAdd(ids, name, () => ids.size);
    nodes[index * 2] = id >>> 8;
    nodes[index * 2 + 1] = id & 0xff;
    nodes[NODES * 2 + index] = block === AIR ? DAYLIGHT : 0;
    nodes[NODES * 3 + index] = param2;
    isAir &&= block === AIR;
  }
  if (isAir && !metadata.has(place)) return undefined;
  const named = Array.from(ids, ([name, id]) => {
    const bytes = encodeUtf8(name);
    return joinBytes([bigHalves(id, bytes.length), bytes]);
  });
  return joinBytes([
    // Flags, light that is not complete, and the bytes of a node.
    Uint8Array.of(VERSION, 0, 0, 0, 2, 2),
    await deflateWrapped(nodes, "zlib"),
    await deflateWrapped(metadata.metadataOf(place), "zlib"),
    // No objects, no time, the names, and the timers.
    Uint8Array.of(0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0),
    bigHalves(ids.size),
    ...named,
    metadata.timersOf(place),
  ]);
}

const METADATA_VERSION = 2;
const TIMER_BYTES = 10;
const NAME_BYTES_MAX = 0xffff;
/** Timers count milliseconds in 32 bits. */
const TIMER_SECONDS_MAX = (2 ** 31 - 1) / 1_000;

/** What a block stores about its nodes besides the nodes, by the index of the node. */
interface BlockRecords {
  readonly metadata: Map<number, Uint8Array>;
  readonly timers: Map<number, Uint8Array>;
}

/** Data of voxels as metadata, inventories and timers of nodes. */
class LuantiMetadata {
  readonly #blocks = new Map<string, BlockRecords>();
  readonly #losses: ConversionLosses;

  constructor({ min, data }: ExportedVoxels, losses: ConversionLosses) {
    this.#losses = losses;
    for (const { position, value } of data) {
      const [x, y, z] = [position[0] + min[0], position[1] + min[1], -1 - position[2] - min[2]];
      const key = [x, y, z].map((at) => Math.floor(at / EDGE)).join();
      const block = this.#blocks.get(key) ?? { metadata: new Map(), timers: new Map() };
      const index = (x & 15) | ((y & 15) << 4) | ((z & 15) << 8);
      if (this.#add(block, index, value)) this.#blocks.set(key, block);
      else losses.add("data of voxels", `that of [${x}, ${y}, ${-1 - z}] is not that of a node`);
    }
  }

  /** Returns whether a block, at a place in blocks, has any. */
  has(place: readonly number[]): boolean {
    return this.#blocks.has(place.join());
  }

  /** Returns the metadata of a block, before compression. */
  metadataOf(place: readonly number[]): Uint8Array {
    const records = inOrder(this.#blocks.get(place.join())?.metadata);
    if (records.length === 0) return Uint8Array.of(0);
    return joinBytes([Uint8Array.of(METADATA_VERSION), bigHalves(records.length), ...records]);
  }

  /** Returns the timers of a block. */
  timersOf(place: readonly number[]): Uint8Array {
    const records = inOrder(this.#blocks.get(place.join())?.timers);
    return joinBytes([Uint8Array.of(TIMER_BYTES), bigHalves(records.length), ...records]);
  }

  /** Adds what the data of a node says, and lists what else it says as lost. Returns `false` if it says nothing. */
  #add({ metadata, timers }: BlockRecords, index: number, value: unknown): boolean {
    if (!isRecord(value)) return false;
    const { fields, privateFields, inventory, timer, ...others } = value;
    const timerRecord = timer === undefined ? undefined : timerOf(index, timer);
    const hasMetadata = isRecord(fields) || isRecord(inventory);
    if (!hasMetadata && timerRecord === undefined) return false;
    for (const name of Object.keys(others)) this.#lose(name, "a node has no such field");
    if (timerRecord !== undefined) timers.set(index, timerRecord);
    else if (timer !== undefined) this.#lose("timer", "it has no timeout and time elapsed in seconds");
    if (hasMetadata) {
      metadata.set(
        index,
        joinBytes([
          bigHalves(index),
          this.#fieldsOf(isRecord(fields) ? fields : {}, Array.isArray(privateFields) ? privateFields : []),
          this.#inventoryOf(isRecord(inventory) ? inventory : {}),
        ]),
      );
    }
    return true;
  }

  #fieldsOf(fields: Readonly<Record<string, unknown>>, hidden: readonly unknown[]): Uint8Array {
    const records: Uint8Array[] = [];
    for (const [name, value] of Object.entries(fields)) {
      const key = utf8(name);
      if (typeof value !== "string" || key.length > NAME_BYTES_MAX) {
        this.#lose(name, "fields of nodes are texts");
        continue;
      }
      const text = utf8(value);
      const isPrivate = Uint8Array.of(hidden.includes(name) ? 1 : 0);
      records.push(joinBytes([bigHalves(key.length), key, bigWords(text.length), text, isPrivate]));
    }
    return joinBytes([bigWords(records.length), ...records]);
  }

  /** Inventories are lines of text, so that names of lists have no spaces, and items no line breaks. */
  #inventoryOf(lists: Readonly<Record<string, unknown>>): Uint8Array {
    const lines: string[] = [];
    for (const [name, list] of Object.entries(lists)) {
      const { width = 0, items } = isRecord(list) ? list : {};
      if (!/^[^\s]+$/.test(name) || !Array.isArray(items) || !items.every(isItem) || !isWidth(width)) {
        this.#lose(name, "lists of inventories have a width, and items that are texts of one line");
        continue;
      }
      const stacks = items.map((item) => (item === "" ? "Empty" : `Item ${item}`));
      lines.push(`List ${name} ${items.length}`, `Width ${width}`, ...stacks, "EndInventoryList");
    }
    return utf8([...lines, "EndInventory", ""].join("\n"));
  }

  #lose(name: string, why: string): void {
    this.#losses.add("fields of data", `${name}: ${why}`);
  }
}

function timerOf(index: number, timer: unknown): Uint8Array | undefined {
  const { timeout, elapsed } = isRecord(timer) ? timer : {};
  if (!isSeconds(timeout) || !isSeconds(elapsed)) return undefined;
  return joinBytes([
    bigHalves(index),
    bigWords(Math.round(timeout * 1_000)),
    bigWords(Math.round(elapsed * 1_000)),
  ]);
}

function isSeconds(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= TIMER_SECONDS_MAX;
}

function isItem(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\n");
}

function isWidth(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= NAME_BYTES_MAX;
}

function inOrder(records: ReadonlyMap<number, Uint8Array> = new Map()): readonly Uint8Array[] {
  return [...records].sort(([a], [b]) => a - b).map(([, record]) => record);
}

/** Texts of a game may hold half a surrogate pair, which UTF-8 does not have. */
function utf8(text: string): Uint8Array {
  return encodeUtf8(text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD"));
}
