import {
  boxAt,
  FLAT_DEFAULTS,
  flatGenerator,
  GeneratorRef,
  GeneratorRegistry,
  generatorRef,
  type Place,
  RegionTree,
  regionBox,
  uniformChunk,
} from "@orthant/core";
import { HELD_REGIONS_MAX } from "@orthant/protocol";
import { expect, test } from "vitest";
import {
  blank,
  change,
  forget,
  GENERATOR,
  GRASS,
  GROUND,
  heartbeat,
  patch,
  reset,
  SHAPE,
  SKY,
  tick,
  Visit,
  WELCOME,
} from "./visit.ts";

const STONE = 9;
const CHUNK: Place = [1, 1, 1, 1];

test("items are taken in their order, and their regions can be read", () => {
  const visit = Visit.begun();
  expect(visit.guest.chunkAt(CHUNK)).toBeUndefined();
  visit.hear(patch(1, change(SKY, "air", tick(1), [[CHUNK, STONE]])), blank(2, "generated", GROUND));
  expect(visit.guest.chunkAt(CHUNK)).toBe(uniformChunk(SHAPE.volume, STONE));
  expect(visit.guest.voxelAt([8, 8, 8, 1])).toBe(STONE);
  expect(visit.guest.voxelAt([0, 0, 0, 0])).toBe(0);
  expect(visit.guest.voxelAt([0, -1, 0, 0])).toBe(GRASS);
  expect(visit.guest.voxelAt([0, -3, 0, 0])).toBe(0);
  expect(visit.guest.clockOf(SKY)).toBe(tick(1));
  expect(visit.guest.clockOf(GROUND)).toBe(0);
  expect(
    visit.guest.region(regionBox(GROUND)).equals(RegionTree.EMPTY.fill(regionBox(GROUND), GENERATOR)),
  ).toBe(true);
});

test("what changed is told in chunks, exactly", () => {
  const visit = Visit.begun();
  visit.hear(patch(1, change(SKY, "air", tick(1), [[CHUNK, STONE]])));
  expect(visit.changes.splice(0)).toEqual([regionBox(SKY)]);
  visit.hear(
    patch(
      2,
      change(SKY, tick(1), tick(2), [
        [CHUNK, 0],
        [[2, 1, 1, 1], 0],
      ]),
    ),
  );
  expect(visit.changes.splice(0)).toEqual([boxAt(CHUNK)]);
  visit.hear(forget(3, SKY));
  expect(visit.changes).toEqual([regionBox(SKY)]);
  expect(visit.regions).toEqual([`held ${SKY}`, `held ${SKY}`, `forgotten ${SKY}`]);
});

test("an item that comes twice is taken once", () => {
  const visit = Visit.begun();
  const first = patch(1, change(SKY, "air", tick(1), [[CHUNK, STONE]]));
  visit.hear(first);
  visit.hear(patch(2, change(SKY, tick(1), tick(2), [[CHUNK, 4]])));
  visit.hear(first);
  expect(visit.guest.clockOf(SKY)).toBe(tick(2));
  visit.pass(50);
  expect(visit.saidOf("resync")).toEqual([]);
});

test("an item that comes too early is not taken, and asked for with all its regions", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", GROUND));
  visit.hear(patch(3, change(GROUND, 0, tick(1)), change(SKY, "air", tick(1))));
  expect(visit.guest.clockOf(GROUND)).toBe(0);
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  visit.pass(50);
  expect(visit.saidOf("resync")).toEqual([
    {
      kind: "resync",
      expected: 2,
      regions: [
        { region: GROUND, clock: 0 },
        { region: SKY, clock: 0 },
      ],
    },
  ]);
});

test("a reset lets the stream go on behind a gap", () => {
  const visit = Visit.begun();
  visit.hear(blank(3, "generated", SKY));
  visit.hear(reset(4), blank(4, "generated", SKY));
  expect(visit.guest.clockOf(SKY)).toBe(0);
  visit.pass(1_000);
  expect(visit.frames.at(-1)).toMatchObject({ applied: 4 });
  expect(visit.saidOf("resync")).toEqual([]);
});

test("a reset from before what was taken changes nothing", () => {
  const visit = Visit.begun();
  visit.hear(reset(5), patch(5, change(SKY, "air", tick(1))));
  visit.hear(reset(3), patch(3, change(SKY, "air", tick(9))), patch(6, change(SKY, tick(1), tick(2))));
  expect(visit.guest.clockOf(SKY)).toBe(tick(2));
});

test("a patch of which one region does not fit is not taken at all, and all its regions are asked for", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY, GROUND));
  visit.hear(patch(2, change(GROUND, 0, tick(1)), change(SKY, tick(7), tick(8))));
  expect(visit.guest.clockOf(GROUND)).toBe(0);
  visit.hear(patch(3, change(SKY, 0, tick(9))));
  expect(visit.guest.clockOf(SKY)).toBe(tick(9));
  visit.pass(50);
  expect(visit.saidOf("resync")).toEqual([
    {
      kind: "resync",
      expected: 4,
      regions: [
        { region: GROUND, clock: 0 },
        { region: SKY, clock: tick(9) },
      ],
    },
  ]);
});

test("a patch that cannot be applied is not taken at all, and its regions are asked for", () => {
  // This guest has other generators, so edits over generated chunks are beyond it.
  const visit = Visit.begun({ generators: new GeneratorRegistry([]) });
  visit.hear(blank(1, "air", SKY));
  visit.hear(patch(2, change(GROUND, "generated", tick(1)), change(SKY, 0, tick(1))));
  expect(visit.guest.clockOf(SKY)).toBe(0);
  visit.pass(50);
  expect(visit.saidOf("resync")[0]?.regions.map(({ region }) => region)).toEqual([GROUND, SKY]);
  expect(visit.isClosed).toBe(false);
});

test("a patch with a generator that is not the world's is not taken", () => {
  const visit = Visit.begun();
  const content = generatorRef(flatGenerator, FLAT_DEFAULTS, 8n);
  visit.hear(patch(1, { ...change(SKY, "air", tick(1)), leaves: [{ box: boxAt(CHUNK), content }] }));
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  visit.pass(50);
  expect(visit.saidOf("resync")).toHaveLength(1);
});

test("edits lie over chunks that the guest generates", () => {
  const visit = Visit.begun();
  // Voxel [0, 7, 0, 0] of chunk [0, -1, 0, 0], which is grass at height -1.
  const edits = [{ chunk: [0, -1, 0, 0] as Place, edits: [{ index: 56, material: STONE }] }];
  visit.hear(blank(1, "generated", GROUND));
  visit.hear(patch(2, { ...change(GROUND, 0, tick(1)), edits }));
  expect(visit.guest.voxelAt([0, -1, 0, 0])).toBe(STONE);
  expect(visit.guest.voxelAt([1, -1, 0, 0])).toBe(GRASS);
});

test("a region in pieces is seen when the last one has come", () => {
  const visit = Visit.begun();
  visit.hear(patch(1, change(SKY, "air", undefined, [[CHUNK, STONE]])));
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  expect(visit.changes).toEqual([]);
  visit.hear(patch(2, change(SKY, "air", tick(1), [[[2, 1, 1, 1], STONE]], 1)));
  expect(visit.guest.clockOf(SKY)).toBe(tick(1));
  expect(visit.guest.chunkAt(CHUNK)?.uniformMaterial).toBe(STONE);
});

test("a piece without the one before it is not taken", () => {
  const visit = Visit.begun();
  visit.hear(reset(2), patch(2, change(SKY, "air", tick(1), [[CHUNK, STONE]], 1)));
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  visit.pass(50);
  expect(visit.saidOf("resync")).toHaveLength(1);
});

test("blank regions are air, or as generated, whatever was there", () => {
  const visit = Visit.begun();
  visit.hear(patch(1, change(GROUND, "air", tick(3), [[[1, -1, 1, 0], STONE]])));
  visit.hear(blank(2, "air", GROUND));
  expect(visit.guest.voxelAt([0, -1, 0, 0])).toBe(0);
  visit.hear(blank(3, "generated", GROUND));
  expect(visit.guest.voxelAt([8, -1, 8, 0])).toBe(GRASS);
  expect(visit.guest.clockOf(GROUND)).toBe(0);
});

test("a guest generates the same chunk again when its memory for that is tiny", () => {
  const visit = Visit.begun({ generatedCacheBytes: 1 });
  visit.hear(blank(1, "generated", GROUND));
  expect(visit.guest.chunkAt([0, -1, 0, 0])?.equals(visit.guest.chunkAt([1, -1, 0, 0]) as never)).toBe(true);
});

test("regions that are forgotten cannot be read", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY, GROUND), forget(2, GROUND, [9, 9, 9, 9]));
  expect(visit.guest.voxelAt([0, -1, 0, 0])).toBeUndefined();
  expect(visit.guest.voxelAt([0, 0, 0, 0])).toBe(0);
  expect(visit.regions).toEqual([`held ${SKY}`]);
});

test("a server that never stops sending regions is left", () => {
  const visit = Visit.begun();
  for (let index = 0; index * 4_096 <= HELD_REGIONS_MAX; index++) {
    const regions = Array.from(
      { length: 4_096 },
      (_, cell): Place => [cell % 64, index, Math.floor(cell / 64), 0],
    );
    visit.hear(blank(index + 1, "generated", ...regions));
  }
  expect(visit.faults.map((fault) => fault.code)).toEqual(["ORT_LIMIT"]);
  expect(visit.isClosed).toBe(true);
});

test("a symbolic world whose generator is not among the equal ones is left", () => {
  const visit = new Visit();
  visit.connect();
  visit.hear({ ...WELCOME, generator: new GeneratorRef("moss", new Uint8Array(0), 7n, 1n) });
  expect(visit.faults.map((fault) => fault.code)).toEqual(["ORT_GENERATOR_UNKNOWN"]);
});

test("a heartbeat that says what was taken already asks for nothing", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY), heartbeat(1));
  visit.pass(1_000);
  expect(visit.saidOf("resync")).toEqual([]);
});
