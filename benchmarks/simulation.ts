import { box, flat, type Position } from "@orthant/core";
import type { VoxelPlacement } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { createWorld, type System, type World } from "@orthant/world";
import { atMost, type Figure, median, readable, timeAsync, told } from "./figure.ts";
import { crowdBytes } from "./server.ts";
import { sized } from "./size.ts";

/** Players who move ten times a second, each of whom sees about 50 others. */
const CROWD = sized(200, 10);
const TICKS = sized(5_000, 100);
const STEPS_PER_ROUND = sized(40, 2);
const ROUNDS = sized(9, 1);
/** Voxels along each edge of the cube in which the ticks are. */
const EDGE = 64;
const KIND = "toggle";
const BLOCKS = [3, 4] as const;

/**
 * Question: what does the simulation cost beside the edits that it makes?
 * Budget: 100,000 ticks a second take at most 1.1 times the processor of a loop that has the same voxels in an array, reads
 * them and edits them in the same world; a client of a crowd takes at most 2.5 kB a second, as in the suite `server`.
 */
export async function* simulationSuite(): AsyncGenerator<Figure> {
  yield* await tickFigures();
  yield await crowdBytes("simulation/crowd-bytes", CROWD);
}

/** The suite's figures without a server, which take little time. */
export async function* simulationLimits(): AsyncGenerator<Figure> {
  yield* await tickFigures();
}

async function tickFigures(): Promise<readonly Figure[]> {
  const voxels = drawnVoxels();
  const simulated = await simulatedWorld(voxels);
  const bare = await bareWorld(voxels);
  const rounds: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = -2; round < ROUNDS; round++) {
    const bareTime = await timeAsync(() => bare.run(STEPS_PER_ROUND));
    const ourTime = await timeAsync(() => simulated.run(STEPS_PER_ROUND));
    if (round >= 0) rounds.push({ ours: ourTime.cpuNs, bare: bareTime.cpuNs });
  }
  await simulated.world.close();
  await bare.world.close();
  const ticks = TICKS * STEPS_PER_ROUND;
  const tickUs = median(rounds.map(({ ours }) => ours)) / ticks / 1_000;
  const bareUs = median(rounds.map((round) => round.bare)) / ticks / 1_000;
  const ratio = median(rounds.map((round) => round.ours / round.bare));
  const remark = `${readable(tickUs)} us of processor a tick, bare ${readable(bareUs)} us`;
  return [
    atMost("simulation/ticks", ratio, "times a bare loop with the same edits", 1.1, remark),
    told(
      "simulation/core",
      1e6 / tickUs,
      "ticks a second on one core",
      "each reads a voxel, sets it and schedules itself",
    ),
  ];
}

interface TimedWorld {
  readonly world: World<3>;
  run(steps: number): Promise<void>;
}

async function simulatedWorld(voxels: readonly Position<3>[]): Promise<TimedWorld> {
  const world = await newWorld();
  const toggle: System<3> = ({ number, world: reader, edits, schedule }) => {
    if (number === 1) for (const voxel of voxels) schedule.add(voxel, KIND, 1);
    for (const { position } of schedule.due(KIND)) {
      edits.set(position, toggled(reader.voxelAt(position)));
      schedule.add(position, KIND, 1);
    }
  };
  const simulation = world.simulate({ systems: { toggle }, isPaused: true });
  simulation.keepActive(box([0, 0, 0], [EDGE, EDGE, EDGE]));
  await simulation.whenActive();
  await simulation.advance(2);
  return { world, run: (steps) => simulation.advance(steps) };
}

async function bareWorld(voxels: readonly Position<3>[]): Promise<TimedWorld> {
  const world = await newWorld();
  const { engine } = world;
  const due = voxels.map(([x, y, z]): Position => [x, y, z, 0]);
  return {
    world,
    async run(steps) {
      for (let step = 0; step < steps; step++) {
        const { state } = engine;
        const placements: VoxelPlacement[] = due.map((voxel) => ({
          voxel,
          block: toggled(state.voxelAt(...voxel)),
        }));
        await engine.edit(placements);
      }
    },
  };
}

function newWorld(): Promise<World<3>> {
  return createWorld(new MemoryDisk(), { dimensions: 3, generator: flat({}) }, { autosave: false });
}

function toggled(block: number | undefined): number {
  return block === BLOCKS[0] ? BLOCKS[1] : BLOCKS[0];
}

/** Returns voxels that lie scattered in a cube, each once. */
function drawnVoxels(): readonly Position<3>[] {
  const step = 97;
  return Array.from({ length: TICKS }, (_, number) => {
    const index = (number * step * 7) % EDGE ** 3;
    return [index % EDGE, Math.floor(index / EDGE) % EDGE, Math.floor(index / EDGE ** 2)];
  });
}
