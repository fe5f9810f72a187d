import type { Clock } from "@orthant/core";
import { MemoryEngine } from "./memory-engine.ts";
import type { MemoryAppend } from "./memory-journal.ts";
import { MemoryJournal } from "./memory-journal.ts";
import { MemoryTable } from "./memory-table.ts";

/** How the engine treats what passes through it. Chances are from 0 to 1. */
export interface EngineWeather {
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** That a call never arrives. */
  readonly requestLoss: number;
  /** That it is done, and nobody hears of it. */
  readonly answerLoss: number;
  /** That a record, or what is told, does not reach one of those who follow or listen, who do not hear of that. */
  readonly deliveryLoss: number;
}

/** Everything arrives, after a moment. */
export const CALM_ENGINE: EngineWeather = {
  delayMsMin: 1,
  delayMsMax: 1,
  requestLoss: 0,
  answerLoss: 0,
  deliveryLoss: 0,
};

/** What the engine in memory is given. */
export interface MemoryHubOptions {
  readonly clock: Clock;
  /** From 0 up to and without 1; all that happens by chance is drawn here, in one order. */
  readonly random: () => number;
  /** When a journal is full. */
  readonly journalBytesMax?: number;
}

const JOURNAL_BYTES_MAX = 1_073_741_824;

/**
 * The engine that others are compared with: what a quorum of servers would hold, in one process and on the time of a
 * clock that is given. Nodes connect to it, and each can be cut off, held up and ended. It has a leader, without which
 * nothing is stored.
 */
export class MemoryHub {
  readonly clock: Clock;
  readonly random: () => number;
  readonly table: MemoryTable = new MemoryTable();
  readonly engines: Set<MemoryEngine> = new Set();
  weather: EngineWeather = CALM_ENGINE;
  readonly #journalBytesMax: number;
  readonly #journals = new Map<string, MemoryJournal>();
  #isAway = false;
  #whenBack: (() => void)[] = [];

  constructor({ clock, random, journalBytesMax = JOURNAL_BYTES_MAX }: MemoryHubOptions) {
    this.clock = clock;
    this.random = random;
    this.#journalBytesMax = journalBytesMax;
  }

  /** A node's connection. */
  connect(): MemoryEngine {
    const engine = new MemoryEngine(this);
    this.engines.add(engine);
    return engine;
  }

  /** Whether there is no leader: what is asked for then is lost, or done when there is one again and never answered. */
  get isAway(): boolean {
    return this.#isAway;
  }

  set isAway(isAway: boolean) {
    this.#isAway = isAway;
    if (isAway) return;
    for (const act of this.#whenBack.splice(0)) act();
  }

  /** Does something as soon as there is a leader. */
  whenLed(act: () => void): void {
    if (this.#isAway) this.#whenBack.push(act);
    else act();
  }

  /** How long something is on its way. */
  delayMs(): number {
    const { delayMsMin, delayMsMax } = this.weather;
    return delayMsMin + Math.floor(this.random() * (delayMsMax - delayMsMin + 1));
  }

  /** Whether something happens that has this chance. */
  happens(chance: number): boolean {
    return chance > 0 && this.random() < chance;
  }

  journal(world: string, shard: string): MemoryJournal | undefined {
    return this.#journals.get(journalKey(world, shard));
  }

  /** The journal of a shard; made, to begin at this sequence, when it is not there. */
  makeJournal(world: string, shard: string, firstSequence: number): MemoryJournal {
    const known = this.journal(world, shard);
    if (known !== undefined) return known;
    const journal = new MemoryJournal(firstSequence, this.#journalBytesMax);
    this.#journals.set(journalKey(world, shard), journal);
    return journal;
  }

  /** Loses a journal with all that is in it, or removes one that nobody needs. */
  loseJournal(world: string, shard: string): void {
    this.#journals.delete(journalKey(world, shard));
  }

  /** Tells all who follow the cells of records that were stored. */
  publish(world: string, shard: string, { published }: MemoryAppend): void {
    for (const record of published)
      for (const engine of this.engines) engine.takeRecord(world, { ...record, shard });
  }

  /** Tells all who watch keys of a write. */
  announce(): void {
    for (const engine of this.engines) engine.takeWrites();
  }
}

function journalKey(world: string, shard: string): string {
  return `${world}/${shard}`;
}
