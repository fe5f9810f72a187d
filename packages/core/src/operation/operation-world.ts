import type { BlockCatalog } from "../chunk/block-catalog.ts";
import type { Axes } from "../lattice/axes.ts";
import type { Box } from "../lattice/box.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import type { Dimensions } from "../lattice/position.ts";
import type { CachedVoxels } from "./cached-voxels.ts";

/** The world of an operation, at one moment. */
export interface OperationWorld {
  readonly axes: Axes<Dimensions>;
  readonly shape: ChunkShape;
  readonly catalog: BlockCatalog;
  readonly reader: CachedVoxels;
  /** Reads what the generator makes. */
  readonly generated: CachedVoxels;
  /** Makes the chunks of a box of voxels readable. */
  load(voxels: Box): Promise<void>;
  /** Lets other work go on, if it is time. */
  pause(): Promise<void> | undefined;
  /** Counts work that is about to be done for each of some voxels, in comparisons and reads. Throws if it is too much. */
  spend(work: number, voxels: number): void;
  /** Says how many voxels are remembered one by one. Throws if they are too many. */
  remember(voxels: number): void;
}
