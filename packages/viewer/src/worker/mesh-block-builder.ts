import { AIR, type Box, type Chunk, type ChunkShape, type Position } from "@orthant/core";
import type { BlockAppearance } from "@orthant/mesh";
import {
  emptyVolume,
  NO_QUADS,
  type QuadList,
  type Volume,
  type VolumeMesh,
  VolumeMesher,
} from "@orthant/mesh/volume";
import {
  differenceOf,
  fillMeshBlock,
  type MeshBlockGrid,
  meshBlockAt,
  meshBlockGrid,
} from "../mesh/mesh-block.ts";
import type { MeshBlock, MeshNumbers, View, WorkerMessage } from "../message/messages.ts";
import { canSweep, type ScenePoint, type Slice, toScene } from "../slice/slice.ts";
import { CutCache } from "./cut-cache.ts";

/** Bytes of meshes that the page may hold for one slice. */
const MESH_BYTES_MAX: number = 96 * 1024 * 1024;
/** Bytes of cached cuts. */
const CUT_BYTES_MAX: number = 48 * 1024 * 1024;
/** Distance within which neighbouring slices are shown, and within which a new slice waits for its mesh blocks. */
const NEAR_VOXELS = 56;

/** Every n-th mesh block made is a new one, even while others keep changing. */
const NEW_TURN = 4;

const NO_SURFACE: VolumeMesh = { opaque: NO_QUADS, cutout: NO_QUADS, blended: NO_QUADS };

interface MadeMeshBlock {
  readonly meshBlock: ScenePoint;
  bytes: number;
}

/** Options shared by the makers of mesh blocks and of maps. */
export interface BuilderOptions {
  readonly shape: ChunkShape;
  readonly appearance: BlockAppearance;
  readonly chunkAt: (position: Position) => Chunk | undefined;
  readonly send: (message: WorkerMessage, transfer: readonly ArrayBuffer[]) => void;
}

/** Makes the meshes of the mesh blocks around a visitor, nearest first, and makes them again after changes. */
export class MeshBlockBuilder {
  readonly #options: BuilderOptions;
  readonly #mesher: VolumeMesher;
  readonly #cuts: CutCache;
  #view: View | undefined;
  #grid: MeshBlockGrid | undefined;
  #volumes: readonly Volume[] = [];
  /** Every mesh block in reach, nearest first. */
  #wanted: readonly ScenePoint[] = [];
  /** Mesh blocks before this index are made, or cannot be made yet. */
  #next = 0;
  #unready = 0;
  readonly #made = new Map<string, MadeMeshBlock>();
  readonly #stale = new Set<string>();
  #center = "";
  #bytes = 0;
  /** Length of the table of materials that the page has. */
  #materialWords = 0;
  #chunks = 0;
  #workMs = 0;
  #told = "";
  #steps = 0;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#mesher = new VolumeMesher(options.appearance);
    this.#cuts = new CutCache(options.shape, options.chunkAt, CUT_BYTES_MAX);
  }

  /** Counters of the work so far. */
  get numbers(): MeshNumbers {
    return {
      meshBytes: this.#bytes,
      meshBlocksMade: this.#made.size,
      meshBlocksWaiting: this.#wanted.length - this.#next + this.#unready + this.#stale.size,
      meshedChunks: this.#chunks,
      meshMs: this.#workMs,
      keptCuts: this.#cuts.count,
      keptCutBytes: this.#cuts.bytes,
    };
  }

  /** Handles a new view or viewpoint. */
  setView(view: View): void {
    const isOther = this.#view?.sliceId !== view.sliceId;
    this.#view = view;
    if (isOther) {
      const grid = meshBlockGrid(this.#options.shape, view.slice);
      this.#grid = grid;
      this.#volumes = [0, 1, 2].map(() => emptyVolume(grid.size));
      this.#made.clear();
      this.#stale.clear();
      this.#bytes = 0;
      this.#center = "";
    }
    this.#arrange();
  }

  /** Handles chunks that were loaded, unloaded or edited. */
  changed(boxes: readonly Box[]): void {
    this.#cuts.forget(boxes);
    this.#next = 0;
    this.#unready = 0;
    const { slice } = this.#view ?? {};
    const grid = this.#grid;
    if (slice === undefined || grid === undefined) return;
    for (const [key, { meshBlock }] of this.#made) {
      if (boxes.some((box) => touches(grid, slice, meshBlock, box))) this.#stale.add(key);
    }
  }

  /** Works for `budgetMs`. Returns whether any work is left. */
  work(budgetMs: number): boolean {
    const startMs = performance.now();
    while (performance.now() - startMs < budgetMs) {
      if (!this.#step()) break;
    }
    this.#workMs += performance.now() - startMs;
    this.#tellProgress();
    return this.#stale.size > 0 || this.#next < this.#wanted.length;
  }

  /** Makes one mesh block. Changed mesh blocks come first, but not always: endless changes must not starve new ones. */
  #step(): boolean {
    this.#steps++;
    const isTurnOfNew = this.#steps % NEW_TURN === 0 && this.#next < this.#wanted.length;
    return (!isTurnOfNew && this.#renew()) || this.#extend();
  }

  /** Makes a changed mesh block again. Returns false when there is none. */
  #renew(): boolean {
    for (const key of this.#stale) {
      this.#stale.delete(key);
      const made = this.#made.get(key);
      if (made === undefined) continue;
      // A mesh block that is no longer loaded stays as it was until it is out of reach, or loaded again.
      this.#make(made.meshBlock);
      return true;
    }
    return false;
  }

  /** Makes the nearest missing mesh block. Returns false when there is none. */
  #extend(): boolean {
    const meshBlock = this.#wanted[this.#next];
    if (meshBlock === undefined) return false;
    this.#next++;
    if (this.#made.has(keyOf(meshBlock))) return true;
    if (this.#bytes > MESH_BYTES_MAX && !this.#dropFarthest(meshBlock)) {
      this.#next = this.#wanted.length;
      return false;
    }
    if (!this.#make(meshBlock)) this.#unready++;
    return true;
  }

  #make(meshBlock: ScenePoint): boolean {
    const view = this.#view;
    const grid = this.#grid;
    const [here, beside, difference] = this.#volumes;
    if (!view || !grid || !here || !beside || !difference) return false;
    const { slice } = view;
    const filling = fillMeshBlock(grid, meshBlock, this.#cuts.of(slice), here);
    if (filling === "unknown") return false;
    if (filling === "air") here.blocks.fill(AIR);
    const { opaque, blended } = filling === "air" ? NO_SURFACE : this.#mesher.mesh(here);
    const ghost = (at: number): QuadList => {
      if (fillMeshBlock(grid, meshBlock, this.#cuts.of({ ...slice, at }), beside) !== "filled")
        return NO_QUADS;
      if (!differenceOf(beside, here, difference)) return NO_QUADS;
      return this.#mesher.mesh(difference).opaque;
    };
    const hasGhosts = view.ghosts && canSweep(this.#options.shape) && this.#distance(meshBlock) < NEAR_VOXELS;
    const before = hasGhosts ? ghost(slice.at - 1) : NO_QUADS;
    const behind = hasGhosts ? ghost(slice.at + 1) : NO_QUADS;
    this.#chunks += grid.chunks[0] * grid.chunks[1] * grid.chunks[2];
    this.#send(view.sliceId, grid, meshBlock, { opaque, transparent: blended, before, behind });
    return true;
  }

  #send(sliceId: number, { size }: MeshBlockGrid, meshBlock: ScenePoint, meshes: MeshBlock): void {
    const key = keyOf(meshBlock);
    const all = [meshes.opaque, meshes.transparent, meshes.before, meshes.behind];
    const bytes = all.reduce((sum, mesh) => sum + mesh.byteLength, 0);
    const old = this.#made.get(key);
    this.#made.set(key, { meshBlock, bytes });
    this.#bytes += bytes - (old?.bytes ?? 0);
    // Most of the sky is empty, and the page needs no message about it.
    if (bytes === 0 && (old === undefined || old.bytes === 0)) return;
    const corner: ScenePoint = [meshBlock[0] * size[0], meshBlock[1] * size[1], meshBlock[2] * size[2]];
    const { materials } = this.#mesher.blocks;
    if (materials.length > this.#materialWords) {
      this.#materialWords = materials.length;
      this.#options.send({ kind: "materials", materials: materials.slice() }, []);
    }
    const buffers = all.filter((mesh) => mesh !== NO_QUADS).map((mesh) => mesh.buffer);
    this.#options.send({ kind: "meshBlock", sliceId, meshBlock, corner, size, meshes }, buffers);
  }

  /** Recomputes the wanted mesh blocks when the visitor has moved to another mesh block. */
  #arrange(): void {
    const view = this.#view;
    const grid = this.#grid;
    if (view === undefined || grid === undefined) return;
    const eye = toScene(view.slice, view.eye);
    const center = meshBlockAt(grid, eye);
    const state = `${keyOf(center)} ${view.reach} ${view.ghosts}`;
    if (state === this.#center) return;
    this.#center = state;
    this.#wanted = meshBlocksAround(grid, eye, view.reach);
    this.#next = 0;
    this.#unready = 0;
    for (const { meshBlock } of [...this.#made.values()]) {
      // The drop distance exceeds the load distance, so that a step back and forth costs nothing.
      if (this.#distance(meshBlock) > view.reach + 2 * Math.max(...grid.size)) this.#drop(meshBlock);
    }
  }

  #dropFarthest(instead: ScenePoint): boolean {
    let farthest: ScenePoint | undefined;
    let distance = this.#distance(instead);
    for (const { meshBlock, bytes } of this.#made.values()) {
      if (bytes === 0 || this.#distance(meshBlock) <= distance) continue;
      farthest = meshBlock;
      distance = this.#distance(meshBlock);
    }
    if (farthest === undefined) return false;
    this.#drop(farthest);
    return true;
  }

  #drop(meshBlock: ScenePoint): void {
    const made = this.#made.get(keyOf(meshBlock));
    if (made === undefined) return;
    this.#made.delete(keyOf(meshBlock));
    this.#bytes -= made.bytes;
    if (made.bytes > 0)
      this.#options.send({ kind: "drop", sliceId: this.#view?.sliceId ?? 0, meshBlock }, []);
  }

  #distance(meshBlock: ScenePoint): number {
    const view = this.#view;
    const grid = this.#grid;
    return view && grid ? distanceTo(grid, meshBlock, toScene(view.slice, view.eye)) : 0;
  }

  #tellProgress(): void {
    const { sliceId } = this.#view ?? {};
    if (sliceId === undefined) return;
    const next = this.#wanted[this.#next];
    const isDone = next === undefined && this.#stale.size === 0;
    const isNearReady = isDone || (next !== undefined && this.#distance(next) > NEAR_VOXELS);
    const told = `${sliceId} ${isNearReady} ${isDone && this.#unready === 0}`;
    if (told === this.#told) return;
    this.#told = told;
    this.#options.send({ kind: "progress", sliceId, isNearReady, isDone: isDone && this.#unready === 0 }, []);
  }
}

/** Returns the mesh blocks within reach of a point, nearest first. */
function meshBlocksAround(grid: MeshBlockGrid, eye: ScenePoint, reach: number): readonly ScenePoint[] {
  const low = meshBlockAt(grid, [eye[0] - reach, eye[1] - reach, eye[2] - reach]);
  const high = meshBlockAt(grid, [eye[0] + reach, eye[1] + reach, eye[2] + reach]);
  const found: { readonly meshBlock: ScenePoint; readonly distance: number }[] = [];
  for (let back = low[2]; back <= high[2]; back++)
    for (let up = low[1]; up <= high[1]; up++)
      for (let right = low[0]; right <= high[0]; right++) {
        const meshBlock: ScenePoint = [right, up, back];
        const distance = distanceTo(grid, meshBlock, eye);
        if (distance <= reach) found.push({ meshBlock, distance });
      }
  return found.sort((a, b) => a.distance - b.distance).map(({ meshBlock }) => meshBlock);
}

function distanceTo({ size }: MeshBlockGrid, meshBlock: ScenePoint, eye: ScenePoint): number {
  return Math.hypot(
    (meshBlock[0] + 0.5) * size[0] - eye[0],
    (meshBlock[1] + 0.5) * size[1] - eye[1],
    (meshBlock[2] + 0.5) * size[2] - eye[2],
  );
}

/** Whether a box of chunks touches a mesh block or its border, including the neighbouring slices. */
function touches({ chunks }: MeshBlockGrid, slice: Slice, meshBlock: ScenePoint, { min, max }: Box): boolean {
  const axes = [slice.right, slice.up, slice.back] as const;
  return axes.every((axis, index) => {
    const low = (meshBlock[index] as number) * (chunks[index] as number);
    return min[axis] <= low + (chunks[index] as number) && max[axis] >= low;
  });
}

function keyOf([right, up, back]: ScenePoint): string {
  return `${right},${up},${back}`;
}
