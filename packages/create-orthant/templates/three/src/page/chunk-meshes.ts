import { buildMesh, type ChunkMesh, type MeshArrays } from "@orthant/mesh";
import type { ClientWorld, Position } from "orthant/client";
import {
  BufferAttribute,
  BufferGeometry,
  Group,
  Mesh,
  MeshLambertMaterial,
  type Scene,
  type Vector3,
} from "three";

const CHUNK_VOXELS = 16;
const OPAQUE = new MeshLambertMaterial({ vertexColors: true });
const TRANSPARENT = new MeshLambertMaterial({ vertexColors: true, transparent: true, depthWrite: false });

/** Keeps a mesh in the scene for each chunk that the client holds. */
export class ChunkMeshes {
  readonly #world: ClientWorld<3>;
  readonly #scene: Scene;
  readonly #drawn = new Map<string, Group>();
  #stale = new Map<string, Position<3>>();
  #isSorted = true;

  constructor(world: ClientWorld<3>, scene: Scene) {
    this.#world = world;
    this.#scene = scene;
    world.onChunks((boxes) => {
      for (const { min, max } of boxes) this.#markStale(min, max);
    });
  }

  /** Rebuilds meshes that are out of date, the nearest first, for half of the time of a frame. */
  update(eyes: Vector3, frameSeconds: number): void {
    if (!this.#isSorted) this.#sort(eyes);
    const end = performance.now() + frameSeconds * 500;
    for (const [key, position] of this.#stale) {
      if (performance.now() > end) return;
      this.#stale.delete(key);
      const mesh = buildMesh(this.#world, position);
      // A chunk waits for its neighbours, and keeps its old mesh meanwhile.
      if (mesh === undefined && this.#world.chunkAt(position) !== undefined) continue;
      this.#remove(key);
      if (mesh !== undefined) this.#add(key, mesh);
    }
  }

  /** The faces of a chunk also depend on its neighbours. */
  #markStale(min: Position<3>, max: Position<3>): void {
    for (let x = min[0] - 1; x <= max[0]; x++)
      for (let y = min[1] - 1; y <= max[1]; y++)
        for (let z = min[2] - 1; z <= max[2]; z++) this.#stale.set(`${x},${y},${z}`, [x, y, z]);
    this.#isSorted = false;
  }

  #sort(eyes: Vector3): void {
    const chunk = eyes.clone().divideScalar(CHUNK_VOXELS).floor();
    const distance = ([x, y, z]: Position<3>): number =>
      Math.abs(x - chunk.x) + Math.abs(y - chunk.y) + Math.abs(z - chunk.z);
    const sorted = [...this.#stale].sort(([, a], [, b]) => distance(a) - distance(b));
    this.#stale = new Map(sorted);
    this.#isSorted = true;
  }

  #add(key: string, { origin, opaque, transparent }: ChunkMesh): void {
    const group = new Group();
    group.position.set(...origin);
    if (opaque.indices.length > 0) group.add(new Mesh(geometryOf(opaque), OPAQUE));
    if (transparent.indices.length > 0) group.add(new Mesh(geometryOf(transparent), TRANSPARENT));
    this.#drawn.set(key, group);
    this.#scene.add(group);
  }

  #remove(key: string): void {
    const group = this.#drawn.get(key);
    if (group === undefined) return;
    for (const child of group.children) if (child instanceof Mesh) child.geometry.dispose();
    this.#scene.remove(group);
    this.#drawn.delete(key);
  }
}

function geometryOf({ positions, normals, colours, indices }: MeshArrays): BufferGeometry {
  return new BufferGeometry()
    .setAttribute("position", new BufferAttribute(positions, 3))
    .setAttribute("normal", new BufferAttribute(normals, 3))
    .setAttribute("color", new BufferAttribute(colours, 4))
    .setIndex(new BufferAttribute(indices, 1));
}
