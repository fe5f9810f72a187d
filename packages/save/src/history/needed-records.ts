import { isOrthantError } from "@orthant/core";
import { getOrAdd } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import type { YieldOptions } from "../change/save-change.ts";
import type { RecordRef } from "../codec/blob.ts";
import { generationFiles } from "../codec/files.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import type { LeafIndex } from "../leaves/leaf-index.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import type { PackedRecord } from "../pack/pack-table.ts";
import { readGlobal, readIndex } from "../read/reader.ts";
import type { GenerationHolds, Save } from "../read/save.ts";
import { listGenerationFolders, storedGenerations } from "../read/survey.ts";
import { recordsOf } from "../read/world-records.ts";

/** They take up to five milliseconds in a process that compacts for the first time. */
const LEAVES_PER_SLICE = 50;

/**
 * Finds the records that the generations on a disk need: the live one and all others whose files exist. Of an
 * older one, reads only the parts of the index that differ from the next. Throws if a part is unreadable,
 * because its needs are then unknown. Rule S90.
 */
export async function findNeededRecords(
  disk: Disk,
  holds: GenerationHolds,
  live: Save,
  packReader: PackReader,
  work: YieldOptions,
): Promise<NeededRecords> {
  const needed = new NeededRecords();
  for await (const leaf of live.index.all()) await needed.addLeaf(leaf, work);
  needed.addRecords(await recordsOf(packReader, live.global));
  const stored = storedGenerations(await listGenerationFolders(disk), live.generation);
  const others = stored.filter((generation) => generation !== live.generation);
  for (const generation of others) holds.hold(generation);
  try {
    let newer = live.index;
    for (const generation of others) {
      newer = await addDifferences(disk, packReader, generation, newer, { needed, work });
    }
  } finally {
    for (const generation of others) holds.release(generation);
  }
  return needed;
}

/** Adds what a generation has and the next one lacks. Returns the index to compare the previous one with. */
async function addDifferences(
  disk: Disk,
  packReader: PackReader,
  generation: number,
  newer: LeafIndex,
  { needed, work }: { readonly needed: NeededRecords; readonly work: YieldOptions },
): Promise<LeafIndex> {
  try {
    const { indexFile, globalFile } = generationFiles(generation);
    const { index } = await readIndex(disk, indexFile);
    needed.addRecords(await recordsOf(packReader, await readGlobal(disk, globalFile)));
    for await (const { after } of index.changesSince(newer)) if (after) await needed.addLeaf(after, work);
    return index;
  } catch (error) {
    // It may have been removed just before it was held. Then nothing needs it, and adding half of it is harmless.
    if (isOrthantError(error, "ORT_NOT_FOUND") && !(await isThere(disk, generation))) return newer;
    throw error;
  }
}

async function isThere(disk: Disk, generation: number): Promise<boolean> {
  return storedGenerations(await listGenerationFolders(disk), generation).includes(generation);
}

/** Records are grouped by stretches of their pack. Each stretch is sorted, read and written at once. */
const STRETCH_BYTES = 256 * 1024;

/** The records that generations need, by pack. Takes about 40 bytes of memory per record. */
export class NeededRecords {
  readonly #packs = new Map<number, NeededPackRecords>();
  #leaves = 0;

  /** Adds the records of a leaf. Yields to other work once per slice of leaves. */
  async addLeaf({ chunkRefs, entityRefs }: LeafEntry, work: YieldOptions): Promise<void> {
    for (const ref of chunkRefs) this.#add(ref);
    for (const ref of entityRefs) this.#add(ref);
    this.#leaves++;
    if (this.#leaves % LEAVES_PER_SLICE === 0) await work.pause();
  }

  /** Adds other records. */
  addRecords(refs: readonly RecordRef[]): void {
    for (const ref of refs) this.#add(ref);
  }

  /** Returns the needed part of a pack; `undefined` if there is none. */
  of(packId: number): NeededPackRecords | undefined {
    return this.#packs.get(packId);
  }

  #add({ packId, recordOffset, recordBytes }: RecordRef): void {
    const pack = getOrAdd(this.#packs, packId, () => new NeededPackRecords());
    pack.add({ firstOffset: recordOffset, bytes: recordBytes });
  }
}

/** The records of one pack that generations need. */
export class NeededPackRecords {
  /** Sizes of records by their original offsets, by stretch. */
  readonly #stretches = new Map<number, Map<number, number>>();
  #bytes = 0;
  #count = 0;
  #isContradictory = false;

  /** Adds a record, unless it is already there. */
  add({ firstOffset, bytes }: PackedRecord): void {
    const number = Math.floor(firstOffset / STRETCH_BYTES);
    const stretch = getOrAdd(this.#stretches, number, () => new Map<number, number>());
    const known = stretch.get(firstOffset);
    if (known === undefined) {
      stretch.set(firstOffset, bytes);
      this.#bytes += bytes;
      this.#count++;
    } else if (known !== bytes) this.#isContradictory = true;
  }

  /** Total bytes of all records. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of records. */
  get count(): number {
    return this.#count;
  }

  /** Whether two references give different lengths for one offset, so that one of them is wrong. */
  get isContradictory(): boolean {
    return this.#isContradictory;
  }

  /** Yields the records in the order of their original offsets, stretch by stretch. */
  *stretches(): Generator<readonly PackedRecord[]> {
    for (const number of [...this.#stretches.keys()].sort((a, b) => a - b)) {
      const records = Array.from(this.#stretches.get(number) ?? [], ([firstOffset, bytes]) => ({
        firstOffset,
        bytes,
      }));
      yield records.sort((a, b) => a.firstOffset - b.firstOffset);
    }
  }
}
