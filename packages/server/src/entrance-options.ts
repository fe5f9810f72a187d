import type { ServerMetrics } from "./metrics.ts";
import type { OriginRule } from "./origin.ts";
import type { PageEntranceOptions } from "./page-entrance.ts";
import type { Limits } from "./server-limits.ts";

/** What an entrance needs to know. */
export interface EntranceOptions extends PageEntranceOptions {
  readonly metrics: ServerMetrics;
  readonly limits: Limits;
  readonly originRule: OriginRule;
  /** Whether anybody may come in only because this machine alone reaches the server. */
  readonly trustsMachine: boolean;
}
