/** What clients, players and networks may ask of a host. Each has a line in docs/reference/limits.md. */
export interface HostLimits {
  /** Bytes that may come before the welcome. */
  readonly bytesBeforeWelcome: number;
  /** Time until the hello is there and answered. */
  readonly handshakeMs: number;
  /** Silence after which a client is gone. */
  readonly idleMs: number;
  readonly frameBytesMax: number;
  readonly framesPerSecond: number;
  readonly framesBurst: number;
  readonly bytesPerSecond: number;
  readonly bytesBurst: number;
  /** Edits of a player, over all of its clients. */
  readonly editsPerSecond: number;
  readonly editsBurst: number;
  /** Voxels of one edit. */
  readonly editVoxelsMax: number;
  /** Volume, in voxels, of the box around one edit. */
  readonly editBoxVoxelsMax: number;
  /** Chunks that one edit touches: what it costs, where each has to be generated first. */
  readonly editChunksMax: number;
  /** Chunks that a player's edits touch; as many as one may touch, at once. */
  readonly editChunksPerSecond: number;
  readonly interestRegionsMax: number;
  readonly interestsPerSecond: number;
  /** Regions that a client comes to; faster than that, it has to wait for them. */
  readonly interestRegionsPerSecond: number;
  readonly gameMessagesPerSecond: number;
  /** Regions sent again to a player's clients because they asked. */
  readonly resyncRegionsPerSecond: number;
  readonly resyncRegionsBurst: number;
  /** Patches for one client in one tick. */
  readonly patchesPerTick: number;
  /** Bytes of regions that are sent for the first time to one client in one tick. */
  readonly snapshotBytesPerTick: number;
  /** Bytes of one piece of a region that is sent whole; one with more comes in several patches. A chunk must fit. */
  readonly pieceBytesMax: number;
  /** Bytes on their way to one client that it has not acknowledged; above, nothing more is sent. */
  readonly inFlightBytesMax: number;
  /** Time that a client may stay above that. */
  readonly slowMs: number;
  /** Chunk coordinates lie within this distance of the origin. */
  readonly chunkCoordinateMax: number;
  /** Clients of one player that are connected at once. */
  readonly clientsPerPlayer: number;
  /** Regions that the clients of one player hold together. */
  readonly regionsPerPlayer: number;
  /** Regions that the clients of one player come to together; above, they wait. */
  readonly playerInterestRegionsPerSecond: number;
  /** Players whose budgets the anonymous players of one network have together. */
  readonly budgetsPerNetwork: number;
  /** Regions that clients hold, each counted once. */
  readonly watchedRegionsMax: number;
  /** Regions that clients hold, each counted once for each client. */
  readonly heldRegionsMax: number;
  /** Bytes on their way to all clients that they have not acknowledged; above, those with more than their share wait. */
  readonly inFlightBytesTotalMax: number;
  /** Time in each tick for work that can wait: for interests, to load regions, and to prepare them. */
  readonly tickWorkMs: number;
}

/** What a client may ask unless the operator says otherwise. */
export const DEFAULT_HOST_LIMITS: HostLimits = {
  bytesBeforeWelcome: 65_536,
  handshakeMs: 10_000,
  idleMs: 15_000,
  frameBytesMax: 65_536,
  framesPerSecond: 60,
  framesBurst: 120,
  bytesPerSecond: 262_144,
  bytesBurst: 524_288,
  editsPerSecond: 30,
  editsBurst: 60,
  editVoxelsMax: 4_096,
  editBoxVoxelsMax: 1_048_576,
  editChunksMax: 512,
  editChunksPerSecond: 256,
  interestRegionsMax: 4_096,
  interestsPerSecond: 10,
  interestRegionsPerSecond: 4_096,
  gameMessagesPerSecond: 30,
  resyncRegionsPerSecond: 8,
  resyncRegionsBurst: 512,
  patchesPerTick: 16,
  snapshotBytesPerTick: 131_072,
  pieceBytesMax: 524_288,
  inFlightBytesMax: 1_048_576,
  slowMs: 60_000,
  chunkCoordinateMax: 2 ** 30,
  clientsPerPlayer: 8,
  regionsPerPlayer: 8_192,
  playerInterestRegionsPerSecond: 8_192,
  budgetsPerNetwork: 4,
  watchedRegionsMax: 262_144,
  heldRegionsMax: 2_097_152,
  inFlightBytesTotalMax: 268_435_456,
  tickWorkMs: 50,
};
