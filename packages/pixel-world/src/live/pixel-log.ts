import { isOrthantError, type OrthantError } from "@orthant/core";
import { bytesEqual } from "@orthant/core/bytes";
import { PositionSet } from "@orthant/core/lattice";
import type { Disk, DiskFile } from "@orthant/disk";
import { attempt, isDamage, type WriterLock } from "@orthant/disk/files";
import { chunkOfBody, encodeBody, type PixelBody } from "../format/body.ts";
import { LeasedFile, lockFile, openHeld } from "../format/files.ts";
import { ENTRIES_OFFSET, entryHeader, tableBody, tableChunk, tableHeader } from "../format/layout.ts";
import { TABLE_LINKS_MAX } from "../format/limits.ts";
import { STORAGE, type StoredPixelChunk } from "../format/pixels.ts";
import {
  comparePixelChunks,
  type PixelBodyRef,
  type PixelChunkRef,
  type PixelFacts,
} from "../format/save.ts";
import type { EncodedChunk } from "../version2/chunk-payload.ts";
import { encodeEntry, type NewEntry, readEntry } from "../version2/entry.ts";
import {
  deadBytesOf,
  encodeSlot,
  readState,
  readWritableState,
  slotOffset,
  type TableSpan,
  type Version2State,
} from "../version2/header.ts";
import { stateOfEntries } from "../version2/salvage.ts";
import { readBodyEntry, readChunkEntry } from "../version2/save.ts";
import { byId, encodeTable, type PixelIndex, type Table, wholeTable } from "../version2/table.ts";
import { PixelSaveWriter } from "../version2/writer.ts";
import { copyLive, type SkipDamaged } from "./copy-live.ts";
import type { PixelDamageMode } from "./options.ts";

/** Everything that a {@link PixelLog} works with. */
interface PixelLogContext {
  readonly disk: Disk;
  readonly path: string;
  readonly lock: WriterLock;
  readonly file: DiskFile;
  readonly state: Version2State;
  /** Why the state comes from the entries instead of the tables. */
  readonly damage?: OrthantError;
}

/**
 * An append-only version 2 file: entries are appended, and a commit makes them live. Live bytes are never
 * overwritten. The caller must serialize calls that write.
 */
export class PixelLog {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #lock: WriterLock;
  readonly #changedChunks = new PositionSet();
  readonly #changedBodies = new Set<bigint>();
  /** Why the content comes from the entries instead of the tables; `undefined` for an intact file. */
  readonly damage: OrthantError | undefined;
  #file: LeasedFile;
  #state: Version2State;
  #index: PixelIndex;
  #tables: readonly TableSpan[];
  #end: number;

  private constructor({ disk, path, lock, file, state, damage }: PixelLogContext) {
    this.damage = damage;
    this.#disk = disk;
    this.#path = path;
    this.#lock = lock;
    this.#file = new LeasedFile(file);
    this.#state = state;
    this.#index = state.index;
    this.#tables = state.tables;
    this.#end = state.end;
  }

  /**
   * Opens a file for writing; the caller holds its lock. First repairs or cuts off what a crash left. If the
   * tables are damaged, throws or, with `regenerate`, continues with the entries that are whole: the file stays
   * as it is until the next commit, which appends a whole table behind everything.
   */
  static async open(
    disk: Disk,
    path: string,
    lock: WriterLock,
    onDamage: PixelDamageMode = "strict",
  ): Promise<PixelLog> {
    const file = await openHeld(disk, path, lock);
    try {
      const [state, error] = await attempt(() => readWritableState(file));
      if (state === undefined) {
        if (onDamage === "strict" || !isDamage(error)) throw error;
        const recovered = await stateOfEntries(file, error);
        // Entries never begin where the headers are.
        const missing = ENTRIES_OFFSET - (await file.size());
        if (missing > 0) await file.append(new Uint8Array(missing));
        return new PixelLog({ disk, path, lock, file, ...recovered });
      }
      if (state.rolledForward) {
        // The next commit overwrites the other header, the only intact one; it syncs this one first.
        await file.writeAt(
          slotOffset(state.generation),
          encodeSlot({ ...slotFacts(state), ...counts(state.index) }),
        );
      }
      if ((await file.size()) > state.end) await file.truncate(state.end);
      return new PixelLog({ disk, path, lock, file, state });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get facts(): PixelFacts {
    return this.#state.facts;
  }

  /** Generation of the last commit. */
  get generation(): number {
    return this.#state.generation;
  }

  get modifiedMs(): number {
    return this.#state.modifiedMs;
  }

  get index(): PixelIndex {
    return this.#index;
  }

  get fileBytes(): number {
    return this.#end;
  }

  get deadBytes(): number {
    return deadBytesOf(this.#index, this.#tables, this.#end);
  }

  /** Whether there are appended entries that are not committed. */
  get hasChanges(): boolean {
    return this.#changedChunks.size + this.#changedBodies.size > 0;
  }

  /** Whether a chunk has an appended entry that is not committed. */
  isUncommitted(x: number, y: number): boolean {
    return this.#changedChunks.has(x, y, 0, 0);
  }

  readChunk(ref: PixelChunkRef): Promise<StoredPixelChunk> {
    return this.#file.use((file) => readChunkEntry(this.#path, file, ref, this.facts));
  }

  readBody(ref: PixelBodyRef): Promise<PixelBody> {
    return this.#file.use((file) => readBodyEntry(this.#path, file, ref, this.facts));
  }

  /** Appends a chunk, or its removal if `chunk` is `undefined`. Returns whether anything changed. */
  async putChunk(x: number, y: number, chunk: EncodedChunk | undefined): Promise<boolean> {
    const before = this.#index.chunks.get(x, y);
    if (chunk === undefined) {
      if (before === undefined) return false;
      await this.#append({ kind: "chunkGone", storage: 0, x, y, id: 0n, payload: new Uint8Array(0) });
      this.#index.chunks.delete(x, y);
    } else {
      if (before !== undefined && (await this.#isSame(before, chunk))) return false;
      const storage = STORAGE[chunk.storage];
      const { offset, bytes } = await this.#append({
        kind: "chunk",
        storage,
        x,
        y,
        id: 0n,
        payload: chunk.payload,
      });
      this.#index.chunks.set(x, y, storage, offset, bytes);
    }
    this.#changedChunks.add(x, y, 0, 0);
    return true;
  }

  async putBody(body: PixelBody): Promise<void> {
    const { id } = body;
    const [x, y] = chunkOfBody(body, this.facts.chunkEdge);
    const payload = encodeBody(body, this.facts.layers.length);
    const { offset, bytes } = await this.#append({ kind: "body", storage: 0, x, y, id, payload });
    this.#index.bodies.set({ id, x, y, offset, bytes });
    this.#changedBodies.add(id);
  }

  /** Appends the removal of a body. */
  async removeBody(id: bigint): Promise<void> {
    const before = this.#index.bodies.get(id);
    if (before === undefined) return;
    await this.#append({
      kind: "bodyGone",
      storage: 0,
      x: before.x,
      y: before.y,
      id,
      payload: new Uint8Array(0),
    });
    this.#index.bodies.delete(id);
    this.#changedBodies.add(id);
  }

  /** Commits all appended entries. They are durable when this returns. */
  async commit(nowMs: number): Promise<void> {
    const generation = this.generation + 1;
    const links = this.#linksOfNext();
    const below = links === 0 ? undefined : this.#tables[0];
    const payload = links === 0 ? this.#wholeTable() : this.#changesTable(links);
    const table = await this.#append({
      kind: "table",
      storage: 0,
      x: 0,
      y: 0,
      id: BigInt(below?.offset ?? 0),
      payload,
    });
    this.#tables = links === 0 ? [table] : [table, ...this.#tables];
    const state: Version2State = {
      ...this.#state,
      generation,
      modifiedMs: nowMs,
      tables: this.#tables,
      end: this.#end,
      deadBytes: this.deadBytes,
    };
    await this.#file.use(async (file) => {
      // Make the table and everything it names durable before a header points to it.
      await file.sync();
      await file.writeAt(slotOffset(generation), encodeSlot({ ...slotFacts(state), ...counts(this.#index) }));
      await file.sync();
    });
    this.#state = state;
    this.#changedChunks.clear();
    this.#changedBodies.clear();
  }

  /** Writes all live entries, including uncommitted ones, to a separate file. See `copyLive` about damage. */
  async copyTo(path: string, nowMs: number, skipDamaged?: SkipDamaged): Promise<void> {
    const lock = await lockFile(this.#disk, path);
    let copy: PixelSaveWriter | undefined;
    try {
      const target = await PixelSaveWriter.create(this.#disk, path, this.facts, { lock });
      copy = target;
      await this.#file.use((file) => copyLive(file, this.#index, target, skipDamaged));
      await target.finish(nowMs);
      await lock.settle();
    } finally {
      await copy?.close();
      await lock.release();
    }
  }

  /**
   * Rewrites the file without dead bytes and continues with the new file. Nothing may be uncommitted. Returns
   * the error if no new file could be written; the old one is then as good as before. Throws if it is unknown
   * which of the two files has the name.
   */
  async compact(): Promise<OrthantError | undefined> {
    let copy: PixelSaveWriter | undefined;
    try {
      const generation = this.generation + 1;
      copy = await PixelSaveWriter.create(this.#disk, this.#path, this.facts, {
        generation,
        replacing: "replace",
        lock: this.#lock,
      });
      const target = copy;
      await this.#file.use((file) => copyLive(file, this.#index, target));
      await copy.complete(this.modifiedMs);
    } catch (error) {
      await copy?.close();
      if (isOrthantError(error)) return error;
      throw error;
    }
    try {
      await copy.publish();
    } catch (error) {
      // Windows does not rename over an open file. Nothing changed, so the world keeps the old one.
      if (isOrthantError(error, "ORT_DISK_DENIED") && error.context.operation === "rename") return error;
      throw error;
    } finally {
      await copy.close();
    }
    await this.#goOnWithNewFile();
    return undefined;
  }

  async #goOnWithNewFile(): Promise<void> {
    const file = await openHeld(this.#disk, this.#path, this.#lock);
    const state = await readState(file);
    const old = this.#file;
    this.#file = new LeasedFile(file);
    this.#state = state;
    this.#index = state.index;
    this.#tables = state.tables;
    this.#end = state.end;
    await old.retire();
  }

  /** Closes the file. Uncommitted entries are lost. */
  async close(): Promise<void> {
    await this.#file.retire();
  }

  async #append(entry: NewEntry): Promise<TableSpan> {
    const offset = this.#end;
    const bytes = encodeEntry(entry, offset, this.generation + 1);
    await this.#file.use((file) => file.append(bytes));
    this.#end += bytes.length;
    return { offset, bytes: bytes.length };
  }

  /** Whether the stored chunk has exactly this payload. A damaged entry never does. */
  async #isSame(before: PixelChunkRef, { storage, payload }: EncodedChunk): Promise<boolean> {
    if (before.storage !== storage || before.bytes !== entryHeader.bytes + payload.length) return false;
    try {
      const entry = await this.#file.use((file) => readEntry(file, "chunk", before.offset, before.bytes));
      return bytesEqual(entry.payload, payload);
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  /**
   * Returns the links of the next table. Tables of changes stack up until together they are as long as a
   * complete one; then 0.
   */
  #linksOfNext(): number {
    const links = this.#tables.length;
    const changes = this.#changedChunks.size * tableChunk.bytes + this.#changedBodies.size * tableBody.bytes;
    const whole = this.#index.chunks.size * tableChunk.bytes + this.#index.bodies.size * tableBody.bytes;
    const stacked = this.#tables.slice(0, -1).reduce((sum, { bytes }) => sum + bytes, tableHeader.bytes);
    return links >= TABLE_LINKS_MAX || stacked + changes >= whole ? 0 : links;
  }

  #wholeTable(): Uint8Array {
    return encodeTable(wholeTable(this.#index), {
      chunks: this.#index.chunks.size,
      bodies: this.#index.bodies.size,
    });
  }

  #changesTable(links: number): Uint8Array {
    const positions = Array.from(this.#changedChunks, ([x, y]) => ({ x, y })).sort(comparePixelChunks);
    const ids = Array.from(this.#changedBodies, (id) => ({ id })).sort(byId);
    const table: Table = {
      links,
      chunks: positions.map(({ x, y }) => ({ x, y, ref: this.#index.chunks.get(x, y) })),
      bodies: ids.map(({ id }) => ({ id, ref: this.#index.bodies.get(id) })),
    };
    return encodeTable(table, { chunks: positions.length, bodies: ids.length });
  }
}

function slotFacts({ facts, generation, modifiedMs, tables, deadBytes }: Version2State) {
  const [newest] = tables;
  return {
    facts,
    generation,
    modifiedMs,
    deadBytes,
    tableOffset: newest?.offset ?? 0,
    tableBytes: newest?.bytes ?? 0,
  };
}

function counts({ chunks, bodies }: PixelIndex): { readonly chunkCount: number; readonly bodyCount: number } {
  return { chunkCount: chunks.size, bodyCount: bodies.size };
}
