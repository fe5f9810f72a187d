import type { Axis, Box, Chunk, ChunkShape, Position } from "@orthant/core";
import { floorDivide, floorModulo, indexInChunk } from "@orthant/core/lattice";
import type { BlockAppearance } from "@orthant/mesh";
import { addVoxel, emptyColumns, type MapTileColumns, paintMapTile } from "../map/map-tile.ts";
import type { View, WorkerMessage } from "../message/messages.ts";
import { type MapPlane, mapPlane } from "../slice/slice.ts";

/** Approximate voxels along the edge of a tile. */
const TILE_VOXELS = 64;

/** What the tiles of a map are made of. */
interface MapTileBuilderOptions {
  readonly shape: ChunkShape;
  readonly appearance: BlockAppearance;
  readonly chunkAt: (position: Position) => Chunk | undefined;
  readonly send: (message: WorkerMessage, transfer: readonly ArrayBuffer[]) => void;
}

type MapTile = readonly [across: number, down: number];

/** Makes the tiles of a map, those in the middle first, and makes them again after changes. */
export class MapTileBuilder {
  readonly #options: MapTileBuilderOptions;
  #view: View | undefined;
  #plane: MapPlane | undefined;
  #wanted: readonly MapTile[] = [];
  #next = 0;
  /** Tiles that the page has. */
  readonly #made = new Set<string>();
  #depths: readonly [number, number] = [0, 0];
  #told = "";

  constructor(options: MapTileBuilderOptions) {
    this.#options = options;
  }

  /** Handles a view of another part of the map. */
  setView(view: View): void {
    const { shape } = this.#options;
    const plane = mapPlane(shape, view.slice);
    const depths = this.#depthsOf(view, plane);
    const isOther =
      this.#view?.sliceId !== view.sliceId || depths[0] !== this.#depths[0] || depths[1] !== this.#depths[1];
    if (isOther) this.#made.clear();
    this.#view = view;
    this.#plane = plane;
    this.#depths = depths;
    this.#wanted = this.#tilesIn(view, plane);
    this.#next = 0;
    const wanted = new Set(this.#wanted.map(String));
    for (const key of this.#made) if (!wanted.has(key)) this.#made.delete(key);
  }

  /** Handles chunks that were loaded, unloaded or edited. */
  changed(boxes: readonly Box[]): void {
    const plane = this.#plane;
    if (plane === undefined) return;
    for (const key of this.#made) {
      const tile = key.split(",").map(Number) as unknown as MapTile;
      if (boxes.some((box) => this.#touches(tile, plane, box))) this.#made.delete(key);
    }
    this.#next = 0;
  }

  /** Works for `budgetMs`. Returns whether any work is left. */
  work(budgetMs: number): boolean {
    const startMs = performance.now();
    while (performance.now() - startMs < budgetMs) {
      const tile = this.#wanted[this.#next];
      if (tile === undefined) break;
      this.#next++;
      if (!this.#made.has(String(tile))) this.#make(tile);
    }
    this.#tellProgress();
    return this.#next < this.#wanted.length;
  }

  #make(tile: MapTile): void {
    const view = this.#view;
    const plane = this.#plane;
    if (view === undefined || plane === undefined) return;
    const { appearance, send } = this.#options;
    const size = this.#tileSize(plane);
    const columns = emptyColumns(size[0], size[1]);
    if (!this.#scan(tile, columns, view, plane)) return;
    this.#made.add(String(tile));
    const pixels = paintMapTile(columns, appearance, plane.along !== undefined);
    send({ kind: "mapTile", tile, size, pixels }, [pixels.buffer]);
  }

  /** Scans every chunk of a tile from above. Returns false when some of them are not loaded. */
  #scan(tile: MapTile, columns: MapTileColumns, view: View, plane: MapPlane): boolean {
    const counts = this.#chunksOf(plane);
    for (let down = 0; down < counts[1]; down++)
      for (let across = 0; across < counts[0]; across++) {
        const corner: MapTile = [tile[0] * counts[0] + across, tile[1] * counts[1] + down];
        for (let depth = this.#depths[1]; depth >= this.#depths[0]; depth--) {
          const seen = this.#scanChunk(corner, depth, [across, down], columns, view, plane);
          if (seen === undefined) return false;
          if (!seen) break;
        }
      }
    return true;
  }

  /** Scans one chunk from above. Returns false if it hides everything below, `undefined` if not loaded. */
  #scanChunk(
    corner: MapTile,
    depth: number,
    [across, down]: MapTile,
    columns: MapTileColumns,
    { slice, eye }: View,
    plane: MapPlane,
  ): boolean | undefined {
    const { shape, chunkAt, appearance } = this.#options;
    const { extents } = shape;
    const position: [number, number, number, number] = [0, 0, 0, 0];
    for (const axis of [0, 1, 2, 3] as const)
      position[axis] = floorDivide(Math.floor(eye[axis]), extents[axis]);
    position[slice.hidden] = floorDivide(slice.at, extents[slice.hidden]);
    position[plane.across] = corner[0];
    position[plane.down] = corner[1];
    if (plane.along !== undefined) position[plane.along] = depth;
    const chunk = chunkAt(position as Position);
    if (chunk === undefined) return undefined;
    if (chunk.isEmpty) return true;
    const voxels = chunk.voxels();
    const cell: [number, number, number, number] = [0, 0, 0, 0];
    cell[slice.hidden] = floorModulo(slice.at, extents[slice.hidden]);
    const layers = plane.along === undefined ? 1 : extents[plane.along];
    let isOpen = false;
    for (let v = 0; v < extents[plane.down]; v++)
      for (let u = 0; u < extents[plane.across]; u++) {
        const row = down * extents[plane.down] + v;
        const shown =
          (plane.isUpright ? columns.rows - 1 - row : row) * columns.width +
          across * extents[plane.across] +
          u;
        if (columns.grounds[shown] !== 0) continue;
        cell[plane.across] = u;
        cell[plane.down] = v;
        let sees = true;
        for (let layer = layers - 1; sees && layer >= 0; layer--) {
          if (plane.along !== undefined) cell[plane.along] = layer;
          const block = voxels[indexInChunk(shape, ...cell)] as number;
          sees = addVoxel(columns, shown, block, depth * layers + layer, appearance);
        }
        isOpen ||= sees;
      }
    return isOpen;
  }

  #tilesIn({ map, eye }: View, plane: MapPlane): readonly MapTile[] {
    if (map === undefined) return [];
    const size = this.#tileSize(plane);
    const tiles: MapTile[] = [];
    for (let down = floorDivide(Math.floor(map.min[1]), size[1]); down * size[1] < map.max[1]; down++)
      for (
        let across = floorDivide(Math.floor(map.min[0]), size[0]);
        across * size[0] < map.max[0];
        across++
      ) {
        tiles.push([across, down]);
      }
    const distance = ([across, down]: MapTile): number =>
      Math.hypot((across + 0.5) * size[0] - eye[plane.across], (down + 0.5) * size[1] - eye[plane.down]);
    return tiles.sort((a, b) => distance(a) - distance(b));
  }

  /** Returns the lowest and highest chunk that the map looks through. */
  #depthsOf({ eye, reach }: View, { along }: MapPlane): readonly [number, number] {
    if (along === undefined) return [0, 0];
    const extent = this.#options.shape.extents[along];
    return [
      floorDivide(Math.floor(eye[along] - reach), extent),
      floorDivide(Math.floor(eye[along] + reach), extent),
    ];
  }

  #chunksOf({ across, down }: MapPlane): MapTile {
    const { extents } = this.#options.shape;
    const count = (axis: Axis): number => Math.max(1, Math.min(8, Math.floor(TILE_VOXELS / extents[axis])));
    return [count(across), count(down)];
  }

  #tileSize(plane: MapPlane): MapTile {
    const { extents } = this.#options.shape;
    const counts = this.#chunksOf(plane);
    return [counts[0] * extents[plane.across], counts[1] * extents[plane.down]];
  }

  #touches(tile: MapTile, plane: MapPlane, { min, max }: Box): boolean {
    const counts = this.#chunksOf(plane);
    const isOn = (axis: Axis, index: 0 | 1): boolean =>
      min[axis] < (tile[index] + 1) * counts[index] && max[axis] > tile[index] * counts[index];
    return isOn(plane.across, 0) && isOn(plane.down, 1);
  }

  #tellProgress(): void {
    const { sliceId } = this.#view ?? {};
    if (sliceId === undefined) return;
    const isDone = this.#next >= this.#wanted.length && this.#made.size >= this.#wanted.length;
    const told = `${sliceId} ${isDone}`;
    if (told === this.#told) return;
    this.#told = told;
    this.#options.send({ kind: "progress", sliceId, isDone }, []);
  }
}
