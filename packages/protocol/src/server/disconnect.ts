import type { GoodbyeReason } from "../message/server-message.ts";
import type { SyncLimits } from "./sync-limits.ts";

/** Why the server disconnects a client. */
export interface Disconnect {
  readonly reason: GoodbyeReason;
  readonly detail: string;
  /** The exceeded limit, if any. */
  readonly limit?: keyof SyncLimits;
  /** When the client may try again; by default, the usual time for the reason. */
  readonly retryAfterMs?: number;
}

/** Default retry times for reasons where retrying makes sense. */
const RETRY_AFTER_MS: Partial<Record<GoodbyeReason, number>> = {
  limit: 5_000,
  idle: 1_000,
  slow: 1_000,
  failure: 5_000,
};

/** Returns when a client may try again after a disconnect, or `undefined` when retrying is pointless. */
export function retryAfterMs(disconnect: Disconnect): number | undefined {
  return disconnect.retryAfterMs ?? RETRY_AFTER_MS[disconnect.reason];
}

/** Returns the disconnect for an exceeded limit. */
export function limitExceeded(
  limit: keyof SyncLimits,
  limits: SyncLimits,
  reason: "limit" | "idle" | "slow" = "limit",
): Disconnect {
  return { reason, limit, detail: `${limit} is ${limits[limit]}` };
}

/** Returns the disconnect for a protocol violation. */
export function malformed(detail: string): Disconnect {
  return { reason: "malformed", detail };
}
