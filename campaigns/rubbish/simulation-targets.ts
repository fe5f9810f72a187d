import { box, type Dimensions, type Position, type VoxelBox } from "@orthant/core";
import type { Prng } from "@orthant/testkit";
import { Simulation, type SimulationOptions, type Step, type World } from "@orthant/world";
import type { Arguments, Target } from "./stage.ts";
import * as valid from "./valid-values.ts";

/** Returns what a simulation and its steps can be called with. Each call has a simulation of its own, which it stops. */
export function simulationTargets(world: World): readonly Target[] {
  return [simulateTarget(world), ...methodTargetsOf(world), ...stepTargetsOf(world)];
}

function simulateTarget(world: World): Target {
  return {
    name: "World.simulate",
    args: (prng) => [
      {
        systems: { none: () => undefined },
        stepMs: prng.between(1_000, 3_600_000),
        touch: { fall: prng.between(1, 9) },
        activeRadius: prng.below(64),
        isPaused: true,
        onError: () => undefined,
      },
    ],
    called: world.simulate,
    async call(given) {
      const simulation: Simulation = Reflect.apply(world.simulate, world, given);
      await simulation.stop();
    },
  };
}

const SIMULATION_METHODS: Readonly<Record<string, (world: World) => Arguments>> = {
  keepActive:
    ({ dimensions }) =>
    (prng) => [valid.voxelBox(prng, dimensions)],
  whenActive: () => () => [],
  pause: () => () => [],
  resume: () => () => [],
  advance: () => (prng) => [prng.below(3)],
  stop: () => () => [],
};

function methodTargetsOf(world: World): readonly Target[] {
  const methods = Simulation.prototype as unknown as Readonly<
    Record<string, (...given: unknown[]) => unknown>
  >;
  return Object.entries(SIMULATION_METHODS).map(([name, argumentsFor]) => ({
    name: `Simulation.${name}`,
    // Tens of thousands of steps leave more garbage than any other call.
    mayAllocate: name === "advance",
    args: argumentsFor(world),
    called: methods[name] as (...given: unknown[]) => unknown,
    call: (given) =>
      withSimulation(world, {}, (simulation) =>
        Reflect.apply(methods[name] as (...given: unknown[]) => unknown, simulation, given),
      ),
  }));
}

/** A function of a step, with the names of its parameters, and valid arguments. */
interface StepCall {
  readonly called: (...given: never[]) => unknown;
  readonly args: Arguments;
  of(step: Step): (...given: never[]) => unknown;
}

function stepTargetsOf(world: World): readonly Target[] {
  const at = (prng: Prng) => valid.position(prng, world.dimensions);
  const aKind = (prng: Prng): string => prng.pick(["fall", "my-game:flow"]);
  const ofPlace = (position: unknown): unknown => position;
  const ofTick = (position: unknown, kind: unknown): unknown => [position, kind];
  const calls: Readonly<Record<string, StepCall>> = {
    "world.voxelAt": { called: ofPlace, args: (prng) => [at(prng)], of: (step) => step.world.voxelAt },
    "world.lightAt": { called: ofPlace, args: (prng) => [at(prng)], of: (step) => step.world.lightAt },
    "world.dataAt": { called: ofPlace, args: (prng) => [at(prng)], of: (step) => step.world.dataAt },
    "edits.set": {
      called: (position: unknown, block: unknown, options: unknown) => [position, block, options],
      args: (prng) => [at(prng), prng.below(7), { data: valid.data(prng) }],
      of: (step) => step.edits.set,
    },
    "edits.setData": {
      called: (position: unknown, data: unknown) => [position, data],
      args: (prng) => [at(prng), valid.data(prng)],
      of: (step) => step.edits.setData,
    },
    "edits.move": {
      called: (from: unknown, to: unknown) => [from, to],
      args: (prng) => [at(prng), at(prng)],
      of: (step) => step.edits.move,
    },
    "schedule.due": {
      called: (kind: unknown) => kind,
      args: (prng) => [aKind(prng)],
      of: (step) => step.schedule.due,
    },
    "schedule.add": {
      called: (position: unknown, kind: unknown, inSteps: unknown) => [position, kind, inSteps],
      args: (prng) => [at(prng), aKind(prng), prng.between(1, 9)],
      of: (step) => step.schedule.add,
    },
    "schedule.cancel": {
      called: ofTick,
      args: (prng) => [at(prng), aKind(prng)],
      of: (step) => step.schedule.cancel,
    },
    "schedule.find": {
      called: ofTick,
      args: (prng) => [at(prng), aKind(prng)],
      of: (step) => step.schedule.find,
    },
    ...entityCallsOf(world),
    drawVoxels: {
      called: (perChunk: unknown) => perChunk,
      args: (prng) => [prng.below(3)],
      of: (step) => step.drawVoxels,
    },
  };
  return Object.entries(calls).map(([name, { called, args, of }]) => ({
    name: `Step.${name}`,
    args,
    called,
    call: (given) =>
      withSimulation(
        world,
        { call: (step) => void Reflect.apply(of(step), undefined, given) },
        async (simulation) => {
          // Else every place is out of reach.
          simulation.keepActive(activeBox(world.dimensions));
          await simulation.whenActive();
          await simulation.advance();
        },
      ),
  }));
}

/** Returns the names of all functions of a step and of its parts, as targets name them. */
export async function stepFunctions(world: World): Promise<readonly string[]> {
  const names: string[] = [];
  const look = (step: Step): void => {
    for (const [name, part] of Object.entries(step)) {
      if (typeof part === "function") names.push(`Step.${name}`);
      if (typeof part !== "object" || Array.isArray(part)) continue;
      for (const [inner, value] of Object.entries(part as object))
        if (typeof value === "function") names.push(`Step.${name}.${inner}`);
    }
  };
  await withSimulation(world, { look }, (simulation) => simulation.advance());
  return names;
}

function activeBox(dimensions: Dimensions): VoxelBox {
  const corner = (coordinate: number): Position<3> =>
    Array.from({ length: dimensions }, () => coordinate) as unknown as Position<3>;
  return box(corner(0), corner(1));
}

function entityCallsOf(world: World): Readonly<Record<string, StepCall>> {
  const { dimensions } = world;
  const ofId = (id: unknown): unknown => id;
  const anId = (prng: Prng): bigint => BigInt(1 + prng.below(4));
  return {
    "entities.find": { called: ofId, args: (prng) => [anId(prng)], of: (step) => step.entities.find },
    "entities.in": {
      called: (voxels: unknown) => voxels,
      args: (prng) => [valid.voxelBox(prng, dimensions)],
      of: (step) => step.entities.in,
    },
    "entities.near": {
      called: (position: unknown, distance: unknown) => [position, distance],
      args: (prng) => [valid.position(prng, dimensions), prng.below(99)],
      of: (step) => step.entities.near,
    },
    "entities.add": {
      called: (entity: unknown) => entity,
      args: (prng) => [valid.entity(prng, dimensions)],
      of: (step) => step.entities.add,
    },
    "entities.change": {
      called: (id: unknown, change: unknown) => [id, change],
      args: (prng) => [anId(prng), { position: valid.position(prng, dimensions) }],
      of: (step) => step.entities.change,
    },
    "entities.remove": { called: ofId, args: (prng) => [anId(prng)], of: (step) => step.entities.remove },
  };
}

async function withSimulation(
  world: World,
  systems: SimulationOptions<Dimensions>["systems"],
  use: (simulation: Simulation) => unknown,
): Promise<void> {
  const simulation = world.simulate({ systems, isPaused: true, stepMs: 3_600_000 });
  try {
    await use(simulation);
  } finally {
    await simulation.stop();
  }
}
