import type { Box, ErrorCode } from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import { cubeAt } from "@orthant/core/lattice";
import type { LeafEntry, RecordRef } from "@orthant/save";
import {
  decodeLinked,
  decodeRoot,
  encodePage,
  IndexPage,
  linkOf,
  type PageId,
  type PageLink,
  pageFile,
  pageHeader,
  parsePageFile,
  trieOf,
} from "@orthant/save/internal";
import { codeOfRejection, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const ROOT: PageId = { generation: 5, number: 0 };
const PAGE: PageId = { generation: 5, number: 2 };

const ref: RecordRef = {
  packId: 1,
  recordOffset: 12,
  recordBytes: 40,
  recordCrc32: 0xdeadbeef,
  blobType: 1,
  blobVersion: 1,
};

const link: PageLink = {
  cube: cubeAt([0, 0, 0, 0], 8),
  generation: 3,
  number: 1,
  bytes: 100,
  crc32: 0x01020304,
  height: 0,
  totals: { leaves: 2, chunks: 3, uncounted: 0, clocks: 4, recordBytes: 80 },
};

function leafAt(cube: Box, more: Partial<LeafEntry> = {}): LeafEntry {
  return { cube, chunkRefs: [ref], entityRefs: [], chunks: 2, clocks: [], ...more };
}

const MIN = "00000080".repeat(4);
const ZERO = "00000000".repeat(4);

/** Formats a header; {@link seal} fills in the checksum. */
function header(id: PageId, level: string, min: string, leaves: number, links: number): string {
  const word = (value: number): string => `${value.toString(16).padStart(2, "0")}000000`;
  return `56344958 03000000 ${word(id.generation)}00000000 ${word(id.number)} ${level} ${min} ${word(leaves)} ${word(links)} 00000000`;
}

function seal(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  const checksum = crc32(bytes.subarray(pageHeader.bytes));
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(pageHeader.offsets.bodyCrc32, checksum, true);
  return bytes;
}

// Relative to the previous entry: level and steps in cubes of that level; chunks; references; clocks.
const FIRST = "01 00000000 02 01 02 18 28 efbeadde 01 00 00";
const SECOND = "01 02000000 02 01 00 4f 28 efbeadde 01 00 01 00000000 0a";
const twoLeavesHex = `${header(PAGE, "02", ZERO, 2, 0)} ${FIRST} ${SECOND}`;
const twoLeaves = [
  leafAt(cubeAt([0, 0, 0, 0], 2)),
  leafAt(cubeAt([2, 0, 0, 0], 2), { clocks: [{ region: [0, 0, 0, 0], clock: 5 }] }),
];
// The root has one leaf and one link: two generations ago, page 1, 100 bytes, checksum, height, totals.
const HALF = "80808080 02".repeat(4);
const LINK = `43 ${HALF} 02 01 64 04030201 00 02 03 00 04 50`;
const ROOT_LEAF = "10 02000000 02 01 02 18 28 efbeadde 01 00 00";
const rootHex = `${header(ROOT, "20", MIN, 1, 1)} ${LINK} ${ROOT_LEAF}`;
const rootEntries = [new IndexPage<LeafEntry>({ link }), leafAt(cubeAt([65_536, 0, 0, 0], 65_536))];

function pageOf(entries: readonly (LeafEntry | IndexPage<LeafEntry>)[], id = PAGE): Uint8Array {
  return encodePage(id, trieOf<LeafEntry>(entries), 3);
}

function linkTo(bytes: Uint8Array, more: Partial<PageLink> = {}): PageLink {
  const totals = { leaves: 2, chunks: 4, uncounted: 0, clocks: 1, recordBytes: 80 };
  const cube = cubeAt([0, 0, 0, 0], 4);
  return { ...PAGE, cube, bytes: bytes.length, crc32: crc32(bytes), height: 0, totals, ...more };
}

describe("an index page", () => {
  test("[S53, S56, S57] an index page with leaves consists of a header and entries, byte for byte", () => {
    expect(toHex(pageOf(twoLeaves))).toBe(toHex(seal(twoLeavesHex)));
    const read = decodeLinked("page", seal(twoLeavesHex), linkTo(seal(twoLeavesHex)));
    expect(read.children).toEqual(twoLeaves);
  });

  test("[S53, S56, S58] an index page that is a root has the lattice as its cube and links to other pages, byte for byte", () => {
    expect(toHex(pageOf(rootEntries, ROOT))).toBe(toHex(seal(rootHex)));
    const { generation, totals } = decodeRoot("root", seal(rootHex));
    expect(generation).toBe(5);
    expect(totals).toEqual({ leaves: 3, chunks: 5, uncounted: 0, clocks: 4, recordBytes: 120 });
  });

  test("[S54] an index page of an empty world is a root without entries", () => {
    expect(toHex(encodePage(ROOT, undefined, 3))).toBe(toHex(seal(header(ROOT, "20", MIN, 0, 0))));
    expect(decodeRoot("root", encodePage(ROOT, undefined, 3)).root).toBeUndefined();
  });

  test("[S63] has its generation and number in its name", () => {
    expect(pageFile({ generation: 12, number: 7 })).toBe("index/ix-000007.g0000000000000012.v4ix");
    expect(parsePageFile("index/ix-1000000.g0000000000000012.v4ix")).toEqual({ generation: 12, number: 1e6 });
    for (const path of [
      "index/ix-000000.g0000000000000012.v4ix",
      "index/ix-0000007.g0000000000000012.v4ix",
    ]) {
      expect(parsePageFile(path)).toBeUndefined();
    }
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["S53", "another version", rootHex.replace("03000000", "05000000"), "ORT_VERSION"],
    [
      "S53",
      "another count of leaves",
      rootHex.replace("01000000 01000000", "02000000 01000000"),
      "ORT_INDEX",
    ],
    ["S53", "another count of links", rootHex.replace("01000000 01000000", "01000000 00000000"), "ORT_INDEX"],
    ["S53", "half an entry behind the last", `${rootHex} 10`, "ORT_TRUNCATED"],
    ["S53", "a number that no root has", rootHex.replace("00000000 20", "01000000 20"), "ORT_INDEX"],
    ["S54", "another cube than the lattice", rootHex.replace(`20 ${MIN}`, `1f ${ZERO}`), "ORT_INDEX"],
    ["S54", "a corner that is not aligned", rootHex.replace(MIN, `01${MIN.slice(2)}`), "ORT_INDEX"],
    ["S55", "entries out of order", rootHex.replace(ROOT_LEAF, ROOT_LEAF.replace("02", "01")), "ORT_INDEX"],
    ["S55", "an entry over another", rootHex.replace(ROOT_LEAF, ROOT_LEAF.replace("02", "00")), "ORT_INDEX"],
    ["S55", "a leaf of edge 2^17", rootHex.replace(ROOT_LEAF, ROOT_LEAF.replace("10", "11")), "ORT_INDEX"],
    ["S55", "a link of edge 2^32", rootHex.replace("43 ", "60 "), "ORT_INDEX"],
    ["S55", "an unknown kind", rootHex.replace("43 ", "c3 "), "ORT_INDEX"],
    [
      "S55",
      "an entry beyond the lattice",
      rootHex.replace(ROOT_LEAF, ROOT_LEAF.replace("02", "feff07")),
      "ORT_INDEX",
    ],
    [
      "S56",
      "a padded step",
      rootHex.replace(ROOT_LEAF, ROOT_LEAF.replace("02", "8200")),
      "ORT_VARINT_PADDED",
    ],
    ["S56", "a pack before the first", rootHex.replace("01 02 18", "01 01 18"), "ORT_VARINT_RANGE"],
    ["S57", "a leaf that holds nothing", rootHex.replace(ROOT_LEAF, "10 02000000 00 00 00 00"), "ORT_INDEX"],
    [
      "S57",
      "chunks without a record",
      rootHex.replace(ROOT_LEAF, "10 02000000 01 00 00 01 8080020000000a"),
      "ORT_INDEX",
    ],
    [
      "S57",
      "a region far away",
      rootHex.replace(ROOT_LEAF, `${ROOT_LEAF.slice(0, -2)}01 7f00000a`.concat(" 0a")),
      "ORT_INDEX",
    ],
    ["S58", "a page of a later generation", rootHex.replace(" 02 01 64", " ffffff7f 01 64"), "ORT_INDEX"],
    ["S58", "a link to a root", rootHex.replace(" 02 01 64", " 02 00 64"), "ORT_INDEX"],
    ["S58", "a height beyond all", rootHex.replace("04030201 00", "04030201 20"), "ORT_INDEX"],
    ["S58", "totals beyond all", rootHex.replace("00 04 50", "00 04 ffffffffffffff0f"), "ORT_INDEX"],
  ])("[%s] is refused with %s", async (_rule, _name, hex, code) => {
    expect(hex).not.toBe(rootHex);
    expect(await codeOfRejection(() => decodeRoot("root", seal(hex)))).toBe(code);
  });

  test.each<[name: string, more: Partial<PageLink>, code: ErrorCode]>([
    ["another length", { bytes: 7 }, "ORT_CHECKSUM"],
    ["another checksum", { crc32: 7 }, "ORT_CHECKSUM"],
    ["another generation", { generation: 4 }, "ORT_INDEX"],
    ["another number", { number: 3 }, "ORT_INDEX"],
    ["another cube", { cube: cubeAt([0, 0, 0, 0], 8) }, "ORT_INDEX"],
    ["another height", { height: 1 }, "ORT_INDEX"],
    ["another total", { totals: { ...link.totals, leaves: 3 } }, "ORT_INDEX"],
  ])("[S59] is refused when its link states %s", async (_name, more, code) => {
    const bytes = pageOf(twoLeaves);
    decodeLinked("page", bytes, linkTo(bytes));
    expect(await codeOfRejection(() => decodeLinked("page", bytes, linkTo(bytes, more)))).toBe(code);
  });

  test.each<[rule: string, name: string, hex: string]>([
    ["S54", "one entry", `${header(PAGE, "01", ZERO, 1, 0)} ${FIRST}`],
    ["S54", "a cube that is larger than it need be", twoLeavesHex.replace(`02 ${ZERO}`, `03 ${ZERO}`)],
    [
      "S55",
      "an entry outside of its cube",
      twoLeavesHex.replace(SECOND, SECOND.replace("02000000", "04000000")),
    ],
  ])("[%s] an index page that is linked is refused with %s", async (_rule, _name, hex) => {
    const bytes = seal(hex);
    const cube = cubeAt([0, 0, 0, 0], hex.includes("01 0000000000") ? 2 : 4);
    const totals = { leaves: 1, chunks: 2, uncounted: 0, clocks: 0, recordBytes: 40 };
    const more = hex.includes(SECOND.slice(4)) ? {} : { cube, totals };
    expect(await codeOfRejection(() => decodeLinked("page", bytes, linkTo(bytes, more)))).toBe("ORT_INDEX");
  });

  test("[S53] is refused when cut at any byte, or with a changed byte in its body", async () => {
    const whole = seal(rootHex);
    for (let length = 0; length < whole.length; length++) {
      const code = await codeOfRejection(() => decodeRoot("root", whole.subarray(0, length)));
      expect(code).toBe(length < pageHeader.bytes ? "ORT_TRUNCATED" : "ORT_CHECKSUM");
    }
    const changed = whole.map((byte, index) => (index === whole.length - 1 ? byte ^ 1 : byte));
    expect(await codeOfRejection(() => decodeRoot("root", changed))).toBe("ORT_CHECKSUM");
  });

  test("[S60] is the same for any order of its entries, and returns them", () => {
    const prng = new Prng(7);
    for (let round = 0; round < 50; round++) {
      const leaves = randomLeaves(prng, prng.between(2, 40));
      const bytes = pageOf(leaves);
      expect(pageOf([...leaves].reverse())).toEqual(bytes);
      const part = decodeLinked("page", bytes, linkOf(PAGE, partOf(leaves), bytes));
      expect(encodePage(PAGE, part, 3)).toEqual(bytes);
      const found = decodeRoot("root", pageOf(leaves, ROOT)).totals;
      expect(found.clocks).toBe(leaves.reduce((sum, { clocks }) => sum + clocks.length, 0));
    }
  });
});

describe("an entry of an index page of version 4", () => {
  const parts = [
    { tag: 1, bytes: fromHex("aabbcc") },
    { tag: 300, bytes: fromHex("01") },
  ];
  /** Five bytes and the part 1; four bytes and the part 300. */
  const PARTS = "09 01 03 aabbcc ac02 01 01";
  const withParts = [{ ...(twoLeaves[0] as LeafEntry), parts }, twoLeaves[1] as LeafEntry];
  const hex = `${header(PAGE, "02", ZERO, 2, 0)} ${FIRST.replace("01", "81")} ${PARTS} ${SECOND}`.replace(
    "03000000",
    "04000000",
  );

  test("[S117, S118] has parts by tag and length, of any tag, and keeps them", () => {
    const bytes = encodePage(PAGE, trieOf<LeafEntry>(withParts), 4);
    expect(toHex(bytes)).toBe(toHex(seal(hex)));
    const read = decodeLinked("page", bytes, linkTo(bytes));
    expect(read.children).toEqual(withParts);
    expect(encodePage(PAGE, read, 4)).toEqual(bytes);
    const linked = new IndexPage<LeafEntry>({ link: { ...link, parts } });
    const root = encodePage(ROOT, trieOf<LeafEntry>([linked, rootEntries[1] as LeafEntry]), 4);
    expect(encodePage(ROOT, decodeRoot("root", root).root, 4)).toEqual(root);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["S118", "no parts where the flag says there are some", hex.replace(PARTS, "00"), "ORT_TRUNCATED"],
    ["S118", "an empty part", hex.replace(PARTS, "02 01 00"), "ORT_INDEX"],
    ["S118", "parts out of order", hex.replace(PARTS, "06 02 01 aa 01 01 bb"), "ORT_INDEX"],
    ["S118", "part 0", hex.replace(PARTS, "03 00 01 aa"), "ORT_INDEX"],
    ["S118", "a part that is longer than all of them", hex.replace(PARTS, "03 01 02 aa"), "ORT_TRUNCATED"],
    ["S53", "the flag of parts in version 3", hex.replace("04000000", "03000000"), "ORT_INDEX"],
  ])("[%s] is refused with %s", async (_rule, _name, changed, code) => {
    const bytes = seal(changed);
    expect(await codeOfRejection(() => decodeLinked("page", bytes, linkTo(bytes)))).toBe(code);
  });
});

function partOf(leaves: readonly LeafEntry[]): Parameters<typeof linkOf>[1] {
  return trieOf(leaves) as Parameters<typeof linkOf>[1];
}

function randomLeaves(prng: Prng, count: number): readonly LeafEntry[] {
  const corners = new Set<number>();
  while (corners.size < count) corners.add(prng.between(-500, 500));
  return [...corners].map((corner) => {
    const region = [corner * 4, 0, 0, corner] as const;
    return leafAt(cubeAt([corner * 16, 0, 0, corner * 4], 4), {
      chunkRefs: Array.from({ length: prng.between(0, 2) }, () => randomRef(prng)),
      entityRefs: [{ ...randomRef(prng), blobType: 2 }],
      chunks: 0,
      clocks: prng.below(2) === 0 ? [] : [{ region: [...region], clock: prng.below(2 ** 40) }],
    });
  });
}

function randomRef(prng: Prng): RecordRef {
  return {
    ...ref,
    packId: prng.between(1, 300),
    recordOffset: prng.below(2 ** 30),
    recordBytes: prng.between(15, 2 ** 20),
    recordCrc32: prng.below(2 ** 31),
  };
}
