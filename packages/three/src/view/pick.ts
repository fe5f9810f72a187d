import { AIR, type Dimensions, type Position } from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";
import { AXIS_NAMES } from "@orthant/core/lattice";
import { castRay, type Face, type RayOptions } from "@orthant/mesh";
import { type Camera, Matrix4, type Ray, Raycaster, Vector3 } from "three";
import type { SectionGrid, ViewPoint } from "./section-grid.ts";
import { blockIn, type WorldFeed } from "./world-feed.ts";

/** What a ray comes from: a raycaster, or a camera and a point of its picture, from -1 to 1 to the right and up. */
export type PickRay =
  | Raycaster
  | { readonly camera: Camera; readonly point: { readonly x: number; readonly y: number } };

/** What a ray hits. */
export interface Picked<D extends Dimensions = Dimensions> {
  readonly position: Position<D>;
  /** The voxel in front of the hit side, where a player places a block. `position` itself when the ray begins inside. */
  readonly adjacent: Position<D>;
  readonly block: number;
  /** The side of the voxel, such as "+y"; `undefined` when the ray begins inside. */
  readonly side: Face | undefined;
  /** The lowest corner of the voxel in the view, where marks belong that are its children. */
  readonly corner: Vector3;
  /** Where the ray hits, in the axes of the scene around the view. */
  readonly point: Vector3;
  /** From the beginning of the ray, in voxels. */
  readonly distance: number;
}

/** Returns what a ray hits in a world that lies in a scene by a matrix. */
export function pickIn<D extends Dimensions>(
  feed: WorldFeed,
  grid: SectionGrid,
  matrix: Matrix4,
  ray: PickRay,
  distance: number,
  options: RayOptions,
): Picked<D> | undefined {
  const local = rayOf(ray).clone().applyMatrix4(new Matrix4().copy(matrix).invert());
  const { origin } = local;
  const towards = local.direction.normalize();
  const isFlat = grid.size[2] === 1;
  const scene = {
    dimensions: 3,
    blocks: feed.blocks(),
    voxelAt: (place: ViewPoint): number | undefined =>
      isFlat && place[2] !== 0 ? AIR : blockIn(feed, grid.voxelAt(place)),
  } as const;
  const hit = castRay(
    scene,
    [origin.x, origin.y, origin.z],
    [towards.x, towards.y, towards.z],
    distance,
    options,
  );
  if (hit === undefined) return undefined;
  const inWorld = (place: ViewPoint): Position<D> =>
    grid.voxelAt(place).slice(0, feed.dimensions) as unknown as Position<D>;
  return {
    position: inWorld(hit.position),
    adjacent: inWorld(hit.adjacent),
    block: hit.block,
    side: hit.face && sideInWorld(hit.face, grid),
    corner: new Vector3(...hit.position),
    point: local.at(hit.distance, new Vector3()).applyMatrix4(matrix),
    distance: hit.distance,
  };
}

function rayOf(ray: PickRay): Ray {
  if (ray instanceof Raycaster) return ray.ray;
  const { camera, point } = ray;
  if (camera === undefined || point === undefined)
    throw wrongArgument("ray", ray, "it is a Raycaster, or { camera, point }");
  camera.updateWorldMatrix(true, false);
  const raycaster = new Raycaster();
  raycaster.setFromCamera(point as never, camera);
  return raycaster.ray;
}

/** A slice may show other axes than x, y and z. */
function sideInWorld(face: Face, { slice }: SectionGrid): Face {
  const axis = [slice.right, slice.up, slice.back][AXIS_NAMES.indexOf(face[1] as "x")] as number;
  return `${face[0] as "+"}${AXIS_NAMES[axis] as "x"}`;
}
