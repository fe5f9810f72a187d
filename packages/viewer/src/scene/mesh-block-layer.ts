import { COLOUR_BYTES, POSITION_NUMBERS, type QuadMesh, quadCount } from "@orthant/mesh/volume";
import { BufferAttribute, BufferGeometry, Group, Mesh, type ShaderMaterial, Sphere, Vector3 } from "three";
import type { WorkerMessage } from "../message/messages.ts";
import type { ScenePoint } from "../slice/slice.ts";
import { SliceMaterials } from "./voxel-materials.ts";

type MeshBlockMessage = Extract<WorkerMessage, { kind: "meshBlock" }>;

const INDICES_PER_QUAD = 6;

/** The drawn mesh blocks of one slice. */
export class MeshBlockLayer {
  readonly group: Group = new Group();
  readonly materials: SliceMaterials = new SliceMaterials();
  readonly #meshBlocks = new Map<string, Group>();

  /** Shows a mesh block and replaces its previous version. Returns the bytes uploaded to the graphics card. */
  put({ meshBlock, corner, size, meshes }: MeshBlockMessage): number {
    this.drop(meshBlock);
    const group = new Group();
    group.position.set(...corner);
    let bytes = 0;
    for (const kind of ["opaque", "transparent", "before", "behind"] as const) {
      const mesh = meshes[kind];
      if (mesh.positions.length === 0) continue;
      const drawn = drawnMesh(mesh, size, this.materials[kind]);
      // Translucent surfaces draw over opaque ones, and ghosts over both.
      drawn.renderOrder = kind === "opaque" ? 0 : kind === "transparent" ? 1 : 2;
      group.add(drawn);
      bytes += mesh.positions.byteLength + mesh.colours.byteLength;
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

function drawnMesh(mesh: QuadMesh, size: ScenePoint, material: ShaderMaterial): Mesh {
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    "place",
    new BufferAttribute(mesh.positions, POSITION_NUMBERS).onUpload(releaseArray),
  );
  geometry.setAttribute(
    "colour",
    new BufferAttribute(mesh.colours, COLOUR_BYTES, true).onUpload(releaseArray),
  );
  geometry.setIndex(quadIndices(quadCount(mesh)));
  geometry.setDrawRange(0, quadCount(mesh) * INDICES_PER_QUAD);
  const middle = new Vector3(size[0] / 2, size[1] / 2, size[2] / 2);
  geometry.boundingSphere = new Sphere(middle, middle.length());
  const drawn = new Mesh(geometry, material);
  drawn.matrixAutoUpdate = false;
  return drawn;
}

/** Nothing reads the array after its upload to the graphics card. */
function releaseArray(this: BufferAttribute): void {
  this.array = new Uint16Array(0);
}

let indices = new BufferAttribute(new Uint32Array(0), 1);
let indexedQuads = 0;

/** All quads use the same index pattern, so all mesh blocks share one index buffer, which grows on demand. */
function quadIndices(quads: number): BufferAttribute {
  if (quads <= indexedQuads) return indices;
  indexedQuads = Math.max(4096, 2 ** Math.ceil(Math.log2(quads)));
  const list = new Uint32Array(indexedQuads * INDICES_PER_QUAD);
  for (let quad = 0; quad < indexedQuads; quad++) {
    list.set(
      [0, 1, 2, 0, 2, 3].map((corner) => quad * 4 + corner),
      quad * INDICES_PER_QUAD,
    );
  }
  indices = new BufferAttribute(list, 1);
  return indices;
}

function disposeAll(group: Group): void {
  // The shared index is never disposed with a geometry: three counts it by its attribute, which stays.
  for (const child of group.children)
    if (child instanceof Mesh) disposeGeometry(child.geometry as BufferGeometry);
}

function disposeGeometry(geometry: BufferGeometry): void {
  geometry.setIndex(null);
  geometry.dispose();
}
