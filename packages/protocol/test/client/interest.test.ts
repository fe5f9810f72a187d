import { type Box, chunkShape } from "@orthant/core";
import { GeneratorRef } from "@orthant/core/generate";
import { GeneratorMap } from "@orthant/core/tree";
import { codeOf } from "@orthant/testkit";
import { expect, test } from "vitest";
import {
  blank,
  forget,
  GROUND,
  heartbeat,
  INTEREST,
  reset,
  SKY,
  TestClient,
  WELCOME,
} from "./sample-client.ts";

const ELSEWHERE = {
  boxes: [{ min: [40, 0, 0, 0], max: [44, 4, 4, 4] } as Box],
  center: [300, 0, 0, 0],
} as const;

test("an interest is sent with the next tick after the welcome, even if it was set before", () => {
  const client = new TestClient();
  client.sync.setInterest({ ...INTEREST, center: [0.4, 1.6, 0, 0], motion: [2.2, 0, 0, 0] });
  client.connect();
  client.pass(100);
  expect(client.sentOf("interest")).toEqual([]);
  client.receive(WELCOME);
  client.sync.tick();
  expect(client.sentOf("interest")).toEqual([
    {
      kind: "interest",
      interestId: 1,
      center: [0, 2, 0, 0],
      motion: [2, 0, 0, 0],
      boxes: INTEREST.boxes,
      held: [],
      heldBlank: [],
    },
  ]);
});

test("the client repeats an interest every second until a heartbeat names it", () => {
  const client = TestClient.joined();
  client.pass(999);
  expect(client.sentOf("interest")).toEqual([]);
  client.pass(1);
  expect(client.sentOf("interest").map(({ interestId }) => interestId)).toEqual([1]);
  client.receive(heartbeat(0, 1));
  client.pass(3_000);
  expect(client.sentOf("interest")).toEqual([]);
});

test("the client sends only the latest of many interests, at a limited rate", () => {
  const client = TestClient.joined();
  for (let step = 1; step <= 5; step++) client.sync.setInterest({ ...INTEREST, center: [step, 0, 0, 0] });
  client.pass(199);
  expect(client.sentOf("interest")).toEqual([]);
  client.pass(1);
  expect(client.sentOf("interest").map(({ interestId, center }) => [interestId, center[0]])).toEqual([
    [2, 5],
  ]);
});

test("an interest is complete when everything sent for it has been taken", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY), heartbeat(2, 1, true));
  expect(client.sync.isComplete).toBe(false);
  client.receive(blank(2, "generated", GROUND));
  expect(client.sync.isComplete).toBe(true);
  expect(client.completed).toEqual([1]);
  client.receive(heartbeat(2, 1, true));
  expect(client.completed).toEqual([1]);
});

test("a complete older interest does not make a newer one complete", () => {
  const client = TestClient.joined();
  client.sync.setInterest(ELSEWHERE);
  client.receive(heartbeat(0, 1, true));
  expect(client.sync.isComplete).toBe(false);
  client.pass(200);
  client.receive(heartbeat(0, 1, true));
  expect(client.sync.isComplete).toBe(false);
  client.receive(heartbeat(0, 2, true));
  expect(client.completed).toEqual([2]);
});

test("a reset that skips items revokes completeness until the server reports it again", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY), heartbeat(2, 1, true));
  client.receive(reset(3));
  expect(client.sync.isComplete).toBe(false);
  client.receive(blank(3, "generated", GROUND));
  client.receive(heartbeat(3, 1, true));
  expect(client.completed).toEqual([1]);
});

test("a late heartbeat does not replace a newer one", () => {
  const client = TestClient.joined();
  client.receiveAs(4, heartbeat(0, 1, true));
  expect(client.sync.isComplete).toBe(true);
  client.receiveAs(3, heartbeat(0, 1, false));
  expect(client.sync.isComplete).toBe(true);
});

test("a client drops regions outside a complete interest even if the server did not say so", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY, GROUND), heartbeat(1, 1, true));
  client.sync.setInterest(ELSEWHERE);
  client.pass(200);
  client.receive(blank(2, "generated", [10, 0, 0, 0]), forget(3, GROUND), heartbeat(3, 2, true));
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
  expect(client.sync.replica?.clockOf([10, 0, 0, 0])).toBe(0);
});

test.each<[name: string, boxes: readonly Box[], code: string]>([
  ["too many boxes", new Array<Box>(9).fill(INTEREST.boxes[0]), "ORT_LIMIT"],
  ["too many regions", [{ min: [0, 0, 0, 0], max: [65, 64, 64, 1] }], "ORT_LIMIT"],
  ["a box of nothing", [{ min: [1, 1, 1, 1], max: [1, 2, 2, 2] }], "ORT_ARGUMENT"],
  ["a box off the lattice", [{ min: [2 ** 31 - 1, 0, 0, 0], max: [2 ** 31 + 1, 1, 1, 1] }], "ORT_ARGUMENT"],
])("an interest in %s is refused by the client", (_name, boxes, code) => {
  const client = TestClient.joined();
  expect(codeOf(() => client.sync.setInterest({ boxes, center: [0, 0, 0, 0] }))).toBe(code);
});

test("an interest with an invalid center is refused by the client", () => {
  const client = TestClient.joined();
  expect(codeOf(() => client.sync.setInterest({ ...INTEREST, center: [Number.NaN, 0, 0, 0] }))).toBe(
    "ORT_ARGUMENT",
  );
});

test("a client without the world's generators receives every voxel of a world", () => {
  const client = TestClient.joined(
    {},
    {
      generators: GeneratorMap.of(new GeneratorRef("moss", new Uint8Array(0), 1n, 1n)),
      shape: chunkShape([8, 8, 8, 1]),
    },
  );
  client.receive(blank(1, "air", SKY));
  expect(client.sync.replica?.voxelAt([0, 0, 0, 0])).toBe(0);
  client.receive(blank(2, "generated", GROUND));
  expect(client.sync.replica?.clockOf(GROUND)).toBeUndefined();
  client.pass(50);
  expect(client.sentOf("resync").map(({ regions }) => regions)).toEqual([[{ region: GROUND, clock: 0 }]]);
});
