import type { Disk } from "@orthant/disk";

/** A repair request. */
export interface RepairRequest {
  readonly folder: string;
  readonly disk: Disk;
  /** `undefined` to only show the plan. */
  readonly target: string | undefined;
}
