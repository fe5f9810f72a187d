import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type DetectedFormat, detectFormat } from "@orthant/formats";

/** The native format of the world in a folder; `ORT_DIALECT` for a world of another one, which has to be converted. */
export async function requireFormat(disk: Disk, folder: string): Promise<DetectedFormat> {
  const detected = await findFormat(disk, folder);
  if (detected.format === "polychora") return detected;
  throw new OrthantError(
    "ORT_DIALECT",
    `the folder "${folder}" holds a ${detected.format}; make a world of it with orthant convert`,
  );
}

/** The format of the world in a folder, whichever; `ORT_NOT_FOUND` when no world is there. */
export async function findFormat(disk: Disk, folder: string): Promise<DetectedFormat> {
  const detected = await detectFormat(disk);
  if (detected !== undefined) return detected;
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `the folder "${folder}" holds no world of a format that is known here`,
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
