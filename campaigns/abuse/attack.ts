import { setTimeout as delay } from "node:timers/promises";
import { type Target, TIMEOUT_MS } from "./attacker.ts";

/** One attack on a server, and the refusals that the server must count for it. */
export interface Attack {
  readonly name: string;
  /** Least count of each refusal, such as `{ "goodbye malformed": 3 }`; 0 means that no client is refused. */
  readonly counted: Readonly<Record<string, number>>;
  /**
   * True when it mostly waits. Such attacks run at the same time, so each must count refusals that no other of them
   * counts.
   */
  readonly waits?: boolean;
  /** Throws when the server does not behave as it should. */
  run(target: Target): Promise<void>;
}

/** Waits for something that a server must do. Throws if it takes too long. */
export async function expectSoon<Value>(what: string, promise: Promise<Value>): Promise<Value> {
  const abort = new AbortController();
  const late = delay(TIMEOUT_MS, undefined, { signal: abort.signal }).then(() => {
    throw new Error(`${what} did not happen within ${TIMEOUT_MS} ms`);
  });
  late.catch(() => undefined); // avoids an unhandled rejection after the abort
  try {
    return await Promise.race([promise, late]);
  } finally {
    abort.abort();
  }
}

/** Throws unless `found` is `wanted`. */
export function expectEqual(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what} is ${String(found)}, not ${String(wanted)}`);
}

/** Runs `act` `count` times concurrently. */
export async function times(count: number, act: (index: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => act(index)));
}
