import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  type DetectedFormat,
  type DetectedPolychora,
  detectFormat,
  detectPixelWorld,
} from "@orthant/formats";
import type { Place } from "./context.ts";

/** The native save in a folder; `ORT_NOT_FOUND` when no world is there, `ORT_DIALECT` for one of another format. */
export async function requireFormat(disk: Disk, folder: string): Promise<DetectedPolychora> {
  const detected = await findFormat({ disk, file: undefined }, folder);
  if (detected.format === "polychora") return detected;
  const detail = `"${folder}" is a world of the format ${describeFormat(detected)}; "orthant convert" makes one of it that this command knows`;
  throw new OrthantError("ORT_DIALECT", detail);
}

/** The format of the world in a folder, or of the file; `ORT_NOT_FOUND` when there is none that is known. */
export async function findFormat({ disk, file }: Place, path: string): Promise<DetectedFormat> {
  if (file === undefined) {
    const detected = await detectFormat(disk);
    if (detected !== undefined) return detected;
    throw new OrthantError(
      "ORT_NOT_FOUND",
      `the folder "${path}" holds no world of a format that is known here`,
    );
  }
  const detected = await detectPixelWorld(disk, file);
  if (detected !== undefined) return { format: "pixelworld", dialect: detected.dialect, evidence: file };
  throw new OrthantError("ORT_NOT_FOUND", `the file "${path}" is no world of a format that is known here`);
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
