import type { Clock } from "@orthant/core";
import { MemoryEngine } from "./memory-engine.ts";
import type { MemoryAppend } from "./memory-journal.ts";
import { MemoryJournal } from "./memory-journal.ts";
import { MemoryTable } from "./memory-table.ts";

/** Fault injection settings of the engine. Probabilities are from 0 to 1. */
export interface EngineFaultPlan {
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** Probability that a call never arrives. */
  readonly requestLoss: number;
  /** Probability that a call is executed but its answer is lost. */
  readonly answerLoss: number;
  /** Probability that a record or message silently fails to reach one of its subscribers. */
  readonly deliveryLoss: number;
}

/** No faults: everything arrives after a short delay. */
export const NO_ENGINE_FAULTS: EngineFaultPlan = {
  delayMsMin: 1,
  delayMsMax: 1,
  requestLoss: 0,
  answerLoss: 0,
  deliveryLoss: 0,
};

/** Dependencies and settings of the in-memory engine. */
export interface MemoryHubOptions {
  readonly clock: Clock;
  /** Returns a number from 0 up to but excluding 1. The source of all randomness, in one order. */
  readonly random: () => number;
  /** Size at which a journal is full. */
  readonly journalBytesMax?: number;
}

const JOURNAL_BYTES_MAX = 1_073_741_824;

/**
 * The reference engine: the state that a quorum of servers would hold, in one process and on a given clock.
 * Nodes connect to it, and each can be cut off, paused and ended. It has a leader, without which nothing is
 * stored.
 */
export class MemoryHub {
  readonly clock: Clock;
  readonly random: () => number;
  readonly table: MemoryTable = new MemoryTable();
  readonly engines: Set<MemoryEngine> = new Set();
  faultPlan: EngineFaultPlan = NO_ENGINE_FAULTS;
  readonly #journalBytesMax: number;
  readonly #journals = new Map<string, MemoryJournal>();
  #isAway = false;
  #whenBack: (() => void)[] = [];

  constructor({ clock, random, journalBytesMax = JOURNAL_BYTES_MAX }: MemoryHubOptions) {
    this.clock = clock;
    this.random = random;
    this.#journalBytesMax = journalBytesMax;
  }

  /** Opens a node's connection. */
  connect(): MemoryEngine {
    const engine = new MemoryEngine(this);
    this.engines.add(engine);
    return engine;
  }

  /** True while there is no leader. Calls are then lost, or executed once there is one and never answered. */
  get isAway(): boolean {
    return this.#isAway;
  }

  set isAway(isAway: boolean) {
    this.#isAway = isAway;
    if (isAway) return;
    for (const act of this.#whenBack.splice(0)) act();
  }

  /** Runs `act` as soon as there is a leader. */
  whenLed(act: () => void): void {
    if (this.#isAway) this.#whenBack.push(act);
    else act();
  }

  /** Returns a random transit time. */
  delayMs(): number {
    const { delayMsMin, delayMsMax } = this.faultPlan;
    return delayMsMin + Math.floor(this.random() * (delayMsMax - delayMsMin + 1));
  }

  /** Returns true with the given probability. */
  happens(chance: number): boolean {
    return chance > 0 && this.random() < chance;
  }

  journal(world: string, shard: string): MemoryJournal | undefined {
    return this.#journals.get(journalKey(world, shard));
  }

  /** Returns the journal of a shard. Creates it, beginning at `firstSequence`, if it does not exist. */
  makeJournal(world: string, shard: string, firstSequence: number): MemoryJournal {
    const known = this.journal(world, shard);
    if (known !== undefined) return known;
    const journal = new MemoryJournal(firstSequence, this.#journalBytesMax);
    this.#journals.set(journalKey(world, shard), journal);
    return journal;
  }

  /** Loses a journal with its content, or removes one that is not needed any more. */
  loseJournal(world: string, shard: string): void {
    this.#journals.delete(journalKey(world, shard));
  }

  /** Delivers stored records to all followers of their sectors. */
  publish(world: string, shard: string, { published }: MemoryAppend): void {
    for (const record of published)
      for (const engine of this.engines) engine.deliverRecord(world, { ...record, shard });
  }

  /** Delivers new writes to all watchers. */
  announce(): void {
    for (const engine of this.engines) engine.deliverWrites();
  }
}

function journalKey(world: string, shard: string): string {
  return `${world}/${shard}`;
}
