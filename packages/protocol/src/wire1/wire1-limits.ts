/** Limits for Wire v1 players. docs/reference/limits.md has a line for each. */
export interface Wire1Limits {
  /** Concurrent sessions. */
  readonly wire1SessionsMax: number;
  /** Concurrent sessions per address, whatever their ports. */
  readonly wire1SessionsPerAddress: number;
  /** Unproven addresses that the server remembers. */
  readonly wire1HandshakesMax: number;
  /** Datagrams from unknown addresses, all of them together. */
  readonly wire1HandshakesPerSecond: number;
  /** Datagrams per session or per unproven address. */
  readonly wire1DatagramsPerSecond: number;
  readonly wire1DatagramsBurst: number;
  /** Chunks that a session sees. */
  readonly wire1ChunksMax: number;
  /** Maximum distance of a session's chunks from the one requested last. */
  readonly wire1ChunkRadius: number;
  /** Chunks that a session may request. */
  readonly wire1ChunksPerSecond: number;
  /** Bytes of chunks per session and tick. */
  readonly wire1SessionBytesPerTick: number;
  /** Bytes of chunks for all sessions per tick. */
  readonly wire1BytesPerTick: number;
}

/** Default limits for Wire v1 players. */
export const DEFAULT_WIRE1_LIMITS: Wire1Limits = {
  wire1SessionsMax: 1_024,
  wire1SessionsPerAddress: 32,
  wire1HandshakesMax: 1_024,
  wire1HandshakesPerSecond: 256,
  wire1DatagramsPerSecond: 240,
  wire1DatagramsBurst: 480,
  wire1ChunksMax: 256,
  wire1ChunkRadius: 8,
  wire1ChunksPerSecond: 64,
  wire1SessionBytesPerTick: 16_384,
  wire1BytesPerTick: 1_048_576,
};

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
