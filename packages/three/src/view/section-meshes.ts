import type { BlockLooks } from "@orthant/mesh/looks";
import {
  NO_QUADS,
  QUAD_WORDS,
  type QuadList,
  quadCount,
  type VolumeMesh,
  type VolumePoint,
} from "@orthant/mesh/volume";
import {
  Box3,
  type BufferAttribute,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  IntType,
  Mesh,
  Sphere,
  Uint16BufferAttribute,
  Vector3,
} from "three";
import { MATERIAL_KINDS, type MaterialKind } from "../material/voxel-materials.ts";
import type { Drawing } from "./drawing.ts";

/** Quads of one section, by the material that draws them. */
export type SectionQuads = Readonly<Record<MaterialKind, QuadList>>;

/** Enough instances for any section: they all share its origin. */
const ALL_INSTANCES = 2 ** 30;

/** Returns the quads of a mesh by kind: those of liquids apart from glass. */
export function quadsByKind({ opaque, cutout, blended }: VolumeMesh, looks: BlockLooks): SectionQuads {
  const count = quadCount(blended);
  const isWater = (index: number): boolean =>
    looks.lookOf((blended[index * QUAD_WORDS + 2] as number) >>> 16).isLiquid;
  let waters = 0;
  for (let index = 0; index < count; index++) if (isWater(index)) waters++;
  if (waters === 0) return { opaque, cutout, blended, water: NO_QUADS };
  if (waters === count) return { opaque, cutout, blended: NO_QUADS, water: blended };
  const water = new Uint32Array(waters * QUAD_WORDS);
  const rest = new Uint32Array((count - waters) * QUAD_WORDS);
  let [atWater, atRest] = [0, 0];
  for (let index = 0; index < count; index++) {
    const quad = blended.subarray(index * QUAD_WORDS, (index + 1) * QUAD_WORDS);
    if (isWater(index)) water.set(quad, QUAD_WORDS * atWater++);
    else rest.set(quad, QUAD_WORDS * atRest++);
  }
  return { opaque, cutout, blended: rest, water };
}

/** Returns the meshes of a section, one for each kind that it has. */
export function meshesOf(
  quads: SectionQuads,
  { materials }: Drawing,
  corner: VolumePoint,
  size: VolumePoint,
): readonly Mesh[] {
  return MATERIAL_KINDS.filter((kind) => quads[kind].length > 0).map((kind, index) => {
    const mesh = new Mesh(geometryOf(quads[kind], corner, size, kind === "blended"), materials[kind]);
    mesh.name = kind;
    mesh.renderOrder = index;
    mesh.position.set(...corner);
    mesh.updateMatrix();
    mesh.matrixAutoUpdate = false;
    // It has no vertices that three.js could look at; `WorldView.pick` finds voxels.
    mesh.raycast = () => undefined;
    return mesh;
  });
}

/** Frees what the graphics card has of a mesh. */
export function disposeMesh({ geometry }: Mesh): void {
  // The index is shared: three.js would free it with the first geometry that has it.
  geometry.setIndex(null);
  geometry.dispose();
}

function geometryOf(
  quads: QuadList,
  corner: VolumePoint,
  size: VolumePoint,
  isKept: boolean,
): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  const words = new InstancedBufferAttribute(quads, QUAD_WORDS);
  // Only what is sorted is read after its upload.
  if (!isKept) words.onUpload(releaseArray);
  const origin = new InstancedBufferAttribute(Int32Array.from(corner), 3, false, ALL_INSTANCES);
  origin.gpuType = IntType;
  geometry.setAttribute("quad", words);
  geometry.setAttribute("origin", origin);
  geometry.setIndex(QUAD_INDICES);
  geometry.instanceCount = quadCount(quads);
  const end = new Vector3(...size);
  geometry.boundingBox = new Box3(new Vector3(), end);
  geometry.boundingSphere = new Sphere(end.clone().multiplyScalar(0.5), end.length() / 2);
  return geometry;
}

function releaseArray(this: BufferAttribute): void {
  this.array = new Uint32Array(0);
}

/** The shader makes the four corners of each quad; all sections share the triangles between them. */
const QUAD_INDICES = new Uint16BufferAttribute([0, 1, 2, 0, 2, 3], 1);
