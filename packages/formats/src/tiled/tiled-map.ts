import { isOrthantError, OrthantError } from "@orthant/core";
import { requireText } from "@orthant/core/arguments";
import type { Disk } from "@orthant/disk";
import { type Finding, readWhole, requireDisk } from "@orthant/disk/files";
import { FindingLog } from "../part/finding-log.ts";
import { propertiesOf, readTiledLayers, type TiledLayer, type TiledObject } from "./tiled-layer.ts";
import { asNumber, asText, asTruth, parseTiledSource, recordsIn, type TiledRecord } from "./tiled-source.ts";
import type { TiledTileset } from "./tiled-tile.ts";

/** Maximum bytes of a map or a tileset: its text becomes objects many times as large. */
export const TILED_BYTES_MAX = 33_554_432;

/** A map of Tiled. */
export interface TiledMap {
  readonly orientation: string;
  readonly isInfinite: boolean;
  /** In cells; without a meaning in an infinite map. */
  readonly width: number;
  readonly height: number;
  /** Of a cell, in pixels. */
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** Ascending by their first tile. */
  readonly tilesets: readonly TiledTileset[];
  /** Layers of tiles, from the bottom up, those in groups among them. */
  readonly layers: readonly TiledLayer[];
  readonly objects: readonly TiledObject[];
  readonly properties: ReadonlyMap<string, unknown>;
  readonly findings: readonly Finding[];
}

/**
 * Reads a map of Tiled, `.tmx` or `.tmj`, with the tilesets beside it. Throws if it is not one; a layer that cannot be read
 * is left out, with a finding.
 */
export async function openTiled(disk: Disk, path: string): Promise<TiledMap> {
  requireDisk("disk", disk);
  requireText("path", path);
  const findings = new FindingLog(path);
  const source = parseTiledSource(await readWhole(disk, path, TILED_BYTES_MAX));
  const tileWidth = asNumber(source["tilewidth"]);
  const tileHeight = asNumber(source["tileheight"]);
  if (source["layers"] === undefined || tileWidth === undefined || tileHeight === undefined) {
    throw new OrthantError("ORT_FOREIGN", "no map of Tiled: it has no layers or no size of tiles", { path });
  }
  const tilesets: TiledTileset[] = [];
  for (const tileset of recordsIn(source["tilesets"]))
    tilesets.push(await readTileset(disk, path, tileset, findings));
  tilesets.sort((a, b) => a.firstTile - b.firstTile);
  const { layers, objects } = await readTiledLayers(source, tilesets, findings);
  return {
    orientation: asText(source["orientation"]) ?? "orthogonal",
    isInfinite: asTruth(source["infinite"], false),
    width: asNumber(source["width"]) ?? 0,
    height: asNumber(source["height"]) ?? 0,
    tileWidth,
    tileHeight,
    tilesets,
    layers,
    objects,
    properties: propertiesOf(source),
    findings: findings.list(),
  };
}

async function readTileset(
  disk: Disk,
  mapPath: string,
  stated: TiledRecord,
  findings: FindingLog,
): Promise<TiledTileset> {
  const source = asText(stated["source"]);
  const content = source === undefined ? stated : await readSource(disk, mapPath, source, findings);
  return {
    firstTile: asNumber(stated["firstgid"]) ?? 0,
    name: asText(content["name"]) ?? source?.replace(/^.*\/|\.\w+$/g, "") ?? "",
    source,
    tileCount: asNumber(content["tilecount"]),
  };
}

async function readSource(
  disk: Disk,
  mapPath: string,
  source: string,
  findings: FindingLog,
): Promise<TiledRecord> {
  const folder = mapPath.slice(0, mapPath.lastIndexOf("/") + 1);
  try {
    return parseTiledSource(await readWhole(disk, folder + source, TILED_BYTES_MAX));
  } catch (error) {
    // Its tiles keep their numbers; only what the file says about them is lost.
    if (!isOrthantError(error)) throw error;
    findings.lost(`tileset ${JSON.stringify(source)} cannot be read`, error);
    return {};
  }
}
