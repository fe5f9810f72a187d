import { isOrthantError, type Timer } from "@orthant/core";
import type { WorldEngine } from "@orthant/world/engine";
import type { ShardLog } from "../journal/shard-log.ts";
import { unsavedJournal } from "../journal/shard-log-options.ts";
import { OWNER_LIMITS, type OwnerGate, type OwnerLimits, type ShardOwnerOptions } from "./owner-context.ts";

/** Saves a shard some time after it changed, or at once when its journal is full. */
export class ShardSaver {
  readonly #options: ShardOwnerOptions;
  readonly #limits: OwnerLimits;
  readonly #world: WorldEngine;
  readonly #log: ShardLog;
  readonly #gate: OwnerGate;
  #timer: Timer | undefined;
  #saving: Promise<unknown> | undefined;
  #savedMs: number;
  #failure: unknown;
  /** True if something is not saved that no record has: players, new blocks, or the departure of entities in a split. */
  #hasUnrecorded = false;

  constructor(options: ShardOwnerOptions, world: WorldEngine, log: ShardLog, gate: OwnerGate) {
    this.#options = options;
    this.#limits = { ...OWNER_LIMITS, ...options.limits };
    this.#world = world;
    this.#log = log;
    this.#gate = gate;
    this.#savedMs = options.time.nowMs();
    this.#report(world.saveFailure);
  }

  /** Time of the last save. */
  get savedMs(): number {
    return this.#savedMs;
  }

  /** Why the last save failed; `undefined` if it succeeded. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Returns true if the journal has room for more; otherwise saves, which makes room. */
  hasRoom(): boolean {
    const isFull = this.#log.isFull || this.#log.unsaved.bytes > this.#limits.journalBytesMax;
    if (isFull) this.#saveAfter(0);
    return !isFull;
  }

  /** Throws `ORT_JOURNAL_FULL` if the journal has no room. */
  requireRoom(): void {
    if (!this.hasRoom()) throw unsavedJournal(this.#options.shard);
  }

  /** Plans a save after changes were added to the log, which may be only about transfers. */
  stored(): void {
    if (this.#gate.isClosed) return;
    this.#world.touch();
    this.plan();
  }

  /** Notes a change that no record has. The next plan includes it. */
  unrecorded(): void {
    this.#hasUnrecorded = true;
  }

  /** Plans a save if something is not saved. */
  plan(): void {
    const isNew = this.#log.unsaved.records > 0 || this.#hasUnrecorded || this.#failure !== undefined;
    if (isNew && !this.#gate.isClosed) this.#saveAfter(this.#limits.checkpointMs);
  }

  /**
   * Saves everything that the journal has stored. Throws if the disk refuses it; the owner then keeps the shard and
   * tries again, and edits go on into the journal.
   */
  async save(): Promise<void> {
    this.cancel();
    this.#hasUnrecorded = false;
    try {
      await this.#world.save();
      // What is in the way may be saved already, if the backbone lost an earlier request to drop it.
      if (this.#log.isFull) this.#log.trim();
      this.#savedMs = this.#options.time.nowMs();
    } finally {
      this.#report(this.#world.saveFailure);
    }
  }

  /** Cancels the planned save. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #saveAfter(wantedMs: number): void {
    // A disk that refused the last save gets the usual time until the next.
    const delayMs = this.#failure === undefined ? wantedMs : this.#limits.checkpointMs;
    if (this.#saving !== undefined || (this.#timer !== undefined && delayMs > 0)) return;
    this.#timer?.cancel();
    this.#timer = this.#options.time.after(delayMs, () => {
      this.#saving = this.save()
        // The world and `save` report the failure.
        .catch(() => undefined)
        .finally(() => {
          this.#saving = undefined;
          this.plan();
        });
    });
  }

  #report(failure: unknown): void {
    const { shard, events } = this.#options;
    // Each attempt names another file.
    const isNews = kindOf(failure) !== kindOf(this.#failure);
    this.#failure = failure;
    if (failure !== undefined) this.plan();
    if (isNews) events?.onSaveFailure?.(shard, failure);
  }
}

function kindOf(failure: unknown): string {
  return isOrthantError(failure) ? failure.code : String(failure);
}
