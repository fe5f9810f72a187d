import type { ErrorCode } from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { applyRepair, openSave, planRepair, resumeSave, type SaveWriter, verifySave } from "@orthant/save";
import { scanPack } from "@orthant/save/internal";
import { codeOfRejection, fromHex } from "@orthant/testkit";
import { chunksOf, flipByte, replaceFile, TIGHT_LIMITS } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";
import { AT_ONCE, change, fileOf, numbersOf, packNames, worldOf } from "./compacted-worlds.ts";

const PACK = "data/dt-000001.v4dt";
const HEADER_BYTES = 24;
/** Three entries of two bytes. */
const TABLE_BYTES = 6;
const ONE_PACK = { ...TIGHT_LIMITS, dataFileMaxBytes: 100_000 };

/** A world whose pack 1 was compacted to the records of generations 1, 4 and 5. */
async function compacted(): Promise<{ disk: MemoryDisk; writer: SaveWriter; before: Uint8Array }> {
  const { disk, writer } = await worldOf(5, { limits: ONE_PACK });
  const before = fileOf(disk, PACK);
  await writer.compact(AT_ONCE);
  return { disk, writer, before };
}

/** A compacted pack with any table, sealed correctly at both ends. */
function sealed(packId: number, recordCount: number, table: Uint8Array, records: Uint8Array): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("V4DT");
  header.writeUInt32LE(2, 4);
  header.writeUInt32LE(packId, 8);
  header.writeUInt32LE(recordCount, 12);
  header.writeUInt32LE(table.length, 16);
  header.writeUInt32LE(crc32(table, crc32(header.subarray(0, 20))), 20);
  return new Uint8Array(Buffer.concat([header, table, records, table, header]));
}

describe("a compacted pack", () => {
  test("[S86, S87] consists of header, table, records, table and header, byte for byte", async () => {
    const { disk, before } = await compacted();
    const pack = fileOf(disk, PACK);
    const bytes = (before.length - 12) / 6;
    const record = (generation: number): Uint8Array =>
      before.subarray(12 + generation * bytes, 12 + (generation + 1) * bytes);
    // One record of generation 0 before the first, two of 2 and 3 before the second, none before the third.
    const table = Uint8Array.of(bytes, bytes, 2 * bytes, bytes, 0, bytes);
    expect(bytes).toBeLessThan(64);
    const records = new Uint8Array(Buffer.concat([record(1), record(4), record(5)]));
    expect(pack.subarray(0, 20)).toEqual(fromHex("56344454 02000000 01000000 03000000 06000000"));
    expect(pack).toEqual(sealed(1, 3, table, records));
  });

  test("[S86] can be read with the original references of every generation", async () => {
    const { disk } = await compacted();
    expect(await numbersOf(disk, 1, 4, 5)).toEqual([1, 4, 5]);
    expect(await verifySave(disk)).toEqual([]);
  });

  test("[S86] reports that a dropped record was not needed", async () => {
    const { disk, writer } = await worldOf(5, { limits: ONE_PACK });
    // Opened as by another process, unknown to the writer.
    const other = await openSave(disk, { generation: 4 });
    for (const number of [6, 7]) await (await writer.commit(change(number))).close();
    await writer.compact(AT_ONCE);
    const attempt = chunksOf(other);
    await expect(attempt).rejects.toMatchObject({ code: "ORT_RECORD", context: { path: PACK } });
    await expect(attempt).rejects.toThrow(/no generation needed it/);
  });

  test("[S88] is read from its end when any byte of its beginning is damaged", async () => {
    for (let offset = 0; offset < HEADER_BYTES + TABLE_BYTES; offset++) {
      const { disk } = await compacted();
      await flipByte(disk, PACK, offset);
      expect(await numbersOf(disk, 1, 4, 5), `byte ${offset}`).toEqual([1, 4, 5]);
      const findings = await verifySave(disk);
      expect(
        findings.map(({ severity, file }) => [severity, file]),
        `byte ${offset}`,
      ).toEqual([["notice", PACK]]);
    }
  });

  test("[S88] is readable when its end is damaged, and verify reports the damage", async () => {
    const { disk } = await compacted();
    const { length } = fileOf(disk, PACK);
    await flipByte(disk, PACK, length - HEADER_BYTES - 1);
    expect(await numbersOf(disk, 1, 4, 5)).toEqual([1, 4, 5]);
    const findings = await verifySave(disk);
    expect(isWhole(findings)).toBe(true);
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining("one of two tables")]);
  });

  test("[S88] is refused without both tables, but a repair recovers its records", async () => {
    const { disk } = await compacted();
    const { length } = fileOf(disk, PACK);
    await flipByte(disk, PACK, HEADER_BYTES);
    await flipByte(disk, PACK, length - HEADER_BYTES - 1);
    expect(await codeOfRejection(() => numbersOf(disk, 5))).toBe("ORT_CHECKSUM");
    expect(isWhole(await verifySave(disk))).toBe(false);
    const target = new MemoryDisk();
    const plan = await planRepair(disk);
    await applyRepair(disk, plan, target);
    expect(await chunksOf(await openSave(target))).toEqual({ "0,0,0,0": 15 });
  });

  test.each<[what: string, count: number, table: string, code: ErrorCode]>([
    ["more entries than the table has", 4, "0020 0020 0020", "ORT_TRUNCATED"],
    ["fewer entries than the table has", 2, "0020 0020 0020", "ORT_TRAILING_BYTES"],
    ["a count that no table has", 0xffff_ffff, "0020 0020 0020", "ORT_TRUNCATED"],
    ["a record too short to be one", 1, "000f", "ORT_RECORD"],
    ["an offset that no file has", 2, "ffffffffffffff0f20 ffffffffffffff0f20", "ORT_RECORD"],
    ["a varint padded by a byte", 1, "00a000", "ORT_VARINT_PADDED"],
  ])("[S87] is refused with %s", async (_what, count, table, code) => {
    const { disk } = await compacted();
    const bytes = fromHex(table.replaceAll(" ", ""));
    await replaceFile(disk, PACK, sealed(1, count, bytes, new Uint8Array(99)));
    expect(await codeOfRejection(() => numbersOf(disk, 5))).toBe(code);
    expect([...scanPack(fileOf(disk, PACK), 1)].every(({ kind }) => kind === "gap")).toBe(true);
  });

  test.each<[what: string, offset: number, code: ErrorCode]>([
    ["the id of another pack", 8, "ORT_RECORD"],
    ["another number of records", 12, "ORT_CHECKSUM"],
    ["a table that is longer than the pack", 18, "ORT_TRUNCATED"],
    ["another checksum", 20, "ORT_CHECKSUM"],
  ])("[S10, S87] is refused with %s at both ends", async (_what, offset, code) => {
    const { disk } = await compacted();
    const { length } = fileOf(disk, PACK);
    await flipByte(disk, PACK, offset, 1);
    await flipByte(disk, PACK, length - HEADER_BYTES + offset, 1);
    expect(await codeOfRejection(() => numbersOf(disk, 5))).toBe(code);
  });

  test("[S87] a compacted pack that is cut at any byte yields the remaining records or an error with a code", async () => {
    const { disk } = await compacted();
    const whole = fileOf(disk, PACK);
    for (let length = 0; length < whole.length; length++) {
      await replaceFile(disk, PACK, whole.subarray(0, length));
      const code = await codeOfRejection(() => numbersOf(disk, 1, 4, 5));
      const isThere = length >= whole.length - HEADER_BYTES - TABLE_BYTES;
      expect(code === "no error", `${length} bytes`).toBe(isThere);
      expect(code, `${length} bytes`).toMatch(/^(no error|ORT_(TRUNCATED|MAGIC|CHECKSUM))$/);
      expect((await verifySave(disk)).length, `${length} bytes`).toBeGreaterThan(0);
    }
  });

  test("[S12] has each record's checksum checked when it is read", async () => {
    const { disk } = await compacted();
    const { length } = fileOf(disk, PACK);
    await flipByte(disk, PACK, length - HEADER_BYTES - TABLE_BYTES - 1);
    expect(await numbersOf(disk, 1, 4)).toEqual([1, 4]);
    expect(await codeOfRejection(() => numbersOf(disk, 5))).toBe("ORT_CHECKSUM");
    const damage = (await verifySave(disk)).filter(({ severity }) => severity === "damage");
    expect(damage.map(({ file, generation }) => [file, generation])).toEqual([[PACK, 5]]);
  });

  test("[S49] is scanned by a repair without an index", async () => {
    const { disk } = await compacted();
    for (const path of disk.image().files.keys()) if (path.startsWith("index/")) await disk.remove(path);
    const target = new MemoryDisk();
    await applyRepair(disk, await planRepair(disk), target);
    expect(await chunksOf(await openSave(target))).toEqual({ "0,0,0,0": 15 });
  });

  test("[S93] is left alone by a writer when it is the active one; the writer begins another", async () => {
    const { disk, writer } = await compacted();
    await writer.close();
    // The manifest still names pack 1, because nothing was committed since.
    const save = await openSave(disk);
    expect(save.manifest.activeDataFileId).toBe(1);
    const next = await resumeSave(disk, save);
    const before = fileOf(disk, PACK);
    await (await next.commit(change(6))).close();
    expect(fileOf(disk, PACK)).toEqual(before);
    expect(await packNames(disk)).toEqual(["dt-000001.v4dt", "dt-000002.v4dt"]);
    expect(await numbersOf(disk, 1, 5, 6)).toEqual([1, 5, 6]);
    expect(await verifySave(disk)).toEqual([]);
  });
});
