import type { Position, Vector } from "@orthant/core";
import type { Brush } from "../edit/brush.ts";
import type { ScenePoint, Slice } from "../slice/slice.ts";

/** A file dropped onto the page, with its path inside the dropped folder. */
export interface DroppedFile {
  readonly path: string;
  readonly file: Blob;
}

/** The world to show. */
export type Opening =
  | { readonly kind: "server"; readonly url: string; readonly token: string; readonly name: string }
  | { readonly kind: "files"; readonly files: readonly DroppedFile[] };

/** The visitor's view: its slice, position, direction and reach. */
export interface View {
  /** Increases with every new slice; messages from the worker carry it. */
  readonly sliceId: number;
  readonly slice: Slice;
  readonly eye: Vector;
  /** Voxels per second. */
  readonly motion: Vector;
  readonly facing: Vector;
  /** View distance, in voxels. */
  readonly reach: number;
  readonly ghosts: boolean;
  /** The voxels that the map shows, in its two axes; `undefined` in the 3D view. */
  readonly map: MapWindow | undefined;
}

/** The visible part of a map, in voxels across and down. */
export interface MapWindow {
  readonly min: readonly [across: number, down: number];
  readonly max: readonly [across: number, down: number];
}

/** Messages from the page to the worker that holds the world. */
export type ToWorld =
  | { readonly kind: "open"; readonly opening: Opening }
  | { readonly kind: "view"; readonly view: View }
  | { readonly kind: "pick"; readonly id: number; readonly from: ScenePoint; readonly direction: ScenePoint }
  | {
      readonly kind: "brush";
      readonly brush: Brush;
      readonly center: Position;
      readonly block: number;
      readonly slice: Slice;
    }
  | { readonly kind: "undo" }
  | { readonly kind: "voxel"; readonly id: number; readonly position: Position }
  | { readonly kind: "inspect"; readonly isOn: boolean }
  | { readonly kind: "alive"; readonly id: number };
