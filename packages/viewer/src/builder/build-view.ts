import type { Vector } from "@orthant/core";
import type { Group } from "three";
import type { WorldFacts } from "../message/messages.ts";
import type { Slice } from "../slice/slice.ts";

/** The view of a world, as the builder's tools use it. */
export interface BuildView {
  readonly facts: WorldFacts | undefined;
  readonly slice: Slice;
  readonly isMap: boolean;
  readonly position: Vector;
  readonly camera: { readonly yaw: number };
  readonly stage: { readonly marks: Group };
  onFrame: () => void;
  onSlice: () => void;
  /** Returns where a point of the world is on the page, in pixels; `undefined` behind the visitor. */
  project(point: Vector): readonly [left: number, top: number] | undefined;
  /** Requests another frame. */
  touch(): void;
}
