import { type ChunkShape, OrthantError } from "@orthant/core";
import type { Codec } from "@orthant/core/bytes";

/** How finely clients see the poses of entities and of other players. */
export interface Precision {
  /** Steps in a voxel, from 1 to 4,096. */
  readonly positionSteps: number;
  /** Steps from 0 to 1 in a component of an orientation, from 1 to 127. */
  readonly orientationSteps: number;
}

/** The precision of a server that states no other: 1/64 of a voxel, and a degree and a half. */
export const DEFAULT_PRECISION: Precision = { positionSteps: 64, orientationSteps: 40 };

/** Most steps of a position in a voxel. */
export const POSITION_STEPS_MAX = 4_096;
/** Most steps from 0 to 1 in a component of an orientation. */
export const ORIENTATION_STEPS_MAX = 127;

/** Throws `ORT_ARGUMENT` for a precision that no welcome can state. */
export function requirePrecision({ positionSteps, orientationSteps }: Precision): void {
  requireSteps("positionSteps", positionSteps, POSITION_STEPS_MAX);
  requireSteps("orientationSteps", orientationSteps, ORIENTATION_STEPS_MAX);
}

/** Throws `ORT_ARGUMENT` if the farthest voxel that a player can reach has no whole number of steps. */
export function requireReach(
  precision: Precision,
  { extents }: ChunkShape,
  chunkCoordinateMax: number,
): void {
  const voxels = Math.max(...extents) * Math.min(chunkCoordinateMax + 1, 2 ** 31);
  const stepsMax = Math.floor(Number.MAX_SAFE_INTEGER / voxels);
  if (precision.positionSteps <= stepsMax) return;
  throw new OrthantError(
    "ORT_ARGUMENT",
    `positionSteps is ${precision.positionSteps}: with this chunkCoordinateMax it is at most ${stepsMax}`,
  );
}

function requireSteps(name: string, steps: number, stepsMax: number): void {
  if (areSteps(steps, stepsMax)) return;
  throw new OrthantError("ORT_ARGUMENT", `${name} is ${steps}: it is a whole number from 1 to ${stepsMax}`);
}

function areSteps(steps: number, stepsMax: number): boolean {
  return Number.isInteger(steps) && steps >= 1 && steps <= stepsMax;
}

/** The precision in a welcome. Rule N50 in docs/formats/protocol.md. */
export const precisionCodec: Codec<Precision> = {
  write(out, precision) {
    requirePrecision(precision);
    out.varUint(precision.positionSteps);
    out.varUint(precision.orientationSteps);
  },
  read(input) {
    const positionSteps = input.varUint();
    const orientationSteps = input.varUint();
    if (areSteps(positionSteps, POSITION_STEPS_MAX) && areSteps(orientationSteps, ORIENTATION_STEPS_MAX))
      return { positionSteps, orientationSteps };
    throw input.fail("ORT_LIMIT", `${positionSteps} and ${orientationSteps} steps of a pose`);
  },
};
