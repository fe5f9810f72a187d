import { regionOf } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { type Finding, isWhole } from "@orthant/disk/files";
import { applyRepair, openSave, planRepair, type RepairPlan, type Save, verifySave } from "@orthant/save";
import { allLeaves, scanPack } from "@orthant/save/internal";
import { codeOfRejection } from "@orthant/testkit";
import {
  chunksOf,
  entityAt,
  entityIdsOf,
  entryAt,
  flipByte,
  GLOBAL,
  ORIGIN_CELL,
  playerOf,
  SHAPE,
  smallWorld,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const FAR_CELL = { min: [131_072, 0, 0, 0], max: [196_608, 65_536, 65_536, 65_536] } as const;
const CLOCK = 2 ** 33 * 4 + 5;
const PACK = "data/dt-000001.v4dt";

/** Two leaves with chunks, entities and clocks, two players, and an older version of the first leaf. */
async function townDisk(): Promise<MemoryDisk> {
  const { disk, writer } = await smallWorld();
  await writer.commit({
    nowMs: 2,
    global: { ...GLOBAL, description: { ...GLOBAL.description, clockEpoch: 4 } },
    players: [playerOf(2n)],
    leaves: [
      {
        cube: ORIGIN_CELL,
        chunks: [entryAt([1, 2, 3, 4], 20), entryAt([5, 5, 5, 5], 21)],
        entities: [entityAt(1n, [4, 4, 0, 0])],
        clocks: [{ region: [0, 0, 0, 1], clock: CLOCK }],
      },
      {
        cube: FAR_CELL,
        chunks: [entryAt([131_072, 1, 1, 1], 30)],
        clocks: [{ region: regionOf([131_072, 1, 1, 1]), clock: CLOCK }],
      },
    ],
  });
  await writer.close();
  return disk;
}

async function repair(disk: MemoryDisk): Promise<{ plan: RepairPlan; save: Save; disk: MemoryDisk }> {
  const before = disk.image();
  const plan = await planRepair(disk);
  const target = new MemoryDisk();
  await applyRepair(disk, plan, target);
  expect(disk.image()).toEqual(before);
  expect(await verifySave(target)).toEqual([]);
  return { plan, save: await openSave(target), disk: target };
}

async function refOf(disk: MemoryDisk, leaf: number, kind: "chunkRefs" | "entityRefs"): Promise<number> {
  const save = await openSave(disk);
  return (await allLeaves(save.index))[leaf]?.[kind][0]?.recordOffset ?? -1;
}

const brief = (findings: readonly Finding[]): unknown =>
  findings.map(({ severity, file, offset, code }) => [severity, file, offset, code]);

describe("verify", () => {
  test("[S48] finds nothing in an intact save", async () => {
    expect(await verifySave(await townDisk())).toEqual([]);
  });

  test("[S48] reports file, offset and leaf of every fault at once, and writes nothing", async () => {
    const disk = await townDisk();
    const first = await refOf(disk, 0, "chunkRefs");
    const second = await refOf(disk, 1, "chunkRefs");
    await flipByte(disk, PACK, first + 20);
    await flipByte(disk, PACK, second + 2);
    await flipByte(disk, "players.g0000000000000001.v4p", 30);
    const before = disk.image();
    const findings = await verifySave(disk);
    const damage = findings.filter(({ severity }) => severity === "damage");
    expect(brief(damage)).toEqual([
      ["damage", "players.g0000000000000001.v4p", 16, "ORT_CHECKSUM"],
      ["damage", PACK, first, "ORT_CHECKSUM"],
      ["damage", PACK, second, "ORT_MAGIC"],
    ]);
    expect(damage.map(({ chunks }) => chunks)).toEqual([undefined, ORIGIN_CELL, FAR_CELL]);
    expect(isWhole(findings)).toBe(false);
    expect(disk.image()).toEqual(before);
  });

  test("[S48] distinguishes leftovers of a crash from damage", async () => {
    const disk = await townDisk();
    for (const name of ["manifest.json.tmp", "index/ix-main.g0000000000000002.v4ix", "notes.txt"]) {
      await (await disk.open(name, "create")).append(Uint8Array.of(1));
    }
    await (await disk.open(PACK, "write")).append(Uint8Array.of(1, 2, 3));
    const findings = await verifySave(disk);
    expect(isWhole(findings)).toBe(true);
    expect(findings.map(({ file }) => file).sort()).toEqual([
      PACK,
      "index/ix-main.g0000000000000002.v4ix",
      "manifest.json.tmp",
      "notes.txt",
    ]);
  });

  test("[S48] also checks the generation before the live one", async () => {
    const disk = await townDisk();
    await flipByte(disk, "global.g0000000000000000.v4g", 20);
    expect(await verifySave(disk)).toMatchObject([
      { severity: "damage", generation: 0, code: "ORT_CHECKSUM" },
    ]);
  });

  test("[S48] reports what an empty folder lacks, and does not throw", async () => {
    expect(brief(await verifySave(new MemoryDisk()))).toEqual([
      ["damage", "manifest.json", undefined, "ORT_NOT_FOUND"],
    ]);
  });
});

describe("repair", () => {
  test("[S49] a repair of an intact save loses nothing and keeps its clocks", async () => {
    const disk = await townDisk();
    const { plan, save } = await repair(disk);
    expect(plan.losses).toEqual([]);
    expect(await chunksOf(save)).toEqual(await chunksOf(await openSave(disk)));
    expect(await entityIdsOf(save)).toEqual([1n]);
    expect(save.players.map(({ playerId }) => playerId)).toEqual([1n, 2n]);
    expect((await allLeaves(save.index)).flatMap(({ clocks }) => clocks.map(({ clock }) => clock))).toEqual([
      CLOCK,
      CLOCK,
    ]);
    expect(save.global.description.clockEpoch).toBe(5);
  });

  test("[S49] replaces a damaged record with the older one at its position, reports it, and renews the clocks", async () => {
    const disk = await townDisk();
    await flipByte(disk, PACK, (await refOf(disk, 0, "chunkRefs")) + 20);
    const { plan, save } = await repair(disk);
    expect(plan.losses).toMatchObject([{ what: "chunks", chunks: ORIGIN_CELL }]);
    expect(plan.losses[0]?.message).toMatch(/the older one .* takes its place/);
    expect(await chunksOf(save)).toEqual({ "1,2,3,4": 9, "131072,1,1,1": 30 });
    const clocks = (await allLeaves(save.index)).map((leaf) => leaf.clocks.map(({ clock }) => clock));
    expect(clocks).toEqual([[2 ** 33 * 5 + 1], [CLOCK]]);
  });

  test("[S49] lists a position for which nothing older is left", async () => {
    const disk = await townDisk();
    await flipByte(disk, PACK, (await refOf(disk, 1, "chunkRefs")) + 20);
    const { plan, save } = await repair(disk);
    expect(plan.losses).toMatchObject([{ what: "chunks", chunks: FAR_CELL }]);
    expect(await chunksOf(save)).toEqual({ "1,2,3,4": 20, "5,5,5,5": 21 });
  });

  test("[S49] uses an older index and the records written since when the live index is damaged", async () => {
    const disk = await townDisk();
    await flipByte(disk, "index/ix-main.g0000000000000001.v4ix", 70);
    const { plan, save } = await repair(disk);
    expect([plan.generation, plan.losses[0]?.what]).toEqual([0, "index"]);
    expect(await chunksOf(save)).toEqual({ "1,2,3,4": 20, "5,5,5,5": 21, "131072,1,1,1": 30 });
    expect(await entityIdsOf(save)).toEqual([1n]);
  });

  test("[S49] uses only the records without an index and a manifest", async () => {
    const disk = await townDisk();
    for (const { name } of await disk.list("index")) await disk.remove(`index/${name}`);
    await disk.remove("manifest.json");
    const { plan, save } = await repair(disk);
    expect(plan.generation).toBeUndefined();
    expect(await chunksOf(save)).toEqual({ "1,2,3,4": 20, "5,5,5,5": 21, "131072,1,1,1": 30 });
    expect(save.players).toHaveLength(2);
  });

  test("[S49] takes the chunk shape from the manifest or the caller when no global file is left", async () => {
    const disk = await townDisk();
    await disk.remove("global.g0000000000000000.v4g");
    await disk.remove("global.g0000000000000001.v4g");
    const { plan, save } = await repair(disk);
    expect(plan.losses).toMatchObject([{ what: "global" }]);
    expect(await chunksOf(save)).toEqual({ "1,2,3,4": 20, "5,5,5,5": 21, "131072,1,1,1": 30 });
    await disk.remove("manifest.json");
    expect((await planRepair(disk, { chunkShape: SHAPE })).keptRecords).toBe(plan.keptRecords);
  });

  test("[S49] never uses an uncommitted generation while the manifest is readable", async () => {
    const { disk, writer } = await smallWorld();
    const committed = disk.image().files.get("manifest.json") as Uint8Array;
    await writer.commit({ nowMs: 2, players: [playerOf(9n)] });
    await disk.remove("manifest.json");
    await (await disk.open("manifest.json", "create")).append(committed);
    expect((await repair(disk)).save.players.map(({ playerId }) => playerId)).toEqual([1n]);
    await disk.remove("manifest.json");
    expect((await repair(disk)).save.players.map(({ playerId }) => playerId)).toEqual([1n, 9n]);
  });

  test("[S49] is never written over existing files", async () => {
    const disk = await townDisk();
    const plan = await planRepair(disk);
    expect(await codeOfRejection(() => applyRepair(disk, plan, disk))).toBe("ORT_NOT_EMPTY");
  });
});

describe("scanning a pack", () => {
  test("[S43] recovers after torn bytes, false magics and zeros", async () => {
    const disk = await townDisk();
    const good = disk.image().files.get(PACK) as Uint8Array;
    const records = [...scanPack(good, 1)];
    expect(records.every(({ kind }) => kind === "record")).toBe(true);
    const noise = new Uint8Array(64);
    noise.set(new TextEncoder().encode("RECD"), 8);
    noise.set(new TextEncoder().encode("RECD"), 30);
    const noisy = Uint8Array.of(...good, ...noise, ...good.subarray(12));
    const found = [...scanPack(noisy, 1)];
    expect(found.filter(({ kind }) => kind === "record")).toHaveLength(records.length * 2);
    expect(found.filter(({ kind }) => kind === "gap")).toEqual([
      { kind: "gap", offset: good.length, bytes: 64 },
    ]);
  });
});
