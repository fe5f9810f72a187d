import type { Vector } from "@orthant/core";
import type { Codec } from "@orthant/core/bytes";
import { AXES, positionFrom, requireInteger } from "@orthant/core/engine";
import type { Pose } from "./entity.ts";

/** Steps per voxel in a position. */
const POSITION_STEPS_PER_VOXEL = 64;
/** Steps from 0 to 1 in a component of an orientation. */
const ORIENTATION_STEPS = 127;

/** A position, rounded to 1/64 of a voxel. Rule N7 in docs/formats/protocol.md. */
export const pointCodec: Codec<Vector> = vectorCodec(POSITION_STEPS_PER_VOXEL);

/** A vector of whole voxels. */
export const voxelVectorCodec: Codec<Vector> = vectorCodec(1);

const orientationCodec: Codec<Vector> = {
  write(out, orientation) {
    for (const component of orientation) out.i8(orientationStep(component));
  },
  read(input) {
    return positionFrom(() => {
      const step = input.i8();
      if (step < -ORIENTATION_STEPS) throw input.fail("ORT_MESSAGE", `${step} in an orientation`);
      return step / ORIENTATION_STEPS;
    });
  },
};

/** A position and an orientation. Rules N7 and N8. */
export const poseCodec: Codec<Pose> = {
  write(out, { position, orientation }) {
    pointCodec.write(out, position);
    orientationCodec.write(out, orientation);
  },
  read: (input) => ({ position: pointCodec.read(input), orientation: orientationCodec.read(input) }),
};

/** Returns the pose as the other side will decode it. Throws `ORT_ARGUMENT` if it cannot be sent. */
export function roundPose({ position, orientation }: Pose): Pose {
  return {
    position: positionFrom(
      (axis) => fixedPoint(position[axis], POSITION_STEPS_PER_VOXEL) / POSITION_STEPS_PER_VOXEL,
    ),
    orientation: positionFrom((axis) => orientationStep(orientation[axis]) / ORIENTATION_STEPS),
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

function orientationStep(component: number): number {
  const step = Math.round(component * ORIENTATION_STEPS) + 0;
  requireInteger(step, -ORIENTATION_STEPS, ORIENTATION_STEPS);
  return step;
}
