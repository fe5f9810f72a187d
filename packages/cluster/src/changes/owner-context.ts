import { type GeneratorRegistry, OrthantError } from "@orthant/core";
import type { WorldEngine } from "@orthant/world/engine";
import type { ShardLog } from "../journal/shard-log.ts";
import type { ShardLogOptions } from "../journal/shard-log-options.ts";
import type { ShardSaver } from "./shard-saver.ts";

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
