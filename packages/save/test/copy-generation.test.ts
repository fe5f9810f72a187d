import { type Disk, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { copyGeneration, openSave, resumeSave, verifySave } from "@orthant/save";
import { generationFiles } from "@orthant/save/files";
import {
  CrashDisk,
  codeOfRejection,
  type DiskFault,
  explorePowerCuts,
  FaultDisk,
  WEAK,
} from "@orthant/testkit";
import {
  chunksOf,
  entityAt,
  entryAt,
  ORIGIN_CELL,
  pagedWorld,
  smallWorld,
  TIGHT_LIMITS,
  writePagedWorld,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";
import { AT_ONCE, change, numbersOf, worldOf } from "./compacted-worlds.ts";

async function bytesOf(disk: MemoryDisk, path: string): Promise<Uint8Array> {
  const file = await disk.open(path, "read");
  return file.readAt(0, await file.size());
}

describe("copyGeneration", () => {
  test("[S52] copies the files of a generation byte for byte, and packs as far as it needs them", async () => {
    const { disk, writer } = await smallWorld(TIGHT_LIMITS);
    const chunks = Array.from({ length: 150 }, (_, index) => entryAt([index, 0, 0, 0], 100 + index));
    await (await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks }] })).close();
    await (await writer.commit({ nowMs: 3 })).close();
    await writer.close();

    const target = new MemoryDisk();
    const copied = await copyGeneration(disk, target);
    expect(copied.generation).toBe(2);
    expect(copied.packs).toBeGreaterThan(1);
    for (const path of ["manifest.json", ...Object.values(generationFiles(2))]) {
      expect(await bytesOf(target, path)).toEqual(await bytesOf(disk, path));
    }
    for (const { name } of await target.list("data")) {
      const copy = await bytesOf(target, `data/${name}`);
      expect(copy).toEqual((await bytesOf(disk, `data/${name}`)).subarray(0, copy.length));
    }
    expect(await verifySave(target)).toEqual([]);
    const [original, copy] = [await openSave(disk), await openSave(target)];
    expect(await chunksOf(copy)).toEqual(await chunksOf(original));
    await original.close();

    const next = await resumeSave(target, copy);
    await (await next.commit({ nowMs: 4 })).close();
    await next.close();
    expect(await verifySave(target), "the copy can be written to").toEqual([]);
  });

  test("copies an older generation with a manifest that names it", async () => {
    const { disk, writer } = await smallWorld();
    await (
      await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks: [entryAt([5, 5, 5, 5], 8)] }] })
    ).close();
    await writer.close();
    const target = new MemoryDisk();
    expect((await copyGeneration(disk, target, { generation: 0 })).generation).toBe(0);
    expect(await verifySave(target)).toEqual([]);
    const save = await openSave(target);
    expect(await chunksOf(save)).toEqual({ "1,2,3,4": 9 });
    await save.close();
    expect(await codeOfRejection(copyGeneration(disk, new MemoryDisk(), { generation: 9 }))).toBe(
      "ORT_NOT_FOUND",
    );
  });

  test("[S52] copies compacted packs, and older generations from before a pack was removed", async () => {
    const { disk, writer } = await worldOf(60);
    await writer.compact(AT_ONCE);
    await (await writer.commit(change(61))).close();
    await writer.compact(AT_ONCE);
    for (const [generation, number] of [
      [1, 1],
      [61, 61],
    ] as const) {
      const target = new MemoryDisk();
      await copyGeneration(disk, target, { generation });
      expect(await verifySave(target)).toEqual([]);
      const copy = await openSave(target);
      const next = await resumeSave(target, copy);
      await copy.close();
      await (await next.commit(change(70))).close();
      await next.close();
      expect(await numbersOf(target, generation, generation + 1)).toEqual([number, 70]);
      expect(await verifySave(target)).toEqual([]);
    }
  });

  test("[S52] is unaffected when its source is compacted during the copy", async () => {
    const { disk, writer } = await worldOf(60);
    const target = new MemoryDisk();
    const open = target.open.bind(target);
    let compacted = 0;
    target.open = async (path, mode) => {
      if (compacted === 0) {
        for (const number of [61, 62, 63]) await (await writer.commit(change(number))).close();
        compacted = (await writer.compact(AT_ONCE)).packsRemoved;
      }
      return open(path, mode);
    };
    expect((await copyGeneration(disk, target)).generation).toBe(60);
    expect(compacted).toBeGreaterThan(0);
    expect(await codeOfRejection(() => numbersOf(disk, 60))).toBe("ORT_NOT_FOUND");
    expect(await numbersOf(target, 60)).toEqual([60]);
    expect(await verifySave(target)).toEqual([]);
  });

  test("starts over with the newer generation if files were retired before they were opened", async () => {
    const { disk, writer } = await smallWorld();
    let commits = 0;
    const racing = new Proxy(disk, {
      get(target, name) {
        if (name !== "open") return Reflect.get(target, name, target).bind(target);
        return async (path: string, mode: "read") => {
          // Three commits between the manifest and the players file.
          while (path.startsWith("players") && commits < 3) {
            await (await writer.commit({ nowMs: 10 + commits })).close();
            commits++;
          }
          return target.open(path, mode);
        };
      },
    });
    const target = new MemoryDisk();
    expect((await copyGeneration(racing, target)).generation).toBe(3);
    expect(await verifySave(target)).toEqual([]);
    await writer.close();
  });

  test("refuses a damaged generation and leaves no save behind", async () => {
    const { disk, writer } = await smallWorld();
    await writer.close();
    const pack = await disk.open("data/dt-000001.v4dt", "write");
    const [byte = 0] = await pack.readAt((await pack.size()) - 1, 1);
    await pack.writeAt((await pack.size()) - 1, Uint8Array.of(byte ^ 1));
    const target = new MemoryDisk();
    expect(await codeOfRejection(copyGeneration(disk, target))).toBe("ORT_CHECKSUM");
    expect(await codeOfRejection(openSave(target))).toBe("ORT_NOT_FOUND");
  });

  test("refuses a folder that is not empty", async () => {
    const { disk, writer } = await smallWorld();
    await writer.close();
    expect(await codeOfRejection(copyGeneration(disk, disk))).toBe("ORT_NOT_EMPTY");
  });

  describe("after a power cut", () => {
    async function copySmallWorld(target: Disk): Promise<void> {
      const { disk, writer } = await smallWorld(TIGHT_LIMITS);
      const chunks = Array.from({ length: 8 }, (_, index) => entryAt([index, 0, 0, 0], 100 + index));
      const entities = [entityAt(4n, [1, 1, 0, 0])];
      await (await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks, entities }] })).close();
      await writer.close();
      await copyGeneration(disk, target);
    }

    async function copyPagedWorld(target: Disk): Promise<void> {
      await copyGeneration(await pagedWorld(12), target);
    }

    /**
     * Writes a save and cuts the power everywhere. Throws if a disk has anything but a complete save or none.
     */
    async function prove(write: (target: Disk) => Promise<void>, fault?: DiskFault): Promise<number> {
      const recorder = new CrashDisk();
      await write(fault === undefined ? recorder : new FaultDisk(recorder, fault));
      const done = recorder.log.length;
      let whole = 0;
      await explorePowerCuts(
        recorder,
        { models: [WEAK], disksPerCut: 24, seed: 3 },
        async ({ disk: left, cutAt }) => {
          if (!(await left.list("")).some(({ name }) => name === "manifest.json")) {
            if (cutAt >= done) throw new Error("a copy that was done is gone");
            return;
          }
          const findings = await verifySave(left);
          if (!isWhole(findings)) throw new Error(`a copy that is not whole: ${findings[0]?.message}`);
          whole++;
        },
      );
      return whole;
    }

    test("[S52] leaves the complete copy or no save", async () => {
      expect(await prove(copySmallWorld)).toBeGreaterThan(0);
    });

    test.each<[name: string, write: (target: Disk) => Promise<void>]>([
      ["S67] a copy of pages", copyPagedWorld],
      ["S63] a bulk writer of pages", (target) => writePagedWorld(target, 12)],
    ])("[%s leaves a complete save or none, and needs each of its syncs", async (_name, write) => {
      expect(await prove(write)).toBeGreaterThan(0);
      for (const path of [/^index\/ix-\d/, /^index\/ix-main/, /^index$/]) {
        const operation = path.source.endsWith("$") ? "syncDirectory" : "sync";
        const fault: DiskFault = { operation, path, kind: "skip", nth: 1, sticky: true };
        await expect(prove(write, fault), String(path)).rejects.toThrow();
      }
    });

    test.each<[step: string, fault: Omit<DiskFault, "kind" | "nth">]>([
      ["the sync of packs", { operation: "sync", path: /^data\// }],
      ["the sync of the index", { operation: "sync", path: /^index\// }],
      ["the sync of the manifest", { operation: "sync", path: /^manifest/ }],
      ["the sync of data/", { operation: "syncDirectory", path: /^data$/ }],
      ["the sync of index/", { operation: "syncDirectory", path: /^index$/ }],
      ["the syncs of the root", { operation: "syncDirectory", path: /^$/ }],
    ])("[S52] leaves a broken save without %s", async (_step, fault) => {
      await expect(prove(copySmallWorld, { ...fault, kind: "skip", nth: 1, sticky: true })).rejects.toThrow();
    });
  });
});
