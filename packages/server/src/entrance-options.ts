import type { Logger } from "pino";
import type { FrontDoor } from "./front-door.ts";
import type { HttpListener } from "./http-listener.ts";
import type { ServerMetrics } from "./metrics.ts";
import type { OriginRule } from "./origin.ts";
import type { PageFile } from "./page-files.ts";
import type { Limits } from "./server-limits.ts";

/** What an entrance needs to know. */
export interface EntranceOptions {
  readonly listener: HttpListener;
  readonly door: FrontDoor;
  readonly metrics: ServerMetrics;
  readonly log: Logger;
  readonly limits: Limits;
  readonly proxies: number;
  readonly originRule: OriginRule;
  /** Whether anybody may come in only because this machine alone reaches the server. */
  readonly trustsMachine: boolean;
  /** What a reader of the metrics has to know; `undefined` when anybody may read them. */
  readonly bearer: string | undefined;
  /** Files of a web page, by the path that they are asked for with. */
  readonly files: ReadonlyMap<string, PageFile>;
}
