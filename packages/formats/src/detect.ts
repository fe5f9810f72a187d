import type { Disk } from "@orthant/disk";
import { attempt } from "./files/attempt.ts";
import { readBeginning, readWhole } from "./files/read-whole.ts";
import { detectMarsMiner } from "./marsminer/detect.ts";
import type { MarsMinerDialect } from "./marsminer/layout.ts";
import type { PixelDialect } from "./pixelworld/dialect.ts";
import { detectPixelWorld } from "./pixelworld/reader.ts";
import { surveySave } from "./polychora/care/survey.ts";
import { type Dialect, dialectOfIndex } from "./polychora/dialect.ts";
import { generationFiles, packFile } from "./polychora/files/file-names.ts";
import { MANIFEST_FILE } from "./polychora/layout.ts";
import { TILE_SAVE_BACKUP_FILE, TILE_SAVE_FILE } from "./tilesave/layout.ts";

/** What kind of world lies on a disk. */
export type DetectedFormat =
  | DetectedPolychora
  | DetectedMarsMiner
  | DetectedPixelWorld
  | DetectedTileSave
  | DetectedLegacyWorld;

/** A native save. */
export interface DetectedPolychora {
  readonly format: "polychora";
  /** `undefined` when no index is left to tell it. */
  readonly dialect: Dialect | undefined;
  /** The file whose content says so. */
  readonly evidence: string;
}

/** A save of MarsMiner. */
export interface DetectedMarsMiner {
  readonly format: "marsminer";
  /** `undefined` when none fits. */
  readonly dialect: MarsMinerDialect | undefined;
  /** The file whose content says so. */
  readonly evidence: string;
}

/** A pixel world, which is one file. */
export interface DetectedPixelWorld {
  readonly format: "pixelworld";
  readonly dialect: PixelDialect;
  /** The file that it is. */
  readonly evidence: string;
}

/** The save of a tile game. */
export interface DetectedTileSave {
  readonly format: "tilesave";
  /** There is one dialect alone. */
  readonly dialect: undefined;
  /** The file whose content says so. */
  readonly evidence: string;
}

/** A world of Polychora from before there were folders, which is one file. */
export interface DetectedLegacyWorld {
  readonly format: "v4dw";
  /** There is one dialect alone. */
  readonly dialect: undefined;
  /** The file that it is. */
  readonly evidence: string;
}

/** Every format that is known: each looks at the content of files, never at their names alone. */
const PROBES: readonly ((disk: Disk) => Promise<DetectedFormat | undefined>)[] = [
  detectPolychora,
  detectMars,
  detectPixels,
  detectTileSave,
  detectLegacyWorld,
];

/**
 * The format of the world on a disk, told by what its files hold, also when some of them are damaged; `undefined`
 * when nothing is there that any format would have. Writes nothing.
 */
export async function detectFormat(disk: Disk): Promise<DetectedFormat | undefined> {
  for (const probe of PROBES) {
    const detected = await probe(disk);
    if (detected !== undefined) return detected;
  }
  return undefined;
}

const MAGIC_BYTES = 4;
/** The first line of a tile save is shorter than this. */
const TILE_SAVE_START_BYTES = 128;

/** A manifest that can be read says it; without one, any file of a save that begins as it should. */
async function detectPolychora(disk: Disk): Promise<DetectedPolychora | undefined> {
  const { manifest, generations, packIds } = await surveySave(disk);
  const indexes: string[] = [];
  const others: (readonly [path: string, magic: string])[] = [];
  for (const generation of generations) {
    const files = generationFiles(generation);
    indexes.push(files.indexFile);
    others.push([files.globalFile, "V4G0"], [files.playersFile, "V4P0"]);
  }
  if (manifest !== undefined) indexes.unshift(manifest.manifest.indexFile);
  for (const packId of packIds) others.push([packFile(packId), "V4DT"]);

  const index = await firstOf(indexes, async (path) => {
    return (await hasMagic(disk, path, "V4IX")) ? { path, dialect: await dialectAt(disk, path) } : undefined;
  });
  if (manifest !== undefined) {
    return { format: "polychora", dialect: index?.dialect, evidence: MANIFEST_FILE };
  }
  const evidence =
    index?.path ??
    (await firstOf(others, async ([path, magic]) =>
      (await hasMagic(disk, path, magic)) ? path : undefined,
    ));
  return evidence === undefined ? undefined : { format: "polychora", dialect: index?.dialect, evidence };
}

async function detectMars(disk: Disk): Promise<DetectedMarsMiner | undefined> {
  const found = await detectMarsMiner(disk);
  return found && { format: "marsminer", ...found };
}

/** The first file of the root that begins as a pixel world does. */
async function detectPixels(disk: Disk): Promise<DetectedPixelWorld | undefined> {
  const found = await detectPixelWorld(disk);
  return found && { format: "pixelworld", dialect: found.dialect, evidence: found.path };
}

/** A save of the tile game, or the one before it, is text that begins with a line of such a save. */
async function detectTileSave(disk: Disk): Promise<DetectedTileSave | undefined> {
  const evidence = await firstOf([TILE_SAVE_FILE, TILE_SAVE_BACKUP_FILE], async (path) => {
    const start = await startOf(disk, path, TILE_SAVE_START_BYTES);
    return start !== undefined && /^[a-z_.]+=[^\n]*\n/.test(start) ? path : undefined;
  });
  return evidence === undefined ? undefined : { format: "tilesave", dialect: undefined, evidence };
}

/** A file that begins as a `.v4dw` does: the given one, or the first of the root. */
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

async function dialectAt(disk: Disk, path: string): Promise<Dialect | undefined> {
  const [dialect] = await attempt(async () => dialectOfIndex(await readWhole(disk, path)));
  return dialect;
}

async function hasMagic(disk: Disk, path: string, magic: string): Promise<boolean> {
  return (await startOf(disk, path, MAGIC_BYTES)) === magic;
}

/** The first bytes of a file, or all of them, a letter each; `undefined` when it cannot be read. */
async function startOf(disk: Disk, path: string, bytesMax: number): Promise<string | undefined> {
  // What is missing or not to be read says nothing about the format.
  const [found] = await attempt(() => readBeginning(disk, path, bytesMax));
  return found && String.fromCharCode(...found);
}
