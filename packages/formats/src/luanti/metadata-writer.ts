import { encodeUtf8, joinBytes } from "@orthant/core/bytes";
import { type ExportedVoxels, isRecord } from "../exported/exported-voxels.ts";
import type { ConversionLosses } from "../format/losses.ts";
import { bigHalves, bigWords } from "../format/number-bytes.ts";

const METADATA_VERSION = 2;
const TIMER_BYTES = 10;
const NAME_BYTES_MAX = 0xffff;
/** Timers count milliseconds in 32 bits. */
const TIMER_SECONDS_MAX = (2 ** 31 - 1) / 1_000;
const EDGE = 16;

/** What a block stores about its nodes besides the nodes, by the index of the node. */
interface BlockRecords {
  readonly metadata: Map<number, Uint8Array>;
  readonly timers: Map<number, Uint8Array>;
}

/** Data of voxels as metadata, inventories and timers of nodes. */
export class LuantiMetadata {
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
