import { QUAD_WORDS, type QuadList, quadCount } from "@orthant/mesh/volume";
import {
  BufferAttribute,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  type ShaderMaterial,
  Sphere,
  Vector3,
} from "three";
import type { WorkerMessage } from "../message/messages.ts";
import type { ScenePoint } from "../slice/slice.ts";
import type { MaterialTexture } from "./material-texture.ts";
import { SliceMaterials } from "./voxel-materials.ts";

type MeshBlockMessage = Extract<WorkerMessage, { kind: "meshBlock" }>;

/** The drawn mesh blocks of one slice. */
export class MeshBlockLayer {
  readonly group: Group = new Group();
  readonly materials: SliceMaterials;
  readonly #meshBlocks = new Map<string, Group>();

  constructor(table: MaterialTexture) {
    this.materials = new SliceMaterials(table);
  }

  /** Shows a mesh block and replaces its previous version. Returns the bytes uploaded to the graphics card. */
  put({ meshBlock, corner, size, meshes }: MeshBlockMessage): number {
    this.drop(meshBlock);
    const group = new Group();
    group.position.set(...corner);
    let bytes = 0;
    for (const kind of ["opaque", "transparent", "before", "behind"] as const) {
      const mesh = meshes[kind];
      if (mesh.length === 0) continue;
      const drawn = drawnMesh(mesh, size, this.materials[kind]);
      // Translucent surfaces draw over opaque ones, and ghosts over both.
      drawn.renderOrder = kind === "opaque" ? 0 : kind === "transparent" ? 1 : 2;
      group.add(drawn);
      bytes += mesh.byteLength;
    }
    if (group.children.length === 0) return 0;
    group.updateMatrix();
    group.matrixAutoUpdate = false;
    this.#meshBlocks.set(String(meshBlock), group);
    this.group.add(group);
    return bytes;
  }

  /** Removes a mesh block. */
  drop(meshBlock: ScenePoint): void {
    const group = this.#meshBlocks.get(String(meshBlock));
    if (group === undefined) return;
    this.#meshBlocks.delete(String(meshBlock));
    this.group.remove(group);
    disposeAll(group);
  }

  /** Number of mesh blocks with something to draw. */
  get size(): number {
    return this.#meshBlocks.size;
  }

  /** Frees everything on the graphics card. */
  dispose(): void {
    for (const group of this.#meshBlocks.values()) disposeAll(group);
    this.#meshBlocks.clear();
    this.group.removeFromParent();
    this.materials.dispose();
  }
}

function drawnMesh(quads: QuadList, size: ScenePoint, material: ShaderMaterial): Mesh {
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute("quad", new InstancedBufferAttribute(quads, QUAD_WORDS).onUpload(releaseArray));
  geometry.setIndex(QUAD_INDICES);
  geometry.instanceCount = quadCount(quads);
  const middle = new Vector3(size[0] / 2, size[1] / 2, size[2] / 2);
  geometry.boundingSphere = new Sphere(middle, middle.length());
  const drawn = new Mesh(geometry, material);
  drawn.matrixAutoUpdate = false;
  return drawn;
}

/** Nothing reads the array after its upload to the graphics card. */
function releaseArray(this: BufferAttribute): void {
  this.array = new Uint32Array(0);
}

/** The shader makes the four corners of each quad; all mesh blocks share the triangles between them. */
const QUAD_INDICES = new BufferAttribute(new Uint16Array([0, 1, 2, 0, 2, 3]), 1);

function disposeAll(group: Group): void {
  // The shared index is never disposed with a geometry: three counts it by its attribute, which stays.
  for (const child of group.children)
    if (child instanceof Mesh) disposeGeometry(child.geometry as InstancedBufferGeometry);
}

function disposeGeometry(geometry: InstancedBufferGeometry): void {
  geometry.setIndex(null);
  geometry.dispose();
}
