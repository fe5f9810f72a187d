import type { ScenePoint } from "../slice/slice.ts";

/** A little less than straight up, where left and right would change places. */
export const PITCH_MAX: number = Math.PI / 2 - 0.01;
const ORBIT_DISTANCE_MIN = 2;
const ORBIT_DISTANCE_MAX = 400;

/** Where a visitor is in the scene and where they look. Angles in radians; 0 and 0 look to the back. */
export class Eye {
  position: ScenePoint = [0, 0, 0];
  yaw = 0;
  pitch = 0;
  /** What the visitor circles around, and how far away from it they are; `undefined` when they fly. */
  #orbit: { readonly pivot: ScenePoint; readonly distance: number } | undefined;

  /** Where the visitor looks, of length 1. */
  get forward(): ScenePoint {
    const flat = Math.cos(this.pitch);
    return [-Math.sin(this.yaw) * flat, Math.sin(this.pitch), -Math.cos(this.yaw) * flat];
  }

  /** Whether the visitor circles around something. */
  get isOrbiting(): boolean {
    return this.#orbit !== undefined;
  }

  /** Looks further to the left and up. */
  turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = Math.max(-PITCH_MAX, Math.min(PITCH_MAX, this.pitch + pitch));
    this.#stayAround();
  }

  /** Goes to the right, up and ahead, in voxels. Who circles around something comes closer, or goes around it. */
  go(right: number, up: number, ahead: number): void {
    if (this.#orbit !== undefined) {
      const distance = clampDistance(this.#orbit.distance - ahead);
      this.#orbit = { ...this.#orbit, distance };
      this.turn(-right / distance, -up / distance);
      return;
    }
    const [x, y, z] = this.position;
    const [fx, fy, fz] = this.forward;
    this.position = [
      x + Math.cos(this.yaw) * right + fx * ahead,
      y + up + fy * ahead,
      z - Math.sin(this.yaw) * right + fz * ahead,
    ];
  }

  /** Circles around what is so far ahead from now on. */
  orbitAround(distance: number): void {
    const near = clampDistance(distance);
    const [x, y, z] = this.position;
    const [fx, fy, fz] = this.forward;
    this.#orbit = { pivot: [x + fx * near, y + fy * near, z + fz * near], distance: near };
  }

  /** Flies from now on. */
  fly(): void {
    this.#orbit = undefined;
  }

  #stayAround(): void {
    if (this.#orbit === undefined) return;
    const { pivot, distance } = this.#orbit;
    const [fx, fy, fz] = this.forward;
    this.position = [pivot[0] - fx * distance, pivot[1] - fy * distance, pivot[2] - fz * distance];
  }
}

function clampDistance(distance: number): number {
  return Math.max(ORBIT_DISTANCE_MIN, Math.min(ORBIT_DISTANCE_MAX, distance));
}
