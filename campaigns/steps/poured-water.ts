import { box, type Position, terrain, type VoxelBox } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  createWorld,
  openWorld,
  type Simulation,
  type Step,
  type System,
  type World,
  type WorldOptions,
} from "@orthant/world";

/** How a poured world is kept. */
export type PouredDurability = "snapshot" | "journal";

/** The voxels that are simulated. No water leaves them. */
export const WATCHED: VoxelBox<3> = box([-16, -32, -16], [48, 32, 48]);
/** Springs open here. */
const SPRINGS = box([0, -8, 0], [24, 30, 24]);
/** Where a duck has landed. */
const NEST = 98;
/** Height from which ducks fall. */
const SKY = 30;
const DUCK_EVERY_STEPS = 11;
/** A spring; the next blocks are water, first full, then lower levels. */
export const SPRING = 99;
const WATER = 100;
const LEVELS = 7;
const FLOW = "flow";
const POUR = "pour";
/** Kinds of ticks. */
export const TICK_KINDS: readonly string[] = [FLOW, POUR];
/** The first steps, which change nothing. */
const QUIET_STEPS = 6;
/** Steps from one new spring to the next. */
const SPRING_EVERY_STEPS = 7;
const LAST_SPRING_STEP = 100;
/** Steps until all water has settled. */
export const SETTLED_STEPS: number = QUIET_STEPS + 170;
const SPRING_UNITS = 5;

const AIR = 0;

/** A system that also gets the count of steps after the quiet ones, which a crash takes back with what they changed. */
type CountedSystem = (step: Step<3>, count: number) => void;

/** Opens springs on the ground, one after the other. Data of a spring says how often it has yet to pour. */
const springs: CountedSystem = ({ world, edits, schedule }, count) => {
  if (count > 0 && count <= LAST_SPRING_STEP && count % SPRING_EVERY_STEPS === 1) {
    const [width, , depth] = SPRINGS.max;
    const opened = Math.floor(count / SPRING_EVERY_STEPS);
    const [x, z] = [(opened * 7) % width, (opened * 11) % depth];
    let y = SPRINGS.max[1];
    while (y > SPRINGS.min[1] && world.voxelAt([x, y - 1, z]) === AIR) y--;
    edits.set([x, y, z], SPRING, { data: { left: SPRING_UNITS } });
    schedule.add([x, y, z], POUR, 1);
  }
  for (const { position } of schedule.due(POUR)) {
    const data = world.dataAt(position) as { readonly left: number } | undefined;
    if (world.voxelAt(position) !== SPRING || data === undefined) continue;
    const { left } = data;
    const [x, y, z] = position;
    edits.set([x, y + 1, z], WATER);
    schedule.add([x, y + 1, z], FLOW, 1);
    // A spring that has poured everything is a stone.
    if (left === 1) edits.set(position, 1);
    else {
      edits.setData(position, { left: left - 1 });
      schedule.add(position, POUR, 4);
    }
  }
};

/** Water that falls, spreads on what it falls on until it is too low, and settles. */
const water: System<3> = ({ world, edits, schedule }) => {
  for (const { position } of schedule.due(FLOW)) {
    const level = (world.voxelAt(position) ?? AIR) - WATER;
    if (level < 0 || level >= LEVELS) continue;
    const [x, y, z] = position;
    const below: Position<3> = [x, y - 1, z];
    const under = world.voxelAt(below);
    if (under === AIR) pour(below, 0);
    else if (under !== undefined && under < WATER)
      for (const next of besides(position)) pour(next, level + 1);
  }

  function pour(place: Position<3>, level: number): void {
    const there = world.voxelAt(place);
    const takesIt = there === AIR || (there !== undefined && there > WATER + level);
    if (level >= LEVELS || !takesIt) return;
    edits.set(place, WATER + level);
    schedule.add(place, FLOW, 2);
  }
};

function besides([x, y, z]: Position<3>): readonly Position<3>[] {
  return [
    [x - 1, y, z],
    [x + 1, y, z],
    [x, y, z - 1],
    [x, y, z + 1],
  ];
}

/** Ducks that fall from the sky. One that lands is gone, and leaves a nest. */
const ducks: CountedSystem = ({ world, edits, entities }, count) => {
  for (const { id, position } of entities.in(WATCHED)) {
    const [x, y, z] = position;
    const below: Position<3> = [x, y - 1, z];
    if (world.voxelAt(below) === AIR) entities.change(id, { position: below });
    else {
      entities.remove(id);
      edits.set(position, NEST, { data: { duck: Number(id) } });
    }
  }
  if (count > 0 && count <= LAST_SPRING_STEP && count % DUCK_EVERY_STEPS === 1)
    entities.add({ kind: 1, position: [(count * 3) % 24, SKY, (count * 5) % 24] });
};

/** How a poured world is opened. */
interface PouredOptions extends Pick<WorldOptions<3>, "loadedBytesMax"> {
  readonly durability: PouredDurability;
  readonly isNew: boolean;
}

/** Opens the world on a disk, or creates one of terrain. */
export async function openPoured(
  disk: Disk,
  { durability, isNew, ...others }: PouredOptions,
): Promise<World<3>> {
  const options = { autosave: false, durability, ...others } as const;
  if (!isNew) return openWorld(disk, { dimensions: 3, ...options });
  return createWorld(disk, { dimensions: 3, generator: terrain({ seed: 7n }) }, options);
}

/** Simulates the world. Steps are made by `advance`; `onStep` gets each of them before anything is changed. */
export async function simulatePoured(world: World<3>, onStep: System<3>): Promise<Simulation<3>> {
  const counted =
    (system: CountedSystem): System<3> =>
    (step) =>
      system(step, world.engine.steps.last + 1 - QUIET_STEPS);
  const systems = { onStep, springs: counted(springs), water, ducks: counted(ducks) };
  const simulation = world.simulate({ systems, isPaused: true });
  simulation.keepActive(WATCHED);
  await simulation.whenActive();
  return simulation;
}
