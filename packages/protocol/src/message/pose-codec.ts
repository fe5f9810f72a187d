import type { Vector } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import type { Codec } from "@orthant/core/bytes";
import { AXES, positionFrom } from "@orthant/core/lattice";
import type { Pose } from "./entity.ts";
import type { PoseSteps } from "./pose-steps.ts";
import type { Precision } from "./precision.ts";

/** The precision of a player's own pose, in both directions. */
const OWN_PRECISION: Precision = { positionSteps: 64, orientationSteps: 127 };

/** A position, rounded to 1/64 of a voxel. Rule N7 in docs/formats/protocol.md. */
export const pointCodec: Codec<Vector> = vectorCodec(OWN_PRECISION.positionSteps);

/** A vector of whole voxels. */
export const voxelVectorCodec: Codec<Vector> = vectorCodec(1);

/** A position and an orientation of the player of a connection. Rules N7 and N8. */
export const poseCodec: Codec<Pose> = poseCodecOf(OWN_PRECISION);

/** A position and an orientation in the steps of a precision. Rules N7, N8 and N50. */
export function poseCodecOf({ positionSteps, orientationSteps }: Precision): Codec<Pose> {
  const points = vectorCodec(positionSteps);
  const orientations = orientationCodecOf(orientationSteps);
  return {
    write(out, { position, orientation }) {
      points.write(out, position);
      orientations.write(out, orientation);
    },
    read: (input) => ({ position: points.read(input), orientation: orientations.read(input) }),
  };
}

/** An orientation in the finest steps. Rule N8. */
export const orientationCodec: Codec<Vector> = orientationCodecOf(OWN_PRECISION.orientationSteps);

function orientationCodecOf(steps: number): Codec<Vector> {
  return {
    write(out, orientation) {
      for (const component of orientation) out.i8(orientationStep(component, steps));
    },
    read: (input) =>
      positionFrom(() => {
        const step = input.i8();
        if (Math.abs(step) > steps) throw input.fail("ORT_MESSAGE", `${step} in an orientation`);
        return step / steps;
      }),
  };
}

/** Returns the pose as the other side will decode it. Throws `ORT_ARGUMENT` if it cannot be sent. */
export function roundPose(pose: Pose): Pose {
  return roundPoseTo(pose, OWN_PRECISION);
}

/** Returns a pose in the nearest steps of a precision. Throws `ORT_ARGUMENT` if it cannot be sent. */
export function roundPoseTo(pose: Pose, precision: Precision): Pose {
  return poseOfSteps(stepsOfPose(pose, precision), precision);
}

/** Returns a pose in steps. Throws `ORT_ARGUMENT` if it cannot be sent. */
export function stepsOfPose(
  { position, orientation }: Pose,
  { positionSteps, orientationSteps }: Precision,
): PoseSteps {
  return [
    fixedPoint(position[0], positionSteps),
    fixedPoint(position[1], positionSteps),
    fixedPoint(position[2], positionSteps),
    fixedPoint(position[3], positionSteps),
    orientationStep(orientation[0], orientationSteps),
    orientationStep(orientation[1], orientationSteps),
    orientationStep(orientation[2], orientationSteps),
    orientationStep(orientation[3], orientationSteps),
  ];
}

/** The inverse of {@link stepsOfPose}. */
export function poseOfSteps(steps: PoseSteps, { positionSteps, orientationSteps }: Precision): Pose {
  return {
    position: [
      steps[0] / positionSteps,
      steps[1] / positionSteps,
      steps[2] / positionSteps,
      steps[3] / positionSteps,
    ],
    orientation: [
      steps[4] / orientationSteps,
      steps[5] / orientationSteps,
      steps[6] / orientationSteps,
      steps[7] / orientationSteps,
    ],
  };
}

/** Returns true when two poses are exactly equal. */
export function posesEqual(one: Pose, other: Pose): boolean {
  return AXES.every(
    (axis) =>
      one.position[axis] === other.position[axis] && one.orientation[axis] === other.orientation[axis],
  );
}

function vectorCodec(stepsPerVoxel: number): Codec<Vector> {
  return {
    write(out, vector) {
      for (const coordinate of vector) out.varInt(fixedPoint(coordinate, stepsPerVoxel));
    },
    read: (input) => positionFrom(() => input.varInt() / stepsPerVoxel),
  };
}

function fixedPoint(coordinate: number, stepsPerVoxel: number): number {
  // Adding 0 turns minus zero into zero, which is what the other side reads.
  const steps = Math.round(coordinate * stepsPerVoxel) + 0;
  requireInteger(steps, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return steps;
}

function orientationStep(component: number, steps: number): number {
  const step = Math.round(component * steps) + 0;
  requireInteger(step, -steps, steps);
  return step;
}
