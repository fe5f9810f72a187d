import { MemoryDisk } from "@orthant/disk";
import {
  type CompactionOptions,
  createSave,
  openSave,
  type SaveChange,
  type SaveLimits,
  type SaveWriter,
} from "@orthant/formats";
import { blockAt, blocksOf, GLOBAL, ORIGIN_CELL, TIGHT_LIMITS } from "./samples.ts";

/** Compacts whatever can be, without a pause. */
export const AT_ONCE: CompactionOptions = { force: true, pause: async () => undefined };

/** All records then have the same length: the materials 0 and 1 would make shorter ones. */
const FIRST = 10;

/** A commit that replaces the one leaf there is; all of them happen in one hour. */
export function change(number: number): SaveChange {
  return {
    nowMs: number,
    leaves: [{ cell: ORIGIN_CELL, blocks: [blockAt([0, 0, 0, 0], FIRST + number)] }],
  };
}

/** A save whose commits 1 to `commits` each replaced the leaf; generation 1 has a name unless none should. */
export async function worldOf(
  commits: number,
  { limits = TIGHT_LIMITS, named = [1] }: { limits?: SaveLimits; named?: readonly number[] } = {},
): Promise<{ disk: MemoryDisk; writer: SaveWriter }> {
  const disk = new MemoryDisk();
  const namedGenerations = named.map((generation) => ({ generation, name: `number ${generation}` }));
  const global = { ...GLOBAL, description: { ...GLOBAL.description, namedGenerations } };
  const writer = await createSave(disk, { ...change(0), global, limits });
  for (let number = 1; number <= commits; number++) await (await writer.commit(change(number))).close();
  return { disk, writer };
}

/** What each generation has at the place that all commits change. */
export async function numbersOf(
  disk: MemoryDisk,
  ...generations: readonly number[]
): Promise<readonly number[]> {
  const numbers: number[] = [];
  for (const generation of generations) {
    const save = await openSave(disk, { generation });
    numbers.push(((await blocksOf(save))["0,0,0,0"] ?? 0) - FIRST);
    await save.close();
  }
  return numbers;
}

/** The bytes of a file. */
export function fileOf(disk: MemoryDisk, path: string): Uint8Array {
  return disk.image().files.get(path) ?? new Uint8Array(0);
}

/** The names of the packs, and of whatever else is in their folder. */
export async function packNames(disk: MemoryDisk): Promise<readonly string[]> {
  return (await disk.list("data")).map(({ name }) => name);
}
