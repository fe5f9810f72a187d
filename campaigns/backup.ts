import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { chunkOfVoxel, PositionMap, voxelIndex } from "@orthant/core/lattice";
import { isWhole } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import { openSave, type Save, verifySave } from "@orthant/save";
import { Prng } from "@orthant/testkit";
import { orthantCommand } from "@orthant/testkit/process";
import { openWorldEngine } from "@orthant/world/engine";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { WriterProcess } from "./process/writer-process.ts";
import { stepOf } from "./process/written-world.ts";

const ORTHANT = orthantCommand();
const BACKUPS = 100;
/**
 * Backups before a fresh world replaces the old one, so that small worlds are copied too. A world with a
 * journal grows fast, because its writer does not wait for saves.
 */
const BACKUPS_PER_WORLD = { snapshot: 20, journal: 3 } as const;
const PAUSE_MS_MAX = 300;
/** Most steps that a writer may have made durable but whose acknowledgement has not arrived here. */
const STEPS_UNSAID_MAX = { snapshot: 8, journal: 100_000 } as const;

const run = promisify(execFile);

/** Runs `orthant backup` on a world that another process edits and saves as fast as it can. */
export const backupCampaign: Campaign = {
  name: "backup",
  summary:
    "orthant backup and restore of a world while a process edits it; each copy is a state that it had, whole",
  goal: BACKUPS,
  unit: "copies",
  async run(options) {
    const failures: string[] = [];
    const prng = new Prng(options.seed);
    let backups = 0;
    let disturbed = 0;
    let worlds = 0;
    while (goesOn(backups, options) && failures.length < FAILURES_MAX) {
      const folder = await mkdtemp(join(tmpdir(), "orthant-backup-"));
      const world = join(folder, "world");
      const durability = worlds++ % 2 === 0 ? "journal" : "snapshot";
      const writer = new WriterProcess(world, durability);
      const model = new StepModel();
      while (writer.acknowledged === 0 && writer.complaints === "") await delay(1);
      for (let number = 0; number < BACKUPS_PER_WORLD[durability] && goesOn(backups, options); number++) {
        await delay(prng.below(PAUSE_MS_MAX));
        const before = writer.acknowledged;
        const latest = (): number => writer.acknowledged + STEPS_UNSAID_MAX[durability];
        const fault = await copyAndCheck(folder, model, before, latest).catch(String);
        if (fault !== undefined) failures.push(`backup ${backups}: ${fault}`);
        if (writer.acknowledged > before) disturbed++;
        backups++;
        options.progress(backups);
      }
      await writer.kill();
      if (writer.complaints !== "") failures.push(`the writer failed: ${writer.complaints}`);
      await rm(folder, { recursive: true });
    }
    // Copying while the writer is idle would prove nothing.
    if (disturbed * 2 < backups)
      failures.push(`only ${disturbed} of ${backups} backups saw a commit meanwhile`);
    console.log(`backup: ${disturbed} of ${backups} copies were made while the world was saved`);
    return { cases: backups, failures };
  },
};

async function copyAndCheck(
  folder: string,
  model: StepModel,
  acknowledged: number,
  latestNow: () => number,
): Promise<string | undefined> {
  const [backup, restored] = [join(folder, "backup"), join(folder, "restored")];
  try {
    await run(process.execPath, [ORTHANT, "backup", join(folder, "world"), backup]);
    const latest = latestNow();
    await run(process.execPath, [ORTHANT, "restore", backup, restored]);
    const disk = new NodeDisk(restored);
    const findings = await verifySave(disk);
    if (!isWhole(findings)) return `not whole: ${findings[0]?.file}: ${findings[0]?.message}`;
    // The first opening saves the changes in the journal.
    await (await openWorldEngine(disk, { autosave: false })).close();
    const save = await openSave(disk);
    try {
      const step = await model.stepIn(save);
      if (step < acknowledged || step > latest) return `step ${step}, expected ${acknowledged} to ${latest}`;
      return await model.faultIn(save, step);
    } finally {
      await save.close();
    }
  } finally {
    await rm(backup, { recursive: true, force: true });
    await rm(restored, { recursive: true, force: true });
  }
}

const SHAPE = HYPERCUBE_CHUNKS;

/** Model of all voxels that the writer has set after each of its steps. Steps only go forward. */
class StepModel {
  /** Blocks by voxel index, for each chunk that has any. */
  readonly #chunks = new PositionMap<Map<number, number>>();
  #step = 0;

  /** Returns the step that a save holds, by its counter. */
  async stepIn(save: Save): Promise<number> {
    const origin: Position = [0, 0, 0, 0];
    for await (const leaf of save.index.all()) {
      for (const { position, chunk } of await save.readChunks(leaf)) {
        if (position.every((at, axis) => at === origin[axis])) return chunk.get(1) * 0x1_0000 + chunk.get(0);
      }
    }
    return 0;
  }

  /** Describes how a save differs from exactly the steps up to `step`; `undefined` when it does not. */
  async faultIn(save: Save, step: number): Promise<string | undefined> {
    this.#advance(step);
    let chunks = 0;
    for await (const leaf of save.index.all()) {
      for (const { position, chunk } of await save.readChunks(leaf)) {
        chunks++;
        const expected = this.#chunks.get(...position);
        const voxels = chunk.voxels();
        let differing = 0;
        for (let cell = 0; cell < voxels.length; cell++) {
          if (voxels[cell] !== (expected?.get(cell) ?? 0)) differing++;
        }
        if (differing > 0)
          return `after step ${step}, chunk [${position}] has ${differing} voxels of another step`;
      }
    }
    return chunks === this.#chunks.size
      ? undefined
      : `after step ${step} there are ${chunks} chunks, not ${this.#chunks.size}`;
  }

  #advance(step: number): void {
    if (step < this.#step) throw new Error(`step ${step} after ${this.#step}`);
    while (this.#step < step) {
      this.#step++;
      for (const { voxel, block } of stepOf(this.#step)) {
        const position = chunkOfVoxel(SHAPE, voxel);
        const cells = this.#chunks.get(...position) ?? new Map<number, number>();
        this.#chunks.set(...position, cells);
        cells.set(voxelIndex(SHAPE, ...voxel), block ?? 0);
      }
    }
  }
}
