import { OrthantError } from "@orthant/core";
import type { FindingLog } from "../part/finding-log.ts";
import { readTileNumbers } from "./tile-data.ts";
import { asNumber, asRecord, asText, asTruth, recordsIn, type TiledRecord } from "./tiled-source.ts";
import { type TiledTileset, tiledTileOf } from "./tiled-tile.ts";

/** Maximum number of cells of a map. */
export const TILED_CELLS_MAX = 16_777_216;
const DEPTH_MAX = 64;
/** Maximum number of cells that are compared one by one. */
const COMPARED_CELLS_MAX = 1_048_576;
const COORDINATE_MAX = 2 ** 31;

/** A box of cells of a layer. */
export interface TiledPiece {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Global numbers of tiles with their flips, row by row from the top; 0 is empty. */
  readonly cells: Uint32Array;
}

/** A layer of tiles. */
export interface TiledLayer {
  readonly name: string;
  /** In pixels, with those of the groups around it. */
  readonly offset: readonly [x: number, y: number];
  readonly opacity: number;
  readonly isVisible: boolean;
  readonly properties: ReadonlyMap<string, unknown>;
  /** Where pieces overlap, a later one wins. */
  readonly pieces: readonly TiledPiece[];
}

/** An object of a map, in pixels. */
export interface TiledObject {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  /** Name of its layer. */
  readonly layer: string;
  /** Top left; bottom left of an object that shows a tile. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly rotation: number;
  readonly shape: "rectangle" | "point" | "ellipse" | "polygon" | "polyline" | "text" | "tile";
  /** Global number of the tile that it shows. */
  readonly tile: number | undefined;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly text: string | undefined;
  readonly properties: ReadonlyMap<string, unknown>;
}

/** Reads all layers of a map, those in groups among them. */
export async function readTiledLayers(
  map: TiledRecord,
  tilesets: readonly TiledTileset[],
  findings: FindingLog,
): Promise<{ readonly layers: readonly TiledLayer[]; readonly objects: readonly TiledObject[] }> {
  const reader = new LayerReader(tilesets, findings);
  await reader.readAll(recordsIn(map["layers"]), { offset: [0, 0], isVisible: true, opacity: 1 }, 0);
  return reader;
}

type Outer = Pick<TiledLayer, "offset" | "isVisible" | "opacity">;

class LayerReader {
  readonly #tilesets: readonly TiledTileset[];
  readonly #findings: FindingLog;
  #cellsLeft = TILED_CELLS_MAX;
  readonly layers: TiledLayer[] = [];
  readonly objects: TiledObject[] = [];

  constructor(tilesets: readonly TiledTileset[], findings: FindingLog) {
    this.#tilesets = tilesets;
    this.#findings = findings;
  }

  async readAll(layers: readonly TiledRecord[], outer: Outer, depth: number): Promise<void> {
    if (depth > DEPTH_MAX) throw new OrthantError("ORT_LIMIT", `groups nested deeper than ${DEPTH_MAX}`);
    for (const layer of layers) {
      const placed: Outer = {
        offset: [
          outer.offset[0] + (asNumber(layer["offsetx"]) ?? 0),
          outer.offset[1] + (asNumber(layer["offsety"]) ?? 0),
        ],
        isVisible: outer.isVisible && asTruth(layer["visible"], true),
        opacity: outer.opacity * (asNumber(layer["opacity"]) ?? 1),
      };
      const name = asText(layer["name"]) ?? "";
      if (layer["type"] === "group") await this.readAll(recordsIn(layer["layers"]), placed, depth + 1);
      if (layer["type"] === "tilelayer") await this.#tiles(layer, name, placed);
      if (layer["type"] === "objectgroup") {
        for (const object of recordsIn(layer["objects"])) this.objects.push(objectOf(object, name));
      }
    }
  }

  async #tiles(layer: TiledRecord, name: string, placed: Outer): Promise<void> {
    try {
      const chunks = layer["chunks"];
      const boxes = chunks === undefined ? [{ ...layer, x: 0, y: 0 }] : recordsIn(chunks);
      const pieces: TiledPiece[] = [];
      for (const box of boxes) pieces.push(await this.#piece(box, layer, name));
      this.#checkTiles(pieces, name);
      this.#checkOverlaps(pieces, name);
      this.layers.push({ name, ...placed, properties: propertiesOf(layer), pieces });
    } catch (error) {
      this.#findings.lost(`layer ${JSON.stringify(name)} is left out`, error);
    }
  }

  async #piece(box: TiledRecord, layer: TiledRecord, name: string): Promise<TiledPiece> {
    const [x, y, width, height] = ["x", "y", "width", "height"].map(
      (field) => asNumber(box[field]) ?? Number.NaN,
    ) as [number, number, number, number];
    const isWhole = [x, y, width, height].every(
      (at) => Number.isInteger(at) && Math.abs(at) < COORDINATE_MAX,
    );
    const count = width * height;
    if (!isWhole || width < 0 || height < 0)
      throw new OrthantError("ORT_FOREIGN", `a box of ${width} x ${height} at [${x}, ${y}]`);
    if (count > this.#cellsLeft) throw new OrthantError("ORT_LIMIT", `more than ${TILED_CELLS_MAX} cells`);
    this.#cellsLeft -= count;
    const numbers = await readTileNumbers(
      box["data"],
      asText(layer["encoding"]),
      asText(layer["compression"]),
      count,
    );
    if (numbers.length < count) {
      const detail = `${numbers.length} of ${count} cells at [${x}, ${y}]; the rest is empty`;
      this.#findings.damage("ORT_FOREIGN", `layer ${JSON.stringify(name)} has ${detail}`);
    }
    const cells = new Uint32Array(count);
    cells.set(numbers);
    return { x, y, width, height, cells };
  }

  #checkTiles(pieces: readonly TiledPiece[], name: string): void {
    let unknown = 0;
    let last = 0;
    let isKnown = true;
    for (const { cells } of pieces) {
      for (const number of cells) {
        // Cells are often like the one before.
        if (number !== last) isKnown = number === 0 || tiledTileOf(this.#tilesets, number) !== undefined;
        last = number;
        if (!isKnown) unknown++;
      }
    }
    if (unknown > 0) {
      this.#findings.damage(
        "ORT_FOREIGN",
        `${unknown} cells of layer ${JSON.stringify(name)} have tiles of no tileset`,
      );
    }
  }

  /** Chunks of one size on a grid overlap only where they are the same; others are compared cell by cell. */
  #checkOverlaps(pieces: readonly TiledPiece[], name: string): void {
    const [first] = pieces;
    if (first === undefined || pieces.length === 1) return;
    const isGrid = pieces.every(
      ({ x, y, width, height }) =>
        width === first.width &&
        height === first.height &&
        (x - first.x) % width === 0 &&
        (y - first.y) % height === 0,
    );
    if (!isGrid && pieces.reduce((sum, { cells }) => sum + cells.length, 0) > COMPARED_CELLS_MAX) {
      this.#findings.notice(
        `chunks of layer ${JSON.stringify(name)} are on no grid, and too large to compare`,
      );
      return;
    }
    const seen = new Set<string>();
    let shared = 0;
    for (const { x, y, width, height } of pieces) {
      for (let row = 0; row < (isGrid ? 1 : height); row++) {
        for (let column = 0; column < (isGrid ? 1 : width); column++) {
          const key = `${x + column},${y + row}`;
          if (seen.has(key)) shared += isGrid ? width * height : 1;
          seen.add(key);
        }
      }
    }
    if (shared > 0) {
      this.#findings.damage(
        "ORT_FOREIGN",
        `${shared} cells of layer ${JSON.stringify(name)} are in two chunks; the later one counts`,
      );
    }
  }
}

function objectOf(object: TiledRecord, layer: string): TiledObject {
  const tile = asNumber(object["gid"]);
  const outline = recordsIn(object["polygon"] ?? object["polyline"]);
  const text = asText(asRecord(object["text"])?.["text"]);
  const marked = (["point", "ellipse", "polygon", "polyline", "text"] as const).find(
    (shape) => object[shape] !== undefined,
  );
  return {
    id: asNumber(object["id"]) ?? 0,
    name: asText(object["name"]) ?? "",
    type: asText(object["type"]) ?? asText(object["class"]) ?? "",
    layer,
    x: asNumber(object["x"]) ?? 0,
    y: asNumber(object["y"]) ?? 0,
    width: asNumber(object["width"]) ?? 0,
    height: asNumber(object["height"]) ?? 0,
    rotation: asNumber(object["rotation"]) ?? 0,
    shape: tile === undefined ? (marked ?? "rectangle") : "tile",
    tile,
    points: outline.map(({ x, y }) => [asNumber(x) ?? 0, asNumber(y) ?? 0]),
    text,
    properties: propertiesOf(object),
  };
}

/** Returns the properties of a map, a layer or an object. A name that is not text is an empty one. */
export function propertiesOf(holder: TiledRecord): ReadonlyMap<string, unknown> {
  return new Map(recordsIn(holder["properties"]).map(({ name, value }) => [asText(name) ?? "", value]));
}
