// These times match the original, which counted ticks of 1/60 second.

/** Interval between heartbeats of each side. */
export const HEARTBEAT_MS = 500;
/** Silence after which the other side counts as gone. */
export const SILENCE_MS_MAX = 3_000;
/** Maximum silence that one tick adds, because a stalled process did not listen meanwhile. */
export const LISTENED_MS_MAX = 500;
/** Time without an answer before a client gives up, and before a server drops an unproven address. */
export const CONNECT_MS_MAX = 10_000;
/** Time between the first and the second SYN; it doubles after each. */
export const PROBE_MS_MIN = 500;
/** Maximum time between two SYNs. */
export const PROBE_MS_MAX = 4_000;
