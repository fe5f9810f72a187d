import { deepEqual, equal, fail, ok } from "node:assert/strict";
import type { ChunkShape, Position } from "@orthant/core";
import { boxBetween, chunkOfVoxel, PositionMap, regionOf, voxelIndex } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import { FakeTime, Prng } from "@orthant/testkit";
import {
  createWorldEngine,
  type EngineOptions,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";

/** One step of a history. Edits are numbered, and their content follows from the number. */
export type JournalStep =
  /** Makes an edit and waits for it. */
  | "edit"
  /** Starts an edit without waiting for it. */
  | "begin"
  /** Starts a save without waiting for it. */
  | "save"
  /** Waits for everything that was started. */
  | "wait"
  /** Closes the world and opens it again. */
  | "reopen";

const { edit, begin, save, wait, reopen } = {
  edit: "edit",
  begin: "begin",
  save: "save",
  wait: "wait",
  reopen: "reopen",
} as const;

/** Groups of one and of many, saves during edits, an empty segment, reopens in between. */
export const LONG_JOURNAL: readonly JournalStep[] = [
  ...[edit, edit, begin, begin, begin, wait],
  ...[save, edit, begin, begin, wait, save, wait, edit, edit],
  ...[reopen, edit, begin, begin, begin, save, begin, edit, wait],
  ...[save, wait, save, begin, edit, edit, wait, reopen, begin, begin, save, edit, edit, wait],
];

/** A shorter version for runs over many mutants. */
export const SHORT_JOURNAL: readonly JournalStep[] = [
  edit,
  begin,
  wait,
  save,
  edit,
  begin,
  begin,
  wait,
  edit,
];

const QUIET: EngineOptions = { time: new FakeTime(), autosave: false };
const CLIENT = 77n;
const WALKER = 1n;
const PLAYER = 5n;
const COUNTER: Position = [0, 0, 0, 0];

/** Record of a played history. */
export interface PlayedJournal {
  /** The acknowledged steps, each with the value of `now` at its acknowledgement. */
  readonly acknowledged: readonly { readonly step: number; readonly at: number }[];
  /** Clock of the counter's region after each step, starting with step 1. */
  readonly clocks: readonly number[];
  /** Number of steps that had begun when each step's edit was applied. */
  readonly begun: readonly number[];
}

/** Plays a history in journal mode on an empty disk. Leaves the world open, as a crash does. */
export async function playJournal(
  disk: Disk,
  steps: readonly JournalStep[],
  now: () => number,
): Promise<PlayedJournal> {
  const acknowledged: { step: number; at: number }[] = [];
  const clocks: number[] = [];
  const begun: number[] = [];
  const running: Promise<unknown>[] = [];
  let step = 0;
  // A fixed seed makes two plays of a history produce equal disks, so that each is checked only once.
  const prng = new Prng(1);
  const how: EngineOptions = { ...QUIET, durability: "journal", random: () => BigInt(prng.u32()) + 1n };
  const listen = (open: WorldEngine): unknown => open.onEdit(() => begun.push(step));
  let world = await createWorldEngine(disk, {}, how);
  listen(world);
  for (const kind of steps) {
    if (kind === "save") running.push(world.save());
    if (kind === "wait" || kind === "reopen") await Promise.all(running.splice(0));
    if (kind === "reopen") {
      await world.close();
      world = await openWorldEngine(disk, how);
      listen(world);
      await walkerNear(world);
    }
    if (kind !== "edit" && kind !== "begin") continue;
    const number = ++step;
    const making = makeStep(world, number).then((made) => {
      clocks[number - 1] =
        made.clocks.find(({ region }) => `${region}` === `${regionOf(COUNTER)}`)?.after ?? 0;
      acknowledged.push({ step: number, at: now() });
    });
    if (kind === "edit") await making;
    else running.push(making);
  }
  await Promise.all(running);
  return { acknowledged, clocks, begun };
}

/** Makes one step: moves the walker, renames the player, changes voxels and increments the counter. */
async function makeStep(world: WorldEngine, step: number): ReturnType<WorldEngine["edit"]> {
  if (world.entities.get(WALKER) === undefined) world.entities.spawn({ kind: 1, position: walkerAt(step) });
  else world.entities.change(WALKER, { position: walkerAt(step) });
  world.upsertPlayer({ playerId: PLAYER, name: `player ${step}` });
  if (step % 3 === 0) world.describe({ name: `world ${step}` });
  // Requested before the edit, so that it is made and logged before it.
  const stored = world.store.change("step", Uint8Array.of(step));
  const made = await world.edit([...voxelsOf(step), { voxel: COUNTER, block: step }], {
    origin: { clientId: CLIENT, editId: step },
  });
  await stored;
  return made;
}

/** Expected state of a world, given the last step whose edit it has. */
export interface Expected {
  readonly atLeast: number;
  readonly clocks: readonly number[];
  /** Number of steps that had begun when each step's edit was applied, starting with step 1. */
  readonly begun: readonly number[];
}

/** Throws unless a world holds a prefix of a history that includes `atLeast`. Returns its last step. */
export async function checkJournaled(
  world: WorldEngine,
  { atLeast, clocks, begun }: Expected,
): Promise<number> {
  const last = await world.get(COUNTER);
  ok(last >= atLeast, `step ${atLeast} was acknowledged, but the world ends at ${last}`);
  for (let step = 1; step <= begun.length + 1; step++) {
    await requireVoxels(world, step, step <= last, `step ${step} of ${last}`);
  }
  equal(world.lastEditOf(CLIENT), last, "the last edits and the content differ");
  const clock = clocks[last - 1];
  if (clock !== undefined) equal(world.clockOf(regionOf(COUNTER)), clock, `the clock of step ${last}`);
  // Everything but voxels may already show steps that began before the next edit was applied.
  const [least, most] = [begun[last - 1] ?? 0, begun[last] ?? begun.length];
  const possible = Array.from({ length: most - least + 1 }, (_, index) => least + index);
  const player = Number(world.player(PLAYER)?.name?.slice("player ".length) ?? 0);
  ok(possible.includes(player), `player ${player} at step ${last}, not ${possible}`);
  const key = (await world.store.get("step"))?.[0] ?? 0;
  ok(key === last || key === last + 1, `the store is at step ${key}, and the voxels at ${last}`);
  const walker = await walkerNear(world);
  const positions = possible.map((step) => (step === 0 ? "nowhere" : `${walkerAt(step)}`));
  const position = walker === undefined ? "nowhere" : `${walker.position}`;
  ok(
    positions.includes(position),
    `the walker is at ${position} at step ${last}, not at one of ${positions.join(" ")}`,
  );
  const named = Number(world.name.slice("world ".length));
  ok(possible.map((step) => step - (step % 3)).includes(named), `${world.name} at step ${last}`);
  return last;
}

/** Makes one more step in a world that was checked, and waits until it is durable. */
export async function goOnJournaled(world: WorldEngine, last: number): Promise<void> {
  const { status } = await makeStep(world, last + 1);
  deepEqual(status === "duplicate", false);
}

/** Throws unless a world has exactly the state after `step`, which no other step overlapped. */
export async function requireJournaled(world: WorldEngine, step: number): Promise<void> {
  equal(await world.get(COUNTER), step, "a further step was lost");
  await requireVoxels(world, step, true, `step ${step}`);
  equal(world.lastEditOf(CLIENT), step, "the last edits and the content differ");
  equal(world.player(PLAYER)?.name, `player ${step}`);
  deepEqual((await walkerNear(world))?.position, walkerAt(step));
}

/** Finds the walker anywhere in the world. Throws when there are two. */
async function walkerNear(world: WorldEngine): Promise<ReturnType<WorldEngine["entities"]["get"]>> {
  const everywhere = boxBetween([-4_096, -64, -64, -64], [4_096, 64, 64, 64]);
  const found = await world.entities.in(everywhere);
  ok(found.length <= 1, `${found.length} walkers`);
  return found[0];
}

function walkerAt(step: number): Position {
  // Every fourth step leads far away, into another leaf.
  return [step % 4 === 0 ? -step * 64 : step, 4, 0, 0];
}

/** Throws unless a world has the voxels of a step, or air at their positions when `isThere` is false. */
async function requireVoxels(
  world: WorldEngine,
  step: number,
  isThere: boolean,
  what: string,
): Promise<void> {
  for (const { position, cells } of chunksOf(world.shape, step)) {
    const chunk = await world.chunk(position);
    for (const { cell, voxel, block } of cells) {
      const [found, expected] = [chunk.get(cell), isThere ? block : 0];
      // Building the message only on failure saves most of the time of a proof.
      if (found !== expected) fail(`${what}: ${found} instead of ${expected} at [${voxel}]`);
    }
  }
}

interface StepChunk {
  readonly position: Position;
  readonly cells: (VoxelPlacement & { readonly cell: number })[];
}

const CHUNKS: (readonly StepChunk[])[] = [];

/** Returns the voxels of a step by chunk. The worlds of all histories have the same shape. */
function chunksOf(shape: ChunkShape, step: number): readonly StepChunk[] {
  const known = CHUNKS[step];
  if (known !== undefined) return known;
  const chunks = new PositionMap<StepChunk>();
  for (const placement of voxelsOf(step)) {
    const position = chunkOfVoxel(shape, placement.voxel);
    const chunk = chunks.get(...position) ?? { position, cells: [] };
    chunks.set(...position, chunk);
    chunk.cells.push({ ...placement, cell: voxelIndex(shape, ...placement.voxel) });
  }
  CHUNKS[step] = Array.from(chunks, ([, chunk]) => chunk);
  return CHUNKS[step];
}

/** Returns the voxels of a step: a unique one, and on some steps a layer that takes more than a sector. */
function voxelsOf(step: number): readonly VoxelPlacement[] {
  const known = VOXELS[step] ?? makeVoxels(step);
  VOXELS[step] = known;
  return known;
}

const VOXELS: (readonly VoxelPlacement[])[] = [];

function makeVoxels(step: number): readonly VoxelPlacement[] {
  const own: VoxelPlacement = { voxel: [step * 5, 8, 0, 0], block: 100 + step };
  if (step % 4 !== 2) return [own];
  const layer = Array.from({ length: 512 }, (_, index): VoxelPlacement => {
    const voxel: Position = [index % 8, 800 + (Math.floor(index / 8) % 8), Math.floor(index / 64), step];
    return { voxel, block: 1 + ((index * 7 + step) % 300) };
  });
  return [own, ...layer];
}
