import type { LookPack } from "@orthant/mesh/looks";
import { type Sky, WorldView, type WorldViewStats } from "@orthant/three";
import type { MeshPool } from "@orthant/worker-pool/browser";
import { type Camera, Group } from "three";
import type { WorldMirror } from "../mirror/world-mirror.ts";
import { canSweep, type Slice } from "../slice/slice.ts";
import { GHOST_COLOURS, ghostMaterial } from "./ghost-material.ts";

/** Distance within which the slices beside the shown one are seen. */
const GHOST_VOXELS = 56;
/** Meshes on the graphics card; of more, the farthest are left out. */
const MESH_BYTES: number = 192 * 1024 * 1024;

/** What a world is drawn with. */
export interface DrawnWorldOptions {
  readonly pool: MeshPool;
  readonly sky: Sky;
  readonly slice: Slice;
  readonly onFailure: (error: unknown) => void;
}

/** A slice of a world in the scene, and ghosts of the slices beside it. */
export class DrawnWorld {
  readonly group: Group = new Group();
  readonly #view: WorldView;
  /** Before the slice, and behind it. */
  readonly #ghosts: readonly WorldView[];
  #drawn = "";

  constructor(mirror: WorldMirror, { slice, onFailure, pool, sky }: DrawnWorldOptions) {
    this.#view = new WorldView(mirror, { pool, sky, slice, meshBytes: MESH_BYTES, onFailure });
    const ghostOf = (side: keyof typeof GHOST_COLOURS): WorldView =>
      new WorldView(mirror, {
        pool,
        slice,
        onFailure,
        isLit: false,
        viewDistance: GHOST_VOXELS,
        material: ghostMaterial(GHOST_COLOURS[side]),
      });
    this.#ghosts = canSweep(mirror.chunkShape) ? [ghostOf("before"), ghostOf("behind")] : [];
    this.group.add(this.#view, ...this.#ghosts);
    this.slice = slice;
  }

  get stats(): WorldViewStats {
    return this.#view.stats;
  }

  set slice(slice: Slice) {
    const { hidden, at } = this.#view.slice;
    if (hidden !== slice.hidden || at !== slice.at) this.#view.slice = slice;
    for (const [index, ghost] of this.#ghosts.entries()) {
      const beside = { ...slice, at: slice.at + (index === 0 ? -1 : 1) };
      if (hidden !== slice.hidden || ghost.slice.at !== beside.at) ghost.slice = beside;
    }
  }

  set reach(reach: number) {
    this.#view.viewDistance = reach;
  }

  set hasGhosts(hasGhosts: boolean) {
    for (const ghost of this.#ghosts) ghost.visible = hasGhosts;
  }

  /** Draws blocks as a pack says. */
  set looks(pack: LookPack) {
    this.#view.looks = pack;
  }

  /** Whether everything in reach is in the picture. */
  get isSettled(): boolean {
    return this.#all.every((view) => view.isComplete);
  }

  /** Brings meshes around a camera into the picture. Returns whether anything looks different. */
  update(camera: Camera): boolean {
    // Ghosts wait for what they lie over.
    const isOver = this.#view.stats.pendingSections === 0;
    for (const view of this.#all) if (view === this.#view || isOver) view.update(camera);
    const stats = this.#all.map(({ stats }) => stats);
    const drawn = stats.map(({ bytes, drawnSections }) => `${bytes} ${drawnSections}`).join();
    const isOther = drawn !== this.#drawn || stats.some(({ uploadedBytes }) => uploadedBytes > 0);
    this.#drawn = drawn;
    return isOther;
  }

  /** Frees everything. */
  dispose(): void {
    for (const view of this.#all) view.dispose();
    this.group.removeFromParent();
  }

  get #all(): readonly WorldView[] {
    return [this.#view, ...this.#ghosts.filter(({ visible }) => visible)];
  }
}
