// The times of the original, which counted ticks of a sixtieth of a second.

/** How often each side says that it is there. */
export const HEARTBEAT_MS = 500;
/** Silence after which the other side is gone. */
export const SILENCE_MS_MAX = 3_000;
/** What one tick adds to a silence at most: who was held up for long has not listened meanwhile. */
export const LISTENED_MS_MAX = 500;
/** How long nobody may answer before a client gives up, and before a server forgets who knocked. */
export const CONNECT_MS_MAX = 10_000;
/** From the first SYN to the second; it doubles from then on. */
export const PROBE_MS_MIN = 500;
/** It doubles up to this. */
export const PROBE_MS_MAX = 4_000;
