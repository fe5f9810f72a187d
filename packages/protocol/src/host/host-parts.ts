import type { BeingGrid } from "./beings/being-grid.ts";
import type { WorkBudget } from "./budget/work-budget.ts";
import type { FrameTotals } from "./connection/outbox.ts";
import type { EditDesks } from "./edits/edit-desks.ts";
import type { HostLimits } from "./host-limits.ts";
import type { HostOptions } from "./host-options.ts";
import type { HostWorld } from "./host-world.ts";
import type { ChangeGroups } from "./regions/change-group.ts";
import type { Departures } from "./regions/departures.ts";
import type { RegionFeed } from "./regions/region-feed.ts";
import type { RegionLoader } from "./regions/region-loader.ts";
import type { TickLooks } from "./regions/send-queue.ts";
import type { SnapshotSource } from "./regions/snapshot-source.ts";
import type { WatchedRegions } from "./regions/watched-regions.ts";

/** State shared by all clients of a server. */
export interface HostParts {
  readonly options: HostOptions;
  readonly world: HostWorld;
  readonly limits: HostLimits;
  readonly regions: WatchedRegions;
  readonly feed: RegionFeed;
  readonly groups: ChangeGroups;
  readonly snapshots: SnapshotSource;
  readonly loader: RegionLoader;
  readonly desks: EditDesks;
  readonly beings: BeingGrid;
  readonly departures: Departures;
  readonly looks: TickLooks;
  /** Time for applying interests. */
  readonly interestWork: WorkBudget;
  /** Time for loading wanted regions. */
  readonly loadWork: WorkBudget;
  /** Time for preparing what clients are sent. */
  readonly sendWork: WorkBudget;
  readonly totals: FrameTotals;
  /** Bytes that one client may have in flight in this tick. */
  inFlightShare: number;
}
