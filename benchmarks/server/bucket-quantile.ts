/** Number of values up to each bound of a histogram. */
export type Buckets = ReadonlyMap<number, number>;

/** Returns the counts of one histogram in a page of metrics. */
export function bucketsOf(page: string, name: string): Buckets {
  const lines = page.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"\\} (\\d+)$`, "gm"));
  return new Map(
    Array.from(lines, ([, upTo, count]) => [upTo === "+Inf" ? Infinity : Number(upTo), Number(count)]),
  );
}

/** Returns a quantile of the values counted since `earlier`, assuming an even spread inside each bucket. */
export function bucketQuantile(now: Buckets, earlier: Buckets, share: number): number {
  const wanted = ((now.get(Infinity) ?? 0) - (earlier.get(Infinity) ?? 0)) * share;
  let lower = { upTo: 0, count: 0 };
  for (const [upTo, total] of now) {
    const count = total - (earlier.get(upTo) ?? 0);
    if (count >= wanted) {
      if (upTo === Infinity) return lower.upTo;
      return lower.upTo + ((upTo - lower.upTo) * (wanted - lower.count)) / Math.max(1, count - lower.count);
    }
    lower = { upTo, count };
  }
  return Number.NaN;
}
