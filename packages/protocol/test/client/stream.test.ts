import {
  boxAt,
  FLAT_DEFAULTS,
  flatGenerator,
  GeneratorRef,
  GeneratorRegistry,
  generatorRef,
  type Position,
  RegionTree,
  regionBox,
  uniformChunk,
} from "@orthant/core";
import { HELD_REGIONS_MAX } from "@orthant/protocol/internal";
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
} from "./sample-client.ts";

const STONE = 9;
const CHUNK: Position = [1, 1, 1, 1];

test("items are taken in order, and their regions can be read", () => {
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

test("changes are reported as the exact chunks", () => {
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

test("a repeated item is taken once", () => {
  const visit = Visit.begun();
  const first = patch(1, change(SKY, "air", tick(1), [[CHUNK, STONE]]));
  visit.hear(first);
  visit.hear(patch(2, change(SKY, tick(1), tick(2), [[CHUNK, 4]])));
  visit.hear(first);
  expect(visit.guest.clockOf(SKY)).toBe(tick(2));
  visit.pass(50);
  expect(visit.saidOf("resync")).toEqual([]);
});

test("an early item is not taken, and all its regions are requested", () => {
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

test("a reset continues the stream after a gap", () => {
  const visit = Visit.begun();
  visit.hear(blank(3, "generated", SKY));
  visit.hear(reset(4), blank(4, "generated", SKY));
  expect(visit.guest.clockOf(SKY)).toBe(0);
  visit.pass(1_000);
  expect(visit.frames.at(-1)).toMatchObject({ applied: 4 });
  expect(visit.saidOf("resync")).toEqual([]);
});

test("a reset to an item that was already taken changes nothing", () => {
  const visit = Visit.begun();
  visit.hear(reset(5), patch(5, change(SKY, "air", tick(1))));
  visit.hear(reset(3), patch(3, change(SKY, "air", tick(9))), patch(6, change(SKY, tick(1), tick(2))));
  expect(visit.guest.clockOf(SKY)).toBe(tick(2));
});

test("a patch with one region that does not fit is refused completely, and all its regions are requested", () => {
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

test("a patch that cannot be applied is refused completely, and its regions are requested", () => {
  // This client has other generators, so it cannot apply edits to generated chunks.
  const visit = Visit.begun({ generators: new GeneratorRegistry([]) });
  visit.hear(blank(1, "air", SKY));
  visit.hear(patch(2, change(GROUND, "generated", tick(1)), change(SKY, 0, tick(1))));
  expect(visit.guest.clockOf(SKY)).toBe(0);
  visit.pass(50);
  expect(visit.saidOf("resync")[0]?.regions.map(({ region }) => region)).toEqual([GROUND, SKY]);
  expect(visit.isClosed).toBe(false);
});

test("a patch with a generator other than the world's is refused", () => {
  const visit = Visit.begun();
  const content = generatorRef(flatGenerator, FLAT_DEFAULTS, 8n);
  visit.hear(patch(1, { ...change(SKY, "air", tick(1)), leaves: [{ box: boxAt(CHUNK), content }] }));
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  visit.pass(50);
  expect(visit.saidOf("resync")).toHaveLength(1);
});

test("edits apply to chunks that the client generates", () => {
  const visit = Visit.begun();
  // Voxel [0, 7, 0, 0] of chunk [0, -1, 0, 0], which is grass at height -1.
  const edits = [{ chunk: [0, -1, 0, 0] as Position, edits: [{ index: 56, block: STONE }] }];
  visit.hear(blank(1, "generated", GROUND));
  visit.hear(patch(2, { ...change(GROUND, 0, tick(1)), edits }));
  expect(visit.guest.voxelAt([0, -1, 0, 0])).toBe(STONE);
  expect(visit.guest.voxelAt([1, -1, 0, 0])).toBe(GRASS);
});

test("a region in pieces becomes visible with the last piece", () => {
  const visit = Visit.begun();
  visit.hear(patch(1, change(SKY, "air", undefined, [[CHUNK, STONE]])));
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  expect(visit.changes).toEqual([]);
  visit.hear(patch(2, change(SKY, "air", tick(1), [[[2, 1, 1, 1], STONE]], 1)));
  expect(visit.guest.clockOf(SKY)).toBe(tick(1));
  expect(visit.guest.chunkAt(CHUNK)?.uniformBlock).toBe(STONE);
});

test("a piece without the one before it is refused", () => {
  const visit = Visit.begun();
  visit.hear(reset(2), patch(2, change(SKY, "air", tick(1), [[CHUNK, STONE]], 1)));
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  visit.pass(50);
  expect(visit.saidOf("resync")).toHaveLength(1);
});

test("blank regions become air or generated, whatever they contained", () => {
  const visit = Visit.begun();
  visit.hear(patch(1, change(GROUND, "air", tick(3), [[[1, -1, 1, 0], STONE]])));
  visit.hear(blank(2, "air", GROUND));
  expect(visit.guest.voxelAt([0, -1, 0, 0])).toBe(0);
  visit.hear(blank(3, "generated", GROUND));
  expect(visit.guest.voxelAt([8, -1, 8, 0])).toBe(GRASS);
  expect(visit.guest.clockOf(GROUND)).toBe(0);
});

test("a client with a tiny cache generates the same chunk again", () => {
  const visit = Visit.begun({ generatedCacheBytes: 1 });
  visit.hear(blank(1, "generated", GROUND));
  expect(visit.guest.chunkAt([0, -1, 0, 0])?.equals(visit.guest.chunkAt([1, -1, 0, 0]) as never)).toBe(true);
});

test("forgotten regions cannot be read", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY, GROUND), forget(2, GROUND, [9, 9, 9, 9]));
  expect(visit.guest.voxelAt([0, -1, 0, 0])).toBeUndefined();
  expect(visit.guest.voxelAt([0, 0, 0, 0])).toBe(0);
  expect(visit.regions).toEqual([`held ${SKY}`]);
});

test("a client disconnects from a server that sends regions without end", () => {
  const visit = Visit.begun();
  for (let index = 0; index * 4_096 <= HELD_REGIONS_MAX; index++) {
    const regions = Array.from(
      { length: 4_096 },
      (_, cell): Position => [cell % 64, index, Math.floor(cell / 64), 0],
    );
    visit.hear(blank(index + 1, "generated", ...regions));
  }
  expect(visit.faults.map((fault) => fault.code)).toEqual(["ORT_LIMIT"]);
  expect(visit.isClosed).toBe(true);
});

test("a client disconnects if the generators match but do not include the world's generator", () => {
  const visit = new Visit();
  visit.connect();
  visit.hear({ ...WELCOME, generator: new GeneratorRef("moss", new Uint8Array(0), 7n, 1n) });
  expect(visit.faults.map((fault) => fault.code)).toEqual(["ORT_GENERATOR_UNKNOWN"]);
});

test("a heartbeat that reports only taken items causes no request", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY), heartbeat(1));
  visit.pass(1_000);
  expect(visit.saidOf("resync")).toEqual([]);
});
