import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  openPixelSave,
  packMask,
  pixelsOf,
  planPixelRepair,
  Version1Writer,
  verifyPixelWorld,
} from "@orthant/pixel-world";
import { codeOfRejection, toHex } from "@orthant/testkit";
import {
  bytesOf,
  diskWith,
  exampleOfPage,
  FILE,
  FULL_BYTES,
  filled,
  nativeFile,
  patched,
  sampleBody,
  sealPageEntry,
  strictly,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const file = await nativeFile();
const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
const TABLE = Number(view.getBigUint64(40, true));
const BODIES = Number(view.getBigUint64(53, true));
const FIRST_PAYLOAD = 68;
/** Entries are ordered by y first: [0, 0], then [-1, 2]. */
const SECOND_ENTRY = TABLE + 24;

/** Returns a native file with one chunk of changes, which are these bytes before compression. */
async function deltaFile(raw: readonly number[]): Promise<Uint8Array> {
  const disk = new MemoryDisk();
  const writer = await Version1Writer.create(disk, FILE);
  // One sequence of literals: size, token, bytes.
  const payload = Uint8Array.from([raw.length, 0, 0, 0, raw.length << 4, ...raw]);
  await writer.addPayload({ x: 0, y: 0, storage: "delta" }, payload);
  await writer.finish({ worldSeed: 0n, createdMs: 0, modifiedMs: 0 });
  await writer.close();
  return bytesOf(disk);
}

describe("a native version 1 file", () => {
  test("[X19] a native file reads back as written", async () => {
    const save = await openPixelSave(diskWith(file), FILE);
    expect(save).toMatchObject({
      dialect: "native",
      chunkCount: 2,
      bodyCount: 2,
      deadBytes: 0,
      modifiedMs: 5_000,
    });
    expect(save.facts).toMatchObject({
      worldSeed: 42n,
      createdMs: 1_000,
      chunkEdge: 512,
      tileEdge: 32,
      generator: undefined,
    });
    expect([...save.chunks()].map(({ x, y, storage }) => [x, y, storage])).toEqual([
      [0, 0, "full"],
      [-1, 2, "empty"],
    ]);
    const stored = await save.readChunk([...save.chunks()][0] as never);
    expect(Buffer.compare(pixelsOf(stored, save.facts, undefined, 0, 0), filled(3, FULL_BYTES))).toBe(0);
    const bodies = [...save.bodies()];
    expect(
      bodies.map(({ id, x, y }) => [id, x, y]),
      "an id beyond 2^53 stays; -0.5 is in chunk 0",
    ).toEqual([
      [0xffff_ffff_ffff_ffffn, 0, 0],
      [7n, 0, 1],
    ]);
    expect(await save.readBody(bodies[1] as never)).toEqual(sampleBody(7n, [-0.5, 600]));
    expect(await verifyPixelWorld(diskWith(file), FILE)).toEqual([]);
  });

  test("[X4] the worked example on the format page is a valid file", async () => {
    const example = exampleOfPage();
    expect(example.length).toBe(101);
    expect(await strictly(example)).toBe("1 chunks, 0 bodies");
  });

  test("[X3] masks have the lowest bit first", () => {
    const mask = packMask([true, false, true, true, false, false, true, false, true]);
    expect(toHex(mask), "and not 6d 01").toBe("4d01");
  });

  test("[X14] a native file may have bytes after its tables", async () => {
    expect(await strictly(Uint8Array.from([...file, 1, 2, 3]))).toBe("2 chunks, 2 bodies");
  });

  test("[X5] [X12] a native file truncated at any byte is rejected, and repair loses only the truncated part", async () => {
    for (let length = 0; length < file.length; length += length > TABLE - 8 ? 1 : 97) {
      const cut = file.subarray(0, length);
      expect(["ORT_TRUNCATED", "ORT_MAGIC"], `at ${length}`).toContain(await strictly(cut));
      if (length < 64) continue;
      const plan = await planPixelRepair(diskWith(cut), FILE);
      const whole = Math.max(0, Math.min(2, Math.floor((length - TABLE) / 24)));
      expect(plan.chunks.length, `at ${length}`).toBe(whole);
      expect(plan.bodies.length + plan.carved.length, `at ${length}`).toBeLessThanOrEqual(2);
    }
  });

  test.each<[rule: string, what: string, bytes: () => Uint8Array, code: string]>([
    ["X4", "another magic", () => patched(file, 0, [0x56]), "ORT_MAGIC"],
    ["X4", "version 2", () => patched(file, 4, [2]), "ORT_VERSION"],
    ["X4", "version 0", () => patched(file, 4, [0]), "ORT_VERSION"],
    ["X4", "chunks of 256 pixels", () => patched(file, 48, [0, 1]), "ORT_VERSION"],
    ["X4", "tiles of 16 pixels", () => patched(file, 50, [16]), "ORT_VERSION"],
    ["X4", "three bytes a pixel", () => patched(file, 52, [3]), "ORT_VERSION"],
    ["X5", "a count of one more", () => patched(file, 32, [3]), "ORT_INDEX"],
    ["X5", "another length of the table", () => patched(file, 36, [47]), "ORT_INDEX"],
    ["X5", "a table inside the header", () => patched(file, 40, [8, 0, 0, 0]), "ORT_INDEX"],
    [
      "X5",
      "an entry twice",
      () => patched(file, SECOND_ENTRY, [...file.subarray(TABLE, SECOND_ENTRY)]),
      "ORT_INDEX",
    ],
    [
      "X5",
      "entries in another order",
      () =>
        patched(patched(file, TABLE, [...file.subarray(SECOND_ENTRY, BODIES)]), SECOND_ENTRY, [
          ...file.subarray(TABLE, SECOND_ENTRY),
        ]),
      "ORT_INDEX",
    ],
    [
      "X6",
      "a zero-filled entry, whose checksum is right",
      () => patched(file, TABLE, Array<number>(24).fill(0)),
      "ORT_INDEX",
    ],
    ["X6", "an all-new table of zeros", () => patched(file, TABLE, Array<number>(48).fill(0)), "ORT_INDEX"],
    [
      "X6",
      "a payload that reaches into the table",
      () => sealPageEntry(patched(file, TABLE + 18, [0xff]), TABLE),
      "ORT_INDEX",
    ],
    [
      "X6",
      "an offset beyond any file",
      () => sealPageEntry(patched(file, TABLE + 15, [0xff]), TABLE),
      "ORT_INDEX",
    ],
    [
      "X7",
      "a flipped bit in an entry",
      () => patched(file, TABLE + 8, [(file[TABLE + 8] ?? 0) ^ 1]),
      "ORT_CHECKSUM",
    ],
    ["X8", "a storage of 7", () => sealPageEntry(patched(file, TABLE + 20, [7]), TABLE), "ORT_INDEX"],
    ["X9", "another length before the payload", () => patched(file, 64, [1]), "ORT_RECORD"],
    ["X10", "a size of more than a chunk", () => patched(file, FIRST_PAYLOAD + 2, [0x11]), "ORT_LZ4"],
    ["X10", "a size of less than a chunk", () => patched(file, FIRST_PAYLOAD + 2, [0x08]), "ORT_LZ4"],
    ["X12", "bodies elsewhere", () => patched(file, 53, [(file[53] ?? 0) + 1]), "ORT_INDEX"],
    ["X12", "more bodies than there are", () => patched(file, BODIES, [3]), "ORT_TRUNCATED"],
    ["X12", "a body outside of the data", () => patched(file, BODIES + 8 + 8, [1, 0, 0, 0]), "ORT_INDEX"],
    ["X12", "another id than the record's", () => patched(file, BODIES + 8, [1]), "ORT_RECORD"],
  ])("[%s] a native file is rejected with %s", async (_rule, _what, bytes, code) => {
    const changed = bytes();
    expect(await strictly(changed)).toBe(code);
    expect(isWhole(await verifyPixelWorld(diskWith(changed), FILE))).toBe(false);
  });

  test("[X7] a torn table loses only the torn entries, and never yields an empty world", async () => {
    // A session appended over the table and died, so its first entry has other bytes.
    const torn = patched(file, TABLE, [0xb3, 0x38, 0, 0, 0, 0, 0x10, 0, 0xf0, 0xff]);
    expect(await strictly(torn)).toBe("ORT_CHECKSUM");
    const plan = await planPixelRepair(diskWith(torn), FILE);
    expect(plan.chunks.map(({ x, y }) => [x, y])).toEqual([[-1, 2]]);
    expect(plan.bodies.length).toBe(2);
    expect(plan.losses.join("\n")).toContain("1 chunks are there, and nothing says where they belong");
  });
});

describe("chunks stored as changes in version 1", () => {
  const change = (position: number, flags = 2): number[] => [
    position & 255,
    (position >> 8) & 255,
    position >> 16,
    9,
    8,
    7,
    flags,
  ];

  test.each<[what: string, raw: number[], code: string]>([
    ["a position outside of the chunk", [1, 0, 0, 0, ...change(262_144)], "ORT_BLOB"],
    ["a position twice", [2, 0, 0, 0, ...change(5)].concat([5, 0, 0]), "ORT_BLOB"],
    ["a count without its changes", [0xff, 0xff, 0xff, 0], "ORT_BLOB"],
    ["bytes behind the changes", [0, 0, 0, 0, 1], "ORT_BLOB"],
    ["unknown flags", [1, 0, 0, 0, ...change(5, 0x40)], "ORT_BLOB"],
    ["no count", [1, 0, 0], "ORT_TRUNCATED"],
  ])("[X11] changes are rejected with %s", async (_what, raw, code) => {
    expect(await strictly(await deltaFile(raw))).toBe(code);
  });

  test("[X11] an empty list of changes is valid and still needs a generator", async () => {
    const save = await openPixelSave(diskWith(await deltaFile([0, 0, 0, 0])), FILE);
    const [ref] = [...save.chunks()];
    const stored = await save.readChunk(ref as never);
    expect(stored).toMatchObject({ storage: "delta", delta: { positions: new Uint32Array(0) } });
    expect(() => pixelsOf(stored, save.facts, undefined, 0, 0)).toThrow("ORT_GENERATOR_UNKNOWN");
  });

  test("[X17] changes that only the original's reader accepts are salvaged", async () => {
    const trailing = await deltaFile([1, 0, 0, 0, ...change(5, 0xff), 1]);
    expect(await strictly(trailing)).toBe("ORT_BLOB");
    const plan = await planPixelRepair(diskWith(trailing), FILE);
    expect(plan.chunks.length).toBe(1);
    expect(plan.losses).toEqual([]);
  });
});

describe("bodies in version 1", () => {
  const record = BODIES + 8;
  const offsetOf = (index: number): number => Number(view.getBigUint64(record + index * 28 + 8, true));

  test.each<[what: string, at: number, bytes: number[], code: string]>([
    ["another position", 8, [1], "ORT_CHECKSUM"],
    ["reserved bytes", 61, [1], "ORT_BLOB"],
    ["a velocity that is not a number", 20, [0, 0, 0xc0, 0x7f], "ORT_BLOB"],
    ["an extension that is longer than the record", 56, [9], "ORT_TRUNCATED"],
  ])("[X2] a body is rejected with %s", async (_what, at, bytes, code) => {
    expect(await strictly(patched(file, offsetOf(0) + at, bytes))).toBe(code);
  });

  test("[X18] bodies are found without their index", async () => {
    const plan = await planPixelRepair(diskWith(patched(file, BODIES, [0xff, 0xff, 0xff, 0x7f])), FILE);
    expect(plan.bodies.length).toBe(2);
    const gone = await planPixelRepair(diskWith(file.subarray(0, BODIES + 4)), FILE);
    expect(gone.bodies).toEqual([]);
    expect(gone.carved.map(({ id, x, y }) => [id, x, y])).toEqual([
      [7n, 0, 1],
      [0xffff_ffff_ffff_ffffn, 0, 0],
    ]);
    expect(gone.losses.join("\n")).toContain("2 bodies were found without the index");
  });
});

test("[X15] a file without a complete header cannot be salvaged, but one with version 0 can", async () => {
  expect(await codeOfRejection(planPixelRepair(diskWith(file.subarray(0, 40)), FILE))).toBe("ORT_TRUNCATED");
  expect(await codeOfRejection(planPixelRepair(diskWith(patched(file, 4, [2])), FILE))).toBe("ORT_VERSION");
  const plan = await planPixelRepair(diskWith(patched(file, 4, [0])), FILE);
  expect(plan).toMatchObject({ losses: [] });
  expect(plan.chunks.length).toBe(2);
});

test("[X16] a damaged chunk loses no other chunk and no body", async () => {
  const broken = patched(file, FIRST_PAYLOAD + 4, [0xff, 0xff, 0xff]);
  const plan = await planPixelRepair(diskWith(broken), FILE);
  expect(plan.chunks.map(({ x, y }) => [x, y])).toEqual([[-1, 2]]);
  expect(plan.bodies.length).toBe(2);
  expect(plan.losses.length).toBe(1);
});

describe("a version 1 file from a browser", () => {
  /**
   * Returns the same file as a browser would have written it: other header, no checksums, chunk [0, 0],
   * rounded ids.
   */
  function asBrowser(): Uint8Array {
    const bytes = file.slice();
    const out = new DataView(bytes.buffer);
    bytes.set([0x50, 0x58, 0x53, 0x56, 1, 0, 0, 0]);
    out.setUint32(36, 0, true);
    bytes.fill(0, 48, 64);
    out.setUint32(48, 48, true);
    out.setBigUint64(52, BigInt(BODIES), true);
    for (const entry of [TABLE, SECOND_ENTRY]) bytes[entry + 21] = 0;
    for (const index of [0, 1]) bytes.fill(0, BODIES + 8 + index * 28 + 20, BODIES + 8 + index * 28 + 28);
    out.setBigUint64(BODIES + 8, BigInt.asUintN(64, BigInt(String(Number(0xffff_ffff_ffff_ffffn)))), true);
    return bytes;
  }

  test("[X13] a browser's file is read with the ids and chunks from its body records", async () => {
    const save = await openPixelSave(diskWith(asBrowser()), FILE);
    expect(save.dialect).toBe("browser");
    expect([...save.bodies()].map(({ id, x, y }) => [id, x, y])).toEqual([
      [0xffff_ffff_ffff_ffffn, 0, 0],
      [7n, 0, 1],
    ]);
    expect(await strictly(asBrowser())).toBe("2 chunks, 2 bodies");
  });

  test("[X7] [X13] a browser's file is rejected with a checksum or with an id that is not the rounded one", async () => {
    expect(await strictly(patched(asBrowser(), TABLE + 21, [1]))).toBe("ORT_CHECKSUM");
    expect(await strictly(patched(asBrowser(), BODIES + 8, [5]))).toBe("ORT_RECORD");
  });
});
