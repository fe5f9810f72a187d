import {
  type DataCodec,
  type Dimensions,
  isOrthantError,
  OrthantError,
  type TimeSource,
} from "@orthant/core";
import { Axes, sleep } from "@orthant/core/engine";
import type { Simulation, SimulationOptions } from "@orthant/world";
import { simulate } from "@orthant/world/engine";
import { newEntityId, type ShardEntitiesContext } from "./shard-entities.ts";
import { STEP_LEAVING_MAX } from "./step-entry.ts";
import { WatchedSectors } from "./watched-sectors.ts";

/** What the steps of a shard need of its owner. */
export interface ShardStepsContext extends Omit<ShardEntitiesContext, "requireRoom"> {
  readonly time: TimeSource;
  readonly isPaused: () => boolean;
  /** Returns true if the journal has room; otherwise makes some. */
  readonly hasRoom: () => boolean;
  /** Does work that a split and a release wait for. */
  readonly working: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** Delay before the next look whether the journal and the outbox have room for a step. */
const FULL_MS = 200;

/** Simulates a shard. Its steps are stored one after the other, each as a whole. Rule K64. */
export class ShardSteps {
  /** What players look at. */
  readonly watched: WatchedSectors;
  readonly #context: ShardStepsContext;
  #simulation: { stop(): Promise<void> } | undefined;
  #isEnded = false;

  constructor(context: ShardStepsContext) {
    this.#context = context;
    this.watched = new WatchedSectors(context.world.shape, context.time);
  }

  /** The last step that was made. */
  get last(): number {
    return this.#context.world.steps.last;
  }

  /** Starts to simulate the shard. */
  simulate<D extends Dimensions>(options: SimulationOptions<D>, codec: DataCodec): Simulation<D> {
    const { world, owns, random } = this.#context;
    const { onError } = options;
    const simulation = simulate(
      world,
      new Axes<D>(world.shape),
      codec,
      {
        ...options,
        onError: (error, system) => {
          // Whatever was read or made when the shard was lost is of no interest.
          if (!this.#isEnded && !isOrthantError(error, "ORT_CLOSED")) onError?.(error, system);
        },
      },
      {
        owns,
        newEntityId: () => newEntityId(random),
        activeBoxes: () => this.watched.boxes(),
        during: (make) => this.#during(make),
      },
    );
    this.#simulation = simulation;
    return simulation;
  }

  /** Makes no more steps. */
  end(): void {
    this.#isEnded = true;
    void this.#simulation?.stop();
  }

  async #during(make: () => Promise<unknown>): Promise<void> {
    const { shard, world, log, time, whenOpen, working, onStored, onLeft } = this.#context;
    try {
      for (;;) {
        await whenOpen();
        if (this.#isReady) break;
        await sleep(time, FULL_MS);
      }
      await working(async () => {
        await make();
        // The next step begins when this one is stored, so that steps never pile up.
        await log.whenDurable();
      });
    } catch (error) {
      if (!this.#isEnded && world.failure === undefined) throw error;
      throw new OrthantError("ORT_CLOSED", `shard ${shard} is no longer owned here`, {}, { cause: error });
    }
    onStored();
    if (log.transfers.outboxSize > 0) onLeft();
  }

  get #isReady(): boolean {
    const { log, isPaused, hasRoom } = this.#context;
    return !isPaused() && hasRoom() && log.transfers.outboxSize <= STEP_LEAVING_MAX;
  }
}
