import type { ClusterSimulation, NodeEvents } from "@orthant/cluster";
import { box, chunkShape, type Position } from "@orthant/core";
import { Axes, boxBetween } from "@orthant/core/lattice";
import { PLAIN_DATA } from "@orthant/core/world";
import { MemoryDisk } from "@orthant/disk";
import type { Step } from "@orthant/world";
import { createWorldEngine, simulate, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";

/** Everything from the border at x = 0 on to the east. */
const EAST = boxBetween([0, -9, -9, -9], [9, 9, 9, 9]);
const STEP_MS = 100;
const STONE = 1;
const SAND = 7;
const WATER = 9;
const SLIDE = "test:slide";
const FLOW = "test:flow";
const COUNT = "test:count";
/** Where everything happens. */
const [MIN, MAX] = [[-16, 0, 0] as const, [16, 8, 8] as const];
const AROUND = box(MIN, MAX);

type Systems = Readonly<Record<string, (step: Step<3>) => void>>;

interface Town {
  readonly small: SmallCluster;
  readonly nodes: (SmallNode & { readonly simulation: ClusterSimulation<3> })[];
  readonly systems: Systems;
}

async function town(
  systems: Systems,
  furnish?: (world: WorldEngine) => unknown,
  events?: NodeEvents,
): Promise<Town> {
  const small = new SmallCluster();
  await small.create(0, furnish);
  const made: Town = { small, nodes: [], systems };
  for (const name of ["a", "b", "c"]) await addNode(made, name, events);
  await small.until(() => made.nodes.some(({ node }) => node.owns("0")));
  return made;
}

async function addNode({ small, nodes, systems }: Town, name: string, events?: NodeEvents): Promise<void> {
  const made = await small.node(name, events);
  const simulation = made.node.simulate<3>({ systems, stepMs: STEP_MS });
  simulation.keepActive(AROUND);
  nodes.push({ ...made, simulation });
}

/** Splits the world at x = 0, with an owner for each side. */
async function split(made: Town): Promise<void> {
  const { small } = made;
  await small.settled(ownerOf(made, "0").node.split("0", EAST, "east"));
  await move(made, "east");
}

async function move(made: Town, shard: string): Promise<void> {
  const { node } = ownerOf(made, shard);
  await made.small.settled(node.move(shard));
  await made.small.until(() => made.nodes.some((other) => other.node !== node && other.node.owns(shard)));
}

function ownerOf({ nodes }: Town, shard: string): Town["nodes"][number] {
  const owner = nodes.find(({ node }) => node.owns(shard));
  if (owner === undefined) throw new Error(`shard ${shard} has no owner`);
  return owner;
}

/** Kills the owner of a shard, and waits for the next one. */
async function kill(made: Town, shard: string): Promise<void> {
  const owner = ownerOf(made, shard);
  owner.node.kill(new Error("killed"));
  owner.backbone.kill();
  made.nodes.splice(made.nodes.indexOf(owner), 1);
  await addNode(made, `n${made.small.time.nowMs()}`);
  await made.small.until(() => ["0", "east"].every((each) => made.nodes.some(({ node }) => node.owns(each))));
}

/** Returns the blocks that are not air, by their voxels, in what all shards have saved or stored. */
async function blocksOf({ small }: Town): Promise<ReadonlyMap<string, number>> {
  const { gateway } = await small.gateway();
  await small.settled(gateway.world.load(boxBetween([-4, 0, 0, 0], [4, 2, 2, 1])));
  const found = blocksIn(gateway.world.state);
  gateway.close();
  return found;
}

function blocksIn(state: Pick<WorldEngine["state"], "realizeChunk">): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (let x = MIN[0]; x < MAX[0]; x++)
    for (let y = MIN[1]; y < MAX[1]; y++)
      for (let z = MIN[2]; z < MAX[2]; z++) {
        const chunk = state.realizeChunk(Math.floor(x / 4), Math.floor(y / 4), Math.floor(z / 4), 0);
        const block = chunk.get((x & 3) + 4 * ((y & 3) + 4 * (z & 3)));
        if (block !== 0) found.set(`${[x, y, z]}`, block);
      }
  return found;
}

/** Runs systems in one world until nothing changes any more. */
async function inOneWorld(
  systems: Systems,
  furnish?: (world: WorldEngine) => unknown,
): Promise<ReadonlyMap<string, number>> {
  const { time, random } = new SmallCluster();
  const shape = chunkShape([4, 4, 4, 1]);
  const world = await createWorldEngine(new MemoryDisk(), { name: "One", shape }, { time, random });
  await furnish?.(world);
  const simulation = simulate<3>(world, new Axes<3>(shape), PLAIN_DATA, { systems, isPaused: true });
  simulation.keepActive(AROUND);
  await simulation.whenActive();
  await simulation.advance(150);
  const found = blocksIn(world.state);
  await simulation.stop();
  await world.close();
  return found;
}

/** Adds a grain of sand in the west in every third step, until there are 16. A voxel counts them. */
function dropSand({ world, edits, schedule, number }: Step<3>): void {
  const count = world.voxelAt([-16, 7, 7]);
  if (count === undefined || count >= 16 || number % 3 !== 0) return;
  edits.set([-16, 7, 7], count + 1);
  const grain = [-6, count >> 3, count & 7] as const;
  edits.set(grain, SAND, { data: { grain: count } });
  schedule.add(grain, SLIDE, 1);
}

/** Sand that slides to the east, one voxel in each step, until it is at x = 5. */
function slidingSand({ world, edits, schedule }: Step<3>): void {
  for (const { position } of schedule.due(SLIDE)) {
    const [x, y, z] = position;
    const next = [x + 1, y, z] as const;
    if (world.voxelAt(position) !== SAND || x >= 5) continue;
    if (edits.move(position, next)) schedule.add(next, SLIDE, 1);
    else schedule.add(position, SLIDE, 1);
  }
}

/** Stones on which water spreads, drawn from a hash. */
async function stones(world: WorldEngine): Promise<void> {
  const placements: { voxel: Position; block: number }[] = [];
  for (let x = -12; x < 12; x++)
    for (let y = 0; y < 7; y++)
      for (let z = 0; z < 8; z++)
        if (((x + 40) * 7919 + y * 104_729 + z * 1_299_709) % 11 < 5)
          placements.push({ voxel: [x, y, z, 0], block: STONE });
  await world.edit(placements);
}

function pour({ world, edits, schedule }: Step<3>): void {
  if (world.voxelAt([-16, 7, 7]) !== 0) return;
  edits.set([-16, 7, 7], 1);
  schedule.add([-10, 7, 3], FLOW, 1);
}

/** Water that falls, and spreads on what is solid, as far as it can. */
function water({ world, edits, schedule }: Step<3>): void {
  for (const { position } of schedule.due(FLOW)) {
    const [x, y, z] = position;
    if (world.voxelAt(position) !== 0) continue;
    edits.set(position, WATER);
    if (y > 0 && world.voxelAt([x, y - 1, z]) !== STONE) {
      schedule.add([x, y - 1, z], FLOW, 1);
      continue;
    }
    const sides = [
      [x - 1, y, z],
      [x + 1, y, z],
      [x, y, z - 1],
      [x, y, z + 1],
    ] as const;
    for (const side of sides)
      if (Math.abs(side[0]) < 12 && side[2] >= 0 && side[2] < 8) schedule.add(side, FLOW, 1);
  }
}

const DISTURBANCES: Readonly<Record<string, (made: Town) => Promise<void>>> = {
  nothing: async () => undefined,
  "the owner of the sender killed": (made) => kill(made, "0"),
  "the owner of the receiver killed": (made) => kill(made, "east"),
  "both owners killed": async (made) => {
    await kill(made, "0");
    await kill(made, "east");
  },
  "appends of the sender lost before they are stored": (made) => cutOff(made, "0", "to backbone"),
  "appends of the sender lost after they are stored": (made) => cutOff(made, "0", "from backbone"),
  "appends of the receiver lost before they are stored": (made) => cutOff(made, "east", "to backbone"),
  "appends of the receiver lost after they are stored": (made) => cutOff(made, "east", "from backbone"),
  "the receiver moved": (made) => move(made, "east"),
  "the sender moved": (made) => move(made, "0"),
};

/** Cuts the owner of a shard off in one direction, then kills it. */
async function cutOff(made: Town, shard: string, partition: "to backbone" | "from backbone"): Promise<void> {
  ownerOf(made, shard).backbone.partition = partition;
  await made.small.pass(700);
  await kill(made, shard);
}

describe.each([
  ["sand", { dropSand, slidingSand }, undefined],
  ["water", { pour, water }, stones],
] as const)("%s across a border", (_name, systems, furnish) => {
  test.each(Object.keys(DISTURBANCES))("[K66] comes to rest as in one world, with %s", async (name) => {
    const expected = await inOneWorld(systems, furnish);
    expect([...expected.keys()].some((key) => !key.startsWith("-"))).toBe(true);
    const made = await town(systems, furnish);
    await split(made);
    for (const delayMs of [6, 17, 31]) {
      await made.small.pass(delayMs * STEP_MS);
      await DISTURBANCES[name]?.(made);
    }
    await made.small.pass(150 * STEP_MS);
    expect(await blocksOf(made)).toEqual(expected);
  });

  test("[K66] comes to rest as in one world, with the world split in the middle", async () => {
    const expected = await inOneWorld(systems, furnish);
    const made = await town(systems, furnish);
    await made.small.pass(8 * STEP_MS);
    await split(made);
    await made.small.pass(4 * STEP_MS);
    const { node } = ownerOf(made, "east");
    // The border at which edits arrive moves into a third shard.
    await made.small.settled(node.split("east", boxBetween([0, 0, 0, 0], [1, 1, 1, 1]), "near"));
    await made.small.pass(150 * STEP_MS);
    expect(await blocksOf(made)).toEqual(expected);
  });
});

/** Sends a tick to another voxel of the east in every step, until it has sent 300, and counts them. */
function sender({ world, edits, schedule }: Step<3>): void {
  const count = world.voxelAt([-1, 1, 1]);
  if (count === undefined || count >= 300) return;
  const target = [1 + (count >> 6), (count >> 3) & 7, count & 7] as const;
  if (schedule.add(target, COUNT, 1)) edits.set([-1, 1, 1], count + 1);
}

function counter({ world, edits, schedule }: Step<3>): void {
  for (const { position } of schedule.due(COUNT)) edits.set(position, (world.voxelAt(position) ?? 0) + 1);
}

test("[K67] each tick sent across a border is due once, whichever owners end", async () => {
  const made = await town({ sender, counter });
  await split(made);
  for (const disturb of Object.values(DISTURBANCES)) {
    await made.small.pass(13 * STEP_MS);
    await disturb(made);
  }
  await made.small.pass(300 * STEP_MS);
  const found = await blocksOf(made);
  expect(found.get("-1,1,1")).toBe(300);
  const counts = [...found].filter(([key]) => !key.startsWith("-")).map(([, count]) => count);
  expect(counts).toEqual(Array.from({ length: 300 }, () => 1));
});

test("[K67] a shard that is split off knows which edits the old one applied", async () => {
  let onCount: (() => void) | undefined;
  const watched = (step: Step<3>): void => {
    const before = step.world.voxelAt([-1, 1, 1]);
    counter(step);
    if (before === undefined) onCount?.();
  };
  const made = await town({ sender, watched });
  await split(made);
  await made.small.pass(10 * STEP_MS);
  const { backbone } = ownerOf(made, "0");
  const { leavingEdits } = await new Promise<{ leavingEdits: number }>((resolve) => {
    // The east is about to store a step, of which the west does not learn.
    onCount = () => {
      const west = ownerOf(made, "0").node.shards.get("0");
      if (west === undefined || west.leavingEdits === 0) return;
      onCount = undefined;
      backbone.partition = "from backbone";
      resolve(west);
    };
    void made.small.pass(20 * STEP_MS);
  });
  expect(leavingEdits).toBeGreaterThan(0);
  const { node } = ownerOf(made, "east");
  await made.small.settled(node.split("east", boxBetween([0, 0, 0, 0], [1, 1, 1, 1]), "near"));
  backbone.partition = "none";
  await made.small.pass(350 * STEP_MS);
  const found = await blocksOf(made);
  expect(found.get("-1,1,1")).toBe(300);
  const counts = [...found].filter(([key]) => !key.startsWith("-")).map(([, count]) => count);
  expect(counts).toEqual(Array.from({ length: 300 }, () => 1));
});

test("[K67] an owner without a simulation applies edits from other shards", async () => {
  const made = await town({ sender });
  await split(made);
  await made.small.settled(ownerOf(made, "east").simulation.stop());
  await made.small.pass(10 * STEP_MS);
  await made.small.until(() => [...made.nodes].every(({ node }) => leaving(node) === 0));
});

function leaving(node: SmallNode["node"]): number {
  return [...node.shards.values()].reduce((sum, { leavingEdits }) => sum + leavingEdits, 0);
}

test("[K66] edits for a shard without an owner wait, and are refused when too many wait", async () => {
  const sent: boolean[] = [];
  const flood = ({ world, edits }: Step<3>): void => {
    if (world.voxelAt([-1, 1, 1]) === undefined) return;
    sent.push(edits.set([1, 1, 1], SAND, { data: "x".repeat(30_000) }));
  };
  const made = await town({ flood });
  await split(made);
  await made.small.pass(5 * STEP_MS);
  expect(sent.at(-1)).toBe(true);
  const { node } = ownerOf(made, "0");
  for (const other of made.nodes) {
    if (other.node === node) continue;
    other.node.kill(new Error("killed"));
    other.backbone.kill();
  }
  const before = sent.length;
  await made.small.until(() => node.owns("east"));
  // Steps went on, the first of them with edits that wait.
  expect(sent.slice(before, before + 30)).toEqual(Array.from({ length: 30 }, () => true));
  expect(sent.at(-1)).toBe(false);
  await made.small.until(() => leaving(node) < 5);
  await made.small.pass(5 * STEP_MS);
  expect(sent.at(-1)).toBe(true);
});

test("[K67] edits that cannot be applied are reported, and others are not held up", async () => {
  const refused: unknown[] = [];
  let count = 0;
  const overflow = ({ world, edits }: Step<3>): void => {
    // Only in the west, once the east is another shard.
    if (world.voxelAt([-1, 1, 1]) === undefined || world.voxelAt([1, 1, 1]) !== undefined) return;
    const data = "x".repeat(30_000);
    // A chunk has room for the data of eight such voxels.
    if (count < 10) edits.set([1, count >> 2, count & 3], SAND, { data });
    if (count === 10) edits.set([9, 1, 1], SAND);
    count++;
  };
  const made = await town({ overflow }, undefined, { onRefusedEdits: (...what) => refused.push(what) });
  await split(made);
  await made.small.pass(40 * STEP_MS);
  expect(refused).toHaveLength(2);
  expect(refused[0]).toMatchObject(["east", { code: "ORT_LIMIT" }]);
  expect((await blocksOf(made)).get("9,1,1")).toBe(SAND);
});
