import type { Position } from "@orthant/core";
import { nextTurn } from "@orthant/core/time";
import { type DiskLock, MemoryDisk } from "@orthant/disk";
import { FakeTime } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";

const CHUNKS = 2_000;
/** Minimum number of turns that the loop gets while these chunks are collected. */
const TURNS_MIN = 5;

/** A disk that reports checks of its lock. A commit checks it after collecting its changes. */
class WatchedDisk extends MemoryDisk {
  onLockCheck: () => void = () => undefined;

  override async lock(path: string): Promise<DiskLock> {
    const lock = await super.lock(path);
    return {
      ...lock,
      requireHeld: () => {
        this.onLockCheck();
        return lock.requireHeld();
      },
    };
  }
}

const voxelOf = (chunk: number): Position => [chunk * 8, 0, 0, 0];

test("a save holds the world of one moment, although edits continue while it collects its chunks", async () => {
  const disk = new WatchedDisk();
  const world = await createWorldEngine(disk, {}, { time: new FakeTime(), autosave: false });
  await world.edit(Array.from({ length: CHUNKS }, (_, chunk) => ({ voxel: voxelOf(chunk), block: 1 })));
  let isCollecting = true;
  disk.onLockCheck = () => {
    isCollecting = false;
  };
  const saving = world.save();
  const edited: Position[] = [];
  let edits = 0;
  for (; isCollecting; edits++) {
    await nextTurn();
    // From both ends, so that chunks change before and after they were collected.
    const both = [voxelOf(edits), voxelOf(CHUNKS - 1 - edits)];
    await world.edit(both.map((voxel) => ({ voxel, block: 2 })));
    edited.push(...both);
    world.entities.spawn({ kind: edits, position: [0, 0, 0, 0] });
  }
  expect(edits).toBeGreaterThan(TURNS_MIN);
  await saving;
  const saved = await openWorldEngine(new MemoryDisk(disk.image()), { readOnly: true });
  for (const voxel of edited) expect(await saved.get(voxel)).toBe(1);
  expect(await saved.entities.in({ min: [-9, -9, -9, -9], max: [9, 9, 9, 9] })).toEqual([]);
  await saved.close();
  await world.close();
  const later = await openWorldEngine(new MemoryDisk(disk.image()), { readOnly: true });
  for (const voxel of edited) expect(await later.get(voxel)).toBe(2);
  expect(await later.entities.in({ min: [-9, -9, -9, -9], max: [9, 9, 9, 9] })).toHaveLength(edits);
  await later.close();
});
