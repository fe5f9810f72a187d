import type { Place } from "@orthant/core";
import type { Brush } from "../edit/brush.ts";
import type { ScenePoint, Slice, Vector } from "../slice/slice.ts";

/** A file that was dropped onto the page, with its path inside of what was dropped. */
export interface DroppedFile {
  readonly path: string;
  readonly file: Blob;
}

/** Which world to show. */
export type Opening =
  | { readonly kind: "server"; readonly url: string; readonly token: string; readonly name: string }
  | { readonly kind: "files"; readonly files: readonly DroppedFile[] };

/** What the visitor looks at. */
export interface View {
  /** Rises with every other slice; what comes back says which one it is for. */
  readonly sliceId: number;
  readonly slice: Slice;
  readonly eye: Vector;
  /** Voxels a second. */
  readonly motion: Vector;
  readonly facing: Vector;
  /** How far, in voxels. */
  readonly reach: number;
  readonly ghosts: boolean;
  /** A map instead of space: the voxels that it shows, in the axes of the scene that it has. */
  readonly map: MapWindow | undefined;
}

/** The part of a map that is seen, in voxels across and down. */
export interface MapWindow {
  readonly min: readonly [across: number, down: number];
  readonly max: readonly [across: number, down: number];
}

/** What the page asks of the worker that has the world. */
export type ToWorld =
  | { readonly kind: "open"; readonly opening: Opening }
  | { readonly kind: "view"; readonly view: View }
  | { readonly kind: "pick"; readonly id: number; readonly from: ScenePoint; readonly direction: ScenePoint }
  | {
      readonly kind: "brush";
      readonly brush: Brush;
      readonly center: Place;
      readonly material: number;
      readonly slice: Slice;
    }
  | { readonly kind: "undo" }
  | { readonly kind: "voxel"; readonly id: number; readonly place: Place }
  | { readonly kind: "inspect"; readonly isOn: boolean }
  | { readonly kind: "alive"; readonly id: number };
