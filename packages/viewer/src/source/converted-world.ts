import { AIR, type ChunkShape, OrthantError, type Position, systemTime } from "@orthant/core";
import { positionFrom, positionsLexicographic, voxelIndex } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import {
  type ConversionOutcome,
  convertToMemory,
  type DetectedWorld,
  FOREIGN_FORMATS,
  type Format,
  fileBytes,
} from "@orthant/formats";
import { type ChunkEntry, type LeafEntry, openSave } from "@orthant/save";

/** A save that the page converted. */
export interface ConvertedWorld {
  readonly world: DetectedWorld;
  /** A native save. */
  readonly disk: Disk;
  /** A remark for people, on what the page does not show of the save; empty when it shows everything. */
  readonly remark: string;
  /** A position with something to see. */
  readonly begin: Position | undefined;
}

/** Called with the number of finished steps and the total. */
export type OnStep = (done: number, steps: number) => void;

/** Limit on the bytes that a page converts, and on the result: a small save may be a huge world. */
const CONVERTED_BYTES_MAX: number = 64 * 1024 * 1024;

/** Limit on the files that are tried one by one; more than that are a folder of something else. */
const FILES_TRIED_MAX = 100;

/**
 * Converts a save of another format in memory; `undefined` when no format fits. Throws `ORT_LIMIT` when it is
 * too large for a page.
 */
export async function convertInMemory(
  source: Disk,
  sourceBytes: number,
  onStep: OnStep,
): Promise<ConvertedWorld | undefined> {
  const found = (await findSave(source)) ?? (await findImport(source));
  if (found === undefined) return undefined;
  const { format, world, isOneFile } = found;
  const bytes = isOneFile ? await fileBytes(source, world.evidence) : sourceBytes;
  if (bytes > CONVERTED_BYTES_MAX) throw tooLarge(`the save has ${mebibytes(bytes)}`);
  const notes: string[] = [];
  const environment = {
    time: systemTime,
    progress: () => ({ advance: () => undefined, end: () => undefined }),
    note: (line: string) => void notes.push(`${line}.`),
  };
  const request = { disk: source, world, values: {}, environment };
  const { disk, outcome } = await convertToMemory(format, request, {
    bytesMax: CONVERTED_BYTES_MAX,
    tooLarge: () => tooLarge("the world that the save becomes is larger"),
    onStep,
  });
  const remark = [...notes, ...lossesInWords(outcome)].join(" ");
  return { world, disk, remark, begin: await findStartPosition(disk) };
}

interface FoundSave {
  readonly format: Format;
  readonly world: DetectedWorld;
  readonly isOneFile: boolean;
}

async function findSave(source: Disk): Promise<FoundSave | undefined> {
  for (const format of FOREIGN_FORMATS) {
    const world = await format.detect(source);
    if (world !== undefined) return { format, world, isOneFile: format.isOneFile === true };
  }
  return undefined;
}

/** Finds a world of Minecraft or Luanti, a schematic, a model or a map: all files together, or one of them. */
async function findImport(source: Disk): Promise<FoundSave | undefined> {
  // The readers of other programs' files are most of the code, so the page loads them last.
  const { IMPORTED_FORMATS } = await import("@orthant/formats/imports");
  const files = (await source.list("")).filter(({ kind }) => kind === "file").map(({ name }) => name);
  const tried = files.length > FILES_TRIED_MAX ? [] : files;
  for (const file of [undefined, ...tried]) {
    for (const format of IMPORTED_FORMATS) {
      const world = await format.detect(source, file);
      if (world !== undefined) return { format, world, isOneFile: file !== undefined };
    }
  }
  return undefined;
}

/** The converted world contains the entities, but the page does not draw those of a save. */
function lossesInWords({ losses, entities = 0 }: ConversionOutcome): readonly string[] {
  const missing = entities === 0 ? losses : [...losses, { what: "entities", count: entities }];
  if (missing.length === 0) return [];
  const named = missing.map(({ what, count }) => (count === 1 ? what : `${what} (${count})`));
  return [`Converted without ${named.join(", ")}.`];
}

function tooLarge(why: string): OrthantError {
  const detail = `a page converts at most ${mebibytes(CONVERTED_BYTES_MAX)}, and ${why}; convert it with "orthant convert", and drop what that makes`;
  return new OrthantError("ORT_LIMIT", detail);
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / (1024 * 1024))} MiB`;
}

/** Leaves read in search of something to see. */
const LEAVES_READ_MAX = 256;

/**
 * Finds something to see in a world without a spawn: the highest voxel near the middle. Returns `undefined`
 * when there is nothing near it, and for a world with a spawn.
 */
async function findStartPosition(disk: Disk): Promise<Position | undefined> {
  const save = await openSave(disk);
  try {
    const { chunkShape, spawn } = save.global.description;
    if (spawn.some((at) => at !== 0)) return undefined;
    const leaves: LeafEntry[] = [];
    for await (const leaf of save.index.all()) leaves.push(leaf);
    leaves.sort((a, b) => fromMiddle(a.cube.min) - fromMiddle(b.cube.min) || b.cube.min[1] - a.cube.min[1]);
    for (const leaf of leaves.slice(0, LEAVES_READ_MAX)) {
      const chunks = [...(await save.readChunks(leaf))].sort((a, b) => b.position[1] - a.position[1]);
      for (const entry of chunks) {
        const summit = summitOf(entry, chunkShape);
        if (summit !== undefined) return summit;
      }
    }
    return undefined;
  } finally {
    await save.close();
  }
}

/** Returns the distance of a column of chunks from the middle of the world. */
function fromMiddle([x, , z, w]: Position): number {
  return Math.hypot(x, z, w);
}

/** Returns the highest voxel of a chunk; of several, the one nearest to the chunk's middle. */
function summitOf({ position, chunk }: ChunkEntry, shape: ChunkShape): Position | undefined {
  if (![...chunk.blocks()].some((block) => block !== AIR)) return undefined;
  const { extents } = shape;
  const [width, height, depth, beyond] = extents;
  const fromCentre = ([x, , z, w]: Position): number =>
    Math.hypot(x - width / 2, z - depth / 2, w - beyond / 2);
  for (let y = height - 1; y >= 0; y--) {
    const layer = { min: [0, y, 0, 0], max: [width, y + 1, depth, beyond] } as const;
    const [summit] = [...positionsLexicographic(layer)]
      .filter((voxel) => chunk.get(voxelIndex(shape, ...voxel)) !== AIR)
      .sort((a, b) => fromCentre(a) - fromCentre(b));
    if (summit !== undefined) return positionFrom((axis) => position[axis] * extents[axis] + summit[axis]);
  }
  return undefined;
}
