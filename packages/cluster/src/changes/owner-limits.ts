/** Configurable limits of an owner. */
export interface OwnerLimits {
  /** Delay between a change and the save that contains it. */
  readonly checkpointMs: number;
  /** Bytes of unsaved journal above which the owner rejects edits until a save contains them. */
  readonly journalBytesMax: number;
  /**
   * Clients whose last edit is remembered, at most 4,096. Above this limit, the client that edited longest ago is
   * forgotten. Rule K41.
   */
  readonly clientsMax: number;
  /** Players remembered. Above this limit, new players start at the spawn each time. Rule K33. */
  readonly playersMax: number;
}

/** Default limits. */
export const OWNER_LIMITS: OwnerLimits = {
  checkpointMs: 5_000,
  journalBytesMax: 67_108_864,
  clientsMax: 4_096,
  playersMax: 65_536,
};
