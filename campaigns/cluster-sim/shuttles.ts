import type { ClusterNode } from "@orthant/cluster";
import type { StepRecord } from "@orthant/cluster/internal";
import { box, isOrthantError, type Position } from "@orthant/core";
import { regionBox } from "@orthant/core/lattice";
import type { Prng } from "@orthant/testkit";
import type { Step } from "@orthant/world";
import type { WorldEngine } from "@orthant/world/engine";

/** Blocks that no client places: the shuttle, and what says that a row has one. */
const SHUTTLE = 15;
const MARK = 16;
/** The rows in which shuttles go to and fro, below what clients edit. */
const ROWS: readonly number[] = [-2, -5, -11];
/** The two sides of the border. */
const SIDES: readonly number[] = [-1, 0];
const MARK_X = -8;
/** Enough for a split and the first steps after it. */
const START_MS = 3_000;
const REGIONS: readonly Position[] = [
  [-1, -1, 0, 0],
  [0, -1, 0, 0],
];

/** Which shards there are, and where. */
interface ShardPlaces {
  shards(): readonly string[];
  shardOf(region: Position): string | undefined;
}

/** Moves blocks across the border of shards by steps of a simulation. None may be lost, and none may be there twice. */
export class Shuttles {
  readonly #stepMs: number | undefined;
  readonly #fail: (error: Error) => void;
  readonly #sent = new Set<string>();
  readonly #taken = new Set<string>();
  #isExcused = false;
  /** Whether they stay where they are. */
  isHalted = false;

  /** Draws whether there are any, and the pace. */
  constructor(prng: Prng, fail: (error: Error) => void) {
    this.#stepMs = prng.pick([undefined, undefined, 30, 100]);
    this.#fail = fail;
  }

  /** Time that they need before they go to and fro. */
  get startMs(): number {
    return this.#stepMs === undefined ? 0 : START_MS;
  }

  /** Has a node simulate its shards. */
  simulate(node: ClusterNode): void {
    if (this.#stepMs === undefined) return;
    const simulation = node.simulate<2>({
      systems: { shuttles: (step) => this.#run(step) },
      stepMs: this.#stepMs,
      onError: (error) => {
        // A region may be on a folder that does not answer.
        if (!isOrthantError(error)) this.#fail(new Error(`a step failed: ${error}`));
      },
    });
    simulation.keepActive(box([-16, -16], [16, 0]));
  }

  /** Takes a record of a step that was stored in the journal of a shard. */
  take(shard: string, { term, sent, taken }: StepRecord): void {
    for (const { number } of sent) this.#sent.add(keyOf(shard, { term, number }));
    for (const { from, transfer } of taken) {
      const key = keyOf(from, transfer);
      if (this.#taken.has(key)) this.#fail(new Error(`the edits ${key} were applied twice`));
      if (!this.#sent.has(key)) this.#fail(new Error(`the edits ${key} were applied, and never stored`));
      this.#taken.add(key);
    }
  }

  /** Excuses everything, because a journal was lost. */
  excuse(): void {
    this.#isExcused = true;
    this.#taken.clear();
  }

  /** Describes a shuttle that is lost or there twice, or edits that were not applied; `undefined` if there is none. */
  async fault(
    places: ShardPlaces,
    openSaved: (shard: string) => Promise<WorldEngine>,
  ): Promise<string | undefined> {
    if (this.#isExcused || this.#stepMs === undefined) return undefined;
    for (const key of this.#sent) if (!this.#taken.has(key)) return `the edits ${key} were not applied`;
    const found = new Map<string, number>();
    for (const shard of places.shards()) {
      const world = await openSaved(shard);
      try {
        for (const region of REGIONS) {
          if (places.shardOf(region) !== shard) continue;
          await world.load(regionBox(region));
          for (const y of ROWS)
            for (const x of [...SIDES, MARK_X])
              if (Math.floor(x / 16) === region[0]) found.set(`${x} ${y}`, await world.get([x, y, 0, 0]));
        }
      } finally {
        await world.close();
      }
    }
    for (const y of ROWS) {
      const count = SIDES.filter((x) => found.get(`${x} ${y}`) === SHUTTLE).length;
      const expected = found.get(`${MARK_X} ${y}`) === MARK ? 1 : 0;
      if (count !== expected) return `row ${y} has ${count} shuttles, and had ${expected}`;
    }
    return undefined;
  }

  #run({ world, edits }: Step<2>): void {
    if (this.isHalted) return;
    for (const y of ROWS) {
      const mark = world.voxelAt([MARK_X, y]);
      if (mark !== undefined && mark !== MARK) {
        edits.set([MARK_X, y], MARK);
        edits.set([-1, y], SHUTTLE);
        continue;
      }
      const x = SIDES.find((side) => world.voxelAt([side, y]) === SHUTTLE);
      if (x !== undefined) edits.move([x, y], [-1 - x, y]);
    }
  }
}

function keyOf(shard: string, { term, number }: { readonly term: number; readonly number: number }): string {
  return `${shard}/${term}.${number}`;
}
