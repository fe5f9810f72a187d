import type { OriginRule } from "./host-and-origin.ts";
import type { HttpHandlerOptions } from "./http-handler.ts";
import type { Limits } from "./limits.ts";

// A file of its own, because the types of \`ws\` are not installed with the package and must not be reached from it.

/** Dependencies and settings of an upgrade handler. */
export interface UpgradeHandlerOptions extends HttpHandlerOptions {
  readonly limits: Limits;
  readonly originRule: OriginRule;
  /** Whether any client may join, only because the server is reachable from this machine alone. */
  readonly trustsMachine: boolean;
}
