import { reconnectPace } from "@orthant/cluster/internal";
import { expect, test } from "vitest";

test("a lost connection is tried again at once, and ever more slowly while the outage lasts", () => {
  let nowMs = 1_000_000;
  const pace = reconnectPace(() => nowMs);
  const waits: number[] = [];
  for (const endMs = nowMs + 120_000; nowMs < endMs; nowMs += waits.at(-1) ?? 0) waits.push(pace());
  expect(waits[0]).toBe(200);
  expect(Math.max(...waits)).toBe(5_000);
  expect(waits.length, "of 600 without a longer pause").toBeLessThan(60);
  nowMs += 3_600_000;
  expect(pace(), "after an hour of peace").toBe(200);
});
