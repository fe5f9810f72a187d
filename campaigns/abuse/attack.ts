import { setTimeout as delay } from "node:timers/promises";
import { PATIENCE_MS, type Target } from "./prowler.ts";

/** One way to harm a server, and how the server counts that it did not let that happen. */
export interface Attack {
  readonly name: string;
  /** How often each refusal is counted at least, such as `{ "goodbye malformed": 3 }`; 0 for: nobody is refused. */
  readonly counted: Readonly<Record<string, number>>;
  /** Throws when the server does anything else than it should. */
  run(target: Target): Promise<void>;
}

/** Waits for what a server must do, or throws. */
export async function expectSoon<Value>(what: string, promise: Promise<Value>): Promise<Value> {
  const abort = new AbortController();
  const late = delay(PATIENCE_MS, undefined, { signal: abort.signal }).then(() => {
    throw new Error(`${what} did not happen within ${PATIENCE_MS} ms`);
  });
  late.catch(() => undefined); // nobody waits for it any more when it is called off
  try {
    return await Promise.race([promise, late]);
  } finally {
    abort.abort();
  }
}

/** Throws unless something is as it must be. */
export function expectEqual(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what} is ${String(found)}, not ${String(wanted)}`);
}

/** Does something several times at once. */
export async function times(count: number, act: (index: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => act(index)));
}
