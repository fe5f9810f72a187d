import type { FakeClock } from "../fake-clock.ts";

/** Timeout for `settled`. */
const PATIENCE_MS = 120_000;

/** Advances the clock until a promise settles. Returns its result. */
export async function settled<Result>(clock: FakeClock, promise: Promise<Result>): Promise<Result> {
  let isDone = false;
  const end = (): void => {
    isDone = true;
  };
  promise.then(end, end);
  const endMs = clock.nowMs() + PATIENCE_MS;
  for (;;) {
    await promisesKept();
    if (isDone) return promise;
    if (clock.nowMs() >= endMs) throw new Error("nothing came of it");
    passToNext(clock);
  }
}

/** Advances the clock by `ms`, step by step, and runs all promise callbacks meanwhile. */
export async function pass(clock: FakeClock, ms: number): Promise<void> {
  const endMs = clock.nowMs() + ms;
  await promisesKept();
  while (clock.nowMs() < endMs) {
    passToNext(clock, endMs);
    await promisesKept();
  }
}

function passToNext(clock: FakeClock, endMs = Infinity): void {
  const nextMs = Math.min(clock.nextDueMs ?? clock.nowMs() + 1_000, endMs);
  clock.advance(Math.max(0, nextMs - clock.nowMs()));
}

/** Runs everything that needs no time to pass. */
function promisesKept(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
