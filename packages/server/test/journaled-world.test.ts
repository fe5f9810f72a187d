import { GatedDisk, MemoryDisk } from "@orthant/disk";
import { syncWorldOf } from "@orthant/server";
import { describe, expect, test } from "vitest";
import { flatWorld } from "./served-world.ts";

/** A disk that delays the syncs of its journal until the test releases them. */
class HeldJournalDisk extends GatedDisk {
  readonly #waiting: (() => void)[] = [];
  isHeld = false;

  constructor() {
    super(new MemoryDisk(), async ({ operation, path }, happen) => {
      const isSync = operation === "sync" || operation === "writeDurably";
      if (this.isHeld && isSync && path.startsWith("journal/")) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      return happen();
    });
  }

  release(): void {
    this.isHeld = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

describe("a sync world with a journal", () => {
  test("applies edits without waiting for the disk, and reports later when they are durable", async () => {
    const disk = new HeldJournalDisk();
    const syncWorld = await syncWorldOf(await flatWorld(disk, { durability: "journal" }));
    const received: number[] = [];
    syncWorld.onEdit((clocks) => received.push(clocks.length));
    disk.isHeld = true;
    for (let editId = 1; editId <= 3; editId++) {
      const edit = { kind: "voxels", placements: [{ voxel: [editId, 20, 0, 0], block: 5 }] } as const;
      expect((await syncWorld.edit(edit, { clientId: 1n, editId })).status).toBe("applied");
    }
    expect(received).toEqual([1, 1, 1]);
    expect(syncWorld.lastEditOf(1n)).toBe(3);
    let durable = false;
    const waiting = syncWorld.whenDurable().then(() => {
      durable = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(durable).toBe(false);
    disk.release();
    await waiting;
  });
});
