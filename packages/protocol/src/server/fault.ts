import type { GoodbyeReason } from "../message/server-message.ts";
import type { SyncLimits } from "./sync-limits.ts";

/** Why the server disconnects a client. */
export interface Fault {
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

/** Returns when a client may try again after a fault, or `undefined` when retrying is pointless. */
export function retryAfterMs(fault: Fault): number | undefined {
  return fault.retryAfterMs ?? RETRY_AFTER_MS[fault.reason];
}

/** Returns the fault for an exceeded limit. */
export function limitFault(
  limit: keyof SyncLimits,
  limits: SyncLimits,
  reason: "limit" | "idle" | "slow" = "limit",
): Fault {
  return { reason, limit, detail: `${limit} is ${limits[limit]}` };
}

/** Returns the fault for a protocol violation. */
export function malformed(detail: string): Fault {
  return { reason: "malformed", detail };
}
