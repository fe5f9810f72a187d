import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  type DetectedFormat,
  detectFormat,
  detectLegacyWorld,
  detectPixelWorld,
  surveySave,
} from "@orthant/formats";
import type { Context } from "./context.ts";

/** A world whose format is known. */
export interface FoundWorld {
  readonly disk: Disk;
  readonly format: DetectedFormat;
}

/** The world in a folder, or the one that a file is; `ORT_NOT_FOUND` when there is none of a format that is known. */
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

/** Throws `ORT_NOT_FOUND` unless a folder holds a world, and `ORT_DIALECT` for one that has to be converted first. */
export async function requireNative(disk: Disk, folder: string): Promise<void> {
  const format = await formatOf(disk, folder);
  if (format.format !== "polychora") throw unreadable(folder, format);
}

/** What to throw where a command has no use for a format. */
export function unreadable(folder: string, format: DetectedFormat): OrthantError {
  const found = `"${folder}" is a world of ${describeFormat(format)}, which this command does not read`;
  return new OrthantError("ORT_DIALECT", `${found}; orthant convert makes a world of Orthant of it`);
}

/** Throws `ORT_NOT_FOUND` for a generation of a world of ours that is not there any more, or not yet. */
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

/** A format for people: `polychora (tree)`. */
export function describeFormat({ format, dialect }: DetectedFormat): string {
  return dialect === undefined ? format : `${format} (${dialect})`;
}

/** Bytes of a file; none when a writer has removed it since it was listed. */
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
