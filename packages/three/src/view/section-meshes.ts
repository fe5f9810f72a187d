import { getOrAdd } from "@orthant/core/lattice";
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
  BufferAttribute,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  IntType,
  Mesh,
  Sphere,
  Vector3,
} from "three";
import { MATERIAL_KINDS, type MaterialKind } from "../material/voxel-materials.ts";
import type { Drawing } from "./drawing.ts";
import type { ViewPoint } from "./section-grid.ts";
import { sortQuads } from "./sort-quads.ts";

/** The words of a quad are on the graphics card once for each of its corners. */
export const QUAD_CORNERS = 4;

/** Quads of one section, by the material that draws them. */
export type SectionQuads = Readonly<Record<MaterialKind, QuadList>>;

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
  return MATERIAL_KINDS.filter((kind) => quads[kind].length > 0).map((kind) => {
    const mesh = new Mesh(geometryOf(quads[kind], corner, size, kind === "blended"), materials[kind]);
    mesh.name = kind;
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
  const words = new BufferAttribute(atCorners(quads), QUAD_WORDS);
  words.gpuType = IntType;
  // Only what is sorted is read after its upload.
  if (!isKept) words.onUpload(releaseArray);
  const origin = new InstancedBufferAttribute(Int32Array.from(corner), 3);
  origin.gpuType = IntType;
  geometry.setAttribute("quad", words);
  geometry.setAttribute("origin", origin);
  geometry.setIndex(indexFor(quadCount(quads)));
  geometry.setDrawRange(0, quadCount(quads) * QUAD_INDICES.length);
  // One instance with many quads: an instance for each takes graphics cards, and processors without one, many times longer.
  geometry.instanceCount = 1;
  const end = new Vector3(...size);
  geometry.boundingBox = new Box3(new Vector3(), end);
  geometry.boundingSphere = new Sphere(end.clone().multiplyScalar(0.5), end.length() / 2);
  return geometry;
}

/** Puts the farthest quads of a mesh first. `eye` is in voxels from the section's corner. */
export function sortMesh({ geometry }: Mesh, eye: ViewPoint): void {
  const words = geometry.getAttribute("quad") as BufferAttribute;
  const corners = words.array as Uint32Array;
  const quads = new Uint32Array(corners.length / QUAD_CORNERS);
  for (let at = 0; at < quads.length; at += QUAD_WORDS)
    quads.set(corners.subarray(at * QUAD_CORNERS, at * QUAD_CORNERS + QUAD_WORDS), at);
  if (!sortQuads(quads, eye)) return;
  corners.set(atCorners(quads));
  words.needsUpdate = true;
}

/** Returns the words of each quad once for each of its corners. */
function atCorners(quads: QuadList): Uint32Array<ArrayBuffer> {
  const corners = new Uint32Array(quads.length * QUAD_CORNERS);
  for (let from = 0, to = 0; from < quads.length; from += QUAD_WORDS)
    for (let corner = 0; corner < QUAD_CORNERS; corner++, to += QUAD_WORDS) {
      corners[to] = quads[from] as number;
      corners[to + 1] = quads[from + 1] as number;
      corners[to + 2] = quads[from + 2] as number;
      corners[to + 3] = quads[from + 3] as number;
    }
  return corners;
}

function releaseArray(this: BufferAttribute): void {
  this.array = new Uint32Array(0);
}

/** The triangles of a quad: the shader finds its corner by the number of the vertex. */
const QUAD_INDICES = [0, 1, 2, 0, 2, 3] as const;
const QUADS_MIN = 1024;
/** Triangles of quads, by how many they are; all sections share them. */
const indices = new Map<number, BufferAttribute>();

function indexFor(quads: number): BufferAttribute {
  const count = Math.max(QUADS_MIN, 2 ** Math.ceil(Math.log2(quads)));
  return getOrAdd(indices, count, () => {
    const triangles = new Uint32Array(count * QUAD_INDICES.length);
    for (let quad = 0; quad < count; quad++)
      for (const [at, corner] of QUAD_INDICES.entries())
        triangles[quad * QUAD_INDICES.length + at] = quad * QUAD_CORNERS + corner;
    return new BufferAttribute(triangles, 1);
  });
}
