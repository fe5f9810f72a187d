import type { MapWindow, WorkerMessage } from "../message/messages.ts";

/** Whole pixels per voxel, so that all voxels have the same size. */
const ZOOMS: readonly number[] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
/** Tiles kept in memory, visible or not. */
const TILES_KEPT = 2_048;

type MapTileMessage = Extract<WorkerMessage, { kind: "mapTile" }>;

/** Draws a map from tiles. A voxel is always a square of whole pixels. */
export class MapCanvas {
  readonly #canvas: HTMLCanvasElement;
  readonly #drawing: CanvasRenderingContext2D;
  readonly #tiles = new Map<
    string,
    { readonly tile: readonly [number, number]; readonly picture: HTMLCanvasElement }
  >();
  #zoom = 4;
  #center: readonly [across: number, down: number] = [0, 0];
  #isUpright = false;
  #size: readonly [number, number] = [64, 64];

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    const drawing = canvas.getContext("2d", { alpha: false });
    if (drawing === null) throw new TypeError("this browser cannot draw a map");
    this.#drawing = drawing;
  }

  /** Pixels per voxel. */
  get zoom(): number {
    return this.#zoom;
  }

  set zoom(zoom: number) {
    this.#zoom = ZOOMS.reduce(
      (best, next) => (Math.abs(next - zoom) < Math.abs(best - zoom) ? next : best),
      1,
    );
  }

  /** Zooms in by `steps`, or out when it is negative. */
  zoomBy(steps: number): void {
    const index = ZOOMS.indexOf(this.#zoom) + steps;
    this.#zoom = ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, index))] ?? this.#zoom;
  }

  /** Centers the map on a position, in voxels. Upright means that greater coordinates are higher. */
  centerOn(center: readonly [number, number], isUpright: boolean): void {
    this.#center = center;
    this.#isUpright = isUpright;
  }

  /** The visible voxels. */
  get window(): MapWindow {
    const ratio = devicePixelRatio;
    const across = (this.#canvas.clientWidth * ratio) / this.#zoom / 2;
    const down = (this.#canvas.clientHeight * ratio) / this.#zoom / 2;
    const [a, d] = this.#center;
    return { min: [a - across, d - down], max: [a + across, d + down] };
  }

  /** Adds a tile, or replaces it. */
  addTile({ tile, size, pixels }: MapTileMessage): void {
    const key = String(tile);
    const picture = document.createElement("canvas");
    picture.width = size[0];
    picture.height = size[1];
    picture.getContext("2d")?.putImageData(new ImageData(pixels, size[0], size[1]), 0, 0);
    this.#size = size;
    this.#tiles.delete(key);
    this.#tiles.set(key, { tile, picture });
    const [oldest] = this.#tiles.keys();
    if (this.#tiles.size > TILES_KEPT && oldest !== undefined) this.#tiles.delete(oldest);
  }

  /** Removes all tiles. */
  clear(): void {
    this.#tiles.clear();
  }

  /** Returns the voxel under a point of the canvas, in CSS pixels. */
  voxelAt(left: number, top: number): readonly [across: number, down: number] {
    const [x, y] = this.#corner();
    const ratio = devicePixelRatio;
    const across = Math.floor((left * ratio + x) / this.#zoom);
    const row = Math.floor((top * ratio + y) / this.#zoom);
    return [across, this.#isUpright ? -1 - row : row];
  }

  /** Returns where a point of the map is on the canvas, in CSS pixels. */
  pixelAt(across: number, down: number): readonly [left: number, top: number] {
    const [x, y] = this.#corner();
    const row = this.#isUpright ? -down : down;
    return [(across * this.#zoom - x) / devicePixelRatio, (row * this.#zoom - y) / devicePixelRatio];
  }

  /** Draws the map. */
  draw(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    const width = Math.floor(clientWidth * devicePixelRatio);
    const height = Math.floor(clientHeight * devicePixelRatio);
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
    }
    const drawing = this.#drawing;
    drawing.imageSmoothingEnabled = false;
    drawing.fillStyle = "#10141f";
    drawing.fillRect(0, 0, width, height);
    const [left, top] = this.#corner();
    const [across, down] = this.#size;
    for (const { tile, picture } of this.#tiles.values()) {
      const row = this.#isUpright ? -(tile[1] + 1) * down : tile[1] * down;
      const x = tile[0] * across * this.#zoom - left;
      const y = row * this.#zoom - top;
      if (x >= width || y >= height || x + across * this.#zoom <= 0 || y + down * this.#zoom <= 0) continue;
      drawing.drawImage(picture, x, y, across * this.#zoom, down * this.#zoom);
    }
  }

  /** Returns the pixel of the whole map that lies in the corner of the canvas. */
  #corner(): readonly [left: number, top: number] {
    const [across, down] = this.#center;
    const row = this.#isUpright ? -down : down;
    const ratio = devicePixelRatio;
    return [
      Math.round(across * this.#zoom - (this.#canvas.clientWidth * ratio) / 2),
      Math.round(row * this.#zoom - (this.#canvas.clientHeight * ratio) / 2),
    ];
  }
}
