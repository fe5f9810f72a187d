import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Position } from "@orthant/core";
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import { NodeDisk } from "@orthant/disk/node";
import { Prng } from "@orthant/testkit";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { Child } from "./child.ts";
import { atMost, type Figure, told } from "./figure.ts";
import { sized } from "./size.ts";
import { type Collections, type Lateness, LatenessWatch } from "./stall/lateness.ts";

const MINUTES = sized(1, 0.02);
const EDITS_PER_SECOND = 1_000;
const TICK_MS = 20;
const BUILDERS = 64;
/** Distance between builders, and the range that each one walks, in voxels. */
const APART = 256;
const WALK = 48;
const BLOCKS = 12;
const P999_MS_MAX = 5;
const LONGEST_MS_MAX = 50;
const WARM_UP_MS = sized(2_000, 100);
const IDLE_PROGRAM = new URL("./stall/idle.js", import.meta.url);

/**
 * Question: do players notice that the world is being saved?
 * Budgets: with a journal, autosave and compaction and 1,000 edits a second, a timer of the same process is
 * late by at most 5 ms in 999 of 1,000 cases, and never by more than 50. An idle process runs at the same time as a
 * baseline, because delays of the machine itself are not ours. ORTHANT_STALL_MINUTES sets the duration.
 * The longest pauses of the garbage collector, by kind, show how much of the lateness it causes.
 */
export async function* stallSuite(): AsyncGenerator<Figure> {
  const minutes = Number(process.env["ORTHANT_STALL_MINUTES"] ?? MINUTES);
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  try {
    const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 7n);
    const world = await createWorldEngine(
      await NodeDisk.create(folder),
      { generator },
      { durability: "journal" },
    );
    const builders = new Builders(world);
    await builders.edit(WARM_UP_MS);
    const idle = new Child<object, Lateness>(IDLE_PROGRAM);
    const watch = new LatenessWatch();
    await builders.edit(minutes * 60_000);
    const ours = watch.end();
    const work = `${builders.edits} edits in ${minutes} min, generation ${world.generation}`;
    yield* figuresOf(ours, await idle.ask({}), work);
    await idle.end();
    await world.close();
  } finally {
    await rm(folder, { recursive: true });
  }
}

function figuresOf(ours: Lateness, idle: Lateness, work: string): readonly Figure[] {
  const others = `p50 ${ours.p50.toFixed(1)} ms, p99 ${ours.p99.toFixed(1)} ms`;
  const beside = (value: number): string => `an idle process beside it ${value.toFixed(1)} ms`;
  return [
    atMost("stall/p99.9", ours.p999, "ms", P999_MS_MAX, `${others}; ${beside(idle.p999)}`),
    atMost("stall/longest", ours.longest, "ms", LONGEST_MS_MAX, `${work}; ${beside(idle.longest)}`),
    told(
      "stall/collector",
      ours.longestCollection,
      "ms for the longest pause of the garbage collector",
      ours.collections.map(collectionsLine).join("; "),
    ),
  ];
}

function collectionsLine({ kind, count, totalMs, longestMs }: Collections): string {
  return `${count} ${kind} collections, ${totalMs.toFixed(0)} ms together, ${longestMs.toFixed(1)} ms at most`;
}

/** Players who dig and build, each around a different position. */
class Builders {
  readonly #world: WorldEngine;
  readonly #prng = new Prng(5);
  edits = 0;

  constructor(world: WorldEngine) {
    this.#world = world;
  }

  /** Edits for `forMs`, several at a time, and waits until all are durable. */
  async edit(forMs: number): Promise<void> {
    const startMs = performance.now();
    const made: Promise<unknown>[] = [];
    let asked = 0;
    while (performance.now() - startMs < forMs) {
      const due = ((performance.now() - startMs) * EDITS_PER_SECOND) / 1_000;
      for (; asked < due; asked++) made.push(this.#world.set(this.#position(), this.#prng.below(BLOCKS)));
      await delay(TICK_MS);
      // Drops finished promises, so that ten minutes take no more memory than one.
      await Promise.all(made.splice(0, Math.max(0, made.length - EDITS_PER_SECOND)));
    }
    await Promise.all(made);
    this.edits += asked;
  }

  #position(): Position {
    const builder = this.#prng.below(BUILDERS);
    const corner = [builder % 4, (builder >> 2) % 4, builder >> 4, 0].map((part) => part * APART);
    return corner.map((from) => from + this.#prng.below(WALK)) as unknown as Position;
  }
}
