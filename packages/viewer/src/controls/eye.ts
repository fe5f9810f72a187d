import type { ScenePoint } from "../slice/slice.ts";

/** Slightly below straight up, where left and right would swap. */
export const PITCH_MAX: number = Math.PI / 2 - 0.01;
const ORBIT_DISTANCE_MIN = 2;
const ORBIT_DISTANCE_MAX = 400;

/** The visitor's position and view direction in the scene. Angles in radians; zero looks to the back. */
export class Eye {
  position: ScenePoint = [0, 0, 0];
  yaw = 0;
  pitch = 0;
  /** Center of the orbit and the distance to it; `undefined` while flying. */
  #orbit: { readonly pivot: ScenePoint; readonly distance: number } | undefined;

  /** View direction, of length 1. */
  get forward(): ScenePoint {
    const flat = Math.cos(this.pitch);
    return [-Math.sin(this.yaw) * flat, Math.sin(this.pitch), -Math.cos(this.yaw) * flat];
  }

  /** Whether the visitor orbits a point. */
  get isOrbiting(): boolean {
    return this.#orbit !== undefined;
  }

  /** Turns the view left by `yaw` and up by `pitch`. */
  turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = Math.max(-PITCH_MAX, Math.min(PITCH_MAX, this.pitch + pitch));
    this.#stayAround();
  }

  /** Moves right, up and ahead, in voxels. While orbiting, moves along the orbit, or towards its center. */
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

  /** Starts to orbit the point at `distance` ahead. */
  orbitAround(distance: number): void {
    const near = clampDistance(distance);
    const [x, y, z] = this.position;
    const [fx, fy, fz] = this.forward;
    this.#orbit = { pivot: [x + fx * near, y + fy * near, z + fz * near], distance: near };
  }

  /** Stops orbiting. */
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
