import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isWhole } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import { openSave, verifySave } from "@orthant/save";
import { Prng } from "@orthant/testkit";
import { openWorld } from "@orthant/world";
import { StepModel } from "./backup/step-model.ts";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { WriterProcess } from "./process/writer-process.ts";

const PROGRAM = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
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
    await run(process.execPath, [PROGRAM, "backup", join(folder, "world"), backup]);
    const latest = latestNow();
    await run(process.execPath, [PROGRAM, "restore", backup, restored]);
    const disk = new NodeDisk(restored);
    const findings = await verifySave(disk);
    if (!isWhole(findings)) return `not whole: ${findings[0]?.file}: ${findings[0]?.message}`;
    // The first opening saves the changes in the journal.
    await (await openWorld(disk, { autosave: false })).close();
    const save = await openSave(disk);
    try {
      const step = await model.stepIn(save);
      if (step < acknowledged || step > latest)
        return `step ${step}, where ${acknowledged} to ${latest} may be`;
      return await model.faultIn(save, step);
    } finally {
      await save.close();
    }
  } finally {
    await rm(backup, { recursive: true, force: true });
    await rm(restored, { recursive: true, force: true });
  }
}
