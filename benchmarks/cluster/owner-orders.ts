import type { ClusterSettings } from "../server/orders.ts";

/** Settings of an owner. */
export interface OwnerSettings extends ClusterSettings {
  /** Folder with the saves of the shards. */
  readonly folder: string;
}

/** Orders for the owner's process. */
export interface OwnerOrder {
  readonly kind: "report";
}

/** State of the owner. */
export interface OwnerReport {
  /** Whether it owns the world yet. */
  readonly isOwner: boolean;
  readonly cpuUs: number;
}
