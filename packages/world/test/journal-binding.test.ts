import type { Position } from "@orthant/core";
import { encodeUtf8 } from "@orthant/core/bytes";
import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { copyGeneration, openSave, verifySave } from "@orthant/save";
import {
  finishGroup,
  groupHeader,
  type SegmentKey,
  segmentFile,
  segmentHeader,
} from "@orthant/save/internal";
import { codeOfRejection, FakeTime } from "@orthant/testkit";
import { createWorldEngine, type EngineOptions, openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SlowDisk } from "./slow-disk.ts";

const quiet: EngineOptions = { time: new FakeTime(), autosave: false };
const journaled: EngineOptions = { ...quiet, durability: "journal" };
const ORIGIN: Position = [0, 0, 0, 0];
const SEGMENT = segmentFile({ generation: 1, epoch: 1 });
const NEXT = segmentFile({ generation: 2, epoch: 1 });

/** Returns the disk of a world whose process was killed after an edit that only the journal has. */
async function killedWorld(block: number): Promise<DiskImage> {
  const disk = new MemoryDisk();
  const world = await createWorldEngine(disk, {}, journaled);
  await world.set(ORIGIN, block);
  const image = disk.image();
  await world.close();
  return image;
}

function withFile(image: DiskImage, path: string, bytes: Uint8Array | undefined): MemoryDisk {
  const files = new Map(image.files);
  if (bytes === undefined) files.delete(path);
  else files.set(path, bytes);
  return new MemoryDisk({ ...image, files });
}

async function epochInManifest(disk: MemoryDisk): Promise<number | undefined> {
  const save = await openSave(disk);
  await save.close();
  return save.manifest.journalEpoch;
}

describe("a journal that belongs to its world", () => {
  test("[J22] [S96] has a segment from the beginning, which the manifest names", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    expect(disk.image().files.get(SEGMENT)?.length).toBeGreaterThanOrEqual(segmentHeader.bytes);
    expect(await epochInManifest(disk)).toBe(1);
    await world.set(ORIGIN, 1);
    await world.save();
    expect([...disk.image().files.keys()].filter((path) => path.startsWith("journal/"))).toEqual([NEXT]);
    expect(await epochInManifest(disk)).toBe(1);
    await world.close();
  });

  test.each<[name: string, change: (image: DiskImage) => Promise<MemoryDisk>]>([
    ["is missing", async (image) => withFile(image, SEGMENT, undefined)],
    ["is empty", async (image) => withFile(image, SEGMENT, new Uint8Array(0))],
    [
      "is that of another world",
      async (image) => withFile(image, SEGMENT, (await killedWorld(8)).files.get(SEGMENT)),
    ],
  ])(
    "[J22] is rejected with the file's name when its segment %s, and opens with damagedJournal: cut",
    async (_name, change) => {
      const disk = await change(await killedWorld(7));
      const [finding] = (await verifySave(disk)).filter(({ severity }) => severity === "damage");
      expect([finding?.code, finding?.file]).toEqual(["ORT_JOURNAL", SEGMENT]);
      for (const options of [
        quiet,
        journaled,
        { ...quiet, readOnly: true, damagedJournal: "refuse" } as const,
      ]) {
        expect(await codeOfRejection(openWorldEngine(disk, options))).toBe("ORT_JOURNAL");
      }
      expect(await codeOfRejection(copyGeneration(disk, new MemoryDisk()))).toBe("ORT_JOURNAL");
      const cut = await openWorldEngine(disk, { ...quiet, damagedJournal: "cut" });
      expect(await cut.get(ORIGIN)).toBe(0);
      await cut.close();
      // What was cut off is not reported as missing a second time.
      const again = await openWorldEngine(disk, journaled);
      await again.close();
      expect(isWhole(await verifySave(disk))).toBe(true);
    },
  );

  test("[J23] is rejected when the segment written during a save is missing", async () => {
    const disk = new MemoryDisk();
    const slow = new SlowDisk(disk);
    const world = await createWorldEngine(slow, {}, journaled);
    await world.set(ORIGIN, 1);
    const sync = slow.holdNext("sync", /^data\//);
    const saving = world.save();
    await sync.reached;
    await world.set(ORIGIN, 2);
    const image = disk.image();
    sync.release();
    await saving;
    await world.close();
    const whole = await openWorldEngine(new MemoryDisk(image), quiet);
    expect(await whole.get(ORIGIN)).toBe(2);
    await whole.close();
    for (const path of [SEGMENT, NEXT]) {
      expect(await codeOfRejection(openWorldEngine(withFile(image, path, undefined), quiet))).toBe(
        "ORT_JOURNAL",
      );
    }
  });

  test("[J24] is not needed after the world was closed", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    await world.set(ORIGIN, 1);
    await world.close();
    expect(await epochInManifest(disk)).toBeUndefined();
    const { directories, files } = disk.image();
    expect([...files.keys()].filter((path) => path.startsWith("journal/"))).toEqual([]);
    const moved = new MemoryDisk({ directories: directories.filter((path) => path !== "journal"), files });
    const again = await openWorldEngine(moved, quiet);
    expect(await again.get(ORIGIN)).toBe(1);
    await again.set(ORIGIN, 2);
    await again.close();
    expect(isWhole(await verifySave(moved))).toBe(true);
  });

  test("[J22] is not expected by a world that continues without one", async () => {
    const disk = new MemoryDisk(await killedWorld(7));
    const world = await openWorldEngine(disk, quiet);
    expect(await epochInManifest(disk)).toBeUndefined();
    await world.set(ORIGIN, 2);
    await world.close();
    expect(await epochInManifest(disk)).toBeUndefined();
  });

  test("[J19] is copied with the live generation, but not with one selected by number", async () => {
    const disk = new MemoryDisk(await killedWorld(7));
    const live = new MemoryDisk();
    expect((await copyGeneration(disk, live)).changes).toBe(1);
    expect(await epochInManifest(live)).toBe(1);
    const named = new MemoryDisk();
    await copyGeneration(disk, named, { generation: 1 });
    expect(await epochInManifest(named)).toBeUndefined();
    for (const [copy, expected] of [
      [live, 7],
      [named, 0],
    ] as const) {
      const world = await openWorldEngine(copy, quiet);
      expect(await world.get(ORIGIN)).toBe(expected);
      await world.close();
    }
  });

  test("[J1] takes another epoch when a session that never committed left a segment of the next one", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet);
    await world.close();
    const image = disk.image();
    const left = new MemoryDisk({ directories: [...image.directories, "journal"], files: image.files });
    const other = (await killedWorld(9)).files.get(SEGMENT) as Uint8Array;
    const file = await left.open(SEGMENT, "create");
    await file.append(other);
    await file.close();
    const found = await openWorldEngine(left, journaled);
    expect((await found.openEpoch()).number).toBe(2);
    expect([...left.image().files.keys()].filter((path) => path.startsWith("journal/"))).toEqual([
      segmentFile({ generation: 1, epoch: 2 }),
    ]);
    await found.set(ORIGIN, 3);
    const after = await openWorldEngine(new MemoryDisk(left.image()), quiet);
    expect(await after.get(ORIGIN)).toBe(3);
    await after.close();
    await found.close();
  });
});

describe("a player's name in a torn group", () => {
  /** Returns a name of 27 characters that would be a group without the secret, as clients may send it. */
  function nameLikeGroup(key: SegmentKey, sequence: number): string {
    for (let number = 0; ; number++) {
      const payload = encodeUtf8(String(number).padStart(7, "0"));
      const group = new Uint8Array(groupHeader.bytes + payload.length);
      group.set(payload, groupHeader.bytes);
      finishGroup(group, sequence, key);
      if (group.every((byte) => byte < 0x80)) return new TextDecoder().decode(group);
    }
  }

  test("[J4] [J6] does not keep the world from opening, while a corrupt group still does", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    // All of it is in the welcome, or easily guessed.
    const { number, id } = await world.openEpoch();
    await world.set(ORIGIN, 1);
    const before = disk.image().files.get(SEGMENT) as Uint8Array;
    let end = before.length;
    while (before[end - 1] === 0) end--;
    world.upsertPlayer({
      playerId: 5n,
      name: nameLikeGroup({ generation: 1, epoch: number, epochId: id }, 2),
    });
    await world.whenDurable();
    const image = disk.image();
    const whole = image.files.get(SEGMENT) as Uint8Array;
    const torn = whole.slice();
    torn.fill(0, end, end + 8);
    const found = await openWorldEngine(withFile(image, SEGMENT, torn), quiet);
    expect(await found.get(ORIGIN)).toBe(1);
    expect(found.player(5n)).toBeUndefined();
    await found.close();
    const rotten = whole.slice();
    rotten[segmentHeader.bytes + groupHeader.bytes] =
      (rotten[segmentHeader.bytes + groupHeader.bytes] ?? 0) ^ 1;
    expect(await codeOfRejection(openWorldEngine(withFile(image, SEGMENT, rotten), quiet))).toBe(
      "ORT_JOURNAL",
    );
    await world.close();
  });
});
