import { AIR } from "@orthant/core";

/** Three numbers of a volume: a place or a size, along its first, second and third axis. */
export type VolumePoint = readonly [number, number, number];

/** Voxels that are meshed together, with a border of one voxel on each side; the first axis varies fastest. */
export interface Volume {
  /** Voxels on each axis, without the border. */
  readonly size: VolumePoint;
  /** The block of each voxel, including the border. */
  readonly blocks: Uint16Array;
}

/** Returns a volume of air. */
export function emptyVolume(size: VolumePoint): Volume {
  return { size, blocks: new Uint16Array((size[0] + 2) * (size[1] + 2) * (size[2] + 2)) };
}

/** The voxels of one chunk: a single block, or one for each voxel, with the first axis varying fastest. */
export type ChunkCut = number | Uint16Array;

/** Returns the voxels of a chunk by its place; `undefined` while the chunk is unknown. */
export type CutAt = (first: number, second: number, third: number) => ChunkCut | undefined;

/** The chunks that a volume is filled with. */
export interface VolumeChunks {
  /** Voxels of a chunk on each axis. */
  readonly chunk: VolumePoint;
  /** Chunks of the volume on each axis. */
  readonly chunks: VolumePoint;
}

/** Result of filling a volume: filled, nothing but air, or partly unknown. */
export type Filling = "filled" | "air" | "unknown";

/**
 * Fills a volume with the chunks from `first` on and the voxels around them. Writes nothing when all of it is air
 * or one of the chunks is unknown.
 */
export function fillVolume(
  { chunk, chunks }: VolumeChunks,
  first: VolumePoint,
  cutAt: CutAt,
  into: Volume,
): Filling {
  const cuts: ChunkCut[] = [];
  for (let c = -1; c <= chunks[2]; c++)
    for (let b = -1; b <= chunks[1]; b++)
      for (let a = -1; a <= chunks[0]; a++) {
        const cut = cutAt(first[0] + a, first[1] + b, first[2] + c);
        if (cut === undefined) return "unknown";
        cuts.push(cut);
      }
  if (cuts.every((cut) => cut === AIR)) return "air";
  let index = 0;
  for (let c = -1; c <= chunks[2]; c++)
    for (let b = -1; b <= chunks[1]; b++)
      for (let a = -1; a <= chunks[0]; a++) {
        const corner: VolumePoint = [a * chunk[0], b * chunk[1], c * chunk[2]];
        copyCut(cuts[index++] as ChunkCut, corner, chunk, into);
      }
  return "filled";
}

/** Copies the part of a chunk that lies in the volume or its border. */
function copyCut(cut: ChunkCut, corner: VolumePoint, chunk: VolumePoint, { size, blocks }: Volume): void {
  const rowLength = size[0] + 2;
  const layerLength = rowLength * (size[1] + 2);
  // Of the neighbouring chunks, only the adjacent voxels count.
  const from = Math.max(0, -1 - corner[0]);
  const length = Math.min(chunk[0], size[0] + 1 - corner[0]) - from;
  const toB = Math.min(chunk[1], size[1] + 1 - corner[1]);
  const toC = Math.min(chunk[2], size[2] + 1 - corner[2]);
  for (let c = Math.max(0, -1 - corner[2]); c < toC; c++)
    for (let b = Math.max(0, -1 - corner[1]); b < toB; b++) {
      const to = corner[0] + from + 1 + (corner[1] + b + 1) * rowLength + (corner[2] + c + 1) * layerLength;
      if (typeof cut === "number") {
        blocks.fill(cut, to, to + length);
      } else {
        const row = from + chunk[0] * (b + chunk[1] * c);
        for (let index = 0; index < length; index++) blocks[to + index] = cut[row + index] as number;
      }
    }
}
