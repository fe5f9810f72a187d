/** State of an owner. */
export interface OwnerReport {
  readonly term: number;
  readonly generation: number;
  /** Sequence of the journal's last record, and the records and bytes that no save contains. */
  readonly last: number;
  readonly unsavedRecords: number;
  readonly unsavedBytes: number;
  /** Time of the last save. */
  readonly checkpointedMs: number;
  /** Why the last save failed; `undefined` if it succeeded. The owner saves again at the next interval. */
  readonly saveFailure: unknown;
  /** Entities that left for other shards and are not known to have arrived there. */
  readonly leavingEntities: number;
  /** Edits of steps for regions of other shards, by step and region, that are not known to be applied there. */
  readonly leavingEdits: number;
  /** True while edits wait for a split. */
  readonly isPaused: boolean;
}
