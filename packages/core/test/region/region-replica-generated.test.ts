import {
  type Chunk,
  chunkFromVoxels,
  emptyChunk,
  HYPERCUBE_CHUNKS,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { GeneratorRef } from "@orthant/core/generate";
import { ChunkArray, type RealizeChunk } from "@orthant/core/internal";
import {
  boxAt,
  boxContains,
  positionFrom,
  positionsEqual,
  positionsLexicographic,
  regionBox,
} from "@orthant/core/lattice";
import {
  buildRegionSnapshot,
  clockFrom,
  GeneratorMap,
  type RegionChange,
  type RegionPatch,
  RegionReplica,
  RegionTree,
  regionPatchCodec,
  splitPatch,
} from "@orthant/core/tree";
import { changeData, changeTree, codeOf, Prng, TREE_GENERATORS } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { buildPatch, change } from "./region-patch-samples.ts";

const SHAPE = HYPERCUBE_CHUNKS;
const VOLUME = SHAPE.volume;
const ORIGIN: Position = [0, 0, 0, 0];
const EAST: Position = [1, 0, 0, 0];
const FIRST = clockFrom(1, 1);
const SECOND = clockFrom(1, 2);
const [flat, other] = TREE_GENERATORS;
const stone = uniformChunk(VOLUME, 7);
const house = chunkFromVoxels(Uint16Array.from({ length: VOLUME }, (_, index) => index % 3));

/** What the generators of these tests make: a pattern that differs between chunks, and air above. */
const realize: RealizeChunk = ({ seed }, [x, y, z, w]) =>
  y > 2
    ? emptyChunk(VOLUME)
    : house.set((x * 64 + y * 16 + z * 4 + w + 4096) % VOLUME, 100 + Number(seed % 10n));

function patch(...changes: readonly RegionChange[]): RegionPatch {
  return { patchSeq: 1, changes };
}

function replicaOfFlat(): RegionReplica {
  return new RegionReplica(VOLUME, { generators: GeneratorMap.of(flat), realize });
}

/** Returns the voxels of a chunk in a tree, generated or not. */
function voxelsAt(tree: RegionTree, position: Position): Chunk {
  const content = tree.at(...position) ?? emptyChunk(VOLUME);
  return content instanceof GeneratorRef ? realize(content, position) : content;
}

function isTold({ changes }: RegionPatch, position: Position): boolean {
  return changes.some(
    ({ leaves, edits }) =>
      leaves.some(({ box }) => boxContains(box, position)) ||
      edits.some(({ chunk }) => positionsEqual(chunk, position)),
  );
}

describe("a replica that can generate", () => {
  test("[P20] accepts a region based on generated content: with leaves, air and edits on top", () => {
    const replica = replicaOfFlat();
    const replaced = change({
      base: "generated",
      next: FIRST,
      leaves: [
        { box: boxAt(ORIGIN), content: stone },
        { box: boxAt([1, 0, 0, 0]), content: undefined },
      ],
      edits: [{ chunk: [2, 0, 0, 0], edits: [{ index: 9, block: 300 }] }],
    });
    expect(replica.apply(patch(replaced))).toEqual([]);
    const expected = RegionTree.EMPTY.fill(regionBox(ORIGIN), flat)
      .set(ORIGIN, stone)
      .carve(boxAt([1, 0, 0, 0]))
      .set([2, 0, 0, 0], realize(flat, [2, 0, 0, 0]).set(9, 300));
    expect(replica.tree.equals(expected)).toBe(true);
    expect(replica.held()).toEqual([{ region: ORIGIN, clock: FIRST }]);
    expect(replica.apply(patch(change({ base: "generated", next: 0 })))).toEqual([]);
    expect(replica.tree.equals(RegionTree.EMPTY.fill(regionBox(ORIGIN), flat))).toBe(true);
    expect(replica.clockOf(ORIGIN)).toBe(0);
  });

  test("[P18] edits the chunk of the generator in the tree, even if it is not the world's", () => {
    const replica = replicaOfFlat();
    replica.apply(
      patch(change({ base: "air", next: FIRST, leaves: [{ box: boxAt(ORIGIN), content: other }] })),
    );
    const edits = [{ chunk: ORIGIN, edits: [{ index: 9, block: 300 }] }];
    expect(replica.apply(patch(change({ base: FIRST, next: SECOND, edits })))).toEqual([]);
    expect(replica.tree.equals(RegionTree.EMPTY.set(ORIGIN, realize(other, ORIGIN).set(9, 300)))).toBe(true);
  });

  test("[P18] refuses edits of what it cannot generate, and stays unchanged", () => {
    const edits = [{ chunk: ORIGIN, edits: [{ index: 9, block: 300 }] }];
    const replica = new RegionReplica(VOLUME, { generators: GeneratorMap.of(flat) });
    expect(codeOf(() => replica.apply(patch(change({ base: "generated", edits }))))).toBe("ORT_PATCH_TARGET");
    expect(replica.held()).toEqual([]);
    expect(replica.tree).toBe(RegionTree.EMPTY);
  });

  test("[P18] rethrows a generator's error, and stays unchanged", () => {
    const failing: RealizeChunk = () => {
      throw new RangeError("no such place");
    };
    const replica = new RegionReplica(VOLUME, { generators: GeneratorMap.of(flat), realize: failing });
    const edits = [{ chunk: ORIGIN, edits: [{ index: 9, block: 300 }] }];
    const brings = change({ region: [-1, 0, 0, 0], base: "generated" });
    expect(() => replica.apply(patch(brings, change({ base: "generated", edits })))).toThrow("no such place");
    expect(replica.held()).toEqual([]);
  });

  test("[P20] refuses a region based on generated content if it knows no generator", () => {
    const replica = new RegionReplica(VOLUME);
    expect(codeOf(() => replica.apply(patch(change({ base: "generated" }))))).toBe("ORT_PATCH_TARGET");
    expect(codeOf(() => replica.hold([ORIGIN], 0, "generated"))).toBe("ORT_PATCH_TARGET");
    expect(replica.held()).toEqual([]);
  });

  test("[P19] joins pieces based on generated content, and does not mix them with pieces based on air", () => {
    const pieces = (["generated", "air"] as const).map((base) => [
      change({ base, next: undefined, leaves: [{ box: boxAt(ORIGIN), content: house }] }),
      change({ base, piece: 1, leaves: [{ box: boxAt([1, 0, 0, 0]), content: stone }] }),
    ]);
    const [[first, last], [, lastOverAir]] = pieces as [RegionChange[], RegionChange[]];
    const replica = replicaOfFlat();
    replica.apply(patch(first as RegionChange));
    expect(replica.holds(ORIGIN)).toBe(false);
    expect(replica.apply(patch(lastOverAir as RegionChange))).toEqual([{ region: ORIGIN, clock: 0 }]);
    expect(replica.apply(patch(last as RegionChange))).toEqual([]);
    const expected = RegionTree.EMPTY.fill(regionBox(ORIGIN), flat).set(ORIGIN, house);
    expect(replica.tree.equals(expected.set([1, 0, 0, 0], stone))).toBe(true);
  });
});

describe("the regions held by a replica", () => {
  test("[P17] are what patches build on: an unheld region fits no clock, not even CLOCK_NEVER", () => {
    const replica = replicaOfFlat();
    const step = change({ base: 0, next: FIRST, leaves: [{ box: boxAt(ORIGIN), content: stone }] });
    expect(replica.apply(patch(step))).toEqual([{ region: ORIGIN, clock: 0 }]);
    replica.hold([ORIGIN], 0, "generated");
    expect(replica.apply(patch(step))).toEqual([]);
    expect(replica.clockOf(ORIGIN)).toBe(FIRST);
  });

  test("are held as air or as generated, and forgotten with their contents", () => {
    const replica = replicaOfFlat();
    replica.hold([EAST, ORIGIN], 0, "generated");
    expect(replica.tree.equals(RegionTree.EMPTY.fill({ min: ORIGIN, max: [8, 4, 4, 4] }, flat))).toBe(true);
    replica.hold([EAST], FIRST, "air");
    expect(replica.tree.equals(RegionTree.EMPTY.fill(regionBox(ORIGIN), flat))).toBe(true);
    expect(replica.held()).toEqual([
      { region: ORIGIN, clock: 0 },
      { region: EAST, clock: FIRST },
    ]);
    replica.forget([ORIGIN, [5, 5, 5, 5]]);
    expect(replica.tree.equals(RegionTree.EMPTY)).toBe(true);
    expect([replica.holds(ORIGIN), replica.clockOf(ORIGIN)]).toEqual([false, undefined]);
    expect([replica.holds(EAST), replica.clockOf(EAST)]).toEqual([true, FIRST]);
    replica.hold([ORIGIN], 0, "generated");
    replica.clear();
    expect([replica.held(), replica.tree]).toEqual([[], RegionTree.EMPTY]);
  });

  test("are refused all together when one of them, or the clock, is invalid", () => {
    const replica = replicaOfFlat();
    expect(codeOf(() => replica.hold([ORIGIN, [2 ** 29, 0, 0, 0]], 0, "air"))).toBe("ORT_POSITION_RANGE");
    expect(codeOf(() => replica.hold([ORIGIN], 77, "air"))).toBe("ORT_CLOCK");
    expect(replica.held()).toEqual([]);
  });

  test.each<[name: string, meanwhile: (replica: RegionReplica) => void]>([
    ["held blank", (replica) => replica.hold([EAST, ORIGIN], FIRST, "air")],
    ["replaced in one piece", (replica) => replica.apply(patch(change({ base: "generated" })))],
    ["forgotten", (replica) => replica.forget([EAST, ORIGIN])],
    ["forgotten with all others", (replica) => replica.clear()],
  ])("[P19] accept no later piece after they were %s", (_name, meanwhile) => {
    const replica = replicaOfFlat();
    replica.apply(patch(change({ base: "generated", next: undefined })));
    meanwhile(replica);
    const clock = replica.clockOf(ORIGIN) ?? 0;
    expect(replica.apply(patch(change({ base: "generated", piece: 1 })))).toEqual([
      { region: ORIGIN, clock },
    ]);
  });

  test("agree with a plain map of regions, whatever is held and forgotten", () => {
    for (let seed = 0; seed < 20; seed++) {
      const prng = new Prng(seed);
      const replica = replicaOfFlat();
      const model = new Map<string, { readonly region: Position; readonly content: "air" | "generated" }>();
      const dense = prng.chance(0.5);
      for (let round = 0; round < 12; round++) {
        const regions = Array.from({ length: prng.between(0, dense ? 60 : 6) }, () =>
          positionFrom(() => prng.between(-2, dense ? 0 : 3)),
        );
        const content = prng.pick(["air", "generated", "gone"] as const);
        if (content === "gone") replica.forget(regions);
        else replica.hold(regions, 0, content);
        for (const region of regions) {
          if (content === "gone") model.delete(String(region));
          else model.set(String(region), { region, content });
        }
        const expected = [...model.values()].reduce(
          (tree, each) => (each.content === "air" ? tree : tree.fill(regionBox(each.region), flat)),
          RegionTree.EMPTY,
        );
        expect(replica.tree.equals(expected), `seed ${seed}, round ${round}`).toBe(true);
        expect(
          replica
            .held()
            .map(({ region }) => String(region))
            .sort(),
        ).toEqual([...model.keys()].sort());
      }
    }
  });
});

describe("a patch based on generated content", () => {
  const before = RegionTree.EMPTY.fill(regionBox(ORIGIN), flat);
  const steps = [{ region: ORIGIN, before: 0, after: FIRST }];

  test("[P21] encodes one voxel as an edit of the generated chunk, and undoing it too", () => {
    const after = before.set(ORIGIN, realize(flat, ORIGIN).set(40, 9));
    const there = buildPatch({ patchSeq: 1, before, after, steps, detail: "edits", realize });
    const edits = (block: number) => [{ chunk: ORIGIN, edits: [{ index: 40, block }] }];
    expect(there.changes).toEqual([change({ base: 0, next: FIRST, edits: edits(9) })]);
    const back = buildPatch({
      patchSeq: 1,
      before: after,
      after: before,
      steps: [{ region: ORIGIN, before: FIRST, after: SECOND }],
      detail: "edits",
      realize,
    });
    expect(back.changes).toEqual([change({ base: FIRST, next: SECOND, edits: edits(40 % 3) })]);
    const replica = replicaOfFlat();
    replica.hold([ORIGIN], 0, "generated");
    for (const each of [there, back]) expect(replica.apply(each)).toEqual([]);
    expect(voxelsAt(replica.tree, ORIGIN).equals(realize(flat, ORIGIN))).toBe(true);
  });

  test("[P21] contains the whole chunk if it cannot be generated, or the receiver wants chunks", () => {
    const chunk = realize(flat, ORIGIN).set(40, 9);
    const after = before.set(ORIGIN, chunk);
    const leaves = [{ box: boxAt(ORIGIN), content: chunk }];
    for (const form of [{ detail: "edits" }, { detail: "chunks", realize }] as const) {
      const made = buildPatch({ patchSeq: 1, before, after, steps, ...form });
      expect(made.changes).toEqual([change({ base: 0, next: FIRST, leaves })]);
    }
  });

  test("[P21] does not generate chunks replaced by one block, and is empty if no voxel differs", () => {
    const asked: Position[] = [];
    const counting: RealizeChunk = (generator, position) => {
      asked.push(position);
      return realize(generator, position);
    };
    const after = before
      .set(ORIGIN, stone)
      .carve(boxAt([1, 0, 0, 0]))
      .set([2, 0, 0, 0], realize(flat, [2, 0, 0, 0]));
    const [made] = buildPatch({
      patchSeq: 1,
      before,
      after,
      steps,
      detail: "edits",
      realize: counting,
    }).changes;
    expect(made).toEqual(
      change({
        base: 0,
        next: FIRST,
        leaves: [
          { box: boxAt(ORIGIN), content: stone },
          { box: boxAt([1, 0, 0, 0]), content: undefined },
        ],
      }),
    );
    expect(asked).toEqual([[2, 0, 0, 0]]);
  });

  test("[P21] contains equal adjacent chunks once", () => {
    const box = { min: ORIGIN, max: [2, 1, 1, 4] } as const;
    const tree = [...positionsLexicographic(box)].reduce(
      (filled, position) => filled.set(position, house),
      before,
    );
    const source = { patchSeq: 1, generator: flat, regions: [{ region: ORIGIN, clock: FIRST }] };
    const made = buildRegionSnapshot({ ...source, tree, detail: "chunks" });
    expect(made.changes[0]?.leaves.map(({ box: where }) => where)).toEqual([box]);
    expect(made.changes[0]?.leaves[0]?.content).toBeInstanceOf(ChunkArray);
    const replica = replicaOfFlat();
    expect(replica.apply(made)).toEqual([]);
    expect(replica.tree.equals(tree)).toBe(true);
  });

  test("[P21] contains short chunks one by one, because an array would take more bytes", () => {
    const short = chunkFromVoxels(Uint16Array.of(1, 2, 3, 4));
    const tree = RegionTree.EMPTY.fill(regionBox(ORIGIN), flat).set(ORIGIN, short).set([0, 0, 0, 1], short);
    const regions = [{ region: ORIGIN, clock: FIRST }];
    const made = buildRegionSnapshot({ patchSeq: 1, tree, generator: flat, regions, detail: "chunks" });
    expect(made.changes[0]?.leaves).toEqual([
      { box: boxAt(ORIGIN), content: short },
      { box: boxAt([0, 0, 0, 1]), content: short },
    ]);
  });

  test("[P22] includes the air of a split array, because the generator makes something else there", () => {
    const box = { min: ORIGIN, max: [1, 1, 1, 3] } as const;
    const array = new ChunkArray(box, [house, emptyChunk(VOLUME), house.set(5, 50)]);
    const made = patch(change({ base: "generated", leaves: [{ box, content: array }] }));
    const patches = splitPatch(made, VOLUME, 1500);
    expect(patches.length).toBeGreaterThan(1);
    const replica = replicaOfFlat();
    for (const each of patches) expect(replica.apply(each)).toEqual([]);
    expect(replica.tree.at(0, 0, 0, 1)).toBeUndefined();
    expect(replica.tree.at(0, 0, 0, 3)).toBe(flat);
  });

  test("[P20] replaces any regions, whole or in pieces, and leaves out generated content", () => {
    const codec = regionPatchCodec(VOLUME);
    const regions = [...positionsLexicographic({ min: [-1, -1, 0, 0], max: [1, 1, 1, 1] })];
    const chunks = { min: [-4, -4, 0, 0], max: [4, 4, 4, 4] } as const;
    for (let seed = 0; seed < 15; seed++) {
      const prng = new Prng(seed);
      let tree = RegionTree.EMPTY.fill({ min: [-9, -9, -9, -9], max: [9, 9, 9, 9] }, flat);
      for (let edit = prng.between(0, 15); edit > 0; edit--) tree = changeTree(prng, tree, SHAPE);
      for (let edit = prng.below(9); edit > 0; edit--) tree = changeData(prng, tree, SHAPE);
      const clocks = regions.map((region) => ({ region, clock: prng.pick([0, FIRST]) }));
      for (const form of [{ detail: "edits", realize }, { detail: "edits" }, { detail: "chunks" }] as const) {
        const made = buildRegionSnapshot({
          patchSeq: 1,
          tree,
          generator: flat,
          regions: [...clocks].reverse(),
          ...form,
        });
        const replica = replicaOfFlat();
        for (const each of splitPatch(made, VOLUME, prng.pick([7000, 100_000])))
          expect(replica.apply(decode(codec, encode(codec, each)))).toEqual([]);
        expect(replica.held()).toEqual(clocks);
        for (const position of positionsLexicographic(chunks)) {
          const same = voxelsAt(replica.tree, position).equals(voxelsAt(tree, position));
          if (!same) expect.fail(`seed ${seed}: chunk [${position}]`);
          if (tree.at(...position) === flat) expect(isTold(made, position)).toBe(false);
        }
      }
    }
  });
});
