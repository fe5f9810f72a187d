import type { DataCodec, Dimensions } from "@orthant/core";
import {
  callback,
  checkedOptions,
  requireFlag,
  requireFunction,
  requireObject,
  whole,
} from "@orthant/core/arguments";
import type { Axes } from "@orthant/core/lattice";
import type { EngineSteps } from "../engine/engine-steps.ts";
import type { WorldEngine } from "../engine/world-engine.ts";
import { ActiveRegions } from "./active-regions.ts";
import { Simulation, type SimulationOptions, type System } from "./simulation.ts";
import { publicStep } from "./step.ts";

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
  } = checked;
  const active = new ActiveRegions({ engine, steps, radius: activeRadius }, (error) =>
    onError(error, undefined),
  );
  const onStop = steps.begin();
  const surroundings = {
    axes,
    codec,
    seed: steps.seed,
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
          steps.make(active, (step) => run(publicStep(step, surroundings)));
        await (steps.part === undefined ? make() : steps.part.during(make));
      },
      onStop,
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
    stepMs: whole(1, STEP_MS_MAX),
    activeRadius: whole(0, ACTIVE_RADIUS_MAX),
    isPaused: requireFlag,
    onError: callback,
  });
  return { ...checked, systems: checkedSystems("systems", checked.systems) };
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
