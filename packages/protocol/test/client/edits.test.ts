import { boxAt, type Position, regionBox } from "@orthant/core";
import { EDITS_OPEN_MAX, type NumberedEditResult } from "@orthant/protocol";
import type { ServerMessage } from "@orthant/protocol/internal";
import { codeOf } from "@orthant/testkit";
import { expect, test } from "vitest";
import {
  blank,
  change,
  forget,
  GRASS,
  GROUND,
  patch,
  SHAPE,
  SKY,
  tick,
  Visit,
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
function grounded(): Visit {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY, GROUND));
  visit.changes.splice(0);
  return visit;
}

test("an edit shows at once, is reported as a change, and is sent with the next tick", () => {
  const visit = grounded();
  expect(visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }])).toBe(1);
  expect(visit.guest.voxelAt(VOXEL)).toBe(STONE);
  expect(visit.guest.voxelAt([1, -1, 0, 0])).toBe(GRASS);
  expect(visit.guest.region(regionBox(GROUND)).at(0, -1, 0, 0)).toBe(visit.guest.chunkAt([0, -1, 0, 0]));
  expect(visit.changes).toEqual([boxAt([0, -1, 0, 0])]);
  expect(visit.guest.openEdits.map(({ editId }) => editId)).toEqual([1]);
  visit.guest.tick();
  expect(visit.saidOf("setVoxels")).toEqual([
    { kind: "setVoxels", editId: 1, placements: [{ voxel: VOXEL, block: STONE }] },
  ]);
});

test.each<[name: string, result: NumberedEditResult]>([
  ["rejected", { editId: 1, outcome: "rejected", reason: "vetoed", detail: "not here" }],
  ["unchanged", { editId: 1, outcome: "unchanged" }],
  ["duplicate", { editId: 1, outcome: "duplicate" }],
  ["applied", { editId: 1, outcome: "applied" }],
])("an edit that is %s no longer shows as a prediction", (_name, result) => {
  const visit = grounded();
  visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  visit.changes.splice(0);
  visit.hear(results(result));
  expect(visit.guest.voxelAt(VOXEL)).toBe(GRASS);
  expect(visit.changes).toEqual([boxAt([0, -1, 0, 0])]);
  expect(visit.results).toEqual([result]);
  expect(visit.guest.openEdits).toEqual([]);
});

test("an applied edit stays visible because its patch arrives with the verdict", () => {
  const visit = grounded();
  visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  const edits = [{ chunk: [0, -1, 0, 0] as Position, edits: [{ index: 56, block: STONE }] }];
  visit.hear(patch(2, { ...change(GROUND, 0, tick(1)), edits }), results({ editId: 1, outcome: "applied" }));
  expect(visit.guest.voxelAt(VOXEL)).toBe(STONE);
});

test("a repeated verdict counts once", () => {
  const visit = grounded();
  visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  visit.hear(results({ editId: 1, outcome: "applied" }));
  visit.hear(results({ editId: 1, outcome: "duplicate" }, { editId: 8, outcome: "applied" }));
  expect(visit.results).toHaveLength(1);
});

/** A client with three open, overlapping edits of two voxels. */
function layered(): Visit {
  const visit = grounded();
  visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  visit.guest.setVoxels([
    { voxel: VOXEL, block: GOLD },
    { voxel: [1, -1, 0, 0], block: GOLD },
  ]);
  visit.guest.setVoxels([{ voxel: [1, -1, 0, 0], block: STONE }]);
  return visit;
}

const seen = ({ guest }: Visit): readonly unknown[] => [guest.voxelAt(VOXEL), guest.voxelAt([1, -1, 0, 0])];

test("edits apply in order, and each can be removed from below the others", () => {
  const visit = layered();
  expect(seen(visit)).toEqual([GOLD, STONE]);
  visit.hear(results({ editId: 1, outcome: "rejected", reason: "reach", detail: "" }));
  expect(seen(visit)).toEqual([GOLD, STONE]);
  visit.hear(results({ editId: 2, outcome: "rejected", reason: "reach", detail: "" }));
  expect(seen(visit)).toEqual([GRASS, STONE]);
  visit.hear(results({ editId: 3, outcome: "unchanged" }));
  expect(seen(visit)).toEqual([GRASS, GRASS]);
});

test("an early verdict waits for those before it, so that the open edits have no gap", () => {
  const visit = layered();
  visit.hear(results({ editId: 2, outcome: "applied" }, { editId: 3, outcome: "applied" }));
  expect(seen(visit)).toEqual([GOLD, STONE]);
  expect(visit.guest.openEdits).toHaveLength(3);
  visit.hear(results({ editId: 1, outcome: "applied" }));
  expect(visit.results.map(({ editId }) => editId)).toEqual([1, 2, 3]);
  expect(seen(visit)).toEqual([GRASS, GRASS]);
});

test("edits stay on top of patches that arrive meanwhile", () => {
  const visit = grounded();
  visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  expect(visit.guest.voxelAt([1, -1, 0, 0])).toBe(GRASS);
  visit.hear(patch(2, change(GROUND, 0, tick(1), [[[0, -1, 0, 0], GOLD]])));
  expect([visit.guest.voxelAt(VOXEL), visit.guest.voxelAt([1, -1, 0, 0])]).toEqual([STONE, GOLD]);
});

test("an edit in a region that is not held shows when the region arrives", () => {
  const visit = Visit.begun();
  visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  expect(visit.guest.voxelAt(VOXEL)).toBeUndefined();
  expect(visit.changes).toEqual([]);
  visit.hear(blank(1, "generated", GROUND));
  expect(visit.guest.voxelAt(VOXEL)).toBe(STONE);
  visit.hear(forget(2, GROUND));
  expect(visit.guest.voxelAt(VOXEL)).toBeUndefined();
  expect(visit.guest.region(regionBox(GROUND)).leafCount).toBe(0);
});

test("edits without verdicts are resent after a second, all of them in order", () => {
  const visit = grounded();
  visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  visit.pass(50);
  visit.guest.setVoxels([{ voxel: VOXEL, block: GOLD }]);
  visit.pass(50);
  expect(visit.saidOf("setVoxels").map(({ editId }) => editId)).toEqual([1, 2]);
  visit.pass(900);
  expect(visit.saidOf("setVoxels")).toEqual([]);
  visit.pass(50);
  expect(visit.saidOf("setVoxels").map(({ editId }) => editId)).toEqual([1, 2]);
  visit.hear(results({ editId: 1, outcome: "applied" }));
  visit.pass(1_000);
  expect(visit.saidOf("setVoxels").map(({ editId }) => editId)).toEqual([2]);
});

test("a new connection announces the edits without verdicts and resends them in order", () => {
  const visit = grounded();
  for (const block of [1, 2, 4]) visit.guest.setVoxels([{ voxel: VOXEL, block }]);
  visit.guest.tick();
  visit.hear(results({ editId: 1, outcome: "applied" }));
  visit.guest.disconnected();
  visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  visit.said();
  visit.connect();
  expect(visit.saidOf("hello").map(({ openEditId }) => openEditId)).toEqual([2]);
  visit.hear(WELCOME);
  visit.guest.tick();
  expect(visit.saidOf("setVoxels").map(({ editId }) => editId)).toEqual([2, 3, 4]);
});

test("edits made before the first welcome wait for it and then show over the world", () => {
  const visit = new Visit();
  visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  visit.connect();
  visit.pass(100);
  expect(visit.saidOf("setVoxels")).toEqual([]);
  visit.hear(WELCOME, blank(1, "generated", GROUND));
  visit.guest.tick();
  expect(visit.guest.voxelAt(VOXEL)).toBe(STONE);
  expect(visit.saidOf("setVoxels")).toHaveLength(1);
});

test("an edit made before the first welcome and outside the world is left to the server to refuse", () => {
  const visit = new Visit();
  visit.guest.setVoxels([{ voxel: [2 ** 40, 0, 0, 0], block: STONE }]);
  visit.connect();
  visit.hear(WELCOME);
  visit.guest.tick();
  expect(visit.saidOf("setVoxels")).toHaveLength(1);
  expect(visit.isClosed).toBe(false);
});

test("more open edits than a server accepts are refused, with or without a connection", () => {
  const visit = new Visit();
  for (let count = 0; count < EDITS_OPEN_MAX; count++)
    visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  expect(codeOf(() => visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]))).toBe("ORT_LIMIT");
  visit.connect();
  visit.hear(WELCOME);
  visit.hear(results({ editId: 1, outcome: "applied" }));
  expect(visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }])).toBe(EDITS_OPEN_MAX + 1);
});

test.each<[name: string, voxels: readonly Position[], block: number, code: string]>([
  ["no voxels", [], STONE, "ORT_ARGUMENT"],
  ["too many voxels", new Array<Position>(4_097).fill(VOXEL), STONE, "ORT_ARGUMENT"],
  ["a block that is none", [VOXEL], 65_536, "ORT_ARGUMENT"],
  ["a voxel between two others", [[0.5, 0, 0, 0]], STONE, "ORT_POSITION_RANGE"],
  ["a voxel off the lattice", [[2 ** 36, 0, 0, 0]], STONE, "ORT_POSITION_RANGE"],
])("an edit of %s is refused, and the next edit reuses its id", (_name, voxels, block, code) => {
  const visit = grounded();
  expect(codeOf(() => visit.guest.setVoxels(voxels.map((voxel) => ({ voxel, block }))))).toBe(code);
  expect(visit.guest.openEdits).toEqual([]);
  expect(visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }])).toBe(1);
});

test("large edits are sent at a rate that a server grants", () => {
  const visit = grounded();
  // Voxels far from each other, ten bytes each.
  const placements = Array.from({ length: 4_000 }, (_, index) => ({
    voxel: [(index % 2) * 3_000, index * SHAPE.extents[1], -index, 0] as Position,
    block: 60_000,
  }));
  for (let count = 0; count < 12; count++) visit.guest.setVoxels(placements);
  let bytesBefore = 0;
  for (let ms = 0; ms < 1_000; ms += 50) {
    visit.pass(50);
    bytesBefore += visit.saidOf("setVoxels").length * 40_000;
  }
  expect(bytesBefore).toBeGreaterThan(100_000);
  expect(bytesBefore).toBeLessThan(400_000);
});

test("edits for a world that the server no longer has are refused, and the next connection starts without them", () => {
  const visit = grounded();
  visit.guest.setVoxels([{ voxel: VOXEL, block: STONE }]);
  visit.guest.disconnected();
  visit.connect();
  visit.hear({ ...WELCOME, worldId: 99n });
  expect(visit.results).toMatchObject([{ editId: 1, outcome: "rejected", reason: "world" }]);
  expect(visit.isClosed).toBe(true);
  visit.guest.disconnected();
  visit.said();
  visit.connect();
  expect(visit.saidOf("hello").map(({ openEditId }) => openEditId)).toEqual([2]);
  visit.hear({ ...WELCOME, worldId: 99n });
  expect(visit.guest.phase).toBe("joined");
  expect(visit.guest.world?.worldId).toBe(99n);
});
