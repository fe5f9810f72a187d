import type { Precision } from "../message/precision.ts";
import type { AnswerQueue } from "./answer-queue.ts";
import type { BlockFeedFor } from "./blocks/block-feed.ts";
import type { WorkBudget } from "./budget/work-budget.ts";
import type { EditQueues } from "./edits/edit-queue.ts";
import type { EntityGrid } from "./entities/entity-grid.ts";
import type { Placements } from "./entities/placements.ts";
import type { OperationDesk } from "./operations/operation-desk.ts";
import type { FrameTotals } from "./outbox.ts";
import type { Audiences } from "./regions/audience.ts";
import type { SharedTick } from "./regions/region-changes.ts";
import type { RegionFeed } from "./regions/region-feed.ts";
import type { RegionLoader } from "./regions/region-loader.ts";
import type { WatchedRegions } from "./regions/watched-regions.ts";
import type { WholeRegionSource } from "./regions/whole-region-source.ts";
import type { SyncLimits } from "./sync-limits.ts";
import type { SyncServerOptions } from "./sync-server-options.ts";
import type { SyncWorld } from "./sync-world.ts";

/** State shared by all clients of a server. */
export interface ServerContext {
  readonly options: SyncServerOptions;
  readonly world: SyncWorld;
  readonly limits: SyncLimits;
  readonly precision: Precision;
  readonly regions: WatchedRegions;
  readonly feed: RegionFeed;
  readonly sharedTick: SharedTick;
  readonly audiences: Audiences;
  readonly wholeRegions: WholeRegionSource;
  readonly loader: RegionLoader;
  readonly answers: AnswerQueue;
  readonly editQueues: EditQueues;
  readonly operations: OperationDesk;
  readonly blocksFor: BlockFeedFor;
  readonly entities: EntityGrid;
  readonly placements: Placements;
  /** Time for applying interests. */
  readonly interestWork: WorkBudget;
  /** Time for loading wanted regions. */
  readonly loadWork: WorkBudget;
  /** Time for preparing what clients are sent. */
  readonly sendWork: WorkBudget;
  /** The part of it for whole regions, in slices. */
  readonly prepareWork: WorkBudget;
  readonly totals: FrameTotals;
  /** Bytes that one client may have in flight in this tick. */
  inFlightShare: number;
}
