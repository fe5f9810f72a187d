import type { Disk } from "@orthant/disk";
import { attempt, readBeginning } from "@orthant/disk/files";
import type { PixelDialect } from "@orthant/pixel-world";
import { detectPixelWorld } from "@orthant/pixel-world";
import { surveySave } from "@orthant/save";
import { generationFiles, MANIFEST_FILE, packFile } from "@orthant/save/parts";
import { detectMarsMiner } from "./marsminer/dialect.ts";
import type { MarsMinerDialect } from "./marsminer/layout.ts";
import { isFlatSave } from "./polychora-flat/detect.ts";
import { TILE_SAVE_BACKUP_FILE, TILE_SAVE_FILE } from "./tilesave/tile-save.ts";

/** Format of the world on a disk. */
export type DetectedFormat =
  | DetectedPolychora
  | DetectedFlatSave
  | DetectedMarsMiner
  | DetectedPixelWorld
  | DetectedTileSave
  | DetectedLegacyWorld;

/** A native save. */
export interface DetectedPolychora {
  readonly format: "polychora";
  /** There is only one dialect. */
  readonly dialect: undefined;
  /** File whose content proves it. */
  readonly evidence: string;
}

/** A save as the game Polychora wrote it. */
export interface DetectedFlatSave {
  readonly format: "polychora-flat";
  /** There is only one dialect. */
  readonly dialect: undefined;
  /** File whose content proves it. */
  readonly evidence: string;
}

/** A MarsMiner save. */
export interface DetectedMarsMiner {
  readonly format: "marsminer";
  /** `undefined` if none fits. */
  readonly dialect: MarsMinerDialect | undefined;
  /** File whose content proves it. */
  readonly evidence: string;
}

/** A pixel world, which is a single file. */
export interface DetectedPixelWorld {
  readonly format: "pixelworld";
  readonly dialect: PixelDialect;
  /** The file. */
  readonly evidence: string;
}

/** A save of the tile game. */
export interface DetectedTileSave {
  readonly format: "tilesave";
  /** There is only one dialect. */
  readonly dialect: undefined;
  /** File whose content proves it. */
  readonly evidence: string;
}

/** A Polychora world from before saves were folders, a single file. */
export interface DetectedLegacyWorld {
  readonly format: "v4dw";
  /** There is only one dialect. */
  readonly dialect: undefined;
  /** The file. */
  readonly evidence: string;
}

/** Detectors of all known formats. Each checks the content of files, never just their names. */
const PROBES: readonly ((disk: Disk) => Promise<DetectedFormat | undefined>)[] = [
  detectPolychora,
  detectMars,
  detectPixels,
  detectTileSave,
  detectLegacyWorld,
];

/**
 * Detects the format of the world on a disk by the content of its files, even if some are damaged. Returns
 * `undefined` if no file fits any format. Writes nothing.
 */
export async function detectFormat(disk: Disk): Promise<DetectedFormat | undefined> {
  for (const probe of PROBES) {
    const detected = await probe(disk);
    if (detected !== undefined) return detected;
  }
  return undefined;
}

const MAGIC_BYTES = 4;
/** Longer than the first line of a tile save. */
const TILE_SAVE_START_BYTES = 128;

/** Accepts a readable manifest or, without one, any file of a save with the right magic. */
async function detectPolychora(disk: Disk): Promise<DetectedPolychora | DetectedFlatSave | undefined> {
  const evidence = await evidenceOfSave(disk);
  if (evidence === undefined) return undefined;
  const format = (await isFlatSave(disk)) ? "polychora-flat" : "polychora";
  return { format, dialect: undefined, evidence };
}

async function evidenceOfSave(disk: Disk): Promise<string | undefined> {
  const { manifest, generations, packIds } = await surveySave(disk);
  if (manifest !== undefined) return MANIFEST_FILE;
  const files = generations.map(generationFiles);
  const candidates: (readonly [path: string, magic: string])[] = [
    ...files.map(({ indexFile }) => [indexFile, "V4IX"] as const),
    ...files.flatMap(({ globalFile, playersFile }) => [
      [globalFile, "V4G0"] as const,
      [playersFile, "V4P0"] as const,
    ]),
    ...packIds.map((packId) => [packFile(packId), "V4DT"] as const),
  ];
  return firstOf(candidates, async ([path, magic]) =>
    (await hasMagic(disk, path, magic)) ? path : undefined,
  );
}

async function detectMars(disk: Disk): Promise<DetectedMarsMiner | undefined> {
  const found = await detectMarsMiner(disk);
  return found && { format: "marsminer", ...found };
}

/** Finds the first file in the root with the magic of a pixel world. */
async function detectPixels(disk: Disk): Promise<DetectedPixelWorld | undefined> {
  const found = await detectPixelWorld(disk);
  return found && { format: "pixelworld", dialect: found.dialect, evidence: found.path };
}

/** Accepts a tile game's save or its backup if the text begins with a line of such a save. */
async function detectTileSave(disk: Disk): Promise<DetectedTileSave | undefined> {
  const evidence = await firstOf([TILE_SAVE_FILE, TILE_SAVE_BACKUP_FILE], async (path) => {
    const start = await startOf(disk, path, TILE_SAVE_START_BYTES);
    return start !== undefined && /^[a-z_.]+=[^\n]*\n/.test(start) ? path : undefined;
  });
  return evidence === undefined ? undefined : { format: "tilesave", dialect: undefined, evidence };
}

/** Accepts a file with the magic of a `.v4dw`: the given one, or the first in the root. */
export async function detectLegacyWorld(disk: Disk, path?: string): Promise<DetectedLegacyWorld | undefined> {
  const names = path === undefined ? await filesIn(disk) : [path];
  const evidence = await firstOf(names, async (name) =>
    (await hasMagic(disk, name, "V4DW")) ? name : undefined,
  );
  return evidence === undefined ? undefined : { format: "v4dw", dialect: undefined, evidence };
}

async function filesIn(disk: Disk): Promise<readonly string[]> {
  return (await disk.list("")).filter(({ kind }) => kind === "file").map(({ name }) => name);
}

async function firstOf<Item, Value>(
  items: readonly Item[],
  look: (item: Item) => Promise<Value | undefined>,
): Promise<Value | undefined> {
  for (const item of items) {
    const found = await look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function hasMagic(disk: Disk, path: string, magic: string): Promise<boolean> {
  return (await startOf(disk, path, MAGIC_BYTES)) === magic;
}

/** Returns the first bytes of a file as characters; `undefined` if it is unreadable. */
async function startOf(disk: Disk, path: string, bytesMax: number): Promise<string | undefined> {
  // A missing or unreadable file says nothing about the format.
  const [found] = await attempt(() => readBeginning(disk, path, bytesMax));
  return found && String.fromCharCode(...found);
}
