import type { Disk } from "@orthant/disk";

/** What to mend, and where to. */
export interface RepairWish {
  readonly folder: string;
  readonly disk: Disk;
  /** `undefined` for the plan alone. */
  readonly target: string | undefined;
}
