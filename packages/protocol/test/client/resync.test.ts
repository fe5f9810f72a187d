import type { Position } from "@orthant/core";
import { expect, test } from "vitest";
import {
  blank,
  change,
  forget,
  GROUND,
  heartbeat,
  patch,
  reset,
  SKY,
  TestClient,
  tick,
} from "./sample-client.ts";

/** Returns when, in milliseconds from now, the client sends requests within `spanMs`. */
function requestTimes(client: TestClient, spanMs: number): readonly number[] {
  const times: number[] = [];
  for (let ms = 50; ms <= spanMs; ms += 50) {
    client.pass(50);
    if (client.sentOf("resync").length > 0) times.push(ms);
  }
  return times;
}

/** Returns a patch that never fits, because it builds on an unknown clock. */
const misfit = (streamNumber: number, region: Position = SKY) =>
  patch(streamNumber, change(region, tick(100), tick(101)));

test("requests that keep failing become less frequent, down to one in four seconds", () => {
  const client = TestClient.joined();
  client.receive(misfit(1));
  expect(requestTimes(client, 13_000)).toEqual([50, 300, 800, 1_800, 3_800, 7_800, 11_800]);
});

test("two failures within a moment lead to one request", () => {
  const client = TestClient.joined();
  client.receive(misfit(1, SKY));
  client.sync.tick();
  client.receive(misfit(2, GROUND));
  expect(client.sentOf("resync").map(({ regions }) => regions.length)).toEqual([1]);
  client.pass(200);
  expect(client.sentOf("resync")).toEqual([]);
  client.pass(50);
  expect(client.sentOf("resync").map(({ regions }) => regions.length)).toEqual([2]);
});

test("after everything has arrived, the next failure is requested without delay", () => {
  const client = TestClient.joined();
  client.receive(misfit(1));
  requestTimes(client, 4_000);
  client.receive(reset(2), blank(2, "generated", SKY));
  client.pass(250);
  client.receive(misfit(3));
  expect(requestTimes(client, 500)).toEqual([50, 300]);
});

test.each([
  ["replaced over air", patch(2, change(SKY, "air", tick(1)))],
  ["replaced over what is generated", patch(2, change(SKY, "generated", tick(1)))],
  ["blank", blank(2, "generated", SKY)],
  ["to be forgotten", forget(2, SKY)],
])("a region is no longer requested once it is %s", (_name, answer) => {
  const client = TestClient.joined();
  client.receive(misfit(1));
  client.receive(answer);
  expect(requestTimes(client, 1_000)).toEqual([]);
});

test("a region sent again in pieces is requested until the last piece arrives", () => {
  const client = TestClient.joined();
  client.receive(misfit(1));
  client.receive(patch(2, change(SKY, "air", undefined)));
  expect(requestTimes(client, 50)).toEqual([50]);
  client.receive(patch(3, change(SKY, "air", tick(1), [], 1)));
  expect(requestTimes(client, 1_000)).toEqual([]);
});

test("a client requests at most 512 regions at once, and the others next time", () => {
  const client = TestClient.joined();
  for (let x = 0; x < 3; x++) {
    const changes = Array.from({ length: 256 }, (_, y) => change([x, y, 0, 0], tick(100), tick(101)));
    client.receive(patch(x + 1, ...changes));
  }
  client.pass(50);
  const first = client.sentOf("resync")[0]?.regions.map(({ region }) => `${region}`);
  client.pass(250);
  const second = client.sentOf("resync")[0]?.regions.map(({ region }) => `${region}`);
  expect(first).toHaveLength(512);
  expect(second).toHaveLength(512);
  expect(new Set([...(first ?? []), ...(second ?? [])]).size).toBe(768);
});

test("a client requests the end of the stream when it does not arrive within half a second", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY), heartbeat(2));
  expect(requestTimes(client, 1_000)).toEqual([500, 750]);
  client.receive(reset(3), blank(3, "generated", GROUND));
  expect(requestTimes(client, 2_000)).toEqual([]);
});

test("the request for a lost end names no regions, only the client's stream position", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY), heartbeat(4));
  client.pass(500);
  expect(client.sentOf("resync")).toEqual([{ kind: "resync", expected: 2, regions: [] }]);
});

test("while the stream continues, its end does not count as lost", () => {
  const client = TestClient.joined();
  client.receive(heartbeat(10));
  for (let number = 1; number <= 9; number++) {
    client.receive(patch(number, change(SKY, number === 1 ? "air" : tick(number), tick(number + 1))));
    expect(requestTimes(client, 450)).toEqual([]);
  }
});

test("a clock that is set back does not stop a client from sending requests", () => {
  const client = TestClient.joined();
  client.receive(misfit(1));
  client.pass(50);
  expect(client.sentOf("resync")).toHaveLength(1);
  client.time.advance(-3_600_000);
  client.sync.tick();
  expect(client.sentOf("resync")).toHaveLength(1);
});

test("an early item is requested even if its region arrived again in between", () => {
  const client = TestClient.joined();
  client.receive(patch(2, change(SKY, tick(1), tick(2))));
  client.receive(patch(1, change(SKY, "air", tick(1))));
  client.pass(50);
  expect(client.sentOf("resync")).toEqual([{ kind: "resync", expected: 2, regions: [] }]);
});

test("an interest is not complete while one of its regions is requested", () => {
  const client = TestClient.joined();
  client.receive(misfit(1), heartbeat(1, 1, true));
  expect(client.sync.isComplete).toBe(false);
  client.receive(reset(2), blank(2, "generated", SKY), heartbeat(2, 1, true));
  expect(client.sync.isComplete).toBe(true);
});
