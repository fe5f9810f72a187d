/** Callbacks of a node. */
export interface NodeEvents {
  /** The node now owns `shard`, `tookMs` after it began to claim it. */
  onClaimed?(shard: string, term: number, tookMs: number): void;
  /** The node no longer owns `shard`. `error` is the reason; `undefined` when the node released it. */
  onLost?(shard: string, error: unknown): void;
  /** The shard's journal was lost, together with every edit that no save contains. */
  onJournalLost?(shard: string, detail: string): void;
  /**
   * The journal of `shard` or its lease has something that no node can have written. It is ignored; `error` says what it
   * is. Find out which user of the backbone writes there.
   */
  onForeign?(shard: string, error: unknown): void;
  /**
   * Edits that a step of another shard made in `shard` cannot be applied there and are lost, or have to wait because a region
   * cannot be read. `error` says which it is.
   */
  onRefusedEdits?(shard: string, error: unknown): void;
  /** An attempt to claim `shard` failed. */
  onFailure?(shard: string, error: unknown): void;
  /**
   * The backbone has not answered for `waitedMs`: `error` says what the node waits for, and `shard` for which shard, if
   * it is for one. Called after ten seconds and then every minute; the node goes on trying.
   */
  onStuck?(shard: string | undefined, error: unknown, waitedMs: number): void;
  /**
   * The node ended by itself: the backbone no longer permits what it has to do, or another process has its name. Its
   * shards go to other nodes. If this happens before the node has started, `start` rejects instead.
   */
  onEnd?(error: unknown): void;
  /**
   * The shared folder refuses the saves of `shard`. The node keeps the shard, its edits go on into the journal, and it
   * saves again at every interval. `error` is `undefined` when a save succeeds again.
   */
  onSaveFailure?(shard: string, error: unknown): void;
}
