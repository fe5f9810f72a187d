/** What players of Wire v1 may ask of a server. Each has a line in docs/reference/limits.md. */
export interface Wire1Limits {
  /** Sessions at once. */
  readonly wire1SessionsMax: number;
  /** Sessions at once from one address, whatever their ports. */
  readonly wire1SessionsPerAddress: number;
  /** Addresses that are remembered while they have not proven that they are there. */
  readonly wire1KnocksMax: number;
  /** Datagrams of addresses that nothing is known of, all of them together. */
  readonly wire1KnocksPerSecond: number;
  /** Datagrams of one session, or of one such address. */
  readonly wire1DatagramsPerSecond: number;
  readonly wire1DatagramsBurst: number;
  /** Chunks that one session sees. */
  readonly wire1ChunksMax: number;
  /** How far the chunks of a session may be from the one that was asked for last. */
  readonly wire1ChunkRadius: number;
  /** Chunks that one session asks for. */
  readonly wire1ChunksPerSecond: number;
  /** Bytes of chunks for one session in one tick. */
  readonly wire1SessionBytesPerTick: number;
  /** Bytes of chunks for all sessions in one tick. */
  readonly wire1BytesPerTick: number;
}

/** What players of Wire v1 may ask unless the operator says otherwise. */
export const DEFAULT_WIRE1_LIMITS: Wire1Limits = {
  wire1SessionsMax: 1_024,
  wire1SessionsPerAddress: 32,
  wire1KnocksMax: 1_024,
  wire1KnocksPerSecond: 256,
  wire1DatagramsPerSecond: 240,
  wire1DatagramsBurst: 480,
  wire1ChunksMax: 256,
  wire1ChunkRadius: 8,
  wire1ChunksPerSecond: 64,
  wire1SessionBytesPerTick: 16_384,
  wire1BytesPerTick: 1_048_576,
};
