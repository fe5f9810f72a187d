import type { Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { Prng } from "@orthant/testkit";
import type { System, World } from "@orthant/world";
import { openPoured, simulatePoured } from "./poured-water.ts";
import { StepContent } from "./step-content.ts";

/** Steps of each run, in which water flows and ducks fall. */
const STEPS = 40;
/** Distance from the origin up to which steps try to read and edit, far beyond what is active. */
const TRIED_VOXELS = 500;
const TRIES_PER_STEP = 6;
const READS_PER_STEP_MAX = 8;
const READ_BEFORE_PROBABILITY = 0.3;
const SAVE_PROBABILITY = 0.2;
const BYTES_IN_MEMORY_MAX = 65_536;

/** What is in memory during a run. */
interface MemoryUse {
  readonly loadedBytesMax?: number;
  /** Called before each step, with the places that it tries to read and edit. */
  disturb(world: World<3>, places: readonly Position<3>[]): Promise<void>;
}

/**
 * Makes the same steps with different things in memory: after random reads, with random saves and with little memory.
 * Returns the first difference from a run without any of it.
 */
export async function faultOfMemory(seed: number, runs: number): Promise<string | undefined> {
  const expected = await textsOf({ disturb: async () => undefined });
  for (let run = 0; run < runs; run++) {
    const prng = new Prng(seed + run);
    // With little memory, nothing stays that is not kept; else everything stays that was read.
    const isSmall = run % 2 === 1;
    const found = await textsOf({
      ...(isSmall && { loadedBytesMax: prng.between(1, BYTES_IN_MEMORY_MAX) }),
      async disturb(world, places) {
        for (const place of places) if (prng.chance(READ_BEFORE_PROBABILITY)) await world.get(place);
        for (let reads = prng.below(READS_PER_STEP_MAX); reads > 0; reads--) await world.get(placeOf(prng));
        if (prng.chance(SAVE_PROBABILITY)) await world.save();
      },
    });
    const step = expected.findIndex((text, index) => text !== found[index]);
    if (step >= 0)
      return `memory, seed ${seed + run}: step ${step} found ${found[step]}, without reads ${expected[step]}`;
  }
  return undefined;
}

/** Makes steps, and returns as text what each of them found; then what is where they tried to edit. */
async function textsOf({ loadedBytesMax, disturb }: MemoryUse): Promise<readonly string[]> {
  const disk = new MemoryDisk();
  await (await openPoured(disk, { durability: "snapshot", isNew: true })).close();
  const options = { durability: "snapshot", isNew: false } as const;
  const world = await openPoured(disk, { ...options, ...(loadedBytesMax && { loadedBytesMax }) });
  const texts: string[] = [];
  const tried: Position<3>[] = [];
  const onStep: System<3> = (step) => {
    const prng = new Prng(step.number);
    const places = placesOf(step.number);
    tried.push(...places);
    const results = places.map((place) => tryAt(step, place, prng));
    texts.push(`${new StepContent(world, step).digest} ${results.join("; ")}`);
  };
  const simulation = await simulatePoured(world, onStep);
  for (let made = 0; made < STEPS; made++) {
    await disturb(world, placesOf(made + 1));
    await simulation.advance();
  }
  for (const place of tried) texts.push(`${await world.get(place)} at [${place}]`);
  await world.close();
  return texts;
}

/** Reads and changes a place in a step in several ways. Returns the results as text. */
function tryAt(
  { world, edits, schedule, entities }: Parameters<System<3>>[0],
  place: Position<3>,
  prng: Prng,
): string {
  const near: Position<3> = [0, 31, 0];
  const results = [
    world.voxelAt(place),
    JSON.stringify(world.dataAt(place)),
    schedule.find(place, "tried"),
    edits.set(place, prng.between(1, 9), { data: prng.below(99) }),
    schedule.add(place, "tried", prng.between(1, 9)),
    prng.chance(0.5) ? edits.move(place, near) : edits.move(near, place),
    entities.near(place, 20).length,
  ];
  if (prng.chance(0.3)) schedule.cancel(place, "tried");
  return `[${place}] ${results.join(", ")}`;
}

/** Returns the places that a step tries to read and edit. */
function placesOf(step: number): readonly Position<3>[] {
  const prng = new Prng(step);
  return Array.from({ length: TRIES_PER_STEP }, () => placeOf(prng));
}

function placeOf(prng: Prng): Position<3> {
  const coordinate = (): number => prng.between(-TRIED_VOXELS, TRIED_VOXELS);
  return [coordinate(), prng.between(-40, 40), coordinate()];
}
