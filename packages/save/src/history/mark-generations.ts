import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { generationFiles } from "../codec/file-names.ts";
import type { GenerationHolds } from "../commit/generation-holds.ts";
import type { SlowWork } from "../commit/slow-work.ts";
import type { LeafIndex } from "../index/leaf-index.ts";
import { readIndex } from "../read/reader.ts";
import type { Save } from "../read/save.ts";
import { RecordMark } from "./record-mark.ts";
import { listGenerationFolders, storedGenerations } from "./stored-generations.ts";

const LEAVES_PER_SLICE = 1_000;

/**
 * Marks the records that the generations on a disk need: the live one and all others whose files exist. Of an
 * older one, reads only the parts of the index that differ from the next. Throws if a part is unreadable,
 * because its needs are then unknown. Rule S90.
 */
export async function markGenerations(
  disk: Disk,
  holds: GenerationHolds,
  live: Save,
  work: SlowWork,
): Promise<RecordMark> {
  const leaves = new LeafMarker(work);
  for await (const leaf of live.index.all()) await leaves.add(leaf);
  const stored = storedGenerations(await listGenerationFolders(disk), live.generation);
  const others = stored.filter((generation) => generation !== live.generation);
  for (const generation of others) holds.hold(generation);
  try {
    let newer = live.index;
    for (const generation of others) newer = await markDifferences(disk, generation, newer, leaves);
  } finally {
    for (const generation of others) holds.release(generation);
  }
  return leaves.mark;
}

/** Marks what a generation has and the next one lacks. Returns the index to compare the previous one with. */
async function markDifferences(
  disk: Disk,
  generation: number,
  newer: LeafIndex,
  leaves: LeafMarker,
): Promise<LeafIndex> {
  try {
    const { index } = await readIndex(disk, generationFiles(generation).indexFile);
    for await (const { after } of index.changesSince(newer)) if (after) await leaves.add(after);
    return index;
  } catch (error) {
    // It may have been retired just before it was held. Then it is unneeded, and marking half of it is
    // harmless.
    if (isOrthantError(error, "ORT_NOT_FOUND") && !(await isThere(disk, generation))) return newer;
    throw error;
  }
}

async function isThere(disk: Disk, generation: number): Promise<boolean> {
  return storedGenerations(await listGenerationFolders(disk), generation).includes(generation);
}

/** Marks the records of leaves, in slices. */
class LeafMarker {
  readonly mark: RecordMark = new RecordMark();
  readonly #work: SlowWork;
  #leaves = 0;

  constructor(work: SlowWork) {
    this.#work = work;
  }

  async add(leaf: Parameters<RecordMark["addLeaf"]>[0]): Promise<void> {
    this.mark.addLeaf(leaf);
    this.#leaves++;
    if (this.#leaves % LEAVES_PER_SLICE === 0) await this.#work.pause();
  }
}
