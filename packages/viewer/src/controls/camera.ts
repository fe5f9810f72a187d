import type { Axis, Vector } from "@orthant/core";
import { AXIS_NAMES } from "@orthant/core/lattice";
import type { ScenePoint } from "../slice/slice.ts";

/** Slightly below straight up, where left and right would swap. */
const PITCH_MAX: number = Math.PI / 2 - 0.01;
const ORBIT_DISTANCE_MIN = 2;
const ORBIT_DISTANCE_MAX = 400;

/** The visitor's position and view direction in the scene. Angles in radians; zero looks to the back. */
export class Camera {
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
  move(right: number, up: number, ahead: number): void {
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

/** A viewpoint as encoded in a link. */
export interface Viewpoint {
  readonly eye: Vector;
  readonly yaw: number;
  readonly pitch: number;
  readonly hidden: Axis | undefined;
  /** Pixels per voxel on the map; `undefined` in the 3D view. */
  readonly mapZoom: number | undefined;
  /** Time of day, from 0 at midnight to 1; `undefined` leaves it as it is. */
  readonly time: number | undefined;
}

const COORDINATE_MAX = 2 ** 47;
const ZOOM_MAX = 64;
const HOURS = 24;

/** Formats a viewpoint as the fragment of a link: `at=1.5,40,2,0.5&look=90,-10&hide=w&time=18`. */
export function formatViewpoint({ eye, yaw, pitch, hidden, mapZoom, time }: Viewpoint): string {
  const short = (value: number): string => String(Math.round(value * 100) / 100);
  const parts = [`at=${eye.map(short).join(",")}`];
  if (mapZoom === undefined) parts.push(`look=${short(toDegrees(yaw))},${short(toDegrees(pitch))}`);
  else parts.push(`map=${mapZoom}`);
  if (hidden !== undefined) parts.push(`hide=${AXIS_NAMES[hidden]}`);
  if (time !== undefined) parts.push(`time=${short(time * HOURS)}`);
  return parts.join("&");
}

/**
 * Parses the viewpoint in a link's fragment. Returns `undefined` when it is missing or invalid. Coordinates behind those that
 * are given are 0.
 */
export function parseViewpoint(text: string): Viewpoint | undefined {
  const fields = new URLSearchParams(text.replace(/^#/, ""));
  const given = numbersOf(fields.get("at"), 2, 4);
  if (given === undefined || given.some((coordinate) => Math.abs(coordinate) > COORDINATE_MAX))
    return undefined;
  const [x = 0, y = 0, z = 0, w = 0] = given;
  const [yaw = 0, pitch = 0] = numbersOf(fields.get("look"), 2) ?? [];
  const [zoom] = numbersOf(fields.get("map"), 1) ?? [];
  const [hours] = numbersOf(fields.get("time"), 1) ?? [];
  const hidden = (AXIS_NAMES as readonly (string | null)[]).indexOf(fields.get("hide"));
  return {
    eye: [x, y, z, w],
    yaw: toRadians(yaw),
    pitch: Math.max(-PITCH_MAX, Math.min(PITCH_MAX, toRadians(pitch))),
    hidden: hidden < 0 ? undefined : (hidden as Axis),
    mapZoom: zoom !== undefined && zoom >= 1 && zoom <= ZOOM_MAX ? Math.round(zoom) : undefined,
    time: hours !== undefined && hours >= 0 && hours <= HOURS ? (hours / HOURS) % 1 : undefined,
  };
}

function numbersOf(text: string | null, least: number, most = least): readonly number[] | undefined {
  const numbers = (text ?? "").split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  const isCount = numbers.length >= least && numbers.length <= most;
  return isCount && numbers.every(Number.isFinite) ? numbers : undefined;
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

function toRadians(degrees: number): number {
  return ((degrees % 360) * Math.PI) / 180;
}
