import type { BlockCatalog } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import { type Disk, GatedDisk, MemoryDisk } from "@orthant/disk";
import { ConversionLosses } from "@orthant/formats";
import { minecraftFormat } from "@orthant/formats/imports";
import { StateCollector } from "@orthant/formats/internal";
import { codeOf, FaultDisk } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { conversionOf, goldenBytes, hasRegions, requestFor, worldDisk } from "./samples.ts";

describe.runIf(hasRegions)("a world of Minecraft", () => {
  test("[IM70] is a folder of region files, in region/ or not", async () => {
    const region = goldenBytes("1.17.1/r.0.0.mca");
    const world = worldDisk({ "region/r.0.0.mca": region, "level.dat": goldenBytes("level/level.dat") });
    expect(await minecraftFormat.detect(world)).toMatchObject({ evidence: "region/r.0.0.mca" });
    expect(await minecraftFormat.detect(worldDisk({ "r.0.0.mca": region }))).toMatchObject({
      evidence: "r.0.0.mca",
    });
    for (const name of ["r.0.00.mca", "r.-0.0.mca", "r.0.0.mcr", "x.r.0.0.mca", "region/a/r.0.0.mca"]) {
      expect(await minecraftFormat.detect(worldDisk({ [name]: region }))).toBeUndefined();
    }
    const { facts, losses } = await minecraftFormat.info(await requestFor(world));
    expect(facts).toMatchObject({ name: "prismarine-world", gameVersion: "1.20.6", regions: 1, columns: 5 });
    expect(losses).toEqual([]);
  });

  test("[IM75] verify finds all damage, with file and offset", async () => {
    const whole = worldDisk({ "r.0.-1.mca": goldenBytes("damaged/control-good.r.0.-1.mca") });
    expect(await minecraftFormat.verify?.(await requestFor(whole))).toEqual([]);
    const damaged = worldDisk({
      "r.0.-1.mca": goldenBytes("damaged/corrupt-zlib.r.0.-1.mca"),
      "r.1.-1.mca": goldenBytes("damaged/header-truncated.r.0.-1.mca"),
      "level.dat": Uint8Array.of(1, 2, 3),
    });
    expect(await minecraftFormat.verify?.(await requestFor(damaged))).toMatchObject([
      { severity: "damage", file: "level.dat" },
      { severity: "damage", file: "r.0.-1.mca", offset: 16_384, code: "ORT_DEFLATE" },
      { severity: "damage", file: "r.1.-1.mca", code: "ORT_TRUNCATED" },
    ]);
    const { losses } = await minecraftFormat.info(await requestFor(damaged));
    expect(losses).toEqual([
      expect.stringMatching(/^level\.dat: /),
      expect.stringMatching(/^r\.1\.-1\.mca: /),
    ]);
  });

  test.each<readonly [string, (disk: Disk) => Promise<unknown>]>([
    ["info", async (disk) => minecraftFormat.info(await requestFor(disk))],
    ["verify", async (disk) => minecraftFormat.verify?.(await requestFor(disk))],
    ["open", async (disk) => minecraftFormat.open?.(await requestFor(disk))],
    ["convert", async (disk) => (await conversionOf(disk)).run(undefined, () => undefined)],
  ])("[IM75] a disk that fails ends %s, and leaves no file open", async (_name, use) => {
    const files = worldDisk({
      "r.0.0.mca": goldenBytes("1.17.1/r.0.0.mca"),
      "level.dat": goldenBytes("level/level.dat"),
    }).image();
    let failures = 0;
    for (let nth = 1; ; nth++) {
      const faulty = new FaultDisk(new MemoryDisk(files), { operation: "readAt", kind: "io", nth });
      let open = 0;
      const disk = new GatedDisk(faulty, async ({ operation }, happen) => {
        const result = await happen();
        if (operation === "open") open++;
        if (operation === "close") open--;
        return result;
      });
      const error = await use(disk).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(open).toBe(0);
      if (error === undefined) break;
      expect(error).toMatchObject({ code: "ORT_DISK_IO" });
      failures++;
    }
    expect(failures).toBeGreaterThan(1);
  });
});

describe("blocks for states", () => {
  function blocksOf(states: readonly string[]): {
    readonly labels: readonly unknown[];
    readonly losses: readonly string[];
  } {
    const collector = new StateCollector();
    const losses = new ConversionLosses();
    for (const state of states) collector.add(state, losses);
    const { encoded, ids } = collector.define(losses);
    const catalog: BlockCatalog = decode(blockCatalogCodec, encoded);
    const labels = states.map((state) => {
      const { type, properties } = catalog.describe(ids.get(state) ?? -1) ?? {};
      return [type, properties];
    });
    return { labels, losses: losses.list().map(({ what }) => what) };
  }

  test("[IM71] a name is a type, with the values that occur; every air is air", () => {
    const states = ["m:log[axis=x,up=1]", "m:log[axis=y,up=1]", "minecraft:cave_air", "minecraft:air", "0:0"];
    expect(blocksOf(states)).toEqual({
      labels: [
        ["m:log", { axis: "x", up: "1" }],
        ["m:log", { axis: "y", up: "1" }],
        ["air", {}],
        ["air", {}],
        ["air", {}],
      ],
      losses: [],
    });
  });

  test("[IM74] lists what a type cannot have", () => {
    const long = "m:".padEnd(80, "x");
    expect(blocksOf([long, "m:a[9=x]", "m:b[k=1]", "m:b", "m:\uD800[k=\uDC00]", "4000:1"])).toEqual({
      labels: [
        [long.slice(0, 64), {}],
        ["m:a", {}],
        ["m:b", { k: "1" }],
        ["m:b", { k: "1" }],
        ["m:\\ud800", { k: "\\udc00" }],
        ["minecraft:unknown_4000_1", {}],
      ],
      losses: [
        "ends of block names",
        "properties of blocks",
        "names with hidden characters",
        "numbers of blocks without a name",
        "states without some properties",
      ],
    });
  });

  test("[IM74] refuses more properties, values and combinations than a catalog has room for", () => {
    const many = (count: number, state: (at: number) => string): (() => unknown) => {
      return () => blocksOf(Array.from({ length: count }, (_, at) => state(at)));
    };
    expect(codeOf(many(17, (at) => `m:a[p${at}=1]`))).toBe("ORT_LIMIT");
    expect(codeOf(many(257, (at) => `m:a[p=${at}]`))).toBe("ORT_LIMIT");
    expect(codeOf(many(256, (at) => `m:a[p=${at},q=${at}]`))).toBe("ORT_LIMIT");
    expect(codeOf(many(255, (at) => `m:a[p=${at},q=${at}]`))).toBe("no error");
  });
});
