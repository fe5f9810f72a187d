import { isOrthantError, type OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt, filesIn, isDamage, readWhole } from "@orthant/disk/files";
import { fileBytes } from "../format/files.ts";
import type { ConversionLoss } from "../format/losses.ts";
import { type MinecraftLevel, readMinecraftLevel } from "./level.ts";
import { openRegion, type RegionFile } from "./region-file.ts";

/** The file with the name, the seed and the spawn point of a world. */
export const LEVEL_FILE = "level.dat";
const LEVEL_FILE_BYTES_MAX = 16_777_216;
const REGION_FOLDERS = ["region", "dimensions/minecraft/overworld/region", ""];
/** Other dimensions, in folders by their namespace. */
const DIMENSIONS_FOLDER = "dimensions";
const OVERWORLD = "minecraft/overworld";
/** Files that are not converted. */
const LEFT_OUT = [
  {
    what: "players",
    folder: "playerdata",
    ending: ".dat",
    remark: "where they are, and what they carry",
  },
  {
    what: "region files of the Nether",
    folder: "DIM-1/region",
    ending: ".mca",
    remark: "another world for Orthant: convert the folder DIM-1 by itself",
  },
  {
    what: "region files of the End",
    folder: "DIM1/region",
    ending: ".mca",
    remark: "another world for Orthant: convert the folder DIM1 by itself",
  },
] as const;

/** The files of a Minecraft world, or of one of its dimensions. */
export interface MinecraftFiles {
  readonly regions: readonly string[];
  /** `undefined` if there is no `level.dat`, or a damaged one. */
  readonly level: MinecraftLevel | undefined;
  /** What is wrong with `level.dat`. */
  readonly levelDamage: OrthantError | undefined;
  /** Region files of entities, by the region files of their columns. */
  readonly entityRegions: ReadonlyMap<string, string>;
  /** Whether only one region is meant, and not the world around it. */
  readonly isOneRegion: boolean;
}

/** Returns the region files of a world: in `region/`, or beside each other. */
export async function findRegions(disk: Disk): Promise<readonly string[]> {
  for (const folder of REGION_FOLDERS) {
    const regions = (await filesIn(disk, folder)).filter(isRegionName);
    if (regions.length > 0) return regions;
  }
  return [];
}

/** Finds the files of a world. */
export async function findMinecraftFiles(disk: Disk): Promise<Omit<MinecraftFiles, "isOneRegion">> {
  const [level, error] = await attempt(async () =>
    readMinecraftLevel(await readWhole(disk, LEVEL_FILE, LEVEL_FILE_BYTES_MAX)),
  );
  if (error !== undefined && !isDamage(error)) throw error;
  const isMissing = isOrthantError(error, "ORT_NOT_FOUND");
  const regions = await findRegions(disk);
  const entityRegions = await findEntityRegions(disk, regions);
  return { regions, entityRegions, level, levelDamage: isMissing ? undefined : error };
}

/** In a folder beside that of the columns, with the same names. */
async function findEntityRegions(
  disk: Disk,
  regions: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const folder = regions[0]?.replace(/region\/[^/]*$/, "entities") ?? "";
  if (!folder.endsWith("entities")) return new Map();
  const found = new Set(await filesIn(disk, folder));
  const pairs = regions.map((path) => [path, path.replace(/region\/(?=[^/]*$)/, "entities/")] as const);
  return new Map(pairs.filter(([, beside]) => found.has(beside)));
}

/** Finds what a world has beside its regions, which is not converted. */
export async function findLeftOut(disk: Disk): Promise<readonly ConversionLoss[]> {
  const found: ConversionLoss[] = [];
  for (const { what, folder, ending, remark } of LEFT_OUT) {
    let count = 0;
    for (const path of await filesIn(disk, folder)) {
      if (path.endsWith(ending) && (await fileBytes(disk, path)) > 0) count++;
    }
    found.push({ what, count, remark });
  }
  const others = await findDimensions(disk);
  const remark = `other worlds for Orthant: convert each folder by itself; the first is ${others[0] ?? ""}`;
  return [...found, { what: "other dimensions", count: others.length, remark }];
}

/** Returns the folders of dimensions in `dimensions/`, without that of the world itself. */
async function findDimensions(disk: Disk): Promise<readonly string[]> {
  const found: string[] = [];
  for (const namespace of await foldersIn(disk, DIMENSIONS_FOLDER)) {
    for (const folder of await foldersIn(disk, namespace)) {
      const regions = (await filesIn(disk, `${folder}/region`)).filter(isRegionName);
      if (regions.length > 0 && folder !== `${DIMENSIONS_FOLDER}/${OVERWORLD}`) found.push(folder);
    }
  }
  return found;
}

async function foldersIn(disk: Disk, folder: string): Promise<readonly string[]> {
  const [entries, error] = await attempt(() => disk.list(folder));
  if (error !== undefined && !isOrthantError(error, "ORT_NOT_FOUND")) throw error;
  return (entries ?? []).filter(({ kind }) => kind === "directory").map(({ name }) => `${folder}/${name}`);
}

/** Opens a region file; `undefined`, after a call of `onDamage`, if its header is damaged. */
export async function openRegionOr(
  disk: Disk,
  path: string,
  onDamage: (error: OrthantError) => void,
): Promise<RegionFile | undefined> {
  try {
    return await openRegion(disk, path);
  } catch (error) {
    if (!isOrthantError(error, "ORT_TRUNCATED")) throw error;
    onDamage(error);
    return undefined;
  }
}

/** Returns whether a file is named like a region. Other spellings of the same numbers would be the same place twice. */
export function isRegionName(path: string): boolean {
  const match = /(?:^|\/)r\.(-?\d{1,7})\.(-?\d{1,7})\.mca$/.exec(path);
  return match?.slice(1).every((number) => String(Number(number)) === number) === true;
}
