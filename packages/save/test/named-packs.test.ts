import { encodeUtf8 } from "@orthant/core/bytes";
import { type Disk, GatedDisk, MemoryDisk } from "@orthant/disk";
import {
  applyRepair,
  copyGeneration,
  createSave,
  openSave,
  planRepair,
  resumeSave,
  verifySave,
} from "@orthant/save";
import { type Manifest, packFile } from "@orthant/save/files";
import { decodeManifest, encodeManifest } from "@orthant/save/internal";
import { codeOfRejection, FaultDisk } from "@orthant/testkit";
import {
  chunksOf,
  entryAt,
  GLOBAL,
  pagedWorld,
  replaceFile,
  smallWorld,
  TIGHT_LIMITS,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";
import { AT_ONCE, change, fileOf, numbersOf, packNames, worldOf } from "./compacted-worlds.ts";

/** The world keeps generation 1, which has a name, and the last two, in three packs of 1,024 bytes. */
const COMMITS = 66;
const FAR_CELL = { min: [65_536, 0, 0, 0], max: [131_072, 65_536, 65_536, 65_536] } as const;

/** Decodes the manifest of a save. */
function manifestOf(disk: MemoryDisk): Manifest {
  return decodeManifest(fileOf(disk, "manifest.json")).manifest;
}

/** Returns the list of packs as written in a manifest. */
function namedOf(disk: MemoryDisk): unknown {
  return JSON.parse(new TextDecoder().decode(fileOf(disk, "manifest.json")))["data_files"];
}

/** Changes the content of a manifest. */
async function rewriteManifest(disk: MemoryDisk, change: (manifest: Manifest) => Manifest): Promise<void> {
  await replaceFile(disk, "manifest.json", encodeManifest(change(manifestOf(disk))));
}

/** Returns the manifest as an older program would have written it. */
function withoutList({ dataFiles: _dataFiles, ...manifest }: Manifest): Manifest {
  return manifest;
}

async function messageOf(failing: () => Promise<unknown>): Promise<string> {
  return failing().then(
    () => "no error",
    (error: unknown) => String(error),
  );
}

/** A world whose pack 1 only generation 1 needs, and whose pack 3 the last two need. */
async function closedWorld(): Promise<MemoryDisk> {
  const { disk, writer } = await worldOf(COMMITS);
  await writer.close();
  expect(await packNames(disk)).toEqual(["dt-000001.v4dt", "dt-000002.v4dt", "dt-000003.v4dt"]);
  return disk;
}

describe("the list of packs in a manifest", () => {
  test("[S101] is text with runs of ids as ranges", async () => {
    const { disk } = await smallWorld();
    for (const [dataFiles, text] of [
      [[], ""],
      [[{ first: 7, last: 7 }], "7"],
      [
        [
          { first: 1, last: 17 },
          { first: 19, last: 4_294_967_295 },
        ],
        "1-17,19-4294967295",
      ],
    ] as const) {
      await rewriteManifest(disk, (manifest) => ({ ...manifest, dataFiles }));
      expect(namedOf(disk)).toBe(text);
      expect(manifestOf(disk).dataFiles).toEqual(dataFiles);
    }
  });

  test.each([
    ["a number", 1],
    ["a list", [1]],
    ["an id of 0", "0"],
    ["an id past 2^32 - 1", "4294967296"],
    ["a descending list", "2,1"],
    ["an id twice", "1-3,3"],
    ["two ranges without a gap", "1-3,4"],
    ["a range of one", "1-1"],
    ["a range that descends", "3-1"],
    ["zeros in front", "01"],
    ["a space", "1, 3"],
    ["more than 32,768 characters", Array.from({ length: 10_000 }, (_, id) => 2 * id + 1).join()],
  ])("[S101] is refused with %s", async (_name, value) => {
    const { disk } = await smallWorld();
    const { manifest_crc32: _seal, ...json } = JSON.parse(
      new TextDecoder().decode(fileOf(disk, "manifest.json")),
    );
    const text = JSON.stringify({ ...json, data_files: value });
    expect(await codeOfRejection(() => decodeManifest(encodeUtf8(text)))).toBe("ORT_MANIFEST");
  });

  test("[S101] contains exactly the packs with records of any generation", async () => {
    const disk = new MemoryDisk();
    const writer = await createSave(disk, { nowMs: 1, global: GLOBAL, limits: TIGHT_LIMITS });
    expect(namedOf(disk), "a pack without records").toBe("");
    for (let number = 1; number <= COMMITS; number++) await (await writer.commit(change(number))).close();
    expect(namedOf(disk)).toBe("1-3");
    await writer.compact(AT_ONCE);
    expect(await packNames(disk), "the last one is begun and empty").toEqual([
      "dt-000003.v4dt",
      "dt-000004.v4dt",
    ]);
    expect(namedOf(disk)).toBe("3");
    await (await writer.commit({ nowMs: 100 })).close();
    expect(namedOf(disk), "still empty").toBe("3");
    await (await writer.commit(change(COMMITS + 1))).close();
    expect(namedOf(disk)).toBe("3-4");
    await writer.close();
    expect(await verifySave(disk)).toEqual([]);
  });

  test("[S101] is omitted when it is too long, and the save stays usable", async () => {
    const disk = await closedWorld();
    const dataFiles = Array.from({ length: 10_000 }, (_, id) => ({ first: 2 * id + 1, last: 2 * id + 1 }));
    await rewriteManifest(disk, (manifest) => ({ ...manifest, dataFiles }));
    expect(namedOf(disk)).toBe(undefined);
    expect(await numbersOf(disk, COMMITS)).toEqual([COMMITS]);
  });

  test("[S103] starts with the existing packs when an older program wrote the manifest", async () => {
    const disk = await closedWorld();
    await rewriteManifest(disk, withoutList);
    expect(await verifySave(disk)).toEqual([]);
    const save = await openSave(disk);
    const writer = await resumeSave(disk, save);
    await save.close();
    await (await writer.commit({ nowMs: 100 })).close();
    await writer.close();
    expect(namedOf(disk)).toBe("1-3");
  });

  test("[S101] lists the packs of the copy in a copied save", async () => {
    const disk = await closedWorld();
    for (const [generation, named] of [
      [undefined, "3"],
      [COMMITS, "3"],
      [1, "1"],
    ] as const) {
      const target = new MemoryDisk();
      await copyGeneration(disk, target, generation === undefined ? {} : { generation });
      expect(namedOf(target)).toBe(named);
      expect(await verifySave(target)).toEqual([]);
    }
  });

  test("[S101] is compared by verify with the needed packs and the existing ones", async () => {
    const disk = await closedWorld();
    await rewriteManifest(disk, (manifest) => ({ ...manifest, dataFiles: [{ first: 1, last: 2 }] }));
    expect(await verifySave(disk)).toMatchObject(
      [{ severity: "damage", code: "ORT_MANIFEST", file: "manifest.json", message: /^pack 3 is needed/ }].map(
        ({ message, ...rest }) => ({ ...rest, message: expect.stringMatching(message) }),
      ),
    );
    await rewriteManifest(disk, (manifest) => ({ ...manifest, dataFiles: [{ first: 1, last: 9 }] }));
    expect(await verifySave(disk)).toMatchObject([
      {
        severity: "notice",
        file: "manifest.json",
        message: expect.stringMatching(/^the packs 4 to 9 are missing/),
      },
    ]);
  });
});

describe("a missing pack", () => {
  test("[S102] is detected by everything that opens the save", async () => {
    const disk = await closedWorld();
    await disk.remove(packFile(3));
    expect(await messageOf(() => openSave(disk))).toBe(
      "OrthantError: ORT_NOT_FOUND: pack 3 is missing, and parts of the world are stored there; " +
        "restore a backup, or bring back the rest with orthant repair (data/dt-000003.v4dt)",
    );
    await disk.remove(packFile(1));
    expect(await messageOf(() => openSave(disk))).toContain("the packs 1, 3 are missing");
  });

  test("[S102] is detected when its whole folder is missing", async () => {
    const { disk, writer } = await smallWorld();
    await writer.close();
    const { files, directories } = disk.image();
    const kept = new Map([...files].filter(([path]) => !path.startsWith("data/")));
    const left = new MemoryDisk({ files: kept, directories: directories.filter((path) => path !== "data") });
    expect(await codeOfRejection(() => openSave(left))).toBe("ORT_NOT_FOUND");
  });

  test("[S102] is detected when a paged index refers to it", async () => {
    const disk = await pagedWorld(40);
    for (const name of await packNames(disk)) await disk.remove(`data/${name}`);
    expect(await codeOfRejection(() => openSave(disk))).toBe("ORT_NOT_FOUND");
  });

  test("[S102] does not prevent opening a generation that does not need it", async () => {
    const disk = await closedWorld();
    await disk.remove(packFile(1));
    expect(await numbersOf(disk, COMMITS)).toEqual([COMMITS]);
    expect(await codeOfRejection(() => openSave(disk, { generation: 1 }))).toBe("ORT_NOT_FOUND");
    const save = await openSave(disk);
    const writer = await resumeSave(disk, save);
    await save.close();
    await (await writer.commit(change(COMMITS + 1))).close();
    await writer.close();
    expect(namedOf(disk)).toBe("2-3");
  });

  test("[S102] costs only one folder listing to rule out", async () => {
    const disk = await pagedWorld(40);
    const faultless = new FaultDisk(disk);
    await (await openSave(faultless)).close();
    expect(faultless.calls.get("list")).toBe(1);
    expect(faultless.calls.get("open")).toBe(4);
  });

  test("[S102] is searched for without iterating to the end of an absurd range", async () => {
    const { disk, writer } = await smallWorld();
    await writer.close();
    await rewriteManifest(disk, (manifest) => ({
      ...manifest,
      dataFiles: [{ first: 1, last: 4_294_967_295 }],
    }));
    const save = await openSave(disk);
    expect(await chunksOf(save)).toEqual({ "1,2,3,4": 9 });
    await save.close();
    expect((await verifySave(disk)).map(({ severity }) => severity)).toEqual(["notice"]);
    await disk.remove(packFile(1));
    expect(await messageOf(() => openSave(disk))).toContain("the packs 1 to 4294967295 are missing");
  });

  test("[S49, S102] leaves a save that can be repaired, and the loss is listed", async () => {
    const { disk, writer } = await smallWorld();
    // A forced compaction begins a pack.
    await writer.compact(AT_ONCE);
    const chunks = [entryAt(FAR_CELL.min, 7)];
    await (await writer.commit({ nowMs: 2, leaves: [{ cube: FAR_CELL, chunks }] })).close();
    await writer.close();
    expect(namedOf(disk)).toBe("1-2");
    await disk.remove(packFile(2));
    const findings = await verifySave(disk);
    expect(new Set(findings.filter(({ severity }) => severity === "damage").map(({ file }) => file))).toEqual(
      new Set([packFile(2)]),
    );
    const plan = await planRepair(disk);
    expect(plan.losses).toMatchObject([{ what: "chunks", chunks: FAR_CELL }]);
    const target = new MemoryDisk();
    await applyRepair(disk, plan, target);
    const save = await openSave(target);
    expect(await chunksOf(save)).toEqual({ "1,2,3,4": 9 });
    await save.close();
    expect(await verifySave(target)).toEqual([]);
  });
});

describe("a compaction that removes packs", () => {
  /** Throws unless a manifest names only existing packs. */
  async function requireThere(disk: MemoryDisk): Promise<void> {
    const there = await packNames(disk);
    for (const { first, last } of manifestOf(disk).dataFiles ?? []) {
      for (let id = first; id <= last; id++) expect(there).toContain(packFile(id).slice("data/".length));
    }
  }

  async function compactOn(disk: Disk): Promise<void> {
    const save = await openSave(disk);
    const writer = await resumeSave(disk, save);
    await save.close();
    try {
      await writer.compact(AT_ONCE);
    } finally {
      await writer.close();
    }
  }

  test("[S103] leaves a save that can be opened, before and after each of its steps", async () => {
    const disk = await closedWorld();
    let steps = 0;
    const watched = new GatedDisk(disk, async (_call, happen) => {
      const result = await happen();
      steps++;
      await requireThere(disk);
      expect(await numbersOf(disk, COMMITS)).toEqual([COMMITS]);
      return result;
    });
    await compactOn(watched);
    expect(steps).toBeGreaterThan(50);
    expect(namedOf(disk)).toBe("1,3");
  });

  test.each(["rename", "remove", "sync", "syncDirectory", "append", "open"] as const)(
    "[S103] names no removed pack and leaves an openable save when any %s of it fails",
    async (operation) => {
      const before = await closedWorld();
      for (let nth = 1; ; nth++) {
        const disk = new MemoryDisk(before.image());
        const faulty = new FaultDisk(disk, { operation, kind: "io", nth, sticky: true });
        await compactOn(faulty).catch(() => undefined);
        await requireThere(disk);
        expect(await numbersOf(disk, 1, COMMITS)).toEqual([1, COMMITS]);
        if (!faulty.struck) return;
      }
    },
  );

  test("[S103] waits for a running commit, and the next commit does not name removed packs", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    const compacting = writer.compact(AT_ONCE);
    for (let number = COMMITS + 1; number <= COMMITS + 5; number++) {
      await (await writer.commit(change(number))).close();
      await requireThere(disk);
    }
    expect((await compacting).packsRemoved).toBe(1);
    await (await writer.commit(change(COMMITS + 6))).close();
    await requireThere(disk);
    expect(await verifySave(disk)).toEqual([]);
    await writer.close();
  });

  test("[S102] does not disturb opening the save while packs are removed", async () => {
    const disk = await closedWorld();
    let isDone = false;
    const disturbed = new GatedDisk(disk, async ({ operation, path }, happen) => {
      if (operation === "list" && path === "data" && !isDone) {
        isDone = true;
        await compactOn(disk);
      }
      return happen();
    });
    const save = await openSave(disturbed);
    expect(isDone).toBe(true);
    expect(await chunksOf(save)).toEqual({ "0,0,0,0": COMMITS + 10 });
    await save.close();
  });

  test("[S102] does not disturb opening the save while its generation is removed too", async () => {
    const { disk, writer } = await worldOf(COMMITS, { named: [] });
    let isDone = false;
    const disturbed = new GatedDisk(disk, async ({ operation, path }, happen) => {
      if (operation === "list" && path === "data" && !isDone) {
        isDone = true;
        for (let number = COMMITS + 1; number <= 2 * COMMITS; number++)
          await (await writer.commit(change(number))).close();
        await writer.compact(AT_ONCE);
        expect(await packNames(disk)).not.toContain("dt-000003.v4dt");
      }
      return happen();
    });
    const save = await openSave(disturbed);
    expect(save.generation).toBe(2 * COMMITS);
    await save.close();
    await writer.close();
  });
});
