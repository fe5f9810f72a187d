import type { Position } from "@orthant/core";
import { boxAt, regionBox } from "@orthant/core/lattice";
import { EDITS_OPEN_MAX, type NumberedEditResult } from "@orthant/protocol";
import type { ServerMessage } from "@orthant/protocol/internal";
import { DEFAULT_SYNC_LIMITS } from "@orthant/protocol/server";
import { codeOf } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import {
  blank,
  change,
  forget,
  GRASS,
  GROUND,
  patch,
  SHAPE,
  SKY,
  TestClient,
  tick,
  WELCOME,
} from "./sample-client.ts";

const STONE = 9;
const GOLD = 10;
const VOXEL: Position = [0, -1, 0, 0];

const results = (...list: readonly NumberedEditResult[]): ServerMessage => ({
  kind: "editResults",
  results: list,
});

/** A client that holds the ground. */
function grounded(): TestClient {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY, GROUND));
  client.changes.splice(0);
  client.isWatchingEdits = true;
  return client;
}

test("an edit shows at once, is reported as a change, and is sent with the next tick", () => {
  const client = grounded();
  expect(client.sync.setVoxels([{ voxel: VOXEL, block: STONE }])).toBe(1);
  expect(client.sync.replica?.voxelAt(VOXEL)).toBe(STONE);
  expect(client.sync.replica?.voxelAt([1, -1, 0, 0])).toBe(GRASS);
  expect(client.sync.replica?.region(regionBox(GROUND)).at(0, -1, 0, 0)).toBe(
    client.sync.replica?.chunkAt([0, -1, 0, 0]),
  );
  expect(client.changes).toEqual([boxAt([0, -1, 0, 0])]);
  expect(client.sync.openEdits.map(({ number }) => number)).toEqual([1]);
  client.sync.tick();
  expect(client.sentOf("voxels")).toEqual([
    { kind: "voxels", editId: 1, placements: [{ voxel: VOXEL, block: STONE }] },
  ]);
});

test.each<[name: string, result: NumberedEditResult]>([
  ["rejected", { editId: 1, status: "rejected", reason: "vetoed", detail: "not here" }],
  ["unchanged", { editId: 1, status: "unchanged" }],
  ["duplicate", { editId: 1, status: "duplicate" }],
  ["applied", { editId: 1, status: "applied" }],
])("an edit that is %s no longer shows as a prediction", (_name, result) => {
  const client = grounded();
  client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
  client.sync.tick();
  client.changes.splice(0);
  client.receive(results(result));
  expect(client.sync.replica?.voxelAt(VOXEL)).toBe(GRASS);
  expect(client.changes).toEqual([boxAt([0, -1, 0, 0])]);
  expect(client.results).toEqual([result]);
  expect(client.sync.openEdits).toEqual([]);
});

test("an applied edit stays visible because its patch arrives with the result", () => {
  const client = grounded();
  client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
  client.sync.tick();
  const edits = [{ chunk: [0, -1, 0, 0] as Position, edits: [{ index: 56, block: STONE }] }];
  client.receive(
    patch(2, { ...change(GROUND, 0, tick(1)), edits }),
    results({ editId: 1, status: "applied" }),
  );
  expect(client.sync.replica?.voxelAt(VOXEL)).toBe(STONE);
});

test("a repeated result counts once", () => {
  const client = grounded();
  client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
  client.sync.tick();
  client.receive(results({ editId: 1, status: "applied" }));
  client.receive(results({ editId: 1, status: "duplicate" }, { editId: 8, status: "applied" }));
  expect(client.results).toHaveLength(1);
});

/** A client with three open, overlapping edits of two voxels. */
function layered(): TestClient {
  const client = grounded();
  client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
  client.sync.setVoxels([
    { voxel: VOXEL, block: GOLD },
    { voxel: [1, -1, 0, 0], block: GOLD },
  ]);
  client.sync.setVoxels([{ voxel: [1, -1, 0, 0], block: STONE }]);
  client.sync.tick();
  return client;
}

const seen = ({ sync }: TestClient): readonly unknown[] => [
  sync.replica?.voxelAt(VOXEL),
  sync.replica?.voxelAt([1, -1, 0, 0]),
];

test("edits apply in order, and each can be removed from below the others", () => {
  const client = layered();
  expect(seen(client)).toEqual([GOLD, STONE]);
  client.receive(results({ editId: 1, status: "rejected", reason: "reach", detail: "" }));
  expect(seen(client)).toEqual([GOLD, STONE]);
  client.receive(results({ editId: 2, status: "rejected", reason: "reach", detail: "" }));
  expect(seen(client)).toEqual([GRASS, STONE]);
  client.receive(results({ editId: 3, status: "unchanged" }));
  expect(seen(client)).toEqual([GRASS, GRASS]);
});

test("an early result waits for those before it, so that the open edits have no gap", () => {
  const client = layered();
  client.receive(results({ editId: 2, status: "applied" }, { editId: 3, status: "applied" }));
  expect(seen(client)).toEqual([GOLD, STONE]);
  expect(client.sync.openEdits).toHaveLength(3);
  client.receive(results({ editId: 1, status: "applied" }));
  expect(client.results.map(({ editId }) => editId)).toEqual([1, 2, 3]);
  expect(seen(client)).toEqual([GRASS, GRASS]);
});

test("edits stay on top of patches that arrive meanwhile", () => {
  const client = grounded();
  client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
  expect(client.sync.replica?.voxelAt([1, -1, 0, 0])).toBe(GRASS);
  client.receive(patch(2, change(GROUND, 0, tick(1), [[[0, -1, 0, 0], GOLD]])));
  expect([client.sync.replica?.voxelAt(VOXEL), client.sync.replica?.voxelAt([1, -1, 0, 0])]).toEqual([
    STONE,
    GOLD,
  ]);
});

test("an edit in a region that is not held shows when the region arrives", () => {
  const client = TestClient.joined();
  client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
  expect(client.sync.replica?.voxelAt(VOXEL)).toBeUndefined();
  expect(client.changes).toEqual([]);
  client.receive(blank(1, "generated", GROUND));
  expect(client.sync.replica?.voxelAt(VOXEL)).toBe(STONE);
  client.receive(forget(2, GROUND));
  expect(client.sync.replica?.voxelAt(VOXEL)).toBeUndefined();
  expect(client.sync.replica?.region(regionBox(GROUND)).leafCount).toBe(0);
});

test("edits without results are resent after a second, all of them in order", () => {
  const client = grounded();
  client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
  client.pass(50);
  client.sync.setVoxels([{ voxel: VOXEL, block: GOLD }]);
  client.pass(50);
  expect(client.sentOf("voxels").map(({ editId }) => editId)).toEqual([1, 2]);
  client.pass(900);
  expect(client.sentOf("voxels")).toEqual([]);
  client.pass(50);
  expect(client.sentOf("voxels").map(({ editId }) => editId)).toEqual([1, 2]);
  client.receive(results({ editId: 1, status: "applied" }));
  client.pass(1_000);
  expect(client.sentOf("voxels").map(({ editId }) => editId)).toEqual([2]);
});

test("a new connection announces the edits without results and resends them in order", () => {
  const client = grounded();
  for (const block of [1, 2, 4]) client.sync.setVoxels([{ voxel: VOXEL, block }]);
  client.sync.tick();
  client.receive(results({ editId: 1, status: "applied" }));
  client.sync.disconnected();
  client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
  client.sent();
  client.connect();
  expect(client.sentOf("hello").map(({ openEditId }) => openEditId)).toEqual([2]);
  client.receive(WELCOME);
  client.sync.tick();
  expect(client.sentOf("voxels").map(({ editId }) => editId)).toEqual([2, 3, 4]);
});

test("edits made before the first welcome wait for it and then show over the world", () => {
  const client = new TestClient();
  client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
  client.connect();
  client.pass(100);
  expect(client.sentOf("voxels")).toEqual([]);
  client.receive(WELCOME, blank(1, "generated", GROUND));
  client.sync.tick();
  expect(client.sync.replica?.voxelAt(VOXEL)).toBe(STONE);
  expect(client.sentOf("voxels")).toHaveLength(1);
});

test("an edit made before the first welcome and outside the world is left to the server to refuse", () => {
  const client = new TestClient();
  client.sync.setVoxels([{ voxel: [2 ** 40, 0, 0, 0], block: STONE }]);
  client.connect();
  client.receive(WELCOME);
  client.sync.tick();
  expect(client.sentOf("voxels")).toHaveLength(1);
  expect(client.isClosed).toBe(false);
});

test("edits beyond those that may be under way wait, and show at once", () => {
  const limits = { ...DEFAULT_SYNC_LIMITS, editsPerSecond: 1_000, editsBurst: 1_000 };
  const client = TestClient.joined({}, { limits });
  client.receive(blank(1, "generated", SKY, GROUND));
  for (let block = 1; block <= EDITS_OPEN_MAX + 2; block++) client.sync.setVoxels([{ voxel: VOXEL, block }]);
  expect(client.sync.replica?.voxelAt(VOXEL)).toBe(EDITS_OPEN_MAX + 2);
  client.sync.tick();
  expect(client.sentOf("voxels")).toHaveLength(EDITS_OPEN_MAX);
  client.receive(results({ editId: 1, status: "applied" }));
  client.pass(50);
  expect(client.sentOf("voxels").map(({ editId }) => editId)).toEqual([EDITS_OPEN_MAX + 1]);
});

test.each<[name: string, voxels: readonly Position[], block: number, code: string]>([
  ["no voxels", [], STONE, "ORT_ARGUMENT"],
  ["too many voxels", new Array<Position>(4_097).fill(VOXEL), STONE, "ORT_ARGUMENT"],
  ["an invalid block", [VOXEL], 65_536, "ORT_ARGUMENT"],
  ["a voxel between two others", [[0.5, 0, 0, 0]], STONE, "ORT_POSITION_RANGE"],
  ["a voxel off the lattice", [[2 ** 36, 0, 0, 0]], STONE, "ORT_POSITION_RANGE"],
])("an edit of %s is refused, and the next edit reuses its number", (_name, voxels, block, code) => {
  const client = grounded();
  expect(codeOf(() => client.sync.setVoxels(voxels.map((voxel) => ({ voxel, block }))))).toBe(code);
  expect(client.sync.openEdits).toEqual([]);
  expect(client.sync.setVoxels([{ voxel: VOXEL, block: STONE }])).toBe(1);
});

test("large edits are sent at a rate that a server grants", () => {
  const limits = { ...DEFAULT_SYNC_LIMITS, editChunksMax: 1e6, editChunksPerSecond: 1e6 };
  const client = TestClient.joined({}, { limits });
  // Voxels far from each other, ten bytes each.
  const placements = Array.from({ length: 4_000 }, (_, index) => ({
    voxel: [(index % 2) * 3_000, index * SHAPE.extents[1], -index, 0] as Position,
    block: 60_000,
  }));
  for (let count = 0; count < 12; count++) client.sync.setVoxels(placements);
  let bytesBefore = 0;
  for (let ms = 0; ms < 1_000; ms += 50) {
    client.pass(50);
    bytesBefore += client.sentOf("voxels").length * 40_000;
  }
  expect(bytesBefore).toBeGreaterThan(100_000);
  expect(bytesBefore).toBeLessThan(400_000);
});

describe("an event about an edit", () => {
  const CHUNK: Position = [0, -1, 0, 0];
  const index = 56;
  /** The block of the voxel above in the chunks of each event: before and now. */
  const blocks = ({ sync, edits }: TestClient): readonly unknown[] =>
    edits
      .splice(0)
      .map(({ chunks, before }) =>
        chunks.map((chunk) => [before(chunk).get(index), sync.replica?.chunkAt(chunk)?.get(index)]),
      );

  test("says what an own edit and its rejection changed", () => {
    const client = grounded();
    client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
    expect(blocks(client)).toEqual([[[GRASS, STONE]]]);
    client.sync.setVoxels([{ voxel: VOXEL, block: GOLD }]);
    expect(blocks(client)).toEqual([[[STONE, GOLD]]]);
    client.sync.tick();
    client.receive(results({ editId: 1, status: "rejected", reason: "reach", detail: "" }));
    expect(blocks(client)).toEqual([]);
    client.receive(results({ editId: 2, status: "rejected", reason: "reach", detail: "" }));
    expect(blocks(client)).toEqual([[[GOLD, GRASS]]]);
  });

  test("says what a patch changed, once for all patches of a frame", () => {
    const client = grounded();
    const edit = (block: number) => [{ chunk: CHUNK, edits: [{ index, block }] }];
    client.receive(
      patch(2, { ...change(GROUND, 0, tick(1)), edits: edit(STONE) }),
      patch(3, { ...change(GROUND, tick(1), tick(2)), edits: edit(GOLD) }),
    );
    expect(blocks(client)).toEqual([[[GRASS, GOLD]]]);
  });

  test("does not come when a patch brings what was predicted", () => {
    const client = grounded();
    client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
    client.sync.tick();
    client.edits.splice(0);
    const edits = [{ chunk: CHUNK, edits: [{ index, block: STONE }] }];
    client.receive(
      patch(2, { ...change(GROUND, 0, tick(1)), edits }),
      results({ editId: 1, status: "applied" }),
    );
    expect(client.edits).toEqual([]);
  });

  test("does not come for regions that are gained or dropped, with or without predictions", () => {
    const client = TestClient.joined();
    client.isWatchingEdits = true;
    client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
    client.receive(blank(1, "generated", GROUND));
    client.receive(forget(2, GROUND));
    expect(client.edits).toEqual([]);
  });

  test("knows how a chunk was even after later edits", () => {
    const client = grounded();
    client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
    const [first] = client.edits.splice(0);
    client.sync.setVoxels([{ voxel: VOXEL, block: GOLD }]);
    client.receive(results({ editId: 1, status: "unchanged" }));
    expect(first?.before(CHUNK).get(index)).toBe(GRASS);
  });
});

test("edits for a world that the server no longer has are refused, and the next connection starts without them", () => {
  const client = grounded();
  client.sync.setVoxels([{ voxel: VOXEL, block: STONE }]);
  client.sync.disconnected();
  client.connect();
  client.receive({ ...WELCOME, worldId: 99n });
  expect(client.results).toMatchObject([{ status: "rejected", reason: "world" }]);
  expect(client.isClosed).toBe(true);
  client.sync.disconnected();
  client.sent();
  client.connect();
  expect(client.sentOf("hello").map(({ openEditId }) => openEditId)).toEqual([1]);
  client.receive({ ...WELCOME, worldId: 99n });
  expect(client.sync.phase).toBe("joined");
  expect(client.sync.world?.worldId).toBe(99n);
});
