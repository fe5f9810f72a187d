import { type GeneratorRegistry, isOrthantError, OrthantError, type Timer } from "@orthant/core";
import type { WorldEngine } from "@orthant/world/engine";
import type { ShardLog } from "../journal/shard-log.ts";
import { type ShardLogOptions, unsavedJournal } from "../journal/shard-log-options.ts";

/** What the parts of an owner share. */
export interface OwnerContext {
  readonly options: ShardOwnerOptions;
  readonly world: WorldEngine;
  readonly log: ShardLog;
  readonly gate: OwnerGate;
  readonly saver: ShardSaver;
}

/** Dependencies and settings of a shard owner. */
export interface ShardOwnerOptions extends Omit<ShardLogOptions, "sealed"> {
  /** 64 random bits. */
  readonly random: () => bigint;
  readonly generators: GeneratorRegistry;
  readonly limits?: Partial<OwnerLimits>;
  /** Called when the shard has a newer owner, or when its journal fails. */
  readonly onEnd?: (error: unknown) => void;
}

/** Configurable limits of an owner. */
export interface OwnerLimits {
  /** Delay between a change and the save that contains it. */
  readonly checkpointMs: number;
  /** Bytes of unsaved journal above which the owner rejects edits until a save contains them. */
  readonly journalBytesMax: number;
  /**
   * Clients whose last edit is remembered, at most 4,096. Above this limit, the client that edited longest ago is
   * forgotten. Rule K41.
   */
  readonly clientsMax: number;
  /** Players remembered. Above this limit, new players start at the spawn each time. Rule K33. */
  readonly playersMax: number;
}

/** Default limits. */
export const OWNER_LIMITS: OwnerLimits = {
  checkpointMs: 5_000,
  journalBytesMax: 67_108_864,
  clientsMax: 4_096,
  playersMax: 65_536,
};

/** Lets work on a shard begin, holds it while the shard is split, and refuses it once the shard is released. */
export class OwnerGate {
  readonly #shard: string;
  #working = 0;
  #isPaused = false;
  #isClosed = false;
  /** Called when work may begin after a pause. */
  #whenResumed: (() => void)[] = [];
  #whenIdle: (() => void)[] = [];

  constructor(shard: string) {
    this.#shard = shard;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when work may begin. Throws `ORT_CLOSED` if the shard is no longer owned here. */
  async whenOpen(): Promise<void> {
    while (this.#isPaused && !this.#isClosed)
      await new Promise<void>((resolve) => this.#whenResumed.push(resolve));
    if (this.#isClosed) throw new OrthantError("ORT_CLOSED", `shard ${this.#shard} is no longer owned here`);
  }

  /** Does work for which `whenIdle` waits. */
  async working<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#working++;
    try {
      return await work();
    } finally {
      this.#working--;
      if (this.#working === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  /** Resolves when no work is being done. */
  async whenIdle(): Promise<void> {
    while (this.#working > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const resolve of this.#whenResumed.splice(0)) resolve();
  }

  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#whenResumed.splice(0)) resolve();
  }
}

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
