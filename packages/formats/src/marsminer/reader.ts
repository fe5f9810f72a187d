import { OrthantError, requireInteger } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { fittingDialects, likeliestDialect } from "./dialect.ts";
import { SaveFiles } from "./files/save-files.ts";
import { CUBE_SIZE_MAX, DEFAULT_CUBE_SIZE, type MarsMinerDialect } from "./layout.ts";
import { readState } from "./records/state-reader.ts";
import { MarsMinerSave } from "./save.ts";

/** Information from the caller that the save does not contain. */
export interface OpenMarsMinerOptions {
  /** Overrides the detected dialect. */
  readonly dialect?: MarsMinerDialect;
  /** Edge of an octree's cube in voxels, a power of two. Default: 64, as in the game. */
  readonly cubeSize?: number;
}

/**
 * Opens the save on a disk and reads its present state. Throws an error with the location of any
 * contradiction. Chunks are checked when they are read. Writes nothing.
 */
export async function openMarsMiner(disk: Disk, options: OpenMarsMinerOptions = {}): Promise<MarsMinerSave> {
  const cubeSize = requireCubeSize(options.cubeSize ?? DEFAULT_CUBE_SIZE);
  const fitting = options.dialect === undefined ? await fittingDialects(disk) : [options.dialect];
  // If nothing fits, the errors of the likeliest dialect show what is wrong.
  const dialect = fitting[0] ?? (await likeliestDialect(disk));
  const files = await SaveFiles.open(disk, dialect);
  try {
    const header = await files.readHeader();
    const address = await files.resolve(header.state, 0);
    const state = address === undefined ? undefined : await readState(files, address);
    return new MarsMinerSave({ dialect, fittingDialects: fitting, cubeSize, state }, files);
  } catch (error) {
    await files.close();
    throw error;
  }
}

/** Throws `ORT_ARGUMENT` unless it is a power of two up to the largest cube. */
export function requireCubeSize(cubeSize: number): number {
  requireInteger(cubeSize, 1, CUBE_SIZE_MAX);
  if (Number.isInteger(Math.log2(cubeSize))) return cubeSize;
  throw new OrthantError("ORT_ARGUMENT", `a cube of ${cubeSize} voxels cannot be halved down to one`);
}
