import { MemoryDisk } from "@orthant/disk";
import { detectFormat, openMarsMiner, verifyMarsMiner } from "@orthant/formats";
import { MARSMINER_DIALECTS } from "@orthant/formats/internal";
import { codeOfRejection } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import {
  contentOf,
  cut,
  DRAFT_FILES,
  diskOf,
  GLOBAL_FILES,
  patched,
  readAll,
  STRINGBLOCK_FILES,
  SUBTYPES_FILES,
  TICKS,
  writtenDisk,
} from "./samples.ts";

const NOTED_TICKS = 634_652_586_141_234_567n;

async function messages(disk: MemoryDisk): Promise<readonly string[]> {
  return (await verifyMarsMiner(disk)).map(({ severity, message }) => `${severity}: ${message}`);
}

describe("a MarsMiner save", () => {
  test("[M3] is read in each of the four dialects, which all state version 0", async () => {
    const types = (...subtypes: (number | undefined)[]): unknown =>
      subtypes.map((subtype, id) => ({ name: `Block ${Math.min(id, 2)}`, subtype }));
    const cases = [
      [DRAFT_FILES, "draft", "Test Save", types(undefined, undefined, undefined, undefined), 1, [0, 0]],
      [SUBTYPES_FILES, "subtypes", "Test Save", types(0, 0, 0, 7), 1, [0, 0]],
      [STRINGBLOCK_FILES, "stringblock", "Save", [{ name: "OK", subtype: 7 }], 0, [0, 0]],
      [GLOBAL_FILES, "global-pointers", undefined, [{ name: "Core_Empty ", subtype: -1 }], 0, [64, -64]],
    ] as const;
    for (const [files, dialect, name, blockTypes, value, [x, z]] of cases) {
      const save = await openMarsMiner(diskOf(files));
      expect([save.dialect, save.fittingDialects]).toEqual([dialect, [dialect]]);
      expect(save.state?.name).toBe(name);
      const [entry] = save.state?.chunks ?? [];
      expect([entry?.x, entry?.z]).toEqual([x, z]);
      const chunk = entry && (await save.readChunk(entry));
      expect(chunk?.blockTypes).toEqual(blockTypes);
      expect(chunk?.octrees.map(({ values }) => [...values])).toEqual([[value]]);
      expect(await messages(diskOf(files))).toEqual([]);
    }
  });

  test("[M10] has an exact time beyond 2^53", async () => {
    const save = await openMarsMiner(diskOf(DRAFT_FILES));
    expect(save.state?.ticks).toBe(NOTED_TICKS);
    expect(NOTED_TICKS > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(BigInt(Number(NOTED_TICKS))).not.toBe(NOTED_TICKS);
  });

  test("[M2] a MarsMiner save that was never saved has no state, and is not damaged", async () => {
    for (const blob0 of ["00000000 00000000"]) {
      const disk = diskOf({ ...DRAFT_FILES, blob0, strings: "00000000 00000000" });
      const save = await openMarsMiner(disk);
      expect([save.state, save.fittingDialects]).toEqual([undefined, ["draft", "subtypes"]]);
      expect(await messages(disk)).toEqual(["notice: nothing was ever saved here"]);
    }
    const global = await openMarsMiner(diskOf({ blob0: "00000000 00000000 00000000" }));
    expect([global.state, global.dialect]).toEqual([undefined, "global-pointers"]);
  });

  test("[M2] is refused with another version", async () => {
    const disk = patched(diskOf(DRAFT_FILES), "blob0", 0, "01000000");
    expect(await codeOfRejection(openMarsMiner(disk))).toBe("ORT_VERSION");
  });

  test("[M4] is identified by its files and its count of pointers", async () => {
    const nothing = "00000000 00000000";
    const fits = async (files: Readonly<Record<string, string>>): Promise<unknown> =>
      (await openMarsMiner(diskOf(files))).fittingDialects;
    expect(await fits({ blob0: nothing, strings: nothing, pointers: nothing })).toEqual([
      "draft",
      "subtypes",
    ]);
    expect(
      await fits({ blob0: nothing, strings: nothing, pointers: "00000000 01000000 00000000 08000000" }),
    ).toEqual(["draft"]);
    expect(await fits({ blob0: nothing, pointers: nothing })).toEqual(["stringblock"]);
    expect(await fits({ blob0: `${nothing} 00000000` })).toEqual(["global-pointers"]);
  });

  test("[M5] a MarsMiner save with subtypes is not read as one without, which gave the original's first reader wrong names", async () => {
    expect((await openMarsMiner(diskOf(SUBTYPES_FILES))).dialect).toBe("subtypes");
    expect((await openMarsMiner(diskOf(DRAFT_FILES))).dialect).toBe("draft");
    const forced = await openMarsMiner(diskOf(SUBTYPES_FILES), { dialect: "draft" });
    const [entry] = forced.state?.chunks ?? [];
    const names = entry && (await forced.readChunk(entry)).blockTypes.map(({ name }) => name);
    expect(names).toEqual(["Block 0", undefined, "Block 1", undefined]);
  });

  test("[M5] written by us is identified even if a crash lost its count of pointers", async () => {
    const disk = patched(await writtenDisk(4, { blobFullBytes: 100 }), "pointers", 4, "00000000");
    expect((await openMarsMiner(disk)).dialect).toBe("draft");
  });

  test("[M1] ignores blobs after a gap in their numbers, and reports them", async () => {
    const whole = await writtenDisk(4, { blobFullBytes: 100 });
    const { directories, files } = whole.image();
    const gap = new MemoryDisk({
      directories,
      files: new Map([...files].filter(([path]) => path !== "blob1")),
    });
    const findings = await messages(gap);
    expect(findings.some((line) => line.startsWith("damage"))).toBe(true);
    const extra = diskOf({ ...DRAFT_FILES, blob2: "00000000 00000000", "notes.txt": "00" });
    expect(await messages(extra)).toEqual([
      "notice: blob1 is missing, so this one does not count",
      "notice: a file that is not part of the save",
    ]);
  });

  test("[M6] follows bit 31 of a pointer to a record, in several blobs", async () => {
    const disk = await writtenDisk(6, { blobFullBytes: 100 });
    const save = await openMarsMiner(disk);
    const { blobBytes, pointersBytes } = await save.sizes();
    expect(blobBytes.length).toBeGreaterThan(3);
    expect(pointersBytes).toBeGreaterThan(16);
    expect(save.state?.address.blob).toBeGreaterThan(0);
    expect(save.state?.chunks.length).toBe(3);
    await contentOf(save);
  });

  test.each([
    ["M6", "an index in no record", "04", "00000080"],
    ["M8", "an index inside the header", "04", "04000000"],
    ["M8", "an index past the end", "04", "4d000000"],
    ["M8", "an index that is far away", "04", "ffffff7f"],
    ["M8", "no chunk table", "14", "00000000"],
    ["M8", "a chunk at the end", "24", "4d000000"],
    ["M8", "no table of block types", "28", "00000000"],
    ["M8", "no octree", "2d", "00000000"],
    ["M12", "a name inside the head of the strings", "10", "07000000"],
    ["M12", "a name past the end of the strings", "10", "2a000000"],
  ])("[%s] is refused with a pointer to %s", async (_rule, _what, offset, hex) => {
    const disk = patched(diskOf(DRAFT_FILES), "blob0", Number.parseInt(offset, 16), hex);
    expect(await codeOfRejection(readAll(disk))).toBe("ORT_POINTER");
    expect((await messages(disk)).filter((line) => line.startsWith("damage")).length).toBeGreaterThan(0);
  });

  test("[M7] is refused with a pointer to a missing blob, or to an invalid address", async () => {
    for (const hex of ["01000000 0c000000", "ffffffff 0c000000", "00000000 0b000000", "00000000 ffffffff"]) {
      const disk = patched(diskOf(GLOBAL_FILES), "blob0", 4, hex);
      expect(await codeOfRejection(openMarsMiner(disk))).toBe("ORT_POINTER");
    }
  });

  test.each([
    ["an octree", "43", "ffffff7f"],
    ["a chunk table", "18", "ffffffff"],
    ["a table of block types", "31", "ffff"],
  ])("[M9] is refused when %s claims to extend past the end", async (_what, offset, hex) => {
    const disk = patched(diskOf(DRAFT_FILES), "blob0", Number.parseInt(offset, 16), hex);
    expect(await codeOfRejection(readAll(disk))).toBe("ORT_TRUNCATED");
  });

  test("[M9] is refused when cut at any byte, whereas the original silently accepted a short octree", async () => {
    for (const files of [DRAFT_FILES, SUBTYPES_FILES, STRINGBLOCK_FILES, GLOBAL_FILES]) {
      const whole = diskOf(files);
      for (const [path, bytes] of whole.image().files) {
        for (let length = 0; length < bytes.length; length++) {
          const disk = cut(whole, path, length);
          // The file of pointers holds nothing that is needed here.
          if (path === "pointers") expect(await readAll(disk)).toEqual(await readAll(whole));
          else {
            const code = await codeOfRejection(readAll(disk));
            expect(["ORT_TRUNCATED", "ORT_POINTER", "ORT_NOT_FOUND"]).toContain(code);
          }
        }
      }
    }
  });

  test("[M11] may share chunks, and may have two at a position, which verify reports", async () => {
    const table = "03000000 00000000 00000000 4d000000 01000000 00000000 4d000000 00000000 00000000 4d000000";
    const blob = `${DRAFT_FILES.blob0} 31000000 00 ${table}`;
    const disk = patched(diskOf({ ...DRAFT_FILES, blob0: blob }), "blob0", 0x14, "52000000");
    const save = await openMarsMiner(disk);
    const chunks = await Promise.all((save.state?.chunks ?? []).map((entry) => save.readChunk(entry)));
    expect(chunks.length).toBe(3);
    expect(chunks[0]).toEqual(chunks[1]);
    expect(await messages(disk)).toEqual(["notice: 1 places have more than one chunk; the last one counts"]);
  });

  test("[M12] is read by addresses even if StringCount is wrong and a torn string is among the others", async () => {
    for (const hex of ["00000000", "ffffffff", "ffffff7f", "09000000"]) {
      const disk = patched(diskOf(DRAFT_FILES), "strings", 4, hex);
      expect(await readAll(disk)).toEqual(await readAll(diskOf(DRAFT_FILES)));
      expect(await messages(disk)).toEqual([
        expect.stringMatching(/^notice: the head counts -?\d+ strings, and there are 4$/),
      ]);
    }
    const torn = diskOf({ ...DRAFT_FILES, strings: `${DRAFT_FILES.strings} c801 41` });
    expect(await readAll(torn)).toEqual(await readAll(diskOf(DRAFT_FILES)));
    expect(await messages(torn)).toEqual([
      "notice: the head counts 4 strings, and a torn string lies among them",
    ]);
  });

  test("[M12] has string lengths of one to five bytes, and distinguishes null from empty", async () => {
    const long = "61".repeat(200);
    const strings = `00000000 01000000 00 c801 ${long}`;
    const at = async (address: string): Promise<unknown> => {
      const disk = patched(diskOf({ ...DRAFT_FILES, strings }), "blob0", 0x10, address);
      const noTypes = patched(disk, "blob0", 0x18, "00000000");
      return (await openMarsMiner(noTypes)).state?.name;
    };
    expect(await at("00000000")).toBeUndefined();
    expect(await at("08000000")).toBe("");
    expect(await at("09000000")).toBe("a".repeat(200));
  });

  test.each([
    ["a length without an end", "ffffffffff", "ORT_TRUNCATED"],
    ["a length past the end", "05 6162", "ORT_TRUNCATED"],
    ["more bytes than are read", "81 80 04", "ORT_LIMIT"],
    ["bytes that are not UTF-8", "02 c328", "ORT_UTF8"],
  ])("[M12] is refused if its name has %s", async (_what, hex, code) => {
    const disk = diskOf({ ...DRAFT_FILES, strings: `00000000 01000000 ${hex}` });
    expect(await codeOfRejection(openMarsMiner(disk, { dialect: "draft" }))).toBe(code);
  });

  test("[M13] is refused with a string block of a length below -1, or past the end", async () => {
    for (const [hex, code] of [
      ["feffffff", "ORT_TRUNCATED"],
      ["ffffff7f", "ORT_TRUNCATED"],
    ] as const) {
      const disk = patched(diskOf(STRINGBLOCK_FILES), "blob0", 0x4b, hex);
      expect(await codeOfRejection(openMarsMiner(disk))).toBe(code);
    }
    const nullName = patched(diskOf(STRINGBLOCK_FILES), "blob0", 0x4b, "ffffffff");
    expect((await openMarsMiner(nullName)).state?.name).toBeUndefined();
  });

  test("[M14] counts pointer records by the length of their file, ignoring a torn one at the end", async () => {
    const whole = await writtenDisk(4, { blobFullBytes: 100 });
    const bytes = whole.image().files.get("pointers") ?? new Uint8Array(0);
    for (let tail = 1; tail < 8; tail++) {
      const torn = diskOf({
        ...Object.fromEntries(whole.image().files),
        pointers: new Uint8Array([...bytes, ...Array<number>(tail).fill(9)]),
      });
      expect(await readAll(torn)).toEqual(await readAll(whole));
      expect(await messages(torn)).toEqual([`notice: ${tail} bytes of a torn record`]);
    }
    expect(await codeOfRejection(readAll(cut(whole, "pointers", 8)))).toBe("ORT_POINTER");
  });

  test("[M17] is refused with cubes that are too small, too large or cannot be halved", async () => {
    const disk = await writtenDisk(1);
    for (const cubeSize of [0, 1, 3, 512]) {
      await expect(openMarsMiner(disk, { cubeSize })).rejects.toMatchObject({
        code: "ORT_ARGUMENT",
        detail: expect.stringMatching(new RegExp(`^cubeSize is ${cubeSize} \\(a number\\); it is a `)),
      });
    }
  });

  test("[M17] is refused with an octree deeper than its cube", async () => {
    const disk = await writtenDisk(1);
    await expect(readAll(disk)).resolves.toBeDefined();
    const save = await openMarsMiner(disk, { cubeSize: 4 });
    const [entry] = save.state?.chunks ?? [];
    expect(entry && (await codeOfRejection(save.readChunk(entry)))).toBe("ORT_OCTREE");
    expect(save.fittingDialects).toEqual(["draft"]);
  });

  test("[M20] may have block ids that no table lists, which verify reports", async () => {
    const disk = patched(diskOf(DRAFT_FILES), "blob0", 0x4c, "09");
    await expect(readAll(disk)).resolves.toBeDefined();
    expect(await messages(disk)).toEqual(["notice: a voxel has block id 9, where its chunk lists 4"]);
  });

  test("[M18] may have octrees with stray bits, which verify reports", async () => {
    const disk = patched(diskOf(DRAFT_FILES), "blob0", 0x4b, "f0");
    expect(await messages(disk)).toEqual([expect.stringContaining("notice: an octree with stray bits")]);
  });

  test("is detected by its content, even if it is damaged", async () => {
    for (const [index, files] of [DRAFT_FILES, SUBTYPES_FILES, STRINGBLOCK_FILES, GLOBAL_FILES].entries()) {
      expect(await detectFormat(diskOf(files))).toEqual({
        format: "marsminer",
        dialect: MARSMINER_DIALECTS[index],
        evidence: "blob0",
      });
    }
    const damaged = patched(diskOf(DRAFT_FILES), "blob0", 4, "ffffff7f");
    expect(await detectFormat(damaged)).toEqual({
      format: "marsminer",
      dialect: undefined,
      evidence: "blob0",
    });
    const headless = patched(diskOf(DRAFT_FILES), "blob0", 0, "ffffffff");
    expect(await detectFormat(headless)).toMatchObject({ format: "marsminer", evidence: "pointers" });
    expect(await detectFormat(diskOf({ blob0: "6170706c6573 616e64 7065617273" }))).toBeUndefined();
    expect(await detectFormat(diskOf({ strings: "00000000 00000000" }))).toBeUndefined();
  });

  test("keeps the ticks that we write exactly", async () => {
    expect((await openMarsMiner(await writtenDisk(1))).state?.ticks).toBe(TICKS);
  });
});
