import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type DetectedFormat, detectFormat, detectLegacyWorld } from "@orthant/formats";
import { detectPixelWorld } from "@orthant/pixel-world";
import { surveySave } from "@orthant/save";
import type { Context } from "./context.ts";
import { convertedInMemory } from "./flat/conversion.ts";

/** A world of a known format. */
export interface FoundWorld {
  readonly disk: Disk;
  readonly format: DetectedFormat;
}

/** Finds the world in a folder or a file. Throws `ORT_NOT_FOUND` when there is none of a known format. */
export async function findWorld(
  path: string,
  context: Context,
  onBytes?: (bytes: number) => void,
): Promise<FoundWorld> {
  const { disk, file } = await context.openLocation(path, onBytes);
  if (file === undefined) return { disk, format: await formatOf(disk, path) };
  const found = await detectPixelWorld(disk, file);
  if (found !== undefined) {
    return { disk, format: { format: "pixelworld", dialect: found.dialect, evidence: file } };
  }
  const legacy = await detectLegacyWorld(disk, file);
  if (legacy !== undefined) return { disk, format: legacy };
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `the file "${path}" is no world of a format that is known here; a world is a folder, or the file of a pixel world`,
  );
}

/** Throws `ORT_NOT_FOUND` for a folder without a world, `ORT_DIALECT` for a world that needs conversion. */
export async function requireNative(disk: Disk, folder: string): Promise<void> {
  const format = await formatOf(disk, folder);
  if (format.format !== "polychora") throw unreadable(folder, format);
}

/** A native world that a command only reads. */
export interface ReadableWorld {
  readonly disk: Disk;
  /** Whether it was converted in memory, so that its files are not those of the folder. */
  readonly isConverted: boolean;
}

/** Opens a world to read. Converts a flat save in memory. Throws like {@link requireNative} for others. */
export async function openReadable(folder: string, context: Context): Promise<ReadableWorld> {
  const disk = await context.openDisk(folder);
  const format = await formatOf(disk, folder);
  if (format.format === "polychora") return { disk, isConverted: false };
  if (format.format !== "polychora-flat") throw unreadable(folder, format);
  return { disk: await convertedInMemory(disk), isConverted: true };
}

/** Returns the error for a command that does not support a format. */
export function unreadable(folder: string, format: DetectedFormat): OrthantError {
  const found = `"${folder}" is a world of ${describeFormat(format)}, which this command does not support`;
  return new OrthantError("ORT_DIALECT", `${found}; orthant convert makes a world of Orthant of it`);
}

/** Throws `ORT_NOT_FOUND` for a generation of a native world that is no longer there, or not yet. */
export async function requireKept(disk: Disk, generation: number): Promise<void> {
  const { generations } = await surveySave(disk);
  if (generations.includes(generation)) return;
  const [oldest, newest] = [generations.at(-1), generations[0]];
  const kept = oldest === newest ? `there is ${newest} alone` : `there are some from ${oldest} to ${newest}`;
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `generation ${generation} is not there; ${kept}, and orthant log lists them`,
  );
}

async function formatOf(disk: Disk, folder: string): Promise<DetectedFormat> {
  const detected = await detectFormat(disk);
  if (detected !== undefined) return detected;
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `the folder "${folder}" holds no world of a format that is known here; orthant create makes a new one elsewhere`,
  );
}

/** Formats a format for people: `marsminer (seed)`. */
export function describeFormat({ format, dialect }: DetectedFormat): string {
  return dialect === undefined ? format : `${format} (${dialect})`;
}

/** Returns the size of a file; 0 when a writer has removed it since it was listed. */
export async function fileBytes(disk: Disk, path: string): Promise<number> {
  try {
    const file = await disk.open(path, "read");
    try {
      return await file.size();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return 0;
    throw error;
  }
}
