import { MemoryDisk } from "@orthant/disk";
import {
  type CompactionOptions,
  createSave,
  openSave,
  type SaveChange,
  type SaveLimits,
  type SaveWriter,
} from "@orthant/save";
import { chunksOf, entryAt, GLOBAL, ORIGIN_CELL, TIGHT_LIMITS } from "@orthant/testkit/saves";

/** Compacts everything possible, without pauses. */
export const AT_ONCE: CompactionOptions = { force: true, pause: async () => undefined };

/** Gives all records the same length: the blocks 0 and 1 would make shorter ones. */
const FIRST = 10;

/** A commit that replaces the only leaf. All commits happen in one hour. */
export function change(number: number): SaveChange {
  return {
    nowMs: number,
    leaves: [{ cube: ORIGIN_CELL, chunks: [entryAt([0, 0, 0, 0], FIRST + number)] }],
  };
}

/** A save whose commits 1 to `commits` each replaced the leaf. By default generation 1 has a name. */
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

/** Returns what each generation has at the position that all commits change. */
export async function numbersOf(
  disk: MemoryDisk,
  ...generations: readonly number[]
): Promise<readonly number[]> {
  const numbers: number[] = [];
  for (const generation of generations) {
    const save = await openSave(disk, { generation });
    numbers.push(((await chunksOf(save))["0,0,0,0"] ?? 0) - FIRST);
    await save.close();
  }
  return numbers;
}

/** Returns the bytes of a file. */
export function fileOf(disk: MemoryDisk, path: string): Uint8Array {
  return disk.image().files.get(path) ?? new Uint8Array(0);
}

/** Returns the names of the packs, and of everything else in their folder. */
export async function packNames(disk: MemoryDisk): Promise<readonly string[]> {
  return (await disk.list("data")).map(({ name }) => name);
}
