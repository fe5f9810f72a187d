/** Limits for the operations of a role. They hold for an account, over all of its clients. docs/reference/limits.md has a line for each. */
export interface OperationLimits {
  /** Voxels that an operation changes. */
  readonly voxelsMax: number;
  /** Comparisons and reads that an operation takes. */
  readonly workMax: number;
  /** The same for one voxel. */
  readonly voxelWorkMax: number;
  /** Voxels that are remembered one by one: connected ones, and those of a line. */
  readonly listedVoxelsMax: number;
  /** Voxels that operations change in a minute. The burst is the same. */
  readonly voxelsPerMinute: number;
  /** Operations at once. Others wait. */
  readonly runningMax: number;
  /** Operations that run or wait. */
  readonly openMax: number;
  readonly clipboardsMax: number;
  /** Bytes of all clipboards, two for each voxel of their boxes. */
  readonly clipboardBytesMax: number;
  /** Operations that can be undone or done again. */
  readonly undoStepsMax: number;
  /** Bytes of what is kept to undo them. */
  readonly undoBytesMax: number;
  /** How long they can be undone. */
  readonly undoAgeMs: number;
  /** Voxels above which an operation has to be confirmed. */
  readonly confirmVoxels: number;
}

/** Default limits for the operations of a role that may use them. */
export const DEFAULT_OPERATION_LIMITS: OperationLimits = {
  voxelsMax: 1_048_576,
  workMax: 67_108_864,
  voxelWorkMax: 4_096,
  listedVoxelsMax: 131_072,
  voxelsPerMinute: 4_194_304,
  runningMax: 1,
  openMax: 8,
  clipboardsMax: 8,
  clipboardBytesMax: 8_388_608,
  undoStepsMax: 32,
  undoBytesMax: 2_097_152,
  undoAgeMs: 604_800_000,
  confirmVoxels: 262_144,
};

/** The limits in the order in which messages have them. */
export const OPERATION_LIMIT_NAMES = Object.keys(
  DEFAULT_OPERATION_LIMITS,
) as readonly (keyof OperationLimits)[];
