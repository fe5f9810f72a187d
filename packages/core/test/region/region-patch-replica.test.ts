import {
  type ChunkShape,
  CUBE_CHUNKS,
  chunkFromVoxels,
  type ErrorCode,
  emptyChunk,
  HYPERCUBE_CHUNKS,
  type Position,
  TILE_CHUNKS,
  uniformChunk,
} from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { GeneratorRef } from "@orthant/core/generate";
import {
  boxAt,
  cubeAt,
  indexInChunk,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
} from "@orthant/core/lattice";
import {
  buildSnapshot,
  clockFrom,
  type RegionChange,
  RegionClocks,
  type RegionPatch,
  RegionReplica,
  RegionTree,
  regionPatchCodec,
  splitPatch,
} from "@orthant/core/tree";
import { changeData, changeTree, codeOf, Prng, randomTree, TREE_GENERATORS } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { buildPatch, change } from "./region-patch-samples.ts";

const VOLUME = HYPERCUBE_CHUNKS.volume;
const stone = uniformChunk(VOLUME, 7);
const house = chunkFromVoxels(Uint16Array.from({ length: VOLUME }, (_, index) => index % 3));
const ORIGIN: Position = [0, 0, 0, 0];
const EAST: Position = [1, 0, 0, 0];
const [flat] = TREE_GENERATORS;

/** Returns a replica that holds the region at the origin, and others, at change 5 of epoch 3. */
function replicaOf(tree: RegionTree, ...regions: readonly Position[]): RegionReplica {
  const clocks = new RegionClocks();
  for (const region of [ORIGIN, ...regions]) clocks.reset(region, clockFrom(3, 5));
  return replicaAt(VOLUME, tree, clocks, [ORIGIN, ...regions]);
}

/** Returns a replica that holds these regions of a tree at their clocks. */
function replicaAt(
  volume: number,
  tree: RegionTree,
  clocks: RegionClocks,
  regions: readonly Position[],
): RegionReplica {
  const replica = new RegionReplica(volume);
  for (const each of splitPatch(buildSnapshot(1, tree, clocks, regions), volume)) replica.apply(each);
  return replica;
}

function patch(...changes: readonly RegionChange[]): RegionPatch {
  return { patchSeq: 1, changes };
}

describe("a replica", () => {
  test("[P17] applies a patch that builds on its clocks, with all its changes", () => {
    const replica = replicaOf(RegionTree.EMPTY.set(ORIGIN, stone), EAST);
    const mismatches = replica.apply(
      patch(
        change({ leaves: [{ box: boxAt(ORIGIN), content: undefined }] }),
        change({ region: EAST, leaves: [{ box: regionBox(EAST), content: flat }] }),
      ),
    );
    expect(mismatches).toEqual([]);
    expect(replica.tree.equals(RegionTree.EMPTY.fill(regionBox(EAST), flat))).toBe(true);
    expect([ORIGIN, EAST].map((region) => replica.clockOf(region))).toEqual([
      clockFrom(3, 6),
      clockFrom(3, 6),
    ]);
  });

  test("[P17] refuses a patch if one region does not fit, and names it with the clock it holds", () => {
    const tree = RegionTree.EMPTY.set(ORIGIN, stone);
    const replica = replicaOf(tree);
    const stale = patch(
      change({ leaves: [{ box: boxAt(ORIGIN), content: undefined }] }),
      change({ region: EAST, leaves: [{ box: regionBox(EAST), content: flat }] }),
    );
    expect(replica.apply(stale)).toEqual([{ region: EAST, clock: 0 }]);
    expect(replica.tree.equals(tree)).toBe(true);
    expect(replica.held()).toEqual([{ region: ORIGIN, clock: clockFrom(3, 5) }]);
  });

  test("[P18] edits the chunk that it holds, and air where it holds nothing", () => {
    const replica = replicaOf(RegionTree.EMPTY.set(ORIGIN, stone));
    const edits = [
      { chunk: ORIGIN, edits: [{ index: 9, block: 1 }] },
      { chunk: [0, 0, 0, 1] as const, edits: [{ index: 4095, block: 2 }] },
    ];
    replica.apply(patch(change({ edits })));
    const expected = RegionTree.EMPTY.set(ORIGIN, stone.set(9, 1)).set(
      [0, 0, 0, 1],
      emptyChunk(VOLUME).set(4095, 2),
    );
    expect(replica.tree.equals(expected)).toBe(true);
  });

  test.each<[rule: string, name: string, parts: Partial<RegionChange>, code: ErrorCode]>([
    [
      "P18",
      "edits what has to be generated",
      { edits: [{ chunk: [3, 0, 0, 0], edits: [{ index: 0, block: 1 }] }] },
      "ORT_PATCH_TARGET",
    ],
    [
      "P14",
      "edits a voxel that no chunk has",
      { edits: [{ chunk: ORIGIN, edits: [{ index: 4096, block: 1 }] }] },
      "ORT_PATCH_FORM",
    ],
    [
      "P14",
      "edits a chunk of another region",
      { edits: [{ chunk: [4, 0, 0, 0], edits: [{ index: 0, block: 1 }] }] },
      "ORT_PATCH_FORM",
    ],
    [
      "P11",
      "fills chunks of another region",
      { leaves: [{ box: cubeAt([0, 0, 0, 1], 4), content: flat }] },
      "ORT_PATCH_FORM",
    ],
    ["P15", "lets a clock fall", { next: clockFrom(3, 4) }, "ORT_CLOCK"],
    ["P15", "gives an invalid clock", { next: 77 }, "ORT_CLOCK"],
    ["P5", "speaks of a region off the lattice", { region: [2 ** 29, 0, 0, 0] }, "ORT_POSITION_RANGE"],
    [
      "P12",
      "brings chunks of another world",
      { leaves: [{ box: boxAt(ORIGIN), content: uniformChunk(8, 1) }] },
      "ORT_CHUNK_VOLUME",
    ],
  ])("[%s] throws for a patch that %s, and stays unchanged", (_rule, _name, parts, code) => {
    const tree = RegionTree.EMPTY.set(ORIGIN, stone).set([3, 0, 0, 0], flat);
    const replica = replicaOf(tree, [-1, 0, 0, 0]);
    const held = replica.held();
    const before = replica.tree;
    const good = change({ region: [-1, 0, 0, 0], leaves: [{ box: boxAt([-1, 0, 0, 0]), content: stone }] });
    expect(codeOf(() => replica.apply(patch(good, change(parts))))).toBe(code);
    expect(replica.tree).toBe(before);
    expect(replica.held()).toEqual(held);
  });

  test("[P20] accepts a whole region whatever it held, even with an earlier clock", () => {
    const replica = replicaOf(RegionTree.EMPTY.fill(regionBox(ORIGIN), stone));
    const whole = change({
      base: "air",
      next: clockFrom(3, 2),
      leaves: [{ box: boxAt(ORIGIN), content: house }],
    });
    expect(replica.apply(patch(whole))).toEqual([]);
    expect(replica.tree.equals(RegionTree.EMPTY.set(ORIGIN, house))).toBe(true);
    expect(replica.clockOf(ORIGIN)).toBe(clockFrom(3, 2));
    expect(replica.apply(patch(change({ base: "air", next: 0 })))).toEqual([]);
    expect(replica.held()).toEqual([{ region: ORIGIN, clock: 0 }]);
  });
});

describe("a region in pieces", () => {
  const first = change({ next: undefined, leaves: [{ box: boxAt(ORIGIN), content: stone }] });
  const second = change({
    next: undefined,
    piece: 1,
    leaves: [{ box: boxAt([1, 0, 0, 0]), content: house }],
  });
  const last = change({ piece: 2, leaves: [{ box: boxAt([2, 0, 0, 0]), content: undefined }] });
  const before = RegionTree.EMPTY.set([2, 0, 0, 0], stone);
  const after = RegionTree.EMPTY.set(ORIGIN, stone).set([1, 0, 0, 0], house);

  test("[P19] becomes visible with the last piece, not before", () => {
    const replica = replicaOf(before);
    for (const piece of [first, second]) {
      expect(replica.apply(patch(piece))).toEqual([]);
      expect(replica.tree.equals(before)).toBe(true);
      expect(replica.clockOf(ORIGIN)).toBe(clockFrom(3, 5));
    }
    expect(replica.apply(patch(last))).toEqual([]);
    expect(replica.tree.equals(after)).toBe(true);
    expect(replica.clockOf(ORIGIN)).toBe(clockFrom(3, 6));
  });

  test("[P19] keeps changes to other regions between its pieces", () => {
    const replica = replicaOf(before, EAST);
    replica.apply(patch(first));
    replica.apply(patch(change({ region: EAST, leaves: [{ box: regionBox(EAST), content: stone }] })));
    replica.apply(patch(second));
    replica.apply(patch(last));
    expect(replica.tree.equals(after.fill(regionBox(EAST), stone))).toBe(true);
  });

  test.each<[name: string, pieces: readonly RegionChange[]]>([
    ["a piece that is missing", [first, last]],
    ["a piece that comes twice", [first, second, second]],
    ["a later piece without the first", [second]],
    ["a piece that builds on another clock", [first, { ...second, base: "air" }]],
    ["a piece of another region", [first, { ...second, region: EAST, leaves: [] }]],
    [
      "a later piece after the region changed otherwise",
      [first, change({}), { ...second, base: clockFrom(3, 6) }],
    ],
  ])("[P19] is refused with %s", (_name, pieces) => {
    const replica = replicaOf(before, EAST);
    for (const piece of pieces.slice(0, -1)) expect(replica.apply(patch(piece))).toEqual([]);
    const region = pieces.at(-1)?.region ?? ORIGIN;
    expect(replica.apply(patch(pieces.at(-1) as RegionChange))).toEqual([
      { region, clock: replica.clockOf(region) },
    ]);
    expect(replica.tree.equals(before)).toBe(true);
  });

  test("[P19] starts over with a first piece, and forgets the other pieces", () => {
    const replica = replicaOf(before);
    replica.apply(patch(change({ next: undefined, leaves: [{ box: boxAt([3, 3, 3, 3]), content: house }] })));
    for (const piece of [first, second, last]) expect(replica.apply(patch(piece))).toEqual([]);
    expect(replica.tree.equals(after)).toBe(true);
  });
});

describe("a patch", () => {
  const floor = chunkFromVoxels(
    Uint16Array.from({ length: VOLUME }, (_, index) => ((index >>> 3) % 8 >= 6 ? 11 : 0)),
  );

  test.each<[where: string, chunk: Position, editBytes: number, chunkBytes: number]>([
    ["at the origin", [0, 0, 0, 0], 23, 674],
    ["far out", [100_000, 100_000, 100_000, 100_000], 31, 682],
    ["in the last corner", [-(2 ** 31), -(2 ** 31), -(2 ** 31), -(2 ** 31)], 39, 690],
  ])("[P21] encodes one voxel %s in few bytes", (_where, chunk, editBytes, chunkBytes) => {
    const codec = regionPatchCodec(VOLUME);
    const before = RegionTree.EMPTY.set(chunk, floor);
    const after = before.set(chunk, floor.set(indexInChunk(HYPERCUBE_CHUNKS, 3, 2, 5, 4), 7));
    const clocks = new RegionClocks();
    clocks.reset(regionOf(chunk), clockFrom(3, 41_234));
    const held = clocks.copy();
    const region = regionOf(chunk);
    const steps = clocks.bump([region], 3);
    for (const [detail, bytes] of [
      ["edits", editBytes],
      ["chunks", chunkBytes],
    ] as const) {
      const encoded = encode(codec, buildPatch({ patchSeq: 1000, before, after, steps, detail }));
      expect(encoded.length).toBe(bytes);
      const replica = replicaAt(VOLUME, before, held, [region]);
      expect(replica.apply(decode(codec, encoded))).toEqual([]);
      expect(replica.tree.equals(after)).toBe(true);
    }
    expect(editBytes).toBeLessThanOrEqual(48);
    expect(chunkBytes).toBeLessThanOrEqual(700);
  });

  test("[P21] uses edits where they take fewer bytes, and only there", () => {
    const before = RegionTree.EMPTY.set(ORIGIN, floor)
      .set([1, 0, 0, 0], flat)
      .set([2, 0, 0, 0], stone.set(5, 1));
    const after = before
      .set(ORIGIN, floor.set(0, 1))
      .set([1, 0, 0, 0], house)
      .set([2, 0, 0, 0], stone)
      .set([3, 0, 0, 0], house);
    const steps = [{ region: ORIGIN, before: 0, after: clockFrom(1, 1) }];
    const [made] = buildPatch({ patchSeq: 1, before, after, steps, detail: "edits" }).changes;
    expect(made?.edits.map(({ chunk, edits }) => [chunk, edits])).toEqual([
      [ORIGIN, [{ index: 0, block: 1 }]],
    ]);
    expect(made?.leaves.map(({ box }) => box)).toEqual([
      boxAt([1, 0, 0, 0]),
      boxAt([2, 0, 0, 0]),
      boxAt([3, 0, 0, 0]),
    ]);
  });

  test.each<ChunkShape>([HYPERCUBE_CHUNKS, CUBE_CHUNKS, TILE_CHUNKS])(
    "[P22] turns any tree into any other, whole or in pieces, for chunks of $extents",
    (shape) => {
      const codec = regionPatchCodec(shape.volume);
      for (let seed = 0; seed < 25; seed++) {
        const prng = new Prng(seed);
        let before = randomTree(prng, shape, 15);
        for (let edit = prng.below(20); edit > 0; edit--) before = changeData(prng, before, shape);
        let after = before;
        for (let edit = prng.between(1, 10); edit > 0; edit--) after = changeTree(prng, after, shape);
        for (let edit = prng.below(10); edit > 0; edit--) after = changeData(prng, after, shape);
        const held = new RegionClocks();
        held.bump([...positionsLexicographic(regionsTouching(cubeAt([-4, -4, -4, -4], 8)))], 1);
        const clocks = held.copy();
        const regions = [...before.differences(after)].flatMap(({ box }) => [
          ...positionsLexicographic(regionsTouching(box)),
        ]);
        const steps = clocks.bump(regions, 2);
        if (steps.length === 0) continue;
        const changed = steps.map(({ region }) => region);
        const expected = changed.reduce(
          (tree, region) => tree.graft(regionBox(region), after),
          RegionTree.EMPTY,
        );
        for (const detail of ["edits", "chunks"] as const) {
          const made = buildPatch({ patchSeq: 5, before, after, steps, detail });
          const limit = prng.pick([6000, 9000, 40_000]);
          for (const patches of [
            [made],
            splitPatch(made, shape.volume),
            splitPatch(made, shape.volume, limit),
          ]) {
            const replica = replicaAt(shape.volume, before, held, changed);
            for (const [index, each] of patches.entries()) {
              const bytes = encode(codec, each);
              expect(each.patchSeq).toBe(5 + index);
              expect(replica.apply(decode(codec, bytes)), `seed ${seed}`).toEqual([]);
            }
            expect(replica.tree.equals(expected), `seed ${seed}`).toBe(true);
            expect(replica.held(), `seed ${seed}`).toEqual(
              steps.map((step) => ({ region: step.region, clock: step.after })),
            );
          }
        }
      }
    },
  );
});

describe("a snapshot", () => {
  test("[P20] contains regions with their contents, and nothing where there is nothing", () => {
    for (let seed = 0; seed < 25; seed++) {
      const prng = new Prng(seed);
      let tree = randomTree(prng, TILE_CHUNKS, 25);
      for (let edit = prng.below(20); edit > 0; edit--) tree = changeData(prng, tree, TILE_CHUNKS);
      const clocks = new RegionClocks();
      const regions = [...positionsLexicographic(regionsTouching(cubeAt([-6, -6, -6, -6], 12)))];
      clocks.bump(regions.slice(40), 4);
      const others = [...positionsLexicographic(regionsTouching(cubeAt([-2, -2, -2, -2], 14)))];
      const replica = replicaAt(TILE_CHUNKS.volume, randomTree(prng, TILE_CHUNKS, 25), clocks, others);
      const rest = regions.reduce((left, region) => left.carve(regionBox(region)), replica.tree);
      const codec = regionPatchCodec(TILE_CHUNKS.volume);
      const made = buildSnapshot(9, tree, clocks, [...regions].reverse());
      for (const each of splitPatch(made, TILE_CHUNKS.volume, 9000)) {
        expect(replica.apply(decode(codec, encode(codec, each)))).toEqual([]);
      }
      const expected = regions.reduce((done, region) => done.graft(regionBox(region), tree), rest);
      expect(replica.tree.equals(expected), `seed ${seed}`).toBe(true);
      for (const region of regions) expect(replica.clockOf(region)).toBe(clocks.get(region));
    }
  });
});

describe("a split patch", () => {
  /** A region in which every chunk is different. */
  const full = [...positionsLexicographic(regionBox(ORIGIN))].reduce(
    (tree, position, index) => tree.set(position, house.set(index, 9)),
    RegionTree.EMPTY,
  );
  const clocks = new RegionClocks();
  clocks.bump([ORIGIN, EAST], 1);

  test("[P22] keeps the order of the regions and the limit, and has the clock only in the last piece", () => {
    const tree = full.fill(regionBox(EAST), stone);
    const made = buildSnapshot(3, tree, clocks, [ORIGIN, EAST]);
    const patches = splitPatch(made, VOLUME, 50_000);
    expect(patches.length).toBeGreaterThan(3);
    const sizes = patches.map((each) => encode(regionPatchCodec(VOLUME), each).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(50_000);
    const pieces = patches.flatMap(({ changes }) => changes);
    expect(pieces.map(({ region }) => region[0])).toEqual([...pieces.slice(1).map(() => 0), 1]);
    expect(pieces.slice(0, -1).map(({ piece }) => piece)).toEqual(pieces.slice(1).map((_, index) => index));
    expect(pieces.map(({ next }) => next !== undefined)).toEqual(
      pieces.map((_, index) => index >= pieces.length - 2),
    );

    const replica = new RegionReplica(VOLUME);
    for (const each of patches) expect(replica.apply(each)).toEqual([]);
    const unsplit = new RegionReplica(VOLUME);
    unsplit.apply(made);
    expect(replica.tree.equals(unsplit.tree)).toBe(true);
    expect(replica.tree.equals(tree)).toBe(true);
  });

  test("[P22] stays whole if it fits", () => {
    const made = buildSnapshot(3, full, clocks, [ORIGIN, EAST]);
    expect(splitPatch(made, VOLUME)).toEqual([made]);
  });

  test("[P22] has at most 512 regions", () => {
    const regions = Array.from({ length: 600 }, (_, x): Position => [x, 0, 0, 0]);
    const patches = splitPatch(buildSnapshot(1, RegionTree.EMPTY, clocks, regions), VOLUME);
    expect(patches.map(({ changes }) => changes.length)).toEqual([512, 88]);
  });

  test("[P22] has at most 256 generators", () => {
    const regions = Array.from({ length: 300 }, (_, x): Position => [x, 0, 0, 0]);
    const tree = regions.reduce(
      (filled, region, index) =>
        filled.fill(regionBox(region), new GeneratorRef("g", new Uint8Array(), BigInt(index), 0n)),
      RegionTree.EMPTY,
    );
    const made = buildSnapshot(1, tree, clocks, regions);
    const codec = regionPatchCodec(VOLUME);
    expect(codeOf(() => encode(codec, made))).toBe("ORT_ARGUMENT");
    const replica = new RegionReplica(VOLUME);
    const patches = splitPatch(made, VOLUME);
    expect(patches.map(({ changes }) => changes.length)).toEqual([256, 44]);
    for (const each of patches) expect(replica.apply(decode(codec, encode(codec, each)))).toEqual([]);
    expect(replica.tree.equals(tree)).toBe(true);
  });

  test("[P22] cuts the data of one chunk, which is never too much for the chunk meanwhile", () => {
    const most = (block: number): Uint8Array => new Uint8Array(32_700).fill(block);
    const filled = (first: number, block: number) =>
      house.editData(
        Array.from({ length: 8 }, (_, index) => ({
          index: index * 3,
          data: index < first ? most(block) : most(block).subarray(0, 40),
        })),
      );
    const before = RegionTree.EMPTY.set(
      ORIGIN,
      filled(7, 1).editData([{ index: 50, data: most(2).subarray(0, 9) }]),
    );
    const after = RegionTree.EMPTY.set(ORIGIN, filled(8, 3));
    const steps = [{ region: ORIGIN, before: clocks.get(ORIGIN), after: clockFrom(9, 1) }];
    for (const [from, patch] of [
      [before, buildPatch({ patchSeq: 1, before, after, steps, detail: "edits" })],
      [after, buildPatch({ patchSeq: 1, before: after, after: before, steps, detail: "chunks" })],
    ] as const) {
      const replica = replicaAt(VOLUME, from, clocks, [ORIGIN]);
      const patches = splitPatch(patch, VOLUME, 40_000);
      expect(patches.length).toBeGreaterThan(6);
      for (const each of patches) {
        const bytes = encode(regionPatchCodec(VOLUME), each);
        expect(bytes.length).toBeLessThanOrEqual(40_000);
        expect(replica.apply(decode(regionPatchCodec(VOLUME), bytes))).toEqual([]);
      }
      expect(replica.tree.equals(from === before ? after : before)).toBe(true);
    }
  });

  test("[P22] cuts the data of one chunk at every limit that a voxel of it fits", () => {
    const data = Array.from({ length: 4 }, (_, index) => ({ index, data: new Uint8Array(60).fill(index) }));
    const tree = RegionTree.EMPTY.set(ORIGIN, stone.editData(data));
    const made = buildSnapshot(3, tree, clocks, [ORIGIN]);
    for (let bytesMax = 180; bytesMax < 480; bytesMax++) {
      const replica = new RegionReplica(VOLUME);
      for (const each of splitPatch(made, VOLUME, bytesMax)) {
        expect(encode(regionPatchCodec(VOLUME), each).length).toBeLessThanOrEqual(bytesMax);
        expect(replica.apply(each)).toEqual([]);
      }
      expect(replica.tree.equals(tree)).toBe(true);
    }
  });

  test("[P22] is refused if one chunk is too large", () => {
    const made = buildSnapshot(3, full, clocks, [ORIGIN]);
    expect(codeOf(() => splitPatch(made, VOLUME, 300))).toBe("ORT_LIMIT");
  });
});
