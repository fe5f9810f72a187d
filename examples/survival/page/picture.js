// Draws the world with three.js: the chunks around the player, and everything that moves.
import { buildMesh } from "@orthant/mesh";
import * as THREE from "three";
import { SHEEP, WOLF } from "../land.mjs";

const MESH_MS = 8;
const FIGURES = {
  player: { size: [0.6, 1.8, 0.6], colour: 0x3a6fd8 },
  [SHEEP]: { size: [0.8, 0.9, 1.2], colour: 0xf2efe6 },
  [WOLF]: { size: [0.7, 0.9, 1.4], colour: 0x4d4b48 },
};

export class Picture {
  camera = new THREE.PerspectiveCamera(70, 1, 0.05, 200);
  #client;
  #renderer;
  #scene = new THREE.Scene();
  #chunks = new Map(); // by the chunk's position as text: a group with its meshes
  #stale = new Map(); // by the same: the positions of chunks to draw again
  #figures = new Map(); // by the entity's id
  #materials = {
    opaque: new THREE.MeshLambertMaterial({ vertexColors: true }),
    transparent: new THREE.MeshLambertMaterial({ vertexColors: true, transparent: true, depthWrite: false }),
  };

  constructor(canvas, client, viewVoxels) {
    this.#client = client;
    this.#renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    const sky = new THREE.Color(0x9cc8ec);
    this.#scene.background = sky;
    this.#scene.fog = new THREE.Fog(sky, viewVoxels * 0.6, viewVoxels);
    const sun = new THREE.DirectionalLight(0xfff4e0, 1.6);
    sun.position.set(3, 6, 2);
    this.#scene.add(sun, new THREE.HemisphereLight(0xffffff, 0x9a9080, 1.8));
    this.camera.rotation.order = "YXZ";
    client.onChunks((boxes) => {
      // A chunk's mesh depends on the chunks beside it: they hide and shade its faces.
      for (const { min, max } of boxes)
        for (let x = min[0] - 1; x <= max[0]; x++)
          for (let y = min[1] - 1; y <= max[1]; y++)
            for (let z = min[2] - 1; z <= max[2]; z++) this.#stale.set(`${x},${y},${z}`, [x, y, z]);
    });
  }

  draw() {
    const { clientWidth, clientHeight } = this.#renderer.domElement;
    this.#renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.#drawChunks();
    this.#moveFigures();
    this.#renderer.render(this.#scene, this.camera);
  }

  /** Draws chunks that changed, for a few milliseconds in each frame. */
  #drawChunks() {
    const start = performance.now();
    for (const [key, position] of this.#stale) {
      if (performance.now() - start > MESH_MS) break;
      this.#stale.delete(key);
      const mesh = buildMesh(this.#client, position);
      // Without the chunks beside it, a chunk stays as it is drawn; without the chunk itself, it goes.
      if (mesh === undefined && this.#client.chunkAt(position) !== undefined) continue;
      this.#remove(key);
      if (mesh !== undefined) this.#add(key, mesh);
    }
  }

  #add(key, mesh) {
    const group = new THREE.Group();
    group.position.set(...mesh.origin);
    for (const kind of ["opaque", "transparent"])
      if (mesh[kind].indices.length > 0)
        group.add(new THREE.Mesh(geometryOf(mesh[kind]), this.#materials[kind]));
    if (group.children.length === 0) return; // most chunks are all air or all ground
    this.#chunks.set(key, group);
    this.#scene.add(group);
  }

  #remove(key) {
    const group = this.#chunks.get(key);
    if (group === undefined) return;
    for (const { geometry } of group.children) geometry.dispose();
    this.#scene.remove(group);
    this.#chunks.delete(key);
  }

  /** Shows players and animals between the poses that the server has sent. */
  #moveFigures() {
    const seen = new Set();
    for (const { id, isPlayer, kind, position, orientation } of this.#client.entitiesAt()) {
      const key = `${isPlayer} ${id}`;
      seen.add(key);
      const { size, colour } = FIGURES[isPlayer ? "player" : kind] ?? FIGURES.player;
      const figure = this.#figures.get(key) ?? this.#newFigure(key, size, colour);
      figure.position.set(position[0], position[1] + size[1] / 2, position[2]);
      figure.quaternion.set(...orientation);
    }
    for (const [key, figure] of this.#figures) {
      if (seen.has(key)) continue;
      this.#scene.remove(figure);
      figure.geometry.dispose();
      this.#figures.delete(key);
    }
  }

  #newFigure(key, size, color) {
    const figure = new THREE.Mesh(new THREE.BoxGeometry(...size), new THREE.MeshLambertMaterial({ color }));
    this.#figures.set(key, figure);
    this.#scene.add(figure);
    return figure;
  }
}

function geometryOf({ positions, normals, colours, indices }) {
  return new THREE.BufferGeometry()
    .setAttribute("position", new THREE.BufferAttribute(positions, 3))
    .setAttribute("normal", new THREE.BufferAttribute(normals, 3))
    .setAttribute("color", new THREE.BufferAttribute(colours, 4))
    .setIndex(new THREE.BufferAttribute(indices, 1));
}
