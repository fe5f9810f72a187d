import { type Box, chunkShape } from "@orthant/core";
import { codeOf } from "@orthant/testkit";
import { expect, test } from "vitest";
import { blank, forget, GROUND, heartbeat, LOOK, reset, SKY, Visit, WELCOME } from "./sample-client.ts";

const ELSEWHERE = {
  boxes: [{ min: [40, 0, 0, 0], max: [44, 4, 4, 4] } as Box],
  center: [300, 0, 0, 0],
} as const;

test("an interest is sent with the next tick after the welcome, even if it was set before", () => {
  const visit = new Visit();
  visit.guest.setInterest({ ...LOOK, center: [0.4, 1.6, 0, 0], motion: [2.2, 0, 0, 0] });
  visit.connect();
  visit.pass(100);
  expect(visit.saidOf("interest")).toEqual([]);
  visit.hear(WELCOME);
  visit.guest.tick();
  expect(visit.saidOf("interest")).toEqual([
    {
      kind: "interest",
      interestId: 1,
      center: [0, 2, 0, 0],
      motion: [2, 0, 0, 0],
      boxes: LOOK.boxes,
      held: [],
      heldBlank: [],
    },
  ]);
});

test("the client repeats an interest every second until a heartbeat names it", () => {
  const visit = Visit.begun();
  visit.pass(999);
  expect(visit.saidOf("interest")).toEqual([]);
  visit.pass(1);
  expect(visit.saidOf("interest").map(({ interestId }) => interestId)).toEqual([1]);
  visit.hear(heartbeat(0, 1));
  visit.pass(3_000);
  expect(visit.saidOf("interest")).toEqual([]);
});

test("the client sends only the latest of many interests, at a limited rate", () => {
  const visit = Visit.begun();
  for (let step = 1; step <= 5; step++) visit.guest.setInterest({ ...LOOK, center: [step, 0, 0, 0] });
  visit.pass(199);
  expect(visit.saidOf("interest")).toEqual([]);
  visit.pass(1);
  expect(visit.saidOf("interest").map(({ interestId, center }) => [interestId, center[0]])).toEqual([[2, 5]]);
});

test("an interest is complete when everything sent for it has been taken", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY), heartbeat(2, 1, true));
  expect(visit.guest.isComplete).toBe(false);
  visit.hear(blank(2, "generated", GROUND));
  expect(visit.guest.isComplete).toBe(true);
  expect(visit.completed).toEqual([1]);
  visit.hear(heartbeat(2, 1, true));
  expect(visit.completed).toEqual([1]);
});

test("a complete older interest does not make a newer one complete", () => {
  const visit = Visit.begun();
  visit.guest.setInterest(ELSEWHERE);
  visit.hear(heartbeat(0, 1, true));
  expect(visit.guest.isComplete).toBe(false);
  visit.pass(200);
  visit.hear(heartbeat(0, 1, true));
  expect(visit.guest.isComplete).toBe(false);
  visit.hear(heartbeat(0, 2, true));
  expect(visit.completed).toEqual([2]);
});

test("a reset that skips items revokes completeness until the server reports it again", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY), heartbeat(2, 1, true));
  visit.hear(reset(3));
  expect(visit.guest.isComplete).toBe(false);
  visit.hear(blank(3, "generated", GROUND));
  visit.hear(heartbeat(3, 1, true));
  expect(visit.completed).toEqual([1]);
});

test("a late heartbeat does not replace a newer one", () => {
  const visit = Visit.begun();
  visit.hearAs(4, heartbeat(0, 1, true));
  expect(visit.guest.isComplete).toBe(true);
  visit.hearAs(3, heartbeat(0, 1, false));
  expect(visit.guest.isComplete).toBe(true);
});

test("a client drops regions outside a complete interest even if the server did not say so", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY, GROUND), heartbeat(1, 1, true));
  visit.guest.setInterest(ELSEWHERE);
  visit.pass(200);
  visit.hear(blank(2, "generated", [10, 0, 0, 0]), forget(3, GROUND), heartbeat(3, 2, true));
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  expect(visit.guest.clockOf([10, 0, 0, 0])).toBe(0);
});

test.each<[name: string, boxes: readonly Box[], code: string]>([
  ["too many boxes", new Array<Box>(9).fill(LOOK.boxes[0]), "ORT_LIMIT"],
  ["too many regions", [{ min: [0, 0, 0, 0], max: [33, 32, 32, 32] }], "ORT_LIMIT"],
  ["a box of nothing", [{ min: [1, 1, 1, 1], max: [1, 2, 2, 2] }], "ORT_ARGUMENT"],
  ["a box off the lattice", [{ min: [2 ** 31 - 1, 0, 0, 0], max: [2 ** 31 + 1, 1, 1, 1] }], "ORT_ARGUMENT"],
])("an interest in %s is refused by the client", (_name, boxes, code) => {
  const visit = Visit.begun();
  expect(codeOf(() => visit.guest.setInterest({ boxes, center: [0, 0, 0, 0] }))).toBe(code);
});

test("an interest with an invalid center is refused by the client", () => {
  const visit = Visit.begun();
  expect(codeOf(() => visit.guest.setInterest({ ...LOOK, center: [Number.NaN, 0, 0, 0] }))).toBe(
    "ORT_ARGUMENT",
  );
});

test("a client without the world's generators receives every voxel of a world", () => {
  const visit = Visit.begun({}, { generatorsHash: 1n, shape: chunkShape([8, 8, 8, 1]) });
  visit.hear(blank(1, "air", SKY));
  expect(visit.guest.voxelAt([0, 0, 0, 0])).toBe(0);
  visit.hear(blank(2, "generated", GROUND));
  expect(visit.guest.clockOf(GROUND)).toBeUndefined();
  visit.pass(50);
  expect(visit.saidOf("resync").map(({ regions }) => regions)).toEqual([[{ region: GROUND, clock: 0 }]]);
});
