import {
  type DataCodec,
  type Dimensions,
  isOrthantError,
  OrthantError,
  type Timer,
  type TimeSource,
  type VoxelBox,
} from "@orthant/core";
import {
  callback,
  checkedOptions,
  requireFlag,
  requireFunction,
  requireObject,
  requireWhole,
  whole,
} from "@orthant/core/arguments";
import type { Axes } from "@orthant/core/lattice";
import type { EngineSteps } from "../engine/engine-steps.ts";
import type { WorldEngine } from "../engine/world-engine.ts";
import { ActiveRegions } from "./active-regions.ts";
import { DELAY_STEPS_MAX, publicStep, requireTickKind, type Step } from "./step.ts";
import { TouchedVoxels } from "./touched-voxels.ts";

/** A part of a game that runs in every step. It must not wait for anything, and changes the world only by the step. */
export type System<D extends Dimensions = Dimensions> = (step: Step<D>) => void;

/** Options of a simulation. */
export interface SimulationOptions<D extends Dimensions = Dimensions> {
  /** The systems by name, run in this order in every step. */
  readonly systems: Readonly<Record<string, System<D>>>;
  /**
   * Ticks that a player's edit schedules at each voxel that it changes and beside it, with their delays in steps:
   * `{ fall: 1, flow: 2 }`. A step takes notice of at most 16,384 voxels.
   */
  readonly touch?: Readonly<Record<string, number>>;
  /** Time from one step to the next. Default: 50. */
  readonly stepMs?: number;
  /** Distance from each player within which the world is active, in voxels. Default: 96. */
  readonly activeRadius?: number;
  /** Whether it waits for `resume` or `advance` before it makes steps. Default: false. */
  readonly isPaused?: boolean;
  /**
   * Called when a system throws: the step has no effect, and the simulation is paused. Also called, without a system, when
   * a region cannot be read. By default the error is thrown outside of any call, which ends a Node process.
   */
  readonly onError?: (error: unknown, system: string | undefined) => void;
}

/** How the steps of a simulation went. */
export interface SimulationStatistics {
  /** Steps that were made. */
  readonly steps: number;
  /** Times at which no step was made because the one before was not done. */
  readonly skipped: number;
  /** How long the last step took, and the longest one. */
  readonly lastMs: number;
  readonly longestMs: number;
}

/** Options with their defaults. */
type SimulationSettings<D extends Dimensions> = Required<
  Omit<SimulationOptions<D>, "activeRadius" | "touch">
>;

/** What a simulation needs of its world. */
interface SimulationWorld<D extends Dimensions> {
  readonly axes: Axes<D>;
  readonly time: TimeSource;
  readonly active: ActiveRegions;
  /** The last step that was made. */
  lastStep(): number;
  /** Makes a step; `run` gets it. */
  make(run: (step: Step<D>) => void): Promise<void>;
  /** Called once when the simulation ends. */
  onStop(): void;
}

/** Maximum number of steps of one call. */
const ADVANCE_STEPS_MAX = 100_000;

/** Makes the steps of a world, one after the other, at a fixed pace. `World.simulate` starts one. */
export class Simulation<D extends Dimensions = Dimensions> {
  readonly #world: SimulationWorld<D>;
  readonly #systems: readonly (readonly [name: string, system: System<D>])[];
  readonly #stepMs: number;
  readonly #onError: NonNullable<SimulationOptions<D>["onError"]>;
  #timer: Timer | undefined;
  #making: Promise<void> | undefined;
  #isPaused: boolean;
  #isStopped = false;
  /** Start of the fixed times of steps. */
  #originMs = 0;
  #slot = 0;
  /** The system that runs, or that threw. */
  #running: string | undefined;
  #statistics: SimulationStatistics = { steps: 0, skipped: 0, lastMs: 0, longestMs: 0 };

  /** @internal */
  constructor(world: SimulationWorld<D>, { systems, stepMs, isPaused, onError }: SimulationSettings<D>) {
    this.#world = world;
    this.#systems = Object.entries(systems);
    this.#stepMs = stepMs;
    this.#onError = onError;
    this.#isPaused = isPaused;
    if (!isPaused) this.#begin();
  }

  /** The number of the last step. */
  get step(): number {
    return this.#world.lastStep();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get statistics(): SimulationStatistics {
    return this.#statistics;
  }

  /**
   * Keeps a box of voxels active although no player is near. Returns a function that ends it. Throws `ORT_LIMIT` if more than
   * 16,384 regions would be kept.
   */
  keepActive(voxels: VoxelBox<D>): () => void {
    return this.#world.active.keep(this.#world.axes.voxels("voxels", voxels));
  }

  /** Resolves when everything that should be active now is loaded and active. */
  async whenActive(): Promise<void> {
    await this.#world.active.whenActive();
  }

  /** Makes no more steps until `resume` is called. Resolves when no step is being made. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#making;
  }

  /** Makes steps again. */
  resume(): void {
    if (!this.#isPaused || this.#isStopped) return;
    this.#isPaused = false;
    this.#begin();
  }

  /**
   * Makes a number of steps at once, one after the other: for tests, and for games with a pace of their own. Throws what a
   * system throws; that step had no effect.
   */
  async advance(steps = 1): Promise<void> {
    requireWhole("steps", steps, 0, ADVANCE_STEPS_MAX);
    for (let made = 0; made < steps && !this.#isStopped; made++) {
      await this.#making;
      await this.#make();
    }
  }

  /** Ends the simulation. The world stays open, and ticks that are scheduled stay with it. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.pause();
    this.#world.active.close();
    this.#world.onStop();
  }

  #begin(): void {
    this.#originMs = this.#world.time.nowMs();
    this.#slot = 0;
    this.#plan();
  }

  /** Waits for the next fixed time. Times that passed meanwhile are skipped, so that steps never pile up. */
  #plan(): void {
    const { time } = this.#world;
    // A clock that was set back must not stop the steps until it is where it was.
    if (time.nowMs() < this.#originMs + (this.#slot - 1) * this.#stepMs) {
      this.#originMs = time.nowMs();
      this.#slot = 0;
    }
    const passed = Math.max(0, Math.floor((time.nowMs() - this.#originMs) / this.#stepMs));
    const skipped = Math.max(0, passed - this.#slot);
    this.#slot = Math.max(this.#slot, passed) + 1;
    if (skipped > 0) this.#statistics = { ...this.#statistics, skipped: this.#statistics.skipped + skipped };
    const delayMs = Math.max(0, this.#originMs + this.#slot * this.#stepMs - time.nowMs());
    this.#timer = time.after(delayMs, () => void this.#tick());
  }

  async #tick(): Promise<void> {
    this.#timer = undefined;
    await this.#making;
    if (this.#isPaused) return;
    try {
      await this.#make();
    } catch (error) {
      // The world may have been closed meanwhile.
      if (!isOrthantError(error, "ORT_CLOSED")) this.#report(error);
    }
    if (!this.#isPaused && this.#timer === undefined) this.#plan();
  }

  #make(): Promise<void> {
    const making = this.#makeNow().finally(() => {
      if (this.#making === making) this.#making = undefined;
    });
    this.#making = making.catch(() => undefined);
    return making;
  }

  async #makeNow(): Promise<void> {
    try {
      this.#world.active.update();
      const { steps, longestMs } = this.#statistics;
      let lastMs = 0;
      await this.#world.make((step) => {
        const startMs = performance.now();
        for (const [name, system] of this.#systems) {
          this.#running = name;
          requireNothingToAwait(name, system(step));
        }
        this.#running = undefined;
        lastMs = performance.now() - startMs;
      });
      this.#statistics = {
        ...this.#statistics,
        steps: steps + 1,
        lastMs,
        longestMs: Math.max(longestMs, lastMs),
      };
    } catch (error) {
      this.#isPaused = true;
      throw error;
    }
  }

  #report(error: unknown): void {
    const system = this.#running;
    this.#running = undefined;
    this.#onError(error, system);
  }
}

/** Throws if a system returned anything that can be awaited. */
function requireNothingToAwait(system: string, result: unknown): void {
  if ((typeof result !== "object" && typeof result !== "function") || result === null) return;
  if (typeof (result as { readonly then?: unknown }).then !== "function") return;
  // What it rejects with later is of no interest.
  if (result instanceof Promise) result.catch(() => undefined);
  throw new OrthantError(
    "ORT_ARGUMENT",
    `system ${system} returned a promise: a system must not wait for anything`,
  );
}

declare const performance: { now(): number };

const STEP_MS = 50;
const STEP_MS_MAX = 3_600_000;
const ACTIVE_RADIUS = 96;
const ACTIVE_RADIUS_MAX = 4_096;

/** Starts the simulation of a world, or with the `steps` of a shard, of the part that it is of a larger one. */
export function simulate<D extends Dimensions>(
  engine: WorldEngine,
  axes: Axes<D>,
  codec: DataCodec,
  options: SimulationOptions<D>,
  steps: EngineSteps = engine.steps,
): Simulation<D> {
  const checked = checkedSimulation(options);
  const {
    activeRadius = ACTIVE_RADIUS,
    stepMs = STEP_MS,
    isPaused = false,
    onError = throwUncaught,
    systems,
    touch,
  } = checked;
  const active = new ActiveRegions({ engine, steps, radius: activeRadius }, (error) =>
    onError(error, undefined),
  );
  const endSteps = steps.begin();
  const touched = touch && new TouchedVoxels(engine, axes, codec, touch);
  const surroundings = {
    axes,
    codec,
    seed: steps.seed,
    blocks: () => engine.catalog,
    activeRegions: () => active.positions(),
    players: () => steps.players(),
  };
  return new Simulation<D>(
    {
      axes,
      active,
      time: steps.time,
      lastStep: () => steps.lastNumber,
      async make(run) {
        const make = (): Promise<unknown> =>
          steps.make(active, (step) => {
            const shown = publicStep(step, surroundings);
            touched?.schedule(shown);
            run(shown);
          });
        await (steps.part === undefined ? make() : steps.part.during(make));
        touched?.settle();
      },
      onStop() {
        touched?.close();
        endSteps();
      },
    },
    { systems, stepMs, isPaused, onError },
  );
}

/** Throws outside of any call. */
export function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function checkedSimulation<D extends Dimensions>(options: SimulationOptions<D>): SimulationOptions<D> {
  const checked = checkedOptions<SimulationOptions<D>>("the options", options, {
    systems: checkedSystems,
    touch: checkedTouch,
    stepMs: whole(1, STEP_MS_MAX),
    activeRadius: whole(0, ACTIVE_RADIUS_MAX),
    isPaused: requireFlag,
    onError: callback,
  });
  return { ...checked, systems: checkedSystems("systems", checked.systems) };
}

function checkedTouch(name: string, kinds: unknown): Readonly<Record<string, number>> {
  requireObject(name, kinds, "it is an object of kinds of ticks with delays, such as { fall: 1 }");
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, inSteps]) => [
      requireTickKind(kind),
      requireWhole(`${name}.${kind}`, inSteps, 1, DELAY_STEPS_MAX),
    ]),
  );
}

function checkedSystems<D extends Dimensions>(
  name: string,
  systems: unknown,
): Readonly<Record<string, System<D>>> {
  requireObject(name, systems, "it is an object of functions, such as { sand: fallingSand }");
  return Object.fromEntries(
    Object.entries(systems as object).map(([key, system]) => [
      key,
      requireFunction(`${name}.${key}`, system) as System<D>,
    ]),
  );
}

declare function queueMicrotask(callback: () => void): void;
