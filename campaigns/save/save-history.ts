import type { Chunk } from "@orthant/core";
import type { PositionMap } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { createSave, LeafIndex, openSave, resumeSave, type SaveWriter } from "@orthant/save";
import { digestOfSave, ModelWorld, SMALL_LIMITS } from "./model-world.ts";

/** The changes before one commit of a history. */
type Step = (world: ModelWorld) => void;

const FAR = 1_000_000;
/** Edge of the largest leaf. Leaves this far apart never merge. */
const APART = 65_536;

/** Near and far edits, entities that cross leaves, players, packs that fill, leaves that split and merge. */
export const LONG_HISTORY: readonly Step[] = [
  (world) => world.setName("first"),
  (world) => world.setChunk([0, 0, 0, 0], 1),
  (world) => world.setChunk([1, 0, 0, 0], 2),
  (world) => world.setChunk([-1, -1, -1, -1], 3),
  (world) => world.setChunk([FAR, -FAR, FAR, -FAR], 4),
  (world) => {
    world.setPlayer(1n, 10);
    world.setKey("first", 7);
  },
  (world) => world.setEntity(1n, [2, 2, 0, 0]),
  (world) => world.setEntity(2n, [-2, -2, -0.5, -0.5]),
  (world) => {
    // Grows the leaf at the origin past its target size, so that it splits.
    for (let x = 0; x < 24; x++) world.setChunk([x, x % 7, 0, 0], 10 + x);
  },
  (world) => world.setEntity(1n, [4 * 20, 4, 0, 0]),
  (world) => {
    world.setPlayer(2n, 20);
    for (let index = 0; index < 8; index++) world.setKey(`key ${index}`, 250 + index);
  },
  (world) => world.setChunk([5, 5, 0, 0], 0),
  (world) => world.setChunk([0, 0, 0, 0], undefined),
  (world) => {
    for (let y = 0; y < 20; y++) world.setChunk([FAR + y, -FAR, FAR, -FAR], 40 + y);
  },
  (world) => {
    world.setPlayer(1n, 30);
    world.setKey("key 3", 11);
  },
  (world) => {
    for (let id = 10n; id < 30n; id++) world.setEntity(id, [Number(id) * 3, 8, 0, 0]);
  },
  (world) => world.setName("kept", [3]),
  (world) => {
    world.removeEntity(2n);
    world.setKey("first", undefined);
  },
  (world) => {
    for (let x = 4; x < 24; x++) world.setChunk([x, x % 7, 0, 0], undefined);
  },
  (world) => world.setChunk([2_147_483_647, 0, 0, -2_147_483_648], 5),
  (world) => world.setChunk([-70_000, 3, 3, 3], 6),
  (world) => {
    for (let id = 10n; id < 28n; id++) world.removeEntity(id);
  },
  (world) => world.setChunk([2, 2, 2, 2], 7),
  (world) => {
    world.setPlayer(3n, 40);
    for (let index = 0; index < 8; index++) world.setKey(`key ${index}`, undefined);
  },
  (world) => world.setEntity(1n, [-400, 4, 0, 0]),
  (world) => {
    for (let z = 0; z < 16; z++) world.setChunk([2, 2, z, 2], 60 + z);
  },
  (world) => world.setName("last"),
];

/** A shorter version for many mutants: splits, a full pack, shared pages, a generation to retire. */
export const SHORT_HISTORY: readonly Step[] = [
  (world) => world.setName("short"),
  (world) => {
    for (let x = 0; x < 12; x++) world.setChunk([x, 0, 0, 0], 10 + x);
    world.setPlayer(1n, 10);
    world.setKey("a", 20);
    world.setKey("b", 30);
    world.setEntity(1n, [2, 2, 0, 0]);
    for (let x = 1; x < 8; x++)
      for (let y = 1; y < 3; y++) world.setChunk([x * APART, y * APART, 0, 0], x + y);
  },
  (world) => {
    for (let x = 0; x < 24; x++) world.setChunk([-x, 1, 0, 0], 30 + x);
  },
  (world) => {
    for (let x = 0; x < 24; x++) world.setChunk([x, -3, 0, 0], 60 + x);
    world.setEntity(1n, [-2, 2, 0, 0]);
    world.setKey("a", 40);
    world.setChunk([5 * APART, APART, 0, 0], 90);
  },
];

/** Result of a history. */
export interface History {
  /** Content of the save after each commit. */
  readonly digests: readonly string[];
  /** Every chunk that was ever committed, by position. */
  readonly chunks: PositionMap<readonly Chunk[]>;
  /** Number of packs, which shows that some filled up. */
  readonly packs: number;
  readonly leavesMax: number;
  /** Most pages of the index, and number of commits that removed more pages than they added. */
  readonly pagesMax: number;
  readonly pagesTaken: number;
}

/** Plays a history on an empty disk. Calls `acknowledge` after each commit. */
export async function playHistory(
  disk: Disk,
  steps: readonly Step[],
  acknowledge: () => void,
): Promise<History> {
  const world = new ModelWorld();
  const digests: string[] = [];
  let writer: SaveWriter | undefined;
  let [leavesMax, pagesMax, pagesTaken] = [0, 0, 0];
  for (const [index, step] of steps.entries()) {
    step(world);
    const nowMs = 1_000 + index;
    if (writer === undefined) {
      const change = await world.takeChange(LeafIndex.of([]), nowMs);
      writer = await createSave(disk, { ...change, global: world.global(), limits: SMALL_LIMITS });
    } else {
      const save = await writer.commit(await world.takeChange(writer.state.index, nowMs));
      await save.close();
    }
    leavesMax = Math.max(leavesMax, writer.state.index.totals.leaves);
    pagesMax = Math.max(pagesMax, (await writer.state.index.pageFiles()).length);
    const { addedPages, removedPages } = writer.lastChange;
    if (removedPages.length > addedPages.length) pagesTaken++;
    digests.push(world.digest());
    acknowledge();
  }
  const packs = writer?.state.manifest.dataFileCount ?? 0;
  await writer?.close();
  return { digests, chunks: world.everSet, packs, leavesMax, pagesMax, pagesTaken };
}

/** Returns the digest of the save on a disk. */
export async function digestOfDisk(disk: Disk): Promise<string> {
  const save = await openSave(disk);
  try {
    return await digestOfSave(save);
  } finally {
    await save.close();
  }
}

/** Resumes the save on a disk and commits a new player and chunks at unused positions. */
export async function commitOnce(disk: Disk): Promise<void> {
  const save = await openSave(disk);
  const writer = await resumeSave(disk, save);
  try {
    const world = new ModelWorld();
    world.setName(save.global.description.name);
    world.setChunk([7, 7, 7, 7_000_000], 99);
    // Beside chunks of the short history, so that the commit rewrites a page.
    world.setChunk([5 * APART, 3 * APART, 0, 0], 99);
    world.setPlayer(77n, 77);
    world.setKey("z", 77);
    await (await writer.commit(await world.takeChange(save.index, 9_000))).close();
  } finally {
    await writer.close();
    await save.close();
  }
}
