import type { FakeTime } from "../base/fake-time.ts";

/** Timeout for `settled`. */
const PATIENCE_MS = 120_000;

/** Advances the time until a promise settles. Returns its result. */
export async function settled<Result>(time: FakeTime, promise: Promise<Result>): Promise<Result> {
  let isDone = false;
  const end = (): void => {
    isDone = true;
  };
  promise.then(end, end);
  const endMs = time.nowMs() + PATIENCE_MS;
  for (;;) {
    await promisesKept();
    if (isDone) return promise;
    if (time.nowMs() >= endMs) throw new Error("nothing came of it");
    passToNext(time);
  }
}

/** Advances the time by `ms`, step by step, and runs all promise callbacks meanwhile. */
export async function pass(time: FakeTime, ms: number): Promise<void> {
  const endMs = time.nowMs() + ms;
  await promisesKept();
  while (time.nowMs() < endMs) {
    passToNext(time, endMs);
    await promisesKept();
  }
}

function passToNext(time: FakeTime, endMs = Infinity): void {
  const nextMs = Math.min(time.nextDueMs ?? time.nowMs() + 1_000, endMs);
  time.advance(Math.max(0, nextMs - time.nowMs()));
}

/** Runs everything that needs no time to pass. */
function promisesKept(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
