import type { Limits } from "@orthant/server";

/** The secret that good tokens are signed with. */
export const SECRET = "a secret of the siege, long enough to be one";
/** The server that good tokens are meant for. */
export const AUDIENCE = "the besieged";
/** What a reader of the metrics has to know. */
export const METRICS_BEARER = "the numbers of the siege";

/** Finding out who has this name takes the server a while. */
export const SLOW_NAME = "slow";

/** The server's own limits, with shorter times: nobody wants to wait for a minute until a client counts as slow. */
export const SIEGE_LIMITS: Partial<Limits> = {
  handshakeMs: 2_000,
  idleMs: 4_000,
  httpHeaderMs: 2_000,
  slowMs: 2_000,
  closeMs: 1_000,
  // Far less than the default, so that a client that does not read gets there in seconds.
  inFlightBytesMax: 65_536,
  connectionsMax: 150,
  // Above the number of edits that may be open, so that both limits are met.
  editsBurst: 100,
};
