import type { Entity } from "@orthant/core";
import { Euler, type Object3D, Quaternion, Vector3 } from "three";

/** Radians that a leg swings at a walk, and a step in voxels. */
const SWING = 0.75;
const STEP_VOXELS = 1.5;
/** Voxels a second at which legs swing wholly. */
const WALK_SPEED = 3;
/** A body turns so far from where the head looks, in radians. */
const NECK = 0.7;
/** Shares of a difference that are gone after a second: e to the power of these. */
const [TURN_RATE, CALM_RATE] = [10, 9];
/** Farther in one frame is not a walk but another place. */
const LEAP_VOXELS = 4;

/** Moves the parts of one body by where its entity is: those named `head`, and those that begin with `leg` or `arm`. */
export class Figure {
  readonly object: Object3D;
  readonly #head: Object3D | undefined;
  readonly #limbs: readonly Object3D[];
  readonly #last = new Vector3(Number.NaN);
  readonly #look = new Euler(0, 0, 0, "YXZ");
  #walked = 0;
  #pace = 0;
  #heading = 0;

  constructor(object: Object3D) {
    this.object = object;
    this.#head = object.getObjectByName("head");
    this.#limbs = object.children.filter(({ name }) => /^(?:leg|arm)/.test(name));
  }

  /** Moves on by some seconds, to where the entity is now. */
  move({ position, orientation, scale, isPlayer }: Entity<3>, seconds: number): void {
    const { object } = this;
    object.position.set(...position);
    object.scale.setScalar(scale > 0 ? scale : 1);
    const isFirst = Number.isNaN(this.#last.x);
    const [east, south] = isFirst ? [0, 0] : [position[0] - this.#last.x, position[2] - this.#last.z];
    const distance = Math.hypot(east, south);
    this.#last.set(...position);
    const walks = distance < LEAP_VOXELS && seconds > 0;
    const speed = walks ? distance / seconds : 0;
    const pace = Math.min(1, speed / WALK_SPEED);
    this.#pace += (pace - this.#pace) * (1 - Math.exp(-CALM_RATE * seconds));
    if (walks) this.#walked += distance;

    const [x = 0, y = 0, z = 0, w = 0] = orientation;
    const isTurned = Math.abs(x * x + y * y + z * z + w * w - 1) < 0.1 && (isPlayer || w !== 1);
    this.#look.setFromQuaternion(isTurned ? quaternion.set(x, y, z, w).normalize() : quaternion.identity());
    const towards = speed > 0.3 ? Math.atan2(-east, -south) : this.#heading;
    const looks = isTurned ? this.#look.y : towards;
    if (isFirst) this.#heading = looks;
    // Feet follow the way, forwards or backwards, and the head at most so far.
    const along = Math.abs(turn(looks, towards)) > Math.PI / 2 ? towards + Math.PI : towards;
    const wanted = looks + clamp(turn(looks, along), NECK * (this.#pace > 0.1 ? 0.8 : 1));
    this.#heading += turn(this.#heading, wanted) * (1 - Math.exp(-TURN_RATE * seconds));
    object.rotation.set(0, this.#heading, 0);
    this.#head?.rotation.set(
      isTurned ? this.#look.x * 0.9 : 0,
      clamp(turn(this.#heading, looks), 1.2),
      0,
      "YXZ",
    );
    const phase = (this.#walked / STEP_VOXELS) * Math.PI;
    for (const [index, limb] of this.#limbs.entries()) {
      const side = index % 2 === 0 ? 1 : -1;
      const isArm = limb.name.startsWith("arm");
      limb.rotation.x = Math.sin(phase) * side * SWING * this.#pace * (isArm ? 0.8 : 1);
    }
  }
}

const quaternion = new Quaternion();

/** The shortest turn from one angle to another. */
function turn(from: number, to: number): number {
  return Math.atan2(Math.sin(to - from), Math.cos(to - from));
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(-most, value));
}
