import { QUAD_WORDS, quadCount, type VolumeMesh } from "@orthant/mesh/volume";
import { URGENT } from "@orthant/worker-pool/browser";
import type { Object3D } from "three";
import type { Drawing } from "./drawing.ts";
import type { Section } from "./section.ts";
import type { ViewPoint } from "./section-grid.ts";
import { disposeMesh, meshesOf, QUAD_CORNERS, quadsByKind, sortMesh } from "./section-meshes.ts";

/** Transparent faces are sorted around the eye in sections up to here, and at most this many of them for each picture. */
const SORTED_VOXELS = 64;
const SORTS_MAX = 2;

/** Sections that come into the picture at once, however slow the page is. */
const SHOWN_MIN = 8;

/** Pictures that take longer than this, such as without a graphics card, may bring more: up to this many times as much. */
const SLOW_PICTURE_MS = 50;
const SLOW_TIMES_MAX = 8;

/** How much may be uploaded for one picture. */
export interface UploadBudget {
  readonly bytes: number;
  readonly milliseconds: number;
}

/** The meshes in the scene. Those that arrive come into the picture a few at a time. */
export class DrawnSections {
  #group: Object3D;
  readonly #arrived = new Set<Section>();
  readonly #transparent = new Set<Section>();
  /** Of the quads in the picture. */
  bytes = 0;
  /** Sections with something to draw. */
  count = 0;
  /** Bytes for the last picture. */
  uploadedBytes = 0;
  #uploadedAt = 0;

  constructor(group: Object3D) {
    this.#group = group;
  }

  /** Number of meshes that are not in the picture yet. */
  get arriving(): number {
    return this.#arrived.size;
  }

  /** Brings all meshes into another group. */
  moveTo(group: Object3D): void {
    if (this.#group.children.length > 0) group.add(...this.#group.children);
    this.#group = group;
  }

  /** Takes over a section's mesh, to be shown soon. */
  take(section: Section, mesh: VolumeMesh, drawing: Drawing): void {
    this.#forget(section);
    section.isEmpty = mesh.opaque.length + mesh.cutout.length + mesh.blended.length === 0;
    if (section.isEmpty && section.meshes.length === 0) return;
    drawing.use();
    section.arrived = { mesh, drawing };
    this.#arrived.add(section);
  }

  /** Removes a section from the picture. */
  clear(section: Section): void {
    this.#forget(section);
    section.isEmpty = true;
    this.#remove(section);
  }

  /** Brings what arrived into the picture, urgent and near ones first, as far as the budget allows. */
  upload({ bytes, milliseconds }: UploadBudget, distanceOf: (section: Section) => number): void {
    const start = performance.now();
    const times = Math.min(SLOW_TIMES_MAX, Math.max(1, (start - this.#uploadedAt) / SLOW_PICTURE_MS));
    this.#uploadedAt = start;
    this.uploadedBytes = 0;
    if (this.#arrived.size === 0) return;
    const rank = (section: Section): number => (section.lead === URGENT ? URGENT : distanceOf(section));
    const end = start + milliseconds * times;
    let shown = 0;
    for (const section of [...this.#arrived].sort((a, b) => rank(a) - rank(b))) {
      const isOver = this.uploadedBytes >= bytes * times || (shown++ >= SHOWN_MIN && performance.now() > end);
      if (isOver && section.lead !== URGENT) return;
      this.#show(section);
    }
  }

  /** Sorts transparent faces around the eye, in the nearest sections that need it. */
  sort(eye: ViewPoint, distanceOf: (section: Section) => number): void {
    const at = String(eye.map(Math.floor));
    let sorts = 0;
    for (const section of this.#transparent) {
      if (section.sortedFor === at || distanceOf(section) > SORTED_VOXELS) continue;
      section.sortedFor = at;
      for (const mesh of section.meshes) {
        if (mesh.name !== "blended") continue;
        const { x, y, z } = mesh.position;
        sortMesh(mesh, [eye[0] - x, eye[1] - y, eye[2] - z]);
      }
      if (++sorts === SORTS_MAX) return;
    }
  }

  #show(section: Section): void {
    const { arrived } = section;
    if (arrived === undefined) return;
    section.arrived = undefined;
    this.#arrived.delete(section);
    const { mesh, drawing } = arrived;
    this.#remove(section);
    const quads = quadsByKind(mesh, drawing.looks);
    const { min, max } = section.box;
    const size = [max.x - min.x, max.y - min.y, max.z - min.z] as const;
    section.drawing = drawing;
    section.meshes = meshesOf(quads, drawing, [min.x, min.y, min.z], size);
    section.sortedFor = "";
    section.bytes = Object.values(quads).reduce((sum, list) => sum + list.byteLength * QUAD_CORNERS, 0);
    if (quadCount(quads.blended) > 1) this.#transparent.add(section);
    if (section.meshes.length > 0) {
      this.#group.add(...section.meshes);
      this.count++;
    }
    this.bytes += section.bytes;
    this.uploadedBytes += section.bytes;
  }

  #forget(section: Section): void {
    section.arrived?.drawing.release();
    section.arrived = undefined;
    this.#arrived.delete(section);
  }

  #remove(section: Section): void {
    this.#transparent.delete(section);
    if (section.meshes.length > 0) {
      this.#group.remove(...section.meshes);
      this.count--;
    }
    for (const mesh of section.meshes) disposeMesh(mesh);
    this.bytes -= section.bytes;
    section.bytes = 0;
    section.meshes = [];
    section.drawing?.release();
    section.drawing = undefined;
  }
}

/** Number of faces that some bytes of quads are. */
export function quadsIn(bytes: number): number {
  return bytes / (QUAD_WORDS * QUAD_CORNERS * Uint32Array.BYTES_PER_ELEMENT);
}
