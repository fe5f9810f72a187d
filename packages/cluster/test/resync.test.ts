import { ownerRequestCodec } from "@orthant/cluster/internal";
import type { Position } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import { boxBetween, regionBox } from "@orthant/core/lattice";
import type { FakeTime } from "@orthant/testkit";
import type { MemoryBackbone } from "@orthant/testkit/cluster";
import { expect, test, vi } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

const REGIONS = 2_000;
/** A plane of 40 by 50 regions, in chunks. */
const PLANE = boxBetween([0, 0, 0, 0], [160, 200, 4, 4]);
const WATCHED: Position = [31, 17, 0, 0];

interface Request {
  readonly regions: readonly string[];
  readonly startMs: number;
  endMs: number;
}

/** Records every request for regions that a node sends from now on. */
function requestsOf(backbone: MemoryBackbone, time: FakeTime): Request[] {
  const requests: Request[] = [];
  const request = backbone.request.bind(backbone);
  vi.spyOn(backbone, "request").mockImplementation(async (address, bytes, timeoutMs) => {
    const asked = decode(ownerRequestCodec, bytes);
    const regions = asked.kind === "regions" ? asked.regions.map(({ region }) => `${region}`) : [];
    const sent: Request = { regions, startMs: time.nowMs(), endMs: Infinity };
    if (regions.length > 0) requests.push(sent);
    const answer = await request(address, bytes, timeoutMs);
    sent.endMs = time.nowMs();
    return answer;
  });
  return requests;
}

test("a reconnected gateway compares thousands of regions in small steps with rests, kept regions first", async () => {
  const small = new SmallCluster();
  await small.create();
  const { node } = await small.node("a");
  await small.until(() => node.owns("0"));
  const { gateway, backbone } = await small.gateway();
  const { world } = gateway;
  world.keep(PLANE);
  world.keep(regionBox(WATCHED));
  await small.settled(world.load(PLANE));
  expect(gateway.report.regions).toBe(REGIONS);

  const requests = requestsOf(backbone, small.time);
  backbone.partition = "both";
  await small.pass(10);
  backbone.partition = "none";
  await small.until(() => requests.length >= 3);
  expect(requests[0]?.regions).toContain(`${WATCHED}`);
  // A new player's region does not wait for the others.
  const before = requests.length;
  await small.settled(world.load(regionBox([-1, 0, 0, 0])));
  expect(requests.slice(before, before + 2).some(({ regions }) => regions.includes("-1,0,0,0"))).toBe(true);
  await small.until(() => requests.reduce((sum, { regions }) => sum + regions.length, 0) > REGIONS);
  await small.pass(100);

  expect(new Set(requests.flatMap(({ regions }) => regions)).size).toBe(REGIONS + 1);
  expect(Math.max(...requests.map(({ regions }) => regions.length))).toBeLessThanOrEqual(65);
  const calm = requests.filter(({ regions }) => !regions.includes("-1,0,0,0"));
  for (const [index, { startMs }] of calm.entries()) {
    const last = calm[index - 1];
    if (last === undefined) continue;
    // One request at a time, followed by a pause as long as the answer took.
    expect(startMs).toBeGreaterThanOrEqual(last.endMs);
    if (last !== requests[before - 1])
      expect(startMs - last.endMs).toBeGreaterThanOrEqual(last.endMs - last.startMs);
  }
});
