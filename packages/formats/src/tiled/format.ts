import { OrthantError, TILE_CHUNKS } from "@orthant/core";
import { encodeUtf8, hash64 } from "@orthant/core/bytes";
import { attempt } from "@orthant/disk/files";
import { fileBytes, startOf } from "../format/files.ts";
import type { Format } from "../format/format.ts";
import { type ConversionLoss, ConversionLosses } from "../format/losses.ts";
import { formatAmount, formatBytes } from "../format/text.ts";
import { damageLines, damageLosses } from "../imported/damage-losses.ts";
import type { ImportedChunk, ImportedLooks, ImportSource } from "../imported/import-source.ts";
import { importedFormat } from "../imported/imported-format.ts";
import { boxAround } from "../imported/surroundings.ts";
import { NOT_STORED, type Triple } from "../part/voxel-part.ts";
import type { TiledLayer } from "./tiled-layer.ts";
import { openTiled, type TiledMap } from "./tiled-map.ts";
import { tiledTileOf } from "./tiled-tile.ts";

const EDGE = 32;
/** Maximum number of chunks of a map: cells of an infinite one may be far apart. */
const TILED_CHUNKS_MAX = 65_536;

/** Maps of Tiled, as worlds of two dimensions. */
export const tiledFormat: Format = importedFormat({
  name: "tiled",
  title: "Tiled",
  options: [
    {
      name: "layer",
      flags: "--layer <name>",
      description:
        "the one layer of a Tiled map to convert (default: all that are visible, the top one counts)",
    },
  ],

  async detect(disk, file) {
    if (file === undefined) return undefined;
    const found = { format: "tiled", dialect: undefined, evidence: file };
    if (/\.(?:tmj|tmx)$/i.test(file)) return found;
    const start = await startOf(disk, file, 1);
    if (!/\.(?:json|xml)$/i.test(file) || (start !== "{" && start !== "<")) return undefined;
    const [map] = await attempt(() => openTiled(disk, file));
    return map && found;
  },

  async openSource(disk, { evidence }, values) {
    const map = await openTiled(disk, evidence);
    return sourceOf(map, evidence, await fileBytes(disk, evidence), values["layer"]);
  },
});

function sourceOf(map: TiledMap, path: string, bytes: number, layerName: string | undefined): ImportSource {
  const { orientation, layers, objects, tilesets, findings } = map;
  const name = path.replace(/^.*\/|\.\w+$/g, "");
  const chosen = chosenLayers(map, layerName);
  let made: ReturnType<typeof chunksOf> | undefined;
  const content = (): ReturnType<typeof chunksOf> => (made ??= chunksOf(map, chosen));
  return {
    shape: TILE_CHUNKS,
    name,
    pieces: [1],
    boxOf: () => boxAround(content().chunks),
    losses: lossesOf(map, chosen, layerName),
    defaults: new Map([["flip", "none"]]),
    info: {
      dialect: orientation,
      facts: {
        orientation,
        isInfinite: map.isInfinite,
        width: map.width,
        height: map.height,
        tileSize: [map.tileWidth, map.tileHeight],
        layers: layers.map((layer) => layer.name),
        tilesets: tilesets.map((tileset) => tileset.name),
        objects: objects.length,
        totalBytes: bytes,
      },
      rows: [
        ["name", name],
        ["file", formatBytes(bytes)],
        ["size", map.isInfinite ? "infinite" : `${map.width} x ${map.height} cells`],
        ["layers", layers.map((layer) => JSON.stringify(layer.name)).join(", ")],
        ["tilesets", tilesets.map((tileset) => JSON.stringify(tileset.name)).join(", ")],
        ["objects", formatAmount(objects.length, "object")],
      ],
      losses: damageLines(findings),
    },
    looksOf,
    async readPiece() {
      const { chunks, covered } = content();
      const losses = new ConversionLosses();
      const remark = "a tile of a layer above is in the same cell; --layer converts one layer";
      losses.add("tiles below others", remark, covered);
      return { chunks, losses: losses.list(), savedAtMs: 0 };
    },
    verify: async () => findings,
    close: async () => undefined,
  };
}

function chosenLayers({ layers }: TiledMap, name: string | undefined): readonly TiledLayer[] {
  if (name === undefined) return layers.filter(({ isVisible }) => isVisible);
  const chosen = layers.filter((layer) => layer.name === name);
  if (chosen.length > 0) return chosen;
  const known = layers.map((layer) => JSON.stringify(layer.name)).join(", ");
  throw new OrthantError(
    "ORT_ARGUMENT",
    `--layer: the map has no layer ${JSON.stringify(name)}; it has ${known}`,
  );
}

function lossesOf(
  { orientation, layers, objects, properties, findings }: TiledMap,
  chosen: readonly TiledLayer[],
  layerName: string | undefined,
): readonly ConversionLoss[] {
  const losses = new ConversionLosses();
  losses.addAll(damageLosses(findings));
  const left = layers.filter((layer) => !chosen.includes(layer));
  const reason = layerName === undefined ? "they are hidden; --layer converts one" : "--layer chose another";
  losses.add("layers", `${reason}; the first is ${JSON.stringify(left[0]?.name)}`, left.length);
  if (orientation !== "orthogonal")
    losses.add("the orientation", `cells become squares; the map is ${orientation}`);
  const moved = chosen.filter(({ offset }) => offset[0] !== 0 || offset[1] !== 0);
  losses.add("offsets of layers", "in pixels; cells stay on their grid", moved.length);
  const faded = chosen.filter(({ opacity }) => opacity < 1);
  losses.add("opacities of layers", "blocks are not faded", faded.length);
  losses.add("objects", `the first is ${JSON.stringify(objects[0]?.name ?? "")}`, objects.length);
  losses.add(
    "properties of the map and its layers",
    "Orthant has none",
    layers.reduce((sum, layer) => sum + layer.properties.size, properties.size),
  );
  return losses.list();
}

/** What a tile shows is a picture, which is not read. */
function looksOf(name: string): ImportedLooks {
  const colour = Number(hash64(encodeUtf8(name)) & 0xff_ffffn);
  return { colour, solid: true, transparent: false, light: 0 };
}

interface TileChunkContent {
  readonly position: Triple;
  readonly palette: string[];
  readonly indices: Uint16Array;
}

/** Rows of a map go down; y of a world goes up, and the first row is at -1. */
function chunksOf(
  { tilesets }: TiledMap,
  layers: readonly TiledLayer[],
): { readonly chunks: readonly ImportedChunk[]; readonly covered: number } {
  const chunks = new Map<string, TileChunkContent>();
  const states = new Map<number, string | undefined>();
  let covered = 0;
  const stateOf = (number: number): string | undefined => {
    if (!states.has(number)) {
      const tile = tiledTileOf(tilesets, number);
      const tileset = tile?.tileset.name.replace(/[^\w.-]+/g, "_").slice(0, 48) || "tileset";
      const flips = tile?.flips === "" ? "" : `[flip=${tile?.flips}]`;
      states.set(number, tile && `${tileset}:${tile.id}${flips}`);
    }
    return states.get(number);
  };
  for (const { pieces } of layers) {
    for (const { x, y, width, cells } of pieces) {
      for (const [at, number] of cells.entries()) {
        const state = number === 0 ? undefined : stateOf(number);
        if (state === undefined) continue;
        const [cellX, cellY] = [x + (at % width), -1 - y - Math.floor(at / width)];
        const chunk = chunkAt(chunks, Math.floor(cellX / EDGE), Math.floor(cellY / EDGE));
        let place = chunk.palette.indexOf(state);
        if (place < 0) place = chunk.palette.push(state) - 1;
        const index = cellX - chunk.position[0] * EDGE + (cellY - chunk.position[1] * EDGE) * EDGE;
        if (chunk.indices[index] !== NOT_STORED) covered++;
        chunk.indices[index] = place;
      }
    }
  }
  return {
    chunks: Array.from(chunks.values(), ({ position, palette, indices }) => ({
      position,
      voxels: { palette, indices },
      data: [],
    })),
    covered,
  };
}

function chunkAt(chunks: Map<string, TileChunkContent>, x: number, y: number): TileChunkContent {
  const key = `${x},${y}`;
  const known = chunks.get(key);
  if (known !== undefined) return known;
  if (chunks.size === TILED_CHUNKS_MAX)
    throw new OrthantError("ORT_LIMIT", `more than ${TILED_CHUNKS_MAX} chunks`);
  const made: TileChunkContent = {
    position: [x, y, 0],
    palette: [],
    indices: new Uint16Array(EDGE * EDGE).fill(NOT_STORED),
  };
  chunks.set(key, made);
  return made;
}
