import type { GoodbyeReason } from "../../message/server-message.ts";
import type { HostLimits } from "../host-limits.ts";

/** Why a client has to go. */
export interface Fault {
  readonly reason: GoodbyeReason;
  readonly detail: string;
  /** The limit that was broken, where one was. */
  readonly limit?: keyof HostLimits;
  /** When it may try again; what is usual for the reason unless given. */
  readonly retryAfterMs?: number;
}

/** When to try again, where that is of use. */
const RETRY_AFTER_MS: Partial<Record<GoodbyeReason, number>> = {
  limit: 5_000,
  idle: 1_000,
  slow: 1_000,
  failure: 5_000,
};

/** When a client that went for this fault may try again; `undefined` when that is of no use. */
export function retryAfterMs(fault: Fault): number | undefined {
  return fault.retryAfterMs ?? RETRY_AFTER_MS[fault.reason];
}

/** A client broke a limit. */
export function limitFault(
  limit: keyof HostLimits,
  limits: HostLimits,
  reason: "limit" | "idle" | "slow" = "limit",
): Fault {
  return { reason, limit, detail: `${limit} is ${limits[limit]}` };
}

/** A client said what none may say. */
export function malformed(detail: string): Fault {
  return { reason: "malformed", detail };
}
