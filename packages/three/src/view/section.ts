import type { VolumeMesh, VolumePoint } from "@orthant/mesh/volume";
import { Box3, type Mesh, Vector3 } from "three";
import type { Drawing } from "./drawing.ts";
import type { SectionGrid } from "./section-grid.ts";

/** A part of a world that is drawn at once. */
export interface Section {
  readonly cell: VolumePoint;
  /** Where it lies, in voxels of the scene. */
  readonly box: Box3;
  /** The job that meshes it. */
  job: { cancel(): void } | undefined;
  /** By how many voxels its job comes before others. */
  lead: number;
  /** Whether its chunks have changed since its job was asked for. */
  isStale: boolean;
  isLoading: boolean;
  /** Whether it has nothing to draw, as far as is known. */
  isEmpty: boolean;
  /** What is drawn, and with what. */
  meshes: readonly Mesh[];
  drawing: Drawing | undefined;
  /** Of the quads on the graphics card. */
  bytes: number;
  /** A mesh that is not in the picture yet. */
  arrived: { readonly mesh: VolumeMesh; readonly drawing: Drawing } | undefined;
  /** The voxel of the eye for which its transparent faces are sorted. */
  sortedFor: string;
}

/** Returns a section without a picture. */
export function sectionAt(cell: VolumePoint, grid: SectionGrid): Section {
  const corner = new Vector3(...grid.cornerOf(cell));
  return {
    cell,
    box: new Box3(corner, corner.clone().add(new Vector3(...grid.size))),
    job: undefined,
    lead: 0,
    isStale: false,
    isLoading: false,
    isEmpty: true,
    meshes: [],
    drawing: undefined,
    bytes: 0,
    arrived: undefined,
    sortedFor: "",
  };
}
