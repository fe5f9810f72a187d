import type { ServerMetrics } from "./metrics.ts";
import type { OriginRule } from "./origin.ts";
import type { PageEntranceOptions } from "./page-entrance.ts";
import type { Limits } from "./server-limits.ts";

/** Dependencies and settings of an entrance. */
export interface EntranceOptions extends PageEntranceOptions {
  readonly metrics: ServerMetrics;
  readonly limits: Limits;
  readonly originRule: OriginRule;
  /** Whether any client may join, only because the server is reachable from this machine alone. */
  readonly trustsMachine: boolean;
}
