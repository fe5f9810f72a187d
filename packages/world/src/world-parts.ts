import type { Disk } from "@orthant/disk";
import type { SaverParts } from "./saving/world-saver.ts";

/** The parts of a world, as `createWorld` and `openWorld` assemble them. */
export interface WorldParts extends SaverParts {
  readonly disk: Disk;
  /** Returns 64 random bits. */
  readonly random: () => bigint;
  /** The number of the epoch in which clocks are issued. Default: the next one. */
  readonly epoch?: number;
  /** Whether something outside the world holds its catalog, so that the world must not change it. */
  readonly hasFixedBlocks?: boolean;
}
