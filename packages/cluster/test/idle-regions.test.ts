import { boxBetween } from "@orthant/core/lattice";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

const REGION_CHUNKS = 4;
const IDLE_MAX = 16_384;

test("a gateway drops the regions that its players left first when they have looked at too many", async () => {
  const small = new SmallCluster();
  await small.create();
  const { node } = await small.node("a");
  await small.until(() => node.owns("0"));
  const { gateway } = await small.gateway();
  const edge = 25 * REGION_CHUNKS;
  const look = (x: number): (() => void) =>
    gateway.world.keep(boxBetween([x, 0, 0, 0], [x + edge, edge, edge, 1]));
  const leave = look(0);
  expect(gateway.report.regions).toBe(25 ** 3);
  leave();
  await small.pass(1_500);
  // Fewer than the limit: a player who returns finds them.
  expect(gateway.report.regions).toBe(25 ** 3);
  const stay = look(1_000);
  look(2_000)();
  await small.pass(1_500);
  expect(gateway.report.regions).toBe(25 ** 3 + IDLE_MAX);
  stay();
  await small.pass(31_500);
  expect(gateway.report.regions).toBe(0);
}, 60_000);
