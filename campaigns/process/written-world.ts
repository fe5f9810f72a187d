import { readdir } from "node:fs/promises";
import { isOrthantError, type Position } from "@orthant/core";
import type { VoxelPlacement } from "@orthant/core/tree";
import { TEMPORARY_SUFFIX } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";

/** Number of newest steps to check after a crash. */
const STEPS_CHECKED = 200;
const SPREAD = 512;
const COUNTER_LOW: Position = [0, 0, 0, 0];
const COUNTER_HIGH: Position = [1, 0, 0, 0];

/** Returns the edits of one step: some voxels that follow from its number, and the counter. */
export function stepOf(step: number): readonly VoxelPlacement[] {
  return [
    ...Array.from({ length: 8 }, (_, index) => ({
      voxel: positionOf(step, index),
      block: blockOf(step),
    })),
    { voxel: COUNTER_LOW, block: step & 0xffff },
    { voxel: COUNTER_HIGH, block: step >>> 16 },
  ];
}

/** Returns the last step that a world holds. */
export async function lastStep(world: WorldEngine): Promise<number> {
  return (await world.get(COUNTER_HIGH)) * 0x1_0000 + (await world.get(COUNTER_LOW));
}

/** Describes how the world in a folder violates its acknowledged steps; `undefined` when it does not. */
export async function faultIn(folder: string, acknowledged: number): Promise<string | undefined> {
  try {
    const world = await openWorldEngine(new NodeDisk(folder), { autosave: false });
    const fault = await faultOf(world, acknowledged);
    await world.close();
    return fault;
  } catch (error) {
    // Only a process that died before its first save, and so acknowledged nothing, may leave no world.
    return acknowledged === 0 && isOrthantError(error, "ORT_NOT_FOUND") ? undefined : String(error);
  }
}

/** Describes temporary files of killed writers that another one does not remove when it saves; `undefined` if none. */
export async function leftoversIn(folder: string): Promise<string | undefined> {
  const world = await openWorldEngine(new NodeDisk(folder), { autosave: false });
  await world.set([0, 0, 0, 1], 1 + (await world.get([0, 0, 0, 1])));
  await world.save();
  await world.close();
  const names = await readdir(folder, { recursive: true });
  const left = names.filter((name) => name.endsWith(TEMPORARY_SUFFIX));
  return left.length === 0 ? undefined : `${left.join(", ")} left after a save`;
}

/** Describes how a world violates its acknowledged steps; `undefined` when it does not. */
async function faultOf(world: WorldEngine, acknowledged: number): Promise<string | undefined> {
  const last = await lastStep(world);
  if (last < acknowledged) return `step ${acknowledged} was acknowledged, but the world ends at ${last}`;
  const expected = new Map<string, readonly [position: Position, block: number]>();
  for (let step = Math.max(1, last - STEPS_CHECKED); step <= last; step++) {
    for (const { voxel, block } of stepOf(step)) expected.set(voxel.join(), [voxel, block ?? 0]);
  }
  for (const [position, block] of expected.values()) {
    const found = await world.get(position);
    if (found !== block) return `at step ${last}, [${position}] is ${found}, not ${block}`;
  }
  return undefined;
}

function positionOf(step: number, index: number): Position {
  const mixed = Math.imul(step * 8 + index, 0x9e37_79b1) >>> 0;
  const spread = (shift: number): number => ((mixed >>> shift) % SPREAD) - SPREAD / 2;
  // Above the counter, so that no step overwrites it.
  return [spread(0), 8 + (mixed % 64), spread(7), spread(14)];
}

function blockOf(step: number): number {
  return 1 + (step % 60_000);
}
