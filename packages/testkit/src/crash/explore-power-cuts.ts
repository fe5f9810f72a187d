import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { Prng } from "../prng.ts";
import type { CrashDisk } from "./crash-disk.ts";
import { CRASH_MODELS, type CrashModel } from "./crash-model.ts";
import { CrashTimeline } from "./crash-timeline.ts";
import { type DiskOperation, describeLog } from "./operation.ts";
import { selections } from "./selections.ts";

/** A disk as a power cut left it. */
export interface Survivor {
  readonly disk: MemoryDisk;
  readonly model: string;
  /** How many operations of the log had been made when the power went. */
  readonly cutAt: number;
}

/** How widely to look. */
export interface PowerCutOptions {
  readonly models?: readonly CrashModel[];
  /** Most disks to try for each model at each operation; fewer where fewer are possible. */
  readonly disksPerCut: number;
  readonly seed: number;
}

/** What was looked at. */
export interface PowerCutReport {
  readonly cuts: number;
  readonly disks: number;
}

/**
 * Cuts the power before every operation of the recorded log and after the last one, builds the disks that each
 * model allows, and hands each to `check`. A check that throws ends the run with an error that names model,
 * cut and seed and shows the log.
 */
export async function explorePowerCuts(
  { start, log }: Pick<CrashDisk, "start" | "log">,
  { models = CRASH_MODELS, disksPerCut, seed }: PowerCutOptions,
  check: (survivor: Survivor) => Promise<void>,
): Promise<PowerCutReport> {
  let disks = 0;
  for (const model of models) {
    const timeline = new CrashTimeline(start, model);
    for (let cutAt = 0; cutAt <= log.length; cutAt++) {
      // A seed for each cut: a failure can be repeated without all that came before it.
      const prng = new Prng(seed + cutAt);
      const pending = timeline.pending();
      for (const selection of selections(pending, model, prng, disksPerCut)) {
        const image = timeline.image(pending, selection);
        await checkSurvivor(
          { disk: new MemoryDisk(image), model: model.name, cutAt },
          check,
          image,
          seed,
          log,
        );
        disks++;
      }
      const operation = log[cutAt];
      if (operation !== undefined) timeline.advance(operation);
    }
  }
  return { cuts: (log.length + 1) * models.length, disks };
}

async function checkSurvivor(
  survivor: Survivor,
  check: (survivor: Survivor) => Promise<void>,
  image: DiskImage,
  seed: number,
  log: readonly DiskOperation[],
): Promise<void> {
  try {
    await check(survivor);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const files = Array.from(image.files, ([path, bytes]) => `${path} (${bytes.length} bytes)`).join(", ");
    throw new Error(
      `${reason}\nmodel ${survivor.model}, cut at ${survivor.cutAt}, seed ${seed}; left: ${files}\n` +
        describeLog(log, survivor.cutAt),
      { cause },
    );
  }
}
