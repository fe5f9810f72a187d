import { MemoryDisk } from "@orthant/disk";
import { CrashDisk, explorePowerCuts, type PowerCutOptions, type PowerCutReport } from "@orthant/testkit";
import { openPoured, type PouredDurability, simulatePoured } from "./poured-water.ts";
import { runUndisturbed, StepContent, type UndisturbedRun } from "./step-content.ts";

/** Steps before the power is cut for the first time, so that water flows. */
const STEPS_BEFORE = 18;
/** Steps that a survivor makes. */
const STEPS_AFTER = 2;

/** Returns the number of steps that an undisturbed run must have to be compared with `steps` steps with power cuts. */
function undisturbedSteps(steps: number): number {
  return STEPS_BEFORE + steps + STEPS_AFTER;
}

/**
 * Makes some steps of a world and cuts the power at every operation of the disk. Throws unless each survivor is at a step
 * that was reached, has the content of the undisturbed run, keeps what was durable, and goes on like it.
 */
export async function cutPowerInSteps(
  { durability, steps }: { readonly durability: PouredDurability; readonly steps: number },
  { digests }: UndisturbedRun,
  options: PowerCutOptions,
): Promise<PowerCutReport> {
  const { recorder, durableAt, seenAt } = await recordSteps(durability, steps);
  const promisedAt = (cutAt: number): number =>
    durableAt.filter(({ at }) => at <= cutAt).at(-1)?.step ?? STEPS_BEFORE;
  return explorePowerCuts(
    recorder,
    options,
    async ({ disk, cutAt }) => {
      const world = await openPoured(disk, { durability, isNew: false });
      const found = world.engine.steps.last;
      const simulation = await simulatePoured(world, (step) => {
        const { last } = world.engine.steps;
        if (new StepContent(world, step).digest !== digests[last])
          throw new Error(`step ${last} is not as it was without a power cut`);
      });
      // Steps that changed nothing are not stored.
      const isLost = found < promisedAt(cutAt) && digests[found] !== digests[promisedAt(cutAt)];
      if (isLost || found > STEPS_BEFORE + steps)
        throw new Error(`the world is at step ${found}, and ${promisedAt(cutAt)} was durable`);
      const seen = seenAt.filter(({ at }) => at <= cutAt).at(-1)?.number ?? STEPS_BEFORE;
      if (simulation.step < seen) throw new Error(`step ${simulation.step + 1} comes again, up to ${seen}`);
      await simulation.advance(1 + STEPS_AFTER);
      await world.close();
    },
    (cutAt) => `${durability} ${promisedAt(cutAt)}`,
  );
}

interface RecordedSteps {
  readonly recorder: CrashDisk;
  /** For each step that became durable, the number of operations by then. */
  readonly durableAt: readonly { readonly at: number; readonly step: number }[];
  /** For each step that systems saw, the number of operations by then. */
  readonly seenAt: readonly { readonly at: number; readonly number: number }[];
}

async function recordSteps(durability: PouredDurability, steps: number): Promise<RecordedSteps> {
  const disk = new MemoryDisk();
  const before = await openPoured(disk, { durability, isNew: true });
  await (await simulatePoured(before, () => undefined)).advance(STEPS_BEFORE);
  await before.close();
  const recorder = new CrashDisk(disk.image());
  const world = await openPoured(recorder, { durability, isNew: false });
  const seenAt: { readonly at: number; readonly number: number }[] = [];
  const simulation = await simulatePoured(world, ({ number }) => {
    seenAt.push({ at: recorder.log.length, number });
  });
  const durableAt: { readonly at: number; readonly step: number }[] = [];
  for (let made = 1; made <= steps; made++) {
    await simulation.advance();
    const { step } = simulation;
    const isSaved = durability === "snapshot" ? made % 2 === 0 : made === Math.ceil(steps / 2);
    const saving = isSaved ? world.save() : undefined;
    // A step that is made during a save belongs to the next one.
    if (saving !== undefined && made++ < steps) await simulation.advance();
    await saving;
    if (durability === "journal") await world.whenDurable();
    else if (saving === undefined) continue;
    durableAt.push({ at: recorder.log.length, step: durability === "journal" ? simulation.step : step });
  }
  await world.close();
  return { recorder, durableAt, seenAt };
}

/** Plays power cuts, on worlds with and without a journal. Returns the fault, if any. */
export async function faultOfPowerCuts(seed: number, steps: number): Promise<string | undefined> {
  const undisturbed = await runUndisturbed(undisturbedSteps(steps));
  try {
    for (const durability of ["journal", "snapshot"] as const)
      await cutPowerInSteps({ durability, steps }, undisturbed, { disksPerCut: 1, seed });
    return undefined;
  } catch (error) {
    return String(error);
  }
}
