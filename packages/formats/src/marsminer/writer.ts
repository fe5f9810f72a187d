import { OrthantError } from "@orthant/core";
import { requireBigint, requireInteger, requireObject } from "@orthant/core/arguments";
import { encode, encodeUtf8, I64_MAX, I64_MIN, U8_MAX, U16_MAX } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import { isLockName, requireDisk } from "@orthant/disk/files";
import { GrowingSave } from "./growing-save.ts";
import {
  BLOB_FULL_BYTES,
  blobFile,
  headerStruct,
  MARSMINER_VERSION,
  POINTERS_FILE,
  pointerRecord,
  pointersHead,
  STRING_BYTES_MAX,
  STRINGS_FILE,
} from "./layout.ts";
import { findUnlistedId, type Octree } from "./octree.ts";
import type { BlockAddress } from "./pointer.ts";
import { openMarsMiner } from "./save.ts";
import type { MarsMinerChunkEntry } from "./state.ts";

/** A chunk to be written. */
export interface MarsMinerChunkContent {
  readonly x: number;
  readonly z: number;
  /** Name of each block id, at most 65,535. */
  readonly blockTypes: readonly string[];
  /** Lowest first, at most 255. No leaf may have an id without a name. */
  readonly octrees: readonly Octree[];
}

/** Metadata of a state. */
export interface MarsMinerCommit {
  /** Units of 100 ns since the beginning of year 1, UTC. */
  readonly ticks: bigint;
  readonly name: string | undefined;
}

/** Options for writing. */
export interface MarsMinerWriterOptions {
  /** Length at which a blob gets no new block. Default: 100,000,000, as in the original. */
  readonly blobFullBytes?: number;
}

/** File of pointers of a new save: one unused record. */
const NEW_POINTERS = Uint8Array.from([
  ...encode(pointersHead, { version: MARSMINER_VERSION, pointerCount: 1 }),
  ...encode(pointerRecord, { blob: 0, address: 0 }),
]);

/** Creates a save without a state. Throws `ORT_NOT_EMPTY` if the disk has other content. Rule M25. */
export async function createMarsMiner(
  disk: Disk,
  options: MarsMinerWriterOptions = {},
): Promise<MarsMinerWriter> {
  requireDisk("disk", disk);
  requireObject("the options", options, "it is { blobFullBytes? }");
  await requireNothingSaved(disk);
  return new MarsMinerWriter(await GrowingSave.open(disk, fullBytes(options), 1), []);
}

/**
 * Continues a save of the dialect `draft` from its present state. Throws `ORT_DIALECT` for any other. The
 * writer must be the only one; the caller takes the lock.
 */
export async function resumeMarsMiner(
  disk: Disk,
  options: MarsMinerWriterOptions = {},
): Promise<MarsMinerWriter> {
  const save = await openMarsMiner(disk);
  try {
    if (!save.fittingDialects.includes("draft")) {
      throw new OrthantError(
        "ORT_DIALECT",
        `a save of the dialect "${save.dialect}" is only read; convert it first`,
      );
    }
    const { blobBytes } = await save.sizes();
    const files = await GrowingSave.open(disk, fullBytes(options), blobBytes.length);
    return new MarsMinerWriter(files, save.state?.chunks ?? []);
  } finally {
    await save.close();
  }
}

/**
 * Commits states of a save, one at a time. Blocks are added after all others and never overwritten, so every
 * committed state stays in place. When a write fails, this and every later call throws `ORT_SAVE_FAILED`.
 * Earlier commits are safe.
 */
export class MarsMinerWriter {
  readonly #files: GrowingSave;
  readonly #chunks = new Map<string, MarsMinerChunkEntry>();
  readonly #tables = new Map<string, BlockAddress>();
  #hasFailed = false;
  #isBusy = false;

  /** Takes ownership of the files. Use {@link createMarsMiner} or {@link resumeMarsMiner} instead. */
  constructor(files: GrowingSave, chunks: readonly MarsMinerChunkEntry[]) {
    this.#files = files;
    for (const chunk of chunks) this.#chunks.set(keyOf(chunk), chunk);
  }

  /** Number of chunks in the next state. */
  get chunkCount(): number {
    return this.#chunks.size;
  }

  /** Writes a chunk of the next state. Only its location is kept in memory. */
  async putChunk(chunk: MarsMinerChunkContent): Promise<void> {
    requireWritable(chunk);
    const { x, z, blockTypes, octrees } = chunk;
    const address = await this.#guard(async () => {
      const { kinds } = this.#files;
      const table = await this.#tableOf(blockTypes);
      const targets: BlockAddress[] = [];
      for (const octree of octrees)
        targets.push(await this.#files.addBlock(kinds.octree, async () => octree));
      return this.#files.addBlock(kinds.chunk, async (home) => ({
        blockTypes: await this.#files.pointer(table, home),
        octrees: await inTurn(targets, (target) => this.#files.pointer(target, home)),
      }));
    });
    this.#chunks.set(keyOf(chunk), { x, z, address });
  }

  /** Removes a chunk from the next state. Returns whether it was there. */
  removeChunk(x: number, z: number): boolean {
    return this.#chunks.delete(keyOf({ x, z }));
  }

  /** Commits the next state. Returns the address of its index once it is durable. Rule M26. */
  async commit({ ticks, name }: MarsMinerCommit): Promise<BlockAddress> {
    requireName(name);
    requireBigint(ticks, I64_MIN, I64_MAX, "ticks");
    return this.#guard(async () => {
      const files = this.#files;
      const table = await files.addBlock(files.kinds.chunkTable, async (home) =>
        inTurn([...this.#chunks.values()], async ({ x, z, address }) => ({
          x,
          z,
          chunk: await files.pointer(address, home),
        })),
      );
      const index = await files.addBlock(files.kinds.stateIndex, async (home) => ({
        ticks,
        name: await files.stringPointer(name),
        chunkTable: await files.pointer(table, home),
      }));
      await files.publish(index);
      return index;
    });
  }

  /** Closes the files. Uncommitted chunks are not part of the save. */
  close(): Promise<void> {
    return this.#files.close();
  }

  async #tableOf(names: readonly string[]): Promise<BlockAddress> {
    const key = JSON.stringify(names);
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const address = await this.#files.addBlock(this.#files.kinds.blockTypes, async () =>
      inTurn(names, async (name) => ({ name: await this.#files.stringPointer(name), subtype: undefined })),
    );
    this.#tables.set(key, address);
    return address;
  }

  async #guard<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#hasFailed) throw new OrthantError("ORT_SAVE_FAILED", "an earlier write to this save failed");
    if (this.#isBusy)
      throw new OrthantError("ORT_ARGUMENT", "one call at a time: the last one is not done yet");
    this.#isBusy = true;
    try {
      return await work();
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    } finally {
      this.#isBusy = false;
    }
  }
}

/** Rule M25: the leftovers of an interrupted creation are not a save yet. */
async function requireNothingSaved(disk: Disk): Promise<void> {
  const unfinished = new Set([STRINGS_FILE, POINTERS_FILE, blobFile(0)]);
  for (const { name, kind } of await disk.list("")) {
    if (isLockName(name)) continue;
    if (kind === "directory" || !unfinished.has(name) || !(await isBlank(disk, name))) {
      throw new OrthantError("ORT_NOT_EMPTY", `nothing may be where a save is made, but there is ${name}`);
    }
  }
}

async function isBlank(disk: Disk, path: string): Promise<boolean> {
  const made = path === POINTERS_FILE ? NEW_POINTERS : new Uint8Array(headerStruct("draft").bytes);
  const file = await disk.open(path, "read");
  try {
    const size = await file.size();
    if (size > made.length) return false;
    const bytes = await file.readAt(0, size);
    return bytes.every((byte, index) => byte === 0 || byte === made[index]);
  } finally {
    await file.close();
  }
}

function requireWritable({ x, z, blockTypes, octrees }: MarsMinerChunkContent): void {
  requireInteger(x, -0x8000_0000, 0x7fff_ffff, "x");
  requireInteger(z, -0x8000_0000, 0x7fff_ffff, "z");
  if (octrees.length > U8_MAX || blockTypes.length > U16_MAX) {
    const detail = `a chunk of ${octrees.length} octrees and ${blockTypes.length} block types, the limits are ${U8_MAX} and ${U16_MAX}`;
    throw new OrthantError("ORT_LIMIT", detail);
  }
  for (const name of blockTypes) requireName(name);
  for (const octree of octrees) {
    const stray = findUnlistedId(octree, blockTypes.length);
    if (stray !== undefined) {
      throw new OrthantError("ORT_ARGUMENT", `block id ${stray} of ${blockTypes.length} block types`);
    }
  }
}

function requireName(name: string | undefined): void {
  const bytes = name === undefined ? 0 : encodeUtf8(name).length;
  if (bytes <= STRING_BYTES_MAX) return;
  throw new OrthantError("ORT_LIMIT", `a name of ${bytes} bytes, the limit is ${STRING_BYTES_MAX}`);
}

function fullBytes({ blobFullBytes = BLOB_FULL_BYTES }: MarsMinerWriterOptions): number {
  requireInteger(blobFullBytes, headerStruct("draft").bytes, BLOB_FULL_BYTES, "blobFullBytes");
  return blobFullBytes;
}

function keyOf({ x, z }: { readonly x: number; readonly z: number }): string {
  return `${x},${z}`;
}

async function inTurn<Item, Value>(
  items: readonly Item[],
  work: (item: Item) => Promise<Value>,
): Promise<readonly Value[]> {
  const values: Value[] = [];
  for (const item of items) values.push(await work(item));
  return values;
}
