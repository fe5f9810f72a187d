import type { Box, Position } from "@orthant/core";
import type { QuadMesh } from "../mesh/quad-list.ts";
import type { ScenePoint } from "../slice/slice.ts";
import type { Numbers, Other, WorldFacts, WorldStatus } from "./world-facts.ts";

/** The surfaces of one mesh block: its own, and those that exist only in the neighbouring slices. */
export interface MeshBlock {
  readonly opaque: QuadMesh;
  readonly veil: QuadMesh;
  readonly before: QuadMesh;
  readonly behind: QuadMesh;
}

/** The first voxel that a ray hits, and the voxel of air before it. */
export interface Hit {
  readonly voxel: Position;
  readonly before: Position;
  readonly block: number;
  readonly distance: number;
}

/** The page's information about one region. */
export interface RegionNote {
  readonly region: Position;
  /** `undefined` in a world that no other client can change. */
  readonly clock: number | undefined;
  /** Whether the region holds any edits; otherwise the generator supplies all of it. */
  readonly isConcrete: boolean;
}

/** Messages from the worker that holds the world to the page. */
export type FromWorld =
  | { readonly kind: "facts"; readonly facts: WorldFacts }
  | { readonly kind: "status"; readonly status: WorldStatus }
  | { readonly kind: "notice"; readonly text: string; readonly isBad: boolean }
  | {
      readonly kind: "meshBlock";
      readonly sliceId: number;
      readonly meshBlock: ScenePoint;
      /** The corner of the mesh block and its size, in voxels of the scene. */
      readonly corner: ScenePoint;
      readonly size: ScenePoint;
      readonly meshes: MeshBlock;
    }
  | { readonly kind: "drop"; readonly sliceId: number; readonly meshBlock: ScenePoint }
  | {
      readonly kind: "mapTile";
      readonly tile: readonly [number, number];
      readonly size: readonly [number, number];
      readonly pixels: Uint8ClampedArray<ArrayBuffer>;
    }
  | {
      readonly kind: "progress";
      readonly sliceId: number;
      readonly isNearReady: boolean;
      readonly isDone: boolean;
    }
  | { readonly kind: "picked"; readonly id: number; readonly hit: Hit | undefined }
  | { readonly kind: "changed"; readonly boxes: readonly Box[] }
  | { readonly kind: "others"; readonly others: readonly Other[] }
  | { readonly kind: "regions"; readonly notes: readonly RegionNote[] }
  | { readonly kind: "numbers"; readonly numbers: Numbers }
  | { readonly kind: "voxel"; readonly id: number; readonly block: number | undefined }
  | { readonly kind: "alive"; readonly id: number };
