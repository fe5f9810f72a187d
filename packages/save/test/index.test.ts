import type { Box, ErrorCode, Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { cubeAt } from "@orthant/core/lattice";
import type { LeafEntry, RecordRef } from "@orthant/save";
import { recordRefCodec } from "@orthant/save/content";
import { decodeIndexFile, encodeIndexFile, type IndexFile, indexHeader } from "@orthant/save/internal";
import { codeOfRejection, fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { sealIndex } from "./seal-index.ts";

const ref: RecordRef = {
  packId: 1,
  recordOffset: 12,
  recordBytes: 40,
  recordCrc32: 0xdead_beef,
  blobType: 1,
  blobVersion: 1,
};
const REF = "01 0c 28 effdb6f50d 01 01";
const NONE = "ffffffff0f";
const NO_CHILDREN = NONE.repeat(16);
/** Two adjacent cubes of edge 2, at x 0 and x 2, in a cube of edge 4. */
const ZERO_TO_ONE = "00000000 02020202";
const TWO_TO_THREE = "04000000 06020202";
const ZERO_TO_THREE = "00000000 06060606";

const PARENT = `00 ${NONE} 00 00 ${ZERO_TO_THREE} 01 02 ${NONE.repeat(14)} ${NONE}`;
const FIRST = `01 00 01 01 ${ZERO_TO_ONE} ${NO_CHILDREN} 00`;
const SECOND = `02 00 01 01 ${TWO_TO_THREE} ${NO_CHILDREN} 01`;
const LEAVES = `02 00 01 ${REF} 00 01 01 ${REF} 00`;

function header(version: number, nodes: number, leaves: number): string {
  const word = (value: number): string => `${value.toString(16).padStart(2, "0")}000000`;
  return `56344958 ${word(version)} 0500000000000000 ${"00000080".repeat(4)} ${"ffffff7f".repeat(4)} ${word(nodes)} ${word(leaves)} 00000000`;
}

function leafAt(cube: Box, more: Partial<LeafEntry> = {}): LeafEntry {
  return { cube, chunkRefs: [ref], entityRefs: [], chunks: 0, clocks: [], ...more };
}

const twoLeaves: IndexFile = {
  version: 1,
  generation: 5,
  leaves: [leafAt(cubeAt([0, 0, 0, 0], 2)), leafAt(cubeAt([2, 0, 0, 0], 2))],
};
const twoLeavesHex = `${header(1, 3, 2)} 03 ${PARENT} ${FIRST} ${SECOND} ${LEAVES}`;

describe("the index", () => {
  test("[S20, S22, S26, S27] consists of a header, nodes and leaves, byte for byte", () => {
    expect(toHex(encode(recordRefCodec, ref))).toBe(toHex(fromHex(REF)));
    expect(toHex(encodeIndexFile(twoLeaves))).toBe(toHex(sealIndex(fromHex(twoLeavesHex))));
    expect(decodeIndexFile("index", sealIndex(fromHex(twoLeavesHex)))).toEqual(twoLeaves);
  });

  test("[S28] has clocks after the references in version 2", () => {
    const clocked: IndexFile = {
      version: 2,
      generation: 5,
      leaves: [leafAt(cubeAt([0, 0, 0, 0], 4), { clocks: [{ region: [0, 0, 0, 0], clock: 2 ** 33 + 1 }] })],
    };
    const node = `00 ${NONE} 01 00 ${ZERO_TO_THREE} ${NO_CHILDREN} 00`;
    const hex = `${header(2, 1, 1)} 01 ${node} 01 00 01 ${REF} 00 01 00000000 8180808020`;
    expect(toHex(encodeIndexFile(clocked))).toBe(toHex(sealIndex(fromHex(hex))));
    expect(decodeIndexFile("index", sealIndex(fromHex(hex)))).toEqual(clocked);
  });

  test("[S21] has two empty lists for an empty world", () => {
    const hex = `${header(2, 0, 0)} 00 00`;
    expect(toHex(encodeIndexFile({ version: 2, generation: 5, leaves: [] }))).toBe(
      toHex(sealIndex(fromHex(hex))),
    );
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["S20", "version 3", twoLeavesHex.replace("56344958 01", "56344958 03"), "ORT_VERSION"],
    ["S20", "another root", twoLeavesHex.replace("00000080", "00000081"), "ORT_INDEX"],
    ["S21", "another count of nodes", twoLeavesHex.replace(header(1, 3, 2), header(1, 2, 2)), "ORT_INDEX"],
    ["S21", "another count of leaves", twoLeavesHex.replace(header(1, 3, 2), header(1, 3, 1)), "ORT_INDEX"],
    ["S21", "bytes behind the lists", `${twoLeavesHex} 00`, "ORT_TRAILING_BYTES"],
    ["S21", "a count beyond the bytes", `${header(1, 3, 2)} ffffff7f`, "ORT_TRUNCATED"],
    [
      "S22",
      "a node with another id",
      twoLeavesHex.replace(FIRST, FIRST.replace("01 00", "03 00")),
      "ORT_INDEX",
    ],
    [
      "S22",
      "a node with another parent",
      twoLeavesHex.replace(FIRST, FIRST.replace("01 00", "01 02")),
      "ORT_INDEX",
    ],
    [
      "S22",
      "a node of another depth",
      twoLeavesHex.replace(FIRST, FIRST.replace("01 00 01 01", "01 00 01 02")),
      "ORT_INDEX",
    ],
    [
      "S22",
      "a node that is its own child",
      twoLeavesHex.replace("01 02 ffffffff", "00 02 ffffffff"),
      "ORT_INDEX",
    ],
    ["S22", "a child of two slots", twoLeavesHex.replace("01 02 ffffffff", "01 01 ffffffff"), "ORT_INDEX"],
    [
      "S22",
      "a node that nothing reaches",
      `${header(1, 2, 1)} 02 ${`00 ${NONE} 01 00 ${ZERO_TO_ONE} ${NO_CHILDREN} 00`} ${SECOND} 01 00 01 ${REF} 00`,
      "ORT_INDEX",
    ],
    ["S23", "a box that is not a cube", twoLeavesHex.replace(ZERO_TO_ONE, "00000000 02020200"), "ORT_INDEX"],
    [
      "S23",
      "a cube that is not aligned",
      twoLeavesHex.replace(TWO_TO_THREE, "02000000 04020202"),
      "ORT_INDEX",
    ],
    ["S23", "a child in another's slot", twoLeavesHex.replace(TWO_TO_THREE, ZERO_TO_ONE), "ORT_INDEX"],
    [
      "S23",
      "a node with one child",
      `${header(1, 2, 1)} 02 ${PARENT.replace(" 02 ", ` ${NONE} `)} ${FIRST} 01 00 01 ${REF} 00`,
      "ORT_INDEX",
    ],
    ["S23", "a leaf with a child", twoLeavesHex.replace(FIRST, FIRST.replace(NONE, "02")), "ORT_INDEX"],
    ["S24", "two nodes of one leaf", twoLeavesHex.replace(SECOND, `${SECOND.slice(0, -1)}0`), "ORT_INDEX"],
    ["S24", "a node of no leaf", twoLeavesHex.replace(SECOND, `${SECOND.slice(0, -1)}2`), "ORT_INDEX"],
    [
      "S24",
      "leaves out of order",
      twoLeavesHex.replace(FIRST, `${FIRST.slice(0, -1)}1`).replace(SECOND, `${SECOND.slice(0, -1)}0`),
      "ORT_INDEX",
    ],
    [
      "S24",
      "a leaf of edge 2^17",
      `${header(1, 1, 1)} 01 00 ${NONE} 01 00 00000000 ${"feff0f".repeat(4)} ${NO_CHILDREN} 00 01 00 01 ${REF} 00`,
      "ORT_INDEX",
    ],
    [
      "S26",
      "a leaf with another id",
      twoLeavesHex.replace(LEAVES, `02 00 01 ${REF} 00 00 01 ${REF} 00`),
      "ORT_INDEX",
    ],
    [
      "S26",
      "a leaf that holds nothing",
      twoLeavesHex.replace(LEAVES, `02 00 01 ${REF} 00 01 00 00`),
      "ORT_INDEX",
    ],
  ])("[%s] refuses %s", async (_rule, _name, hex, code) => {
    expect(hex).not.toBe(twoLeavesHex);
    expect(await codeOfRejection(() => decodeIndexFile("index", sealIndex(fromHex(hex))))).toBe(code);
  });

  test("[S21] is refused with a changed byte in the body, and when cut at any byte", async () => {
    const whole = sealIndex(fromHex(twoLeavesHex));
    const changed = whole.map((byte, index) => (index === whole.length - 1 ? byte ^ 1 : byte));
    expect(await codeOfRejection(() => decodeIndexFile("index", changed))).toBe("ORT_CHECKSUM");
    for (let length = 0; length < whole.length; length++) {
      const code = await codeOfRejection(() => decodeIndexFile("index", whole.subarray(0, length)));
      expect(code).toBe(length < indexHeader.bytes ? "ORT_TRUNCATED" : "ORT_CHECKSUM");
    }
  });

  test.each<[name: string, clocks: LeafEntry["clocks"]]>([
    ["out of order", clocksOf([1, 0, 0, 0], [0, 0, 0, 0])],
    ["twice", clocksOf([0, 0, 0, 0], [0, 0, 0, 0])],
    ["outside of the leaf", clocksOf([2, 0, 0, 0])],
  ])("[S28] neither writes nor reads a region's clock %s", async (_name, clocks) => {
    const leaves = [leafAt(cubeAt([0, 0, 0, 0], 8), { clocks })];
    expect(await codeOfRejection(() => encodeIndexFile({ version: 2, generation: 1, leaves }))).toBe(
      "ORT_ARGUMENT",
    );
  });

  test("[S28] refuses a clock shared by two leaves", async () => {
    const clocks = clocksOf([0, 0, 0, 0]);
    const leaves = [leafAt(cubeAt([0, 0, 0, 0], 2), { clocks }), leafAt(cubeAt([2, 0, 0, 0], 2), { clocks })];
    expect(await codeOfRejection(() => encodeIndexFile({ version: 2, generation: 1, leaves }))).toBe(
      "ORT_ARGUMENT",
    );
  });

  test("[S25] is the same for any order of the leaves, and returns them", () => {
    const corners = [-2_147_483_648, -65_536, -4, 0, 4, 65_536, 2_147_418_112];
    const cubes = corners.flatMap((x) => corners.map((w) => cubeAt([x, 0, -65_536, w], 4)));
    const leaves = cubes.map((cube) => leafAt(cube));
    const bytes = encodeIndexFile({ version: 2, generation: 1, leaves });
    expect(encodeIndexFile({ version: 2, generation: 1, leaves: [...leaves].reverse() })).toEqual(bytes);
    const read = decodeIndexFile("index", bytes).leaves;
    expect(read).toHaveLength(leaves.length);
    expect(new Set(read.map(({ cube }) => cube.min.join()))).toEqual(
      new Set(cubes.map(({ min }) => min.join())),
    );
  });

  test("[S24] refuses to write leaves that overlap", async () => {
    for (const [a, b] of [
      [cubeAt([0, 0, 0, 0], 4), cubeAt([0, 0, 0, 0], 4)],
      [cubeAt([0, 0, 0, 0], 4), cubeAt([1, 1, 1, 1], 1)],
      [cubeAt([3, 3, 3, 3], 1), cubeAt([0, 0, 0, 0], 8)],
    ] as const) {
      const leaves = [leafAt(a), leafAt(b)];
      expect(await codeOfRejection(() => encodeIndexFile({ version: 2, generation: 1, leaves }))).toBe(
        "ORT_ARGUMENT",
      );
    }
  });
});

function clocksOf(...regions: readonly Position[]): LeafEntry["clocks"] {
  return regions.map((region) => ({ region, clock: 1 }));
}
