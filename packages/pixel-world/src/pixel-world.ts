import { isOrthantError, OrthantError } from "@orthant/core";
import { requireFunction, requireText } from "@orthant/core/arguments";
import { PositionSet } from "@orthant/core/lattice";
import type { DiskLock } from "@orthant/disk";
import { SerialQueue } from "@orthant/disk/files";
import { chunkOfBody, decodeBody, encodeBody, isEmptyBody, type PixelBody } from "./format/body.ts";
import { chunkBytes, generatedPixels, keptPixels, pixelsOf } from "./format/pixels.ts";
import type { PixelBodyRef, PixelFacts } from "./format/save.ts";
import { AutosaveTimer, PixelSaveHandle } from "./live/autosave.ts";
import { DamageLog, type PixelDamage } from "./live/damage-log.ts";
import { type PixelWorldSettings, requireBodyId, requirePixels, requirePosition } from "./live/options.ts";
import { type PendingChange, PendingChanges } from "./live/pending-changes.ts";
import type { PixelLog } from "./live/pixel-log.ts";
import { shortestForm } from "./version2/chunk-payload.ts";

/**
 * State of a chunk since the world was opened: `clean` is unchanged, `dirty` is changed but not yet durable,
 * `persisted` is changed and durable.
 */
export type PixelChunkState = "clean" | "dirty" | "persisted";

/** Everything that a {@link PixelWorld} works with. */
interface PixelWorldContext {
  readonly log: PixelLog;
  readonly lock: DiskLock;
  readonly settings: PixelWorldSettings;
}

/**
 * A pixel world that is open for writing. Changes wait in memory (64 by default) until they are written to
 * the file, and are durable once a save requested after them completes. The guide covers everything else.
 */
export class PixelWorld {
  readonly #log: PixelLog;
  readonly #lock: DiskLock;
  readonly #settings: PixelWorldSettings;
  readonly #pending: PendingChanges;
  readonly #dirty = new PositionSet();
  readonly #persisted = new PositionSet();
  readonly #sessionBits: bigint;
  readonly #autosave: AutosaveTimer;
  readonly #damage: DamageLog;
  readonly #turns = new SerialQueue();
  #bodyCounter = 0n;
  #failure: unknown;
  #compactionFailure: OrthantError | undefined;
  #closing: Promise<void> | undefined;

  /** Use `openPixelWorld` or `createPixelWorld` instead. */
  constructor({ log, lock, settings }: PixelWorldContext) {
    this.#log = log;
    this.#lock = lock;
    this.#settings = settings;
    this.#damage = new DamageLog(settings.onDamage, log.damage);
    // Repair may still find more in the bytes that a compaction would drop.
    this.#compactionFailure = log.damage;
    this.#pending = new PendingChanges(settings.pendingMax);
    this.#sessionBits = BigInt.asUintN(32, settings.random());
    this.#autosave = new AutosaveTimer(settings.time, settings.autosaveMs, () => {
      // A failed save stops all further writes, and the next call reports the cause.
      void this.#save().catch(() => undefined);
    });
  }

  /** Immutable facts: seed, chunk size, layers, generator. */
  get facts(): PixelFacts {
    return this.#log.facts;
  }

  /** Generation of the file; each save that changes it and each compaction adds 1. */
  get generation(): number {
    return this.#log.generation;
  }

  /** Chunks in the file, excluding pending changes. */
  get chunkCount(): number {
    return this.#log.index.chunks.size;
  }

  /** Bodies in the file, excluding pending changes. */
  get bodyCount(): number {
    return this.#log.index.bodies.size;
  }

  get fileBytes(): number {
    return this.#log.fileBytes;
  }

  /** Bytes of the file that are no longer referenced. */
  get deadBytes(): number {
    return this.#log.deadBytes;
  }

  /** Changes that are not yet written to the file. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /**
   * Why compaction failed, or is not tried because tables are damaged. It is not retried; the file keeps growing
   * and stays as safe as before.
   */
  get compactionFailure(): OrthantError | undefined {
    return this.#compactionFailure;
  }

  /** Damage found when the world was opened, and since. Always empty unless `onDamage` is `regenerate`. */
  get damage(): readonly PixelDamage[] {
    return this.#damage.all;
  }

  /** Calls `listener` for each damaged chunk or body when it is first found. Returns an unsubscribe function. */
  onDamageFound(listener: (damage: PixelDamage) => void): () => void {
    return this.#damage.listen(requireFunction("listener", listener));
  }

  stateOf(x: number, y: number): PixelChunkState {
    requirePosition(x, y);
    if (this.#dirty.has(x, y, 0, 0)) return "dirty";
    return this.#persisted.has(x, y, 0, 0) ? "persisted" : "clean";
  }

  /** Whether a chunk is stored or pending. All other chunks come from the generator. */
  has(x: number, y: number): boolean {
    requirePosition(x, y);
    const pending = this.#pending.chunk(x, y);
    return pending === undefined ? this.#log.index.chunks.has(x, y) : pending.pixels !== undefined;
  }

  /**
   * Returns a copy of a chunk's pixels: as stored, else as generated, else `undefined`. Bits that are not
   * kept are 0. A damaged chunk throws or is regenerated, depending on `onDamage`.
   */
  async load(x: number, y: number): Promise<Uint8Array | undefined> {
    this.#requireOpen();
    requirePosition(x, y);
    const pending = this.#pending.chunk(x, y);
    if (pending?.pixels !== undefined) return pending.pixels.slice();
    const ref = pending === undefined ? this.#log.index.chunks.get(x, y) : undefined;
    const stored = ref && (await this.#damage.unlessDamaged(ref, () => this.#log.readChunk(ref)));
    const { generator } = this.#settings;
    if (stored === undefined) return generator && generatedPixels(this.facts, generator, x, y);
    return pixelsOf(stored, this.facts, generator, x, y);
  }

  /**
   * Stores a copy of a chunk's pixels. Resolves at once, unless `pendingMax` changes are already waiting:
   * then it resolves when writing some of them to the file has made room.
   */
  async store(x: number, y: number, pixels: Uint8Array): Promise<void> {
    requirePosition(x, y);
    requirePixels(pixels, chunkBytes(this.facts));
    await this.#offer({ kind: "chunk", x, y, pixels: keptPixels(pixels, this.facts.layers) });
  }

  /** Discards the stored chunk, so that its pixels come from the generator again. */
  async delete(x: number, y: number): Promise<void> {
    requirePosition(x, y);
    await this.#offer({ kind: "chunk", x, y, pixels: undefined });
  }

  /**
   * Returns the bodies whose position is in a chunk, ordered by id. A damaged one throws or is omitted,
   * depending on `onDamage`.
   */
  async bodiesIn(x: number, y: number): Promise<readonly PixelBody[]> {
    this.#requireOpen();
    requirePosition(x, y);
    const found = new Map<bigint, PixelBody>();
    const { chunkEdge } = this.facts;
    const pending = [...this.#pending.bodies()];
    // Start all reads now: a compaction may replace the file before the first one finishes.
    const refs = this.#log.index.bodies.inChunk(x, y);
    for (const body of await Promise.all(refs.map((ref) => this.#readBody(ref))))
      if (body !== undefined) found.set(body.id, body);
    for (const { id, body } of pending) {
      const at = body && chunkOfBody(body, chunkEdge);
      if (body !== undefined && at?.[0] === x && at[1] === y) found.set(id, body);
      else found.delete(id);
    }
    return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Returns a body by its id, or `undefined`. */
  async body(id: bigint): Promise<PixelBody | undefined> {
    this.#requireOpen();
    requireBodyId(id);
    const pending = this.#pending.body(id);
    if (pending !== undefined) return pending.body;
    const ref = this.#log.index.bodies.get(id);
    return ref && this.#readBody(ref);
  }

  /** Stores a body, as `store` does a chunk. Removes a body that has no pixels left. */
  async storeBody(body: PixelBody): Promise<void> {
    // Reject an invalid body now, while the caller can still handle the error.
    const pixelBytes = this.facts.layers.length;
    // Keep what the file would return: a copy of our own, in its precision.
    const own = decodeBody(encodeBody(body, pixelBytes), pixelBytes);
    await this.#offer({ kind: "body", id: own.id, body: isEmptyBody(own) ? undefined : own });
  }

  async removeBody(id: bigint): Promise<void> {
    requireBodyId(id);
    await this.#offer({ kind: "body", id, body: undefined });
  }

  /** Returns an unused body id: random bits of this session, then a counter. */
  newBodyId(): bigint {
    let id: bigint;
    do id = (this.#sessionBits << 32n) | this.#bodyCounter++;
    while (this.#log.index.bodies.get(id) !== undefined || this.#pending.body(id) !== undefined);
    return id;
  }

  /** Makes everything stored before this call durable. May include changes stored while it runs. */
  save(): PixelSaveHandle {
    return new PixelSaveHandle(this.#save());
  }

  /**
   * Writes the current world to a separate file and continues with this one. Throws `ORT_EXISTS` if the file
   * exists. Damage throws; with `onDamage: "regenerate"` the copy omits damaged chunks and bodies.
   */
  async saveTo(path: string): Promise<void> {
    requireText("path", path);
    this.#requireWritable();
    const mark = this.#pending.mark();
    await this.#turns.run(() => this.#drain(mark));
    await this.#turns.run(() => this.#log.copyTo(path, this.#settings.time.nowMs(), this.#damage.skip));
  }

  /**
   * Suspends autosaves and compactions until {@link resumeAutosave}, so that a change across several chunks
   * is saved completely or not at all. `save` and `close` work as usual, and a save that has started
   * completes.
   */
  pauseAutosave(): void {
    this.#autosave.pause();
  }

  /** Ends the pause, and runs the save that fell due during it. */
  resumeAutosave(): void {
    this.#autosave.resume();
    if (this.#closing === undefined) this.#scheduleCompaction();
  }

  get isAutosavePaused(): boolean {
    return this.#autosave.isPaused;
  }

  /** Resolves when all writes, including compactions, have finished. */
  idle(): Promise<void> {
    return this.#turns.idle();
  }

  /**
   * Saves the world, then closes the file and releases the lock, even if the save throws. Closing twice is
   * harmless.
   */
  close(): Promise<void> {
    // Only the first caller gets the error; later calls resolve once the world is closed.
    if (this.#closing !== undefined) return this.#closing.catch(() => undefined);
    const saved = this.#failure === undefined ? this.#save() : Promise.reject(this.#saveFailed());
    this.#closing = saved.finally(async () => {
      this.#autosave.cancel();
      await this.idle();
      await this.#log.close();
      await this.#lock.release();
    });
    return this.#closing;
  }

  async #save(): Promise<void> {
    this.#requireWritable();
    const mark = this.#pending.mark();
    await this.#turns.run(async () => {
      await this.#drain(mark);
      if (!this.#log.hasChanges) return;
      await this.#attempt(async () => {
        await this.#lock.requireHeld();
        await this.#log.commit(this.#settings.time.nowMs());
        // If another process took the lock before the commit was fully written, it may not have all of it.
        await this.#lock.requireHeld();
      });
      this.#notePersisted();
      this.#autosave.cancel();
      if (this.#pending.size > 0) this.#startAutosave();
    });
    // Runs after the save, which is complete without it.
    this.#scheduleCompaction();
  }

  #scheduleCompaction(): void {
    void this.#turns.run(() => this.#compact()).catch(() => undefined);
  }

  /** Marks dirty chunks as persisted, except those that changed again in the meantime. */
  #notePersisted(): void {
    for (const [x, y] of [...this.#dirty]) {
      if (this.#pending.chunk(x, y) !== undefined) continue;
      this.#dirty.delete(x, y, 0, 0);
      this.#persisted.add(x, y, 0, 0);
    }
  }

  async #compact(): Promise<void> {
    const { fileBytes, deadBytes, hasChanges } = this.#log;
    if (this.#compactionFailure !== undefined || hasChanges || this.#failure !== undefined) return;
    const { compactFromBytes, compactAtDeadShare } = this.#settings;
    if (
      this.#autosave.isPaused ||
      fileBytes < compactFromBytes ||
      deadBytes <= fileBytes * compactAtDeadShare
    )
      return;
    this.#compactionFailure = await this.#attempt(() => this.#log.compact());
  }

  async #offer(change: PendingChange): Promise<void> {
    this.#requireWritable();
    if (change.kind === "chunk") this.#dirty.add(change.x, change.y, 0, 0);
    const room = this.#pending.offer(change);
    this.#startAutosave();
    if (room === undefined) return;
    const mark = this.#pending.mark();
    // Waiting callers receive the error through their own promise.
    void this.#turns.run(() => this.#drain(mark)).catch(() => undefined);
    await room;
  }

  /** Appends all pending changes up to `mark` to the file. */
  async #drain(mark: number): Promise<void> {
    await this.#attempt(async () => {
      for (
        let change = this.#pending.oldest(mark);
        change !== undefined;
        change = this.#pending.oldest(mark)
      ) {
        await this.#append(change);
        this.#pending.done(change);
      }
    });
  }

  async #append(change: PendingChange): Promise<void> {
    if (change.kind === "body") {
      if (change.body === undefined) await this.#log.removeBody(change.id);
      else await this.#log.putBody(change.body);
      return;
    }
    const { x, y, pixels } = change;
    const encoded = pixels && (await shortestForm(pixels, this.facts, this.#settings.generator, x, y));
    const changed = await this.#log.putChunk(x, y, encoded);
    // The content is unchanged, so it is as durable as before.
    if (!changed && this.#pending.chunk(x, y) === change && !this.#log.isUncommitted(x, y))
      this.#dirty.delete(x, y, 0, 0);
  }

  /** Runs `work`. An error stops all further writes, because the state of the disk is then unknown. */
  async #attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#requireUnbroken();
    try {
      return await work();
    } catch (error) {
      this.#failure = error;
      this.#pending.fail(this.#saveFailed());
      throw error;
    }
  }

  #startAutosave(): void {
    if (this.#settings.autosave && this.#closing === undefined) this.#autosave.start();
  }

  #readBody(ref: PixelBodyRef): Promise<PixelBody | undefined> {
    return this.#damage.unlessDamaged(ref, () => this.#log.readBody(ref));
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new OrthantError("ORT_CLOSED", "the world was closed");
  }

  #requireUnbroken(): void {
    if (this.#failure !== undefined) throw this.#saveFailed();
  }

  #requireWritable(): void {
    this.#requireOpen();
    this.#requireUnbroken();
  }

  #saveFailed(): OrthantError {
    const cause = this.#failure;
    const reason = isOrthantError(cause) ? cause.message : String(cause);
    const detail = `a save failed, so nothing more is accepted; what was saved before is safe (${reason})`;
    return new OrthantError("ORT_SAVE_FAILED", detail, {}, { cause });
  }
}
