import type { FakeClock } from "@orthant/testkit";

/** In this time whatever was asked for is answered. */
const PATIENCE_MS = 120_000;

/** What a promise gives, with time passing until it is kept. */
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

/** Lets so much time pass, step by step, with all that is promised meanwhile. */
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

/** Lets everything happen that needs no time. */
function promisesKept(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
