import { TokenBucket } from "@orthant/core/time";
import { describe, expect, test } from "vitest";

describe("a token bucket", () => {
  test("allows its burst at once, and then its rate per second", () => {
    const bucket = new TokenBucket(10, 3, 0);
    expect([bucket.take(1, 0), bucket.take(2, 0), bucket.take(1, 0)]).toEqual([true, true, false]);
    expect(bucket.take(1, 99)).toBe(false);
    expect(bucket.take(1, 100)).toBe(true);
    expect(bucket.take(1, 100)).toBe(false);
  });

  test("takes nothing when there are not enough tokens", () => {
    const bucket = new TokenBucket(1, 2, 0);
    expect(bucket.take(3, 0)).toBe(false);
    expect(bucket.take(2, 0)).toBe(true);
  });

  test("takes as many whole tokens as there are", () => {
    const bucket = new TokenBucket(10, 4, 0);
    expect(bucket.takeUpTo(3, 0)).toBe(3);
    expect(bucket.takeUpTo(3, 150)).toBe(2);
    expect(bucket.takeUpTo(3, 199)).toBe(0);
    expect(bucket.takeUpTo(3, 200)).toBe(1);
  });

  test("never holds more than its burst, and is full again after a quiet time", () => {
    const bucket = new TokenBucket(10, 2, 0);
    bucket.take(2, 0);
    expect(bucket.isFull(199)).toBe(false);
    expect(bucket.isFull(200)).toBe(true);
    expect(bucket.takeUpTo(100, 1_000_000)).toBe(2);
  });

  test("holds more than its burst for once after a pause", () => {
    const bucket = new TokenBucket(10, 2, 0);
    bucket.take(2, 0);
    bucket.excuse(5_000, 5_000);
    expect(bucket.takeUpTo(40, 6_000)).toBe(40);
    expect(bucket.takeUpTo(100, 6_000)).toBe(12);
    expect(bucket.takeUpTo(100, 60_000)).toBe(2);
  });

  test("neither adds nor removes tokens when the clock is set back", () => {
    const bucket = new TokenBucket(10, 2, 1_000);
    bucket.take(1, 1_000);
    expect(bucket.takeUpTo(5, 0)).toBe(1);
    expect(bucket.take(1, 50)).toBe(false);
  });
});
