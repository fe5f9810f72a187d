import type { Limits } from "@orthant/server";

/** The secret that good tokens are signed with. */
export const SECRET = "a secret of the target, long enough to be one";
/** The audience of good tokens. */
export const AUDIENCE = "the target";
/** The token that gives access to the metrics. */
export const METRICS_BEARER = "the numbers of the target";

/** Name of a player whose lookup takes the server a while. */
export const SLOW_NAME = "slow";

/** The server's limits, with shorter times, so that a client counts as slow in less than a minute. */
export const TARGET_LIMITS: Partial<Limits> = {
  handshakeMs: 2_000,
  idleMs: 4_000,
  httpHeaderMs: 2_000,
  slowMs: 2_000,
  closeMs: 1_000,
  // Far below the default, so that a client that does not read reaches it in seconds.
  inFlightBytesMax: 65_536,
  connectionsMax: 150,
  // Above the number of open edits, so that the attack reaches both limits.
  editsBurst: 100,
};
