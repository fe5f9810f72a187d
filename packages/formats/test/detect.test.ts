import { MemoryDisk } from "@orthant/disk";
import { detectFormat } from "@orthant/formats";
import { writeFlatSave } from "@orthant/formats/internal";

import { smallWorld } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const INDEX = "index/ix-main.g0000000000000000.v4ix";
const GLOBAL = "global.g0000000000000000.v4g";
const PLAYERS = "players.g0000000000000000.v4p";
const PACK = "data/dt-000001.v4dt";

/** Returns the disk with some files removed or, if bytes are given, replaced. */
function changed(disk: MemoryDisk, changes: Readonly<Record<string, Uint8Array | undefined>>): MemoryDisk {
  const { directories, files } = disk.image();
  const kept = new Map(files);
  for (const [path, bytes] of Object.entries(changes)) {
    if (bytes === undefined) kept.delete(path);
    else kept.set(path, bytes);
  }
  return new MemoryDisk({ directories, files: kept });
}

async function treeDisk(): Promise<MemoryDisk> {
  const { disk, writer } = await smallWorld();
  await writer.close();
  return disk;
}

async function flatDisk(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const nothing = { players: [], chunks: [], entities: [] };
  await writeFlatSave(disk, {
    base: { kind: "empty" },
    worldSeed: 0n,
    nextEntityId: 1n,
    nowMs: 1,
    ...nothing,
  });
  return disk;
}

describe("the format of a world", () => {
  test("is detected by its manifest, and a flat save by its index", async () => {
    const evidence = "manifest.json";
    expect(await detectFormat(await treeDisk())).toEqual({ format: "orthant", evidence });
    expect(await detectFormat(await flatDisk())).toEqual({ format: "polychora-flat", evidence });
  });

  test("is detected by any remaining file when those before it are gone", async () => {
    for (const [made, format, recognized] of [
      [await treeDisk(), "orthant", 5],
      // Without an index and a global file, a flat save looks like any other.
      [await flatDisk(), "polychora-flat", 3],
    ] as const) {
      let disk = made;
      const order = ["manifest.json", INDEX, GLOBAL, PLAYERS, PACK];
      for (const [index, evidence] of order.entries()) {
        const expected = index < recognized ? format : "orthant";
        expect(await detectFormat(disk)).toEqual({ format: expected, evidence });
        disk = changed(disk, { [evidence]: undefined });
      }
      expect(await detectFormat(disk)).toBeUndefined();
    }
  });

  test("is detected when the manifest is damaged, or has a future version", async () => {
    for (const text of ["", "{", '{ "format": "polychora-save", "version": 4 }']) {
      const disk = changed(await treeDisk(), { "manifest.json": new TextEncoder().encode(text) });
      expect(await detectFormat(disk)).toMatchObject({
        format: "orthant",
        evidence: INDEX,
      });
    }
  });

  test("is never detected by names alone", async () => {
    const nonsense = new TextEncoder().encode("apples and pears, and nothing else");
    const files = ["manifest.json", INDEX, GLOBAL, PLAYERS, PACK];
    const disk = changed(await treeDisk(), Object.fromEntries(files.map((path) => [path, nonsense])));
    expect(await detectFormat(disk)).toBeUndefined();
  });

  test("is undefined for an empty disk, or one with only a file that is too short", async () => {
    expect(await detectFormat(new MemoryDisk())).toBeUndefined();
    const short = new MemoryDisk({ directories: ["data"], files: new Map([[PACK, Uint8Array.of(0x56)]]) });
    expect(await detectFormat(short)).toBeUndefined();
  });

  test("is detected without writing", async () => {
    const disk = await treeDisk();
    const before = disk.image();
    await detectFormat(disk);
    expect(disk.image()).toEqual(before);
  });
});
