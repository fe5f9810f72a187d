import type { Dimensions } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { CrashDisk, explorePowerCuts, type PowerCutOptions, type PowerCutReport } from "@orthant/testkit";
import { openWorld } from "@orthant/world";
import { contentOf, OperatedWorld, QUIET } from "./operated-world.ts";

/** Operations between which the power is cut. */
const CUT_OPERATIONS = 8;

/** Operations that are done while voxels on which they depend are edited. */
const DEPENDENT_OPERATIONS = 40;

type OperationsDurability = "journal" | "snapshot";

/** Plays operations in a world and in its model. Returns the first difference, if any. */
export async function faultOfOperations(seed: number, steps: number): Promise<string | undefined> {
  const dimensions = (2 + (seed % 3)) as Dimensions;
  const world = await OperatedWorld.create(new MemoryDisk(), dimensions, seed);
  try {
    const fault = await world.play(steps);
    return fault && `seed ${seed}, ${dimensions}D: ${fault}`;
  } finally {
    await world.close();
  }
}

/** Cuts the power at every write of a few operations. Throws unless each survivor has some of them, each as a whole. */
export async function cutPowerInOperations(
  durability: OperationsDurability,
  seed: number,
  options: PowerCutOptions,
): Promise<PowerCutReport> {
  const recorder = new CrashDisk();
  const world = await OperatedWorld.create(recorder, 2, seed, { durability });
  await world.save();
  const done = [{ at: recorder.log.length, content: await world.content() }];
  for (let step = 0; step < CUT_OPERATIONS; step++) {
    await world.operate();
    if (durability === "snapshot" || step % 3 === 2) await world.save();
    done.push({ at: recorder.log.length, content: await world.content() });
  }
  await world.close();
  const promisedAt = (cutAt: number): number => done.filter(({ at }) => at <= cutAt).length - 1;
  return explorePowerCuts(
    recorder,
    options,
    async ({ disk, cutAt }) => {
      const promised = promisedAt(cutAt);
      const survivor = await openWorld(disk, { ...QUIET, durability }).catch((error: unknown) => {
        if (promised < 0) return undefined;
        throw error;
      });
      if (survivor === undefined) return;
      const content = await contentOf(survivor);
      await survivor.close();
      const found = done.some((state, index) => index >= promised && state.content === content);
      if (!found && promised >= 0)
        throw new Error(`after ${promised} operations: a part of one, or none of them`);
      if (!isWhole(await verifySave(disk))) throw new Error("the save is not whole");
    },
    (cutAt) => `${durability} ${promisedAt(cutAt)}`,
  );
}

async function faultOfDependence(seed: number): Promise<string | undefined> {
  const world = await OperatedWorld.create(new MemoryDisk(), 3, seed);
  try {
    return await world.playDependent(DEPENDENT_OPERATIONS);
  } finally {
    await world.close();
  }
}

/** Plays operations and power cuts. Returns the first fault, if any. */
export async function faultOfOperatedWorlds(seed: number): Promise<string | undefined> {
  const fault = (await faultOfDependence(seed)) ?? (await faultOfOperations(seed, 60));
  if (fault !== undefined) return fault;
  try {
    for (const durability of ["journal", "snapshot"] as const)
      await cutPowerInOperations(durability, seed, { disksPerCut: 2, seed });
    return undefined;
  } catch (error) {
    return String(error);
  }
}
