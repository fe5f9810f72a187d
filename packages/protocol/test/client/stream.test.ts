import { GeneratorRegistry, type Position, uniformChunk } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, GeneratorRef, generatorRef } from "@orthant/core/generate";
import { boxAt, regionBox } from "@orthant/core/lattice";
import { CLOCK_NEVER, GeneratorMap, RegionTree } from "@orthant/core/tree";
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
  TestClient,
  tick,
  WELCOME,
} from "./sample-client.ts";

const STONE = 9;
const CHUNK: Position = [1, 1, 1, 1];

test("items are taken in order, and their regions can be read", () => {
  const client = TestClient.joined();
  expect(client.sync.replica?.chunkAt(CHUNK)).toBeUndefined();
  client.receive(patch(1, change(SKY, "air", tick(1), [[CHUNK, STONE]])), blank(2, "generated", GROUND));
  expect(client.sync.replica?.chunkAt(CHUNK)).toBe(uniformChunk(SHAPE.volume, STONE));
  expect(client.sync.replica?.voxelAt([8, 8, 8, 1])).toBe(STONE);
  expect(client.sync.replica?.voxelAt([0, 0, 0, 0])).toBe(0);
  expect(client.sync.replica?.voxelAt([0, -1, 0, 0])).toBe(GRASS);
  expect(client.sync.replica?.voxelAt([0, -3, 0, 0])).toBe(0);
  expect(client.sync.replica?.clockOf(SKY)).toBe(tick(1));
  expect(client.sync.replica?.clockOf(GROUND)).toBe(0);
  expect(
    client.sync.replica
      ?.region(regionBox(GROUND))
      .equals(RegionTree.EMPTY.fill(regionBox(GROUND), GENERATOR)),
  ).toBe(true);
});

test("changes are reported as the exact chunks", () => {
  const client = TestClient.joined();
  client.receive(patch(1, change(SKY, "air", tick(1), [[CHUNK, STONE]])));
  expect(client.changes.splice(0)).toEqual([regionBox(SKY)]);
  client.receive(
    patch(
      2,
      change(SKY, tick(1), tick(2), [
        [CHUNK, 0],
        [[2, 1, 1, 1], 0],
      ]),
    ),
  );
  expect(client.changes.splice(0)).toEqual([boxAt(CHUNK)]);
  client.receive(forget(3, SKY));
  expect(client.changes).toEqual([regionBox(SKY)]);
  expect(client.regions).toEqual([`held ${SKY}`, `held ${SKY}`, `forgotten ${SKY}`]);
});

test("a repeated item is taken once", () => {
  const client = TestClient.joined();
  const first = patch(1, change(SKY, "air", tick(1), [[CHUNK, STONE]]));
  client.receive(first);
  client.receive(patch(2, change(SKY, tick(1), tick(2), [[CHUNK, 4]])));
  client.receive(first);
  expect(client.sync.replica?.clockOf(SKY)).toBe(tick(2));
  client.pass(50);
  expect(client.sentOf("resync")).toEqual([]);
});

test("an early item is not taken, and all its regions are requested", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", GROUND));
  client.receive(patch(3, change(GROUND, 0, tick(1)), change(SKY, "air", tick(1))));
  expect(client.sync.replica?.clockOf(GROUND)).toBe(0);
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
  client.pass(50);
  expect(client.sentOf("resync")).toEqual([
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
  const client = TestClient.joined();
  client.receive(blank(3, "generated", SKY));
  client.receive(reset(4), blank(4, "generated", SKY));
  expect(client.sync.replica?.clockOf(SKY)).toBe(0);
  client.pass(1_000);
  expect(client.frames.at(-1)).toMatchObject({ applied: 4 });
  expect(client.sentOf("resync")).toEqual([]);
});

test("a reset to an item that was already taken changes nothing", () => {
  const client = TestClient.joined();
  client.receive(reset(5), patch(5, change(SKY, "air", tick(1))));
  client.receive(reset(3), patch(3, change(SKY, "air", tick(9))), patch(6, change(SKY, tick(1), tick(2))));
  expect(client.sync.replica?.clockOf(SKY)).toBe(tick(2));
});

test("a patch with one region that does not fit is refused completely, and all its regions are requested", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY, GROUND));
  client.receive(patch(2, change(GROUND, 0, tick(1)), change(SKY, tick(7), tick(8))));
  expect(client.sync.replica?.clockOf(GROUND)).toBe(0);
  client.receive(patch(3, change(SKY, 0, tick(9))));
  expect(client.sync.replica?.clockOf(SKY)).toBe(tick(9));
  client.pass(50);
  expect(client.sentOf("resync")).toEqual([
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
  const client = TestClient.joined({ generators: new GeneratorRegistry([]) });
  client.receive(blank(1, "air", SKY));
  client.receive(patch(2, change(GROUND, "generated", tick(1)), change(SKY, 0, tick(1))));
  expect(client.sync.replica?.clockOf(SKY)).toBe(0);
  client.pass(50);
  expect(client.sentOf("resync")[0]?.regions.map(({ region }) => region)).toEqual([GROUND, SKY]);
  expect(client.isClosed).toBe(false);
});

test("a patch with a generator other than the world's is refused", () => {
  const client = TestClient.joined();
  const content = generatorRef(flatGenerator, FLAT_DEFAULTS, 8n);
  client.receive(patch(1, { ...change(SKY, "air", tick(1)), leaves: [{ box: boxAt(CHUNK), content }] }));
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
  client.pass(50);
  expect(client.sentOf("resync")).toHaveLength(1);
});

test("edits apply to chunks that the client generates", () => {
  const client = TestClient.joined();
  // Voxel [0, 7, 0, 0] of chunk [0, -1, 0, 0], which is grass at height -1.
  const edits = [{ chunk: [0, -1, 0, 0] as Position, edits: [{ index: 56, block: STONE }] }];
  client.receive(blank(1, "generated", GROUND));
  client.receive(patch(2, { ...change(GROUND, 0, tick(1)), edits }));
  expect(client.sync.replica?.voxelAt([0, -1, 0, 0])).toBe(STONE);
  expect(client.sync.replica?.voxelAt([1, -1, 0, 0])).toBe(GRASS);
});

test("a region in pieces becomes visible with the last piece", () => {
  const client = TestClient.joined();
  client.receive(patch(1, change(SKY, "air", undefined, [[CHUNK, STONE]])));
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
  expect(client.changes).toEqual([]);
  client.receive(patch(2, change(SKY, "air", tick(1), [[[2, 1, 1, 1], STONE]], 1)));
  expect(client.sync.replica?.clockOf(SKY)).toBe(tick(1));
  expect(client.sync.replica?.chunkAt(CHUNK)?.uniformBlock).toBe(STONE);
});

test("a piece without the one before it is refused", () => {
  const client = TestClient.joined();
  client.receive(reset(2), patch(2, change(SKY, "air", tick(1), [[CHUNK, STONE]], 1)));
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
  client.pass(50);
  expect(client.sentOf("resync")).toHaveLength(1);
});

test("blank regions become air or generated, whatever they contained", () => {
  const client = TestClient.joined();
  client.receive(patch(1, change(GROUND, "air", tick(3), [[[1, -1, 1, 0], STONE]])));
  client.receive(blank(2, "air", GROUND));
  expect(client.sync.replica?.voxelAt([0, -1, 0, 0])).toBe(0);
  client.receive(blank(3, "generated", GROUND));
  expect(client.sync.replica?.voxelAt([8, -1, 8, 0])).toBe(GRASS);
  expect(client.sync.replica?.clockOf(GROUND)).toBe(0);
});

test("a client with a tiny cache generates the same chunk again", () => {
  const client = TestClient.joined({ generatedCacheBytes: 1 });
  client.receive(blank(1, "generated", GROUND));
  expect(
    client.sync.replica?.chunkAt([0, -1, 0, 0])?.equals(client.sync.replica?.chunkAt([1, -1, 0, 0]) as never),
  ).toBe(true);
});

test("forgotten regions cannot be read", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY, GROUND), forget(2, GROUND, [9, 9, 9, 9]));
  expect(client.sync.replica?.voxelAt([0, -1, 0, 0])).toBeUndefined();
  expect(client.sync.replica?.voxelAt([0, 0, 0, 0])).toBe(0);
  expect(client.regions).toEqual([`held ${SKY}`]);
});

test("a client disconnects from a server that sends regions without end", () => {
  const client = TestClient.joined();
  for (let index = 0; index * 4_096 <= HELD_REGIONS_MAX; index++) {
    const regions = Array.from(
      { length: 4_096 },
      (_, cell): Position => [cell % 64, index, Math.floor(cell / 64), 0],
    );
    client.receive(blank(index + 1, "generated", ...regions));
  }
  expect(client.faults.map((fault) => fault.code)).toEqual(["ORT_LIMIT"]);
  expect(client.isClosed).toBe(true);
});

test("a client without a generator of the world refuses what it would have to generate with it", () => {
  const client = new TestClient();
  client.connect();
  const moss = new GeneratorRef("moss", new Uint8Array(0), 7n, 1n);
  const box = { min: [0, -1, 0, 0], max: [1, 0, 1, 1] } as const;
  const generators = GeneratorMap.from(WELCOME.generators.current, [{ box, generator: moss }]);
  client.receive({ ...WELCOME, generators });
  client.receive(blank(1, "generated", [0, 0, 0, 0]));
  expect(client.sync.replica?.clockOf([0, 0, 0, 0])).toBe(CLOCK_NEVER);
  client.receive(blank(2, "generated", [0, -1, 0, 0]));
  expect(client.sync.replica?.clockOf([0, -1, 0, 0])).toBeUndefined();
  expect(client.faults).toEqual([]);
});

test("a heartbeat that reports only taken items causes no request", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY), heartbeat(1));
  client.pass(1_000);
  expect(client.sentOf("resync")).toEqual([]);
});
