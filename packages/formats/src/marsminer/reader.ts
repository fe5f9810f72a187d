import { OrthantError, requireInteger } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { fittingDialects, likeliestDialect } from "./dialect.ts";
import { SaveFiles } from "./files/save-files.ts";
import { CUBE_SIZE_MAX, DEFAULT_CUBE_SIZE, type MarsMinerDialect } from "./layout.ts";
import { readState } from "./records/state-reader.ts";
import { MarsMinerSave } from "./save.ts";

/** What the one who opens a save knows and the save does not say. */
export interface OpenMarsMinerOptions {
  /** Instead of the dialect that the files seem to be of. */
  readonly dialect?: MarsMinerDialect;
  /** Voxels along an edge of the cube of an octree, a power of two; 64 unless given, as in the game. */
  readonly cubeSize?: number;
}

/**
 * Opens the save on a disk and reads its present state, strictly: what contradicts itself is refused with an error
 * that says where. Chunks are looked at when they are read. Writes nothing.
 */
export async function openMarsMiner(disk: Disk, options: OpenMarsMinerOptions = {}): Promise<MarsMinerSave> {
  const cubeSize = requireCubeSize(options.cubeSize ?? DEFAULT_CUBE_SIZE);
  const fitting = options.dialect === undefined ? await fittingDialects(disk) : [options.dialect];
  // Where nothing fits, the errors of the likeliest dialect say what is wrong.
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
