import type { ErrorCode } from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import type { MemoryDisk } from "@orthant/disk";
import { type LeafEntry, openSave } from "@orthant/save";
import { allLeaves, openBlob } from "@orthant/save/internal";
import { codeOfRejection, fromHex } from "@orthant/testkit";
import { chunksOf, flipByte, ORIGIN_CELL, playerOf, replaceFile, smallWorld } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const PLAYERS = "players.g0000000000000000.v4p";
const INDEX = "index/ix-main.g0000000000000000.v4ix";
const PACK = "data/dt-000001.v4dt";

describe("a payload file", () => {
  test.each<[rule: string, name: string, change: (bytes: Uint8Array) => Uint8Array, code: ErrorCode]>([
    ["S7", "another magic", (bytes) => bytes.map((byte, at) => (at === 0 ? 0x57 : byte)), "ORT_MAGIC"],
    ["S7", "version 2", (bytes) => bytes.map((byte, at) => (at === 4 ? 2 : byte)), "ORT_VERSION"],
    ["S7", "a byte less than it says", (bytes) => bytes.subarray(0, -1), "ORT_TRUNCATED"],
    ["S7", "a byte more than it says", (bytes) => Uint8Array.of(...bytes, 0), "ORT_TRAILING_BYTES"],
    ["S7", "nothing in it", () => new Uint8Array(0), "ORT_TRUNCATED"],
    [
      "S8",
      "a changed payload",
      (bytes) => bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
      "ORT_CHECKSUM",
    ],
    [
      "S8",
      "another checksum",
      (bytes) => bytes.map((byte, at) => (at === 12 ? byte ^ 1 : byte)),
      "ORT_CHECKSUM",
    ],
  ])("[%s] is refused by name with %s", async (_rule, _name, change, code) => {
    const { disk } = await smallWorld();
    await replaceFile(disk, PLAYERS, change(fileOf(disk, PLAYERS)));
    const attempt = openSave(disk);
    expect(await codeOfRejection(() => attempt)).toBe(code);
    await expect(attempt).rejects.toMatchObject({ context: { path: PLAYERS } });
  });

  test("[S20] is refused when it is an index of another generation", async () => {
    const { disk, writer } = await smallWorld();
    const older = fileOf(disk, INDEX);
    await writer.commit({ nowMs: 2, players: [playerOf(3n)] });
    await replaceFile(disk, "index/ix-main.g0000000000000001.v4ix", older);
    expect(await codeOfRejection(() => openSave(disk))).toBe("ORT_GENERATION");
  });
});

describe("a pack", () => {
  test("[S10, S11] consists of a header and records, byte for byte", async () => {
    const { disk, writer } = await smallWorld();
    const pack = fileOf(disk, PACK);
    const payload = pack.subarray(27);
    expect(pack.subarray(0, 19)).toEqual(fromHex("56344454 01000000 01000000 52454344 01 0300"));
    const view = new DataView(pack.buffer);
    expect([view.getUint32(19, true), view.getUint32(23, true)]).toEqual([payload.length, crc32(payload)]);
    // Deflated, 25 bytes: the box, one chunk, one chunk, the first position, the first content, and that
    // chunk.
    expect(payload.subarray(0, 2)).toEqual(fromHex("01 19"));
    const inner = fromHex("02040608 02040608 01 01 00 02 02 0100 0900 0800000000000000");
    expect(await openBlob(payload, 25)).toEqual(inner);
    expect((await allLeaves(writer.state.index))[0]?.chunkRefs).toEqual([
      {
        packId: 1,
        recordOffset: 12,
        recordBytes: 15 + payload.length,
        recordCrc32: crc32(payload),
        blobType: 1,
        blobVersion: 3,
      },
    ]);
  });

  test.each<[rule: string, name: string, offset: number, code: ErrorCode]>([
    ["S10", "another magic", 0, "ORT_MAGIC"],
    ["S10", "another version", 4, "ORT_VERSION"],
    ["S10", "another id", 8, "ORT_RECORD"],
    ["S12", "no magic of a record", 12, "ORT_MAGIC"],
    ["S12", "a record of another type", 16, "ORT_RECORD"],
    ["S12", "a record of another version", 17, "ORT_RECORD"],
    ["S12", "a record of another length", 19, "ORT_RECORD"],
    ["S12", "a record with another checksum", 23, "ORT_RECORD"],
    ["S12", "a record whose payload changed", 30, "ORT_CHECKSUM"],
  ])("[%s] is refused with %s when the record is read", async (_rule, _name, offset, code) => {
    const { disk } = await smallWorld();
    await flipByte(disk, PACK, offset);
    const save = await openSave(disk);
    const [leaf] = (await allLeaves(save.index)) as [LeafEntry];
    expect(await codeOfRejection(() => save.readChunks(leaf))).toBe(code);
  });

  test("[S12] has a record checked each time it is read", async () => {
    const { disk } = await smallWorld();
    const save = await openSave(disk);
    const [leaf] = (await allLeaves(save.index)) as [LeafEntry];
    expect(await codeOfRejection(() => save.readChunks(leaf))).toBe("no error");
    await flipByte(disk, PACK, 30);
    expect(await codeOfRejection(() => save.readChunks(leaf))).toBe("ORT_CHECKSUM");
  });

  test("[S12] is refused when it is missing or cut", async () => {
    const { disk } = await smallWorld();
    const whole = fileOf(disk, PACK);
    await replaceFile(disk, PACK, whole.subarray(0, -1));
    const cut = await openSave(disk);
    expect(
      await codeOfRejection(async () => cut.readChunks((await allLeaves(cut.index))[0] as LeafEntry)),
    ).toBe("ORT_TRUNCATED");
    const gone = await openSave(disk);
    await disk.remove(PACK);
    expect(
      await codeOfRejection(async () => gone.readChunks((await allLeaves(gone.index))[0] as LeafEntry)),
    ).toBe("ORT_NOT_FOUND");
  });
});

describe("what a leaf refers to", () => {
  test.each<[name: string, change: (leaf: LeafEntry) => LeafEntry, code: ErrorCode]>([
    [
      "lies in the leaf",
      (leaf) => ({ ...leaf, cube: { min: [-4, -4, -4, -4], max: [0, 0, 0, 0] } }),
      "ORT_BLOB",
    ],
    ["is there once", (leaf) => ({ ...leaf, chunkRefs: [...leaf.chunkRefs, ...leaf.chunkRefs] }), "ORT_BLOB"],
    [
      "is of the right type",
      (leaf) => ({ ...leaf, chunkRefs: leaf.chunkRefs.map((ref) => ({ ...ref, blobType: 2 })) }),
      "ORT_RECORD",
    ],
    [
      "is of a known version",
      (leaf) => ({ ...leaf, chunkRefs: leaf.chunkRefs.map((ref) => ({ ...ref, blobVersion: 4 })) }),
      "ORT_VERSION",
    ],
    [
      "is not longer than it may be",
      (leaf) => ({ ...leaf, chunkRefs: leaf.chunkRefs.map((ref) => ({ ...ref, recordBytes: 1_100_000 })) }),
      "ORT_LIMIT",
    ],
  ])("[S13] what a leaf refers to %s, or is refused", async (_name, change, code) => {
    const { disk } = await smallWorld();
    const save = await openSave(disk);
    const [leaf] = await allLeaves(save.index);
    expect(await codeOfRejection(() => save.readChunks(change(leaf as LeafEntry)))).toBe(code);
  });
});

test("a save is readable after it is written, and refuses reads after it is closed", async () => {
  const { disk, writer } = await smallWorld();
  const save = await openSave(disk);
  expect(await chunksOf(save)).toEqual({ "1,2,3,4": 9 });
  expect((await allLeaves(save.index))[0]?.cube).toEqual(ORIGIN_CELL);
  const later = await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks: [] }] });
  expect(await chunksOf(later)).toEqual({});
  expect(await chunksOf(save)).toEqual({ "1,2,3,4": 9 });
  await save.close();
  expect(await codeOfRejection(() => chunksOf(save))).toBe("ORT_CLOSED");
});

function fileOf(disk: MemoryDisk, path: string): Uint8Array {
  return disk.image().files.get(path) ?? new Uint8Array(0);
}
