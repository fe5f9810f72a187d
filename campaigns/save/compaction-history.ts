import type { Disk } from "@orthant/disk";
import {
  createSave,
  LeafIndex,
  openSave,
  type Retention,
  resumeSave,
  type SaveLimits,
  type SaveWriter,
} from "@orthant/save";
import { type DatedGeneration, keptGenerations } from "@orthant/save/internal";
import { ModelWorld, SMALL_LIMITS } from "./model-world.ts";

/** Small, so that a few commits create and retire every kind of generation. */
const RETENTION: Retention = { newest: 2, hours: 2, days: 1 };
/** Splits the index into pages from the first few leaves on. */
const LIMITS: SaveLimits = { ...SMALL_LIMITS, indexSoftMaxBytes: 256 };
const MINUTES_BETWEEN = 17;
const COMMITS_BETWEEN_COMPACTIONS = 3;
/** Interval at which the writer is reopened, so that it must survey the disk. */
const COMMITS_BETWEEN_OPENINGS = 7;
const NAMED = 2;
const FAR_LEAVES = 12;
const FAR = 65_536;

/** A commit or compaction that returned. */
export type Acknowledgement =
  | { readonly kind: "commit" }
  | { readonly kind: "compaction"; readonly packBytes: ReadonlyMap<string, number> };

/** Everything committed so far. */
export interface CompactionHistory {
  /** Content of each generation. */
  readonly digests: readonly string[];
  readonly dated: readonly DatedGeneration[];
  readonly packsRewritten: number;
  readonly packsRemoved: number;
  /** Most pages that an index had. */
  readonly pagesMax: number;
}

/** Returns the generations that must exist after `acknowledged` commits, while another may be running. */
export function requiredGenerations({ dated }: CompactionHistory, acknowledged: number): readonly number[] {
  const keptAfter = (commits: number): ReadonlySet<number> =>
    keptGenerations(dated.slice(0, commits), new Set([NAMED]), RETENTION);
  const next = keptAfter(acknowledged + 1);
  return [...keptAfter(acknowledged)].filter((generation) => next.has(generation));
}

/** Commits to, compacts and reopens a save, on one disk and then possibly on a copy of it. */
export class CompactionPlayer implements CompactionHistory {
  readonly digests: string[] = [];
  readonly dated: DatedGeneration[] = [];
  packsRewritten = 0;
  packsRemoved = 0;
  pagesMax = 0;
  readonly #world = new ModelWorld();
  #writer: SaveWriter | undefined;

  /** Makes `commits` further commits. Calls `acknowledge` after each commit and compaction. */
  async play(disk: Disk, commits: number, acknowledge: (what: Acknowledgement) => void): Promise<void> {
    for (let count = 0; count < commits; count++) {
      const generation = this.digests.length;
      await this.#commit(disk, generation);
      acknowledge({ kind: "commit" });
      if (generation % COMMITS_BETWEEN_COMPACTIONS !== COMMITS_BETWEEN_COMPACTIONS - 1) continue;
      acknowledge({ kind: "compaction", packBytes: await this.#compact(disk) });
    }
    await this.close();
  }

  /** Closes the files. The player may continue on another disk. */
  async close(): Promise<void> {
    await this.#writer?.close();
    this.#writer = undefined;
  }

  async #commit(disk: Disk, generation: number): Promise<void> {
    change(this.#world, generation);
    const nowMs = generation * MINUTES_BETWEEN * 60_000;
    if (generation % COMMITS_BETWEEN_OPENINGS === 0) await this.close();
    if (generation === 0) {
      const first = await this.#world.takeChange(LeafIndex.of([]), nowMs);
      const made = { ...first, global: this.#world.global(), limits: LIMITS, retention: RETENTION };
      this.#writer = await createSave(disk, made);
    } else {
      this.#writer ??= await openWriter(disk);
      const next = await this.#world.takeChange(this.#writer.state.index, nowMs);
      await (await this.#writer.commit(next)).close();
    }
    this.digests.push(this.#world.digest());
    this.dated.push({ generation, atMs: nowMs });
  }

  /** Compacts, and returns the sizes of the packs up to the active one. */
  async #compact(disk: Disk): Promise<ReadonlyMap<string, number>> {
    const writer = this.#writer as SaveWriter;
    this.pagesMax = Math.max(this.pagesMax, (await writer.state.index.pageFiles()).length);
    const report = await compactAll(writer);
    this.packsRewritten += report.packsRewritten;
    this.packsRemoved += report.packsRemoved;
    return packBytesOf(disk, writer.state.manifest.activeDataFileId);
  }
}

/** Compacts everything that can be compacted. */
export function compactAll(writer: SaveWriter): ReturnType<SaveWriter["compact"]> {
  return writer.compact({ force: true, pause: async () => undefined });
}

/** Resumes the save on a disk. */
export async function openWriter(disk: Disk): Promise<SaveWriter> {
  const save = await openSave(disk);
  try {
    return await resumeSave(disk, save, { retention: RETENTION });
  } finally {
    await save.close();
  }
}

/** Changes some positions always, some sometimes and one only once: records die at once, later or never. */
function change(world: ModelWorld, generation: number): void {
  world.setName(`commit ${generation}`, [NAMED]);
  for (let x = 0; x < 6; x++) world.setChunk([x, 0, 0, 0], 10 + generation + x);
  if (generation % 4 === 0) world.setChunk([1_000_000, 0, 0, 0], generation + 1);
  if (generation === 1) world.setChunk([0, 1_000_000, 0, 0], 1);
  world.setChunk([-1_000_000 * (1 + (generation % 3)), 0, 0, 0], generation + 2);
  world.setEntity(1n, [generation * 40, 0, 0, 0]);
  if (generation % 3 === 0) world.setKey("some", generation + 1);
  // Leaves too far apart to merge, so that the index has pages.
  if (generation === 0) for (let far = 1; far <= FAR_LEAVES; far++) world.setChunk([0, 0, far * FAR, 0], far);
  world.setChunk([0, 0, (1 + (generation % FAR_LEAVES)) * FAR, 0], generation);
}

/** Returns the sizes of the packs up to `lastId`. */
async function packBytesOf(disk: Disk, lastId: number): Promise<ReadonlyMap<string, number>> {
  const bytes = new Map<string, number>();
  for (const { name } of await disk.list("data")) {
    if (packIdOf(name) > lastId) continue;
    const file = await disk.open(`data/${name}`, "read");
    bytes.set(name, await file.size());
    await file.close();
  }
  return bytes;
}

/** Returns the id in the file name of a pack. */
export function packIdOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0]);
}
