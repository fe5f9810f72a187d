import { decode, encode } from "@orthant/core/bytes";
import { octreeOfBoxes } from "@orthant/formats";
import {
  buildOctree,
  type Octree,
  type OctreeBox,
  octreeBoxes,
  octreeCodec,
  octreeVoxel,
  uniformOctree,
} from "@orthant/formats/internal";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { randomOctree } from "./samples.ts";

function bytesOf(hex: string): Uint8Array {
  return fromHex(hex.replaceAll(" ", ""));
}

describe("the bytes of an octree", () => {
  test("[M15] are read as two bits per node, lowest first, breadth-first", () => {
    // Nodes: root (branch), eight children of which number 4 is a branch, then eight more: 17 nodes, 5 flag
    // bytes.
    const flags = "01 04 00 08 00"; // node 0: 1; node 5: branch; node 13: large
    const octree = decode(
      octreeCodec,
      bytesOf(`05000000 12000000 ${flags} 00 01 02 03 04 00 06 07 08 02 02 02 02 2c01 02 02 02`),
    );
    expect([...octree.firstChildren]).toEqual([1, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect([...octree.values]).toEqual([0, 1, 2, 3, 4, 0, 6, 7, 8, 2, 2, 2, 2, 300, 2, 2, 2]);
    expect(octree.depth).toBe(2);
    expect(toHex(encode(octreeCodec, octree))).toBe(
      `0500000012000000${flags}00010203040006070802020202 2c01020202`.replaceAll(" ", ""),
    );
  });

  test("[M15] are read for a root that is a leaf, as in the author's own test vector", () => {
    expect(decode(octreeCodec, bytesOf("01000000 01000000 00 01"))).toEqual(uniformOctree(1));
  });

  test.each([
    ["M15", "flags that end before the tree", "01000000 09000000 01 000102030405060708", "ORT_OCTREE"],
    [
      "M15",
      "a stream of leaves, as the original's translator wrote it",
      "02000000 08000000 0000 1414141414141414",
      "ORT_OCTREE",
    ],
    ["M15", "no flags at all", "00000000 01000000 01", "ORT_OCTREE"],
    ["M16", "fewer values than nodes", "03000000 08000000 010000 0001020304050607", "ORT_OCTREE"],
    ["M16", "more values than nodes", "01000000 02000000 00 0102", "ORT_OCTREE"],
    ["M16", "half of a large value", "01000000 01000000 02 01", "ORT_OCTREE"],
    ["M9", "lengths beyond the end", "ffffffff ffffffff 00", "ORT_TRUNCATED"],
  ])("[%s] are refused with %s", (_rule, _what, hex, code) => {
    expect(codeOf(() => decode(octreeCodec, bytesOf(hex)))).toBe(code);
  });

  test("[M16] give branches values too, including large ones", () => {
    const octree = decode(octreeCodec, bytesOf("03000000 0a000000 030000 2c01 0102030405060708"));
    expect([...octree.values]).toEqual([300, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(encode(octreeCodec, octree)).toEqual(bytesOf("03000000 0a000000 030000 2c01 0102030405060708"));
  });

  test("[M18] may have stray padding bits and wide small values, which are never written", () => {
    const plain = bytesOf("01000000 01000000 00 07");
    for (const odd of ["01000000 01000000 fc 07", "01000000 02000000 02 0700"]) {
      const octree = decode(octreeCodec, bytesOf(odd));
      expect(octree).toEqual(uniformOctree(7));
      expect(encode(octreeCodec, octree)).toEqual(plain);
    }
  });

  test("[M9] are refused when cut at any byte", () => {
    const bytes = encode(octreeCodec, randomOctree(new Prng(4), 300));
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(() => decode(octreeCodec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });
});

describe("an octree as boxes", () => {
  test("[M17] has its children in the order of x, then y, then z", () => {
    const octree = decode(octreeCodec, bytesOf("03000000 09000000 010000 00 0001020304050607"));
    for (let child = 0; child < 8; child++) {
      const [x, y, z] = [child >> 2, (child >> 1) & 1, child & 1];
      expect(octreeVoxel(octree, 64, x * 32, y * 32 + 31, z * 32)).toBe(child);
    }
    expect([...octreeBoxes(octree, 2)].map(({ box, value }) => [...box.min.slice(0, 3), value])).toEqual([
      [0, 0, 0, 0],
      [0, 0, 1, 1],
      [0, 1, 0, 2],
      [0, 1, 1, 3],
      [1, 0, 0, 4],
      [1, 0, 1, 5],
      [1, 1, 0, 6],
      [1, 1, 1, 7],
    ]);
  });

  test("[M19] is built from boxes and returns them, for any seed", () => {
    for (let seed = 0; seed < 30; seed++) {
      const octree = randomOctree(new Prng(seed), 400);
      expect(octreeOfBoxes([...octreeBoxes(octree, 64)], 64, 9), `seed ${seed}`).toEqual(octree);
      expect(decode(octreeCodec, encode(octreeCodec, octree)), `seed ${seed}`).toEqual(octree);
    }
  });

  test("[M19] agrees with single voxels, where the last box wins", () => {
    const prng = new Prng(7);
    const boxes: OctreeBox[] = [
      { box: { min: [0, 0, 0, 0], max: [9, 16, 3, 1] }, value: 5 },
      { box: { min: [4, 1, 0, 0], max: [16, 12, 16, 1] }, value: 6 },
    ];
    const octree = octreeOfBoxes(boxes, 16, 1);
    for (let probe = 0; probe < 2_000; probe++) {
      const at = [prng.below(16), prng.below(16), prng.below(16)] as const;
      const [last] = [...boxes]
        .reverse()
        .filter(({ box }) =>
          at.every((value, axis) => value >= (box.min[axis] ?? 0) && value < (box.max[axis] ?? 0)),
        );
      expect(octreeVoxel(octree, 16, ...at)).toBe(last?.value ?? 1);
    }
  });

  test("[M19] joins equal leaves, and requests no voxel of a uniform cube", () => {
    const asked: number[] = [];
    const octree: Octree = buildOctree(64, (cube) => {
      asked.push(cube.edge);
      return cube.edge > 16 ? undefined : 3;
    });
    expect(octree).toEqual(uniformOctree(3));
    expect(Math.min(...asked)).toBe(16);
  });

  test("[M19] has one box for a cube of one value, whatever its size", () => {
    expect([...octreeBoxes(uniformOctree(2), 256)]).toEqual([
      { box: { min: [0, 0, 0, 0], max: [256, 256, 256, 1] }, value: 2 },
    ]);
  });
});
