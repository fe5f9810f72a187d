import { setTimeout as delay } from "node:timers/promises";
import { isOrthantError } from "@orthant/core";

const POLL_MS = 50;
const PATIENCE_MS = 60_000;

/** Waits until `isSo` returns true. Throws on timeout. */
export async function waitUntil(
  isSo: () => boolean,
  what: string,
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!isSo()) {
    if (performance.now() > endMs)
      throw new Error(`it did not come about within ${patienceMs} ms that ${what}`);
    await delay(POLL_MS);
  }
}

/**
 * Retries while the backbone is away: while its servers elect a leader, or before they notice that one is gone.
 */
export async function untilAnswered<T>(work: () => Promise<T>, patienceMs: number = PATIENCE_MS): Promise<T> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOrthantError(error, "ORT_BACKBONE_AWAY") || performance.now() > endMs) throw error;
      await delay(POLL_MS);
    }
  }
}
