import type { ClusterSettings } from "../server/orders.ts";

/** What an owner is started with. */
export interface OwnerSettings extends ClusterSettings {
  /** Where the saves of the shards are. */
  readonly folder: string;
}

/** What the process of the owner is asked for. */
export interface OwnerOrder {
  readonly kind: "report";
}

/** How the owner is. */
export interface OwnerReport {
  /** Whether it has the world by now. */
  readonly isOwner: boolean;
  readonly cpuUs: number;
}
