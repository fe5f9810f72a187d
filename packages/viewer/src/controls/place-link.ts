import type { Axis, Vector } from "@orthant/core";
import { AXIS_NAMES } from "../slice/slice.ts";
import { PITCH_MAX } from "./eye.ts";

/** A viewpoint as encoded in a link. */
export interface PlaceLink {
  readonly eye: Vector;
  readonly yaw: number;
  readonly pitch: number;
  readonly hidden: Axis | undefined;
  /** Pixels per voxel on the map; `undefined` in the 3D view. */
  readonly mapZoom: number | undefined;
}

const COORDINATE_MAX = 2 ** 47;
const ZOOM_MAX = 64;

/** Formats a viewpoint as the fragment of a link: `at=1.5,40,2,0.5&look=90,-10&hide=w`. */
export function formatPlaceLink({ eye, yaw, pitch, hidden, mapZoom }: PlaceLink): string {
  const short = (value: number): string => String(Math.round(value * 100) / 100);
  const parts = [`at=${eye.map(short).join(",")}`];
  if (mapZoom === undefined) parts.push(`look=${short(toDegrees(yaw))},${short(toDegrees(pitch))}`);
  else parts.push(`map=${mapZoom}`);
  if (hidden !== undefined) parts.push(`hide=${AXIS_NAMES[hidden]}`);
  return parts.join("&");
}

/** Parses the viewpoint in a link's fragment. Returns `undefined` when it is missing or invalid. */
export function parsePlaceLink(text: string): PlaceLink | undefined {
  const fields = new URLSearchParams(text.replace(/^#/, ""));
  const eye = numbersOf(fields.get("at"), 4);
  if (eye === undefined || eye.some((coordinate) => Math.abs(coordinate) > COORDINATE_MAX)) return undefined;
  const [yaw = 0, pitch = 0] = numbersOf(fields.get("look"), 2) ?? [];
  const [zoom] = numbersOf(fields.get("map"), 1) ?? [];
  const hidden = (AXIS_NAMES as readonly (string | null)[]).indexOf(fields.get("hide"));
  return {
    eye: eye as unknown as Vector,
    yaw: toRadians(yaw),
    pitch: Math.max(-PITCH_MAX, Math.min(PITCH_MAX, toRadians(pitch))),
    hidden: hidden < 0 ? undefined : (hidden as Axis),
    mapZoom: zoom !== undefined && zoom >= 1 && zoom <= ZOOM_MAX ? Math.round(zoom) : undefined,
  };
}

function numbersOf(text: string | null, count: number): readonly number[] | undefined {
  const numbers = (text ?? "").split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : undefined;
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

function toRadians(degrees: number): number {
  return ((degrees % 360) * Math.PI) / 180;
}
