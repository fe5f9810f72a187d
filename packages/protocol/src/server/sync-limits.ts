/** Limits for clients, players and networks. docs/reference/limits.md has a line for each. */
export interface SyncLimits {
  /** Bytes received before the welcome. */
  readonly bytesBeforeWelcome: number;
  /** Time until the hello is received and answered. */
  readonly handshakeMs: number;
  /** Silence after which a client counts as gone. */
  readonly idleMs: number;
  readonly frameBytesMax: number;
  readonly framesPerSecond: number;
  readonly framesBurst: number;
  readonly bytesPerSecond: number;
  readonly bytesBurst: number;
  /** Edits per player, over all of its clients. */
  readonly editsPerSecond: number;
  readonly editsBurst: number;
  /** Voxels per edit. */
  readonly editVoxelsMax: number;
  /** Volume, in voxels, of the box around an edit, or of the box that it fills. */
  readonly editBoxVoxelsMax: number;
  /** Voxels per copy: each is read and written one by one. */
  readonly copyVoxelsMax: number;
  /** Chunks touched per edit. They determine its cost, because each may have to be generated. */
  readonly editChunksMax: number;
  /** Chunks touched by a player's edits. The burst is `editChunksMax`. */
  readonly editChunksPerSecond: number;
  /** Bytes of voxel data per edit, or in the source of a copy, with 8 more for each voxel that has some. */
  readonly editDataBytesMax: number;
  /** Bytes of voxel data in a player's edits. The burst is `editDataBytesMax`. */
  readonly editDataBytesPerSecond: number;
  /** Voxels per edit where a rule may look at each of them: `beforeEdit`, `afterEdit` or `canReach`. */
  readonly ruleVoxelsMax: number;
  /** Voxels of a player's edits that rules may look at. The burst is `ruleVoxelsMax`. */
  readonly ruleVoxelsPerSecond: number;
  /** Requests about operations per player. */
  readonly operationsPerSecond: number;
  readonly operationsBurst: number;
  readonly interestRegionsMax: number;
  readonly interestsPerSecond: number;
  /** New regions per client. A faster client waits for them. */
  readonly interestRegionsPerSecond: number;
  readonly gameMessagesPerSecond: number;
  /** Regions sent again to a player's clients on request. */
  readonly resyncRegionsPerSecond: number;
  readonly resyncRegionsBurst: number;
  /** Patches per client and tick. */
  readonly patchesPerTick: number;
  /** Bytes of new regions per client and tick. */
  readonly wholeRegionBytesPerTick: number;
  /** Bytes per piece of a complete region. Larger regions come in several patches. A chunk must fit. */
  readonly pieceBytesMax: number;
  /** Unacknowledged bytes in flight per client. Beyond this, nothing more is sent. */
  readonly inFlightBytesMax: number;
  /** How long a client may stay beyond that. */
  readonly slowMs: number;
  /** Maximum absolute chunk coordinate. */
  readonly chunkCoordinateMax: number;
  /** Concurrent clients per player. */
  readonly clientsPerPlayer: number;
  /** Regions held by all clients of a player together. */
  readonly regionsPerPlayer: number;
  /** New regions of all clients of a player together. Beyond this, they wait. */
  readonly playerInterestRegionsPerSecond: number;
  /** Number of player budgets that the anonymous players of one network share. */
  readonly budgetsPerNetwork: number;
  /** Regions held by clients, each counted once. */
  readonly watchedRegionsMax: number;
  /** Regions held by clients, counted once per client. */
  readonly heldRegionsMax: number;
  /** Memory of the world's regions while clients hold some of them, which cannot be unloaded. */
  readonly watchedBytesMax: number;
  /** Unacknowledged bytes in flight to all clients. Beyond this, clients above their share wait. */
  readonly inFlightBytesTotalMax: number;
  /** Time per tick for deferrable work: applying interests, loading regions, and preparing them. */
  readonly tickWorkMs: number;
  /** Operations that run at once. Others wait. */
  readonly operationsMax: number;
  /** How long a game's rule may take to answer about one edit. */
  readonly ruleMs: number;
}

/** Default limits. */
export const DEFAULT_SYNC_LIMITS: SyncLimits = {
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
  copyVoxelsMax: 65_536,
  editChunksMax: 512,
  editChunksPerSecond: 256,
  editDataBytesMax: 65_536,
  editDataBytesPerSecond: 16_384,
  ruleVoxelsMax: 4_096,
  ruleVoxelsPerSecond: 16_384,
  operationsPerSecond: 4,
  operationsBurst: 32,
  interestRegionsMax: 4_096,
  interestsPerSecond: 10,
  interestRegionsPerSecond: 4_096,
  gameMessagesPerSecond: 30,
  resyncRegionsPerSecond: 8,
  resyncRegionsBurst: 512,
  patchesPerTick: 16,
  wholeRegionBytesPerTick: 131_072,
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
  watchedBytesMax: 1_073_741_824,
  inFlightBytesTotalMax: 268_435_456,
  tickWorkMs: 50,
  operationsMax: 8,
  ruleMs: 5_000,
};
