import { type BlockCatalog, type Box, OrthantError } from "@orthant/core";
import { chunksOfVoxels, positionFrom } from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import { PLAIN_DATA } from "@orthant/core/world";
import { catalogOf, type Save } from "@orthant/save";
import { ChunkSource } from "../map/band.ts";
import { UsageError } from "../usage.ts";

/** Maximum number of voxels that are exported at once: they are held in memory, and our own reader takes as many. */
const EXPORT_VOXELS_MAX = 33_554_432;

/** Data of an exported voxel. */
interface ExportedDatum {
  /** Relative to the box. */
  readonly position: readonly [x: number, y: number, z: number];
  /** `undefined` for data that is no plain value. */
  readonly value: unknown;
}

/** A box of voxels of a world, in memory. */
export interface ExportedVoxels {
  readonly min: readonly [x: number, y: number, z: number];
  readonly size: readonly [x: number, y: number, z: number];
  readonly catalog: BlockCatalog;
  /** Ids of blocks; x runs fastest, then z, then y. */
  readonly blocks: Uint16Array;
  readonly data: readonly ExportedDatum[];
  /** Whether no chunk of the box has anything in it. */
  readonly isEmpty: boolean;
}

/** Returns the size of a box, if it has three axes and is not too large. */
export function exportSize({ min, max }: Box): ExportedVoxels["size"] {
  const [x, y, z, w] = positionFrom((axis) => max[axis] - min[axis]);
  if (w !== 1) {
    throw new UsageError(
      "these formats have three axes: choose one place on the fourth, as in --box 0,0,0,5..16,16,16,6",
    );
  }
  if (x * y * z <= EXPORT_VOXELS_MAX) return [x, y, z];
  throw new UsageError(
    `${x} x ${y} x ${z} voxels are too many; ${EXPORT_VOXELS_MAX} may be: use a smaller --box`,
  );
}

/** Reads the voxels of a box, those of the generator among them. */
export async function readVoxels(
  save: Save,
  state: WorldState,
  box: Box,
  onColumn: () => void,
  source: ChunkSource = new ChunkSource(save, state),
): Promise<ExportedVoxels> {
  const size = exportSize(box);
  const blocks = new Uint16Array(size[0] * size[1] * size[2]);
  const data: ExportedDatum[] = [];
  let isEmpty = true;
  const { shape } = state;
  const chunks = chunksOfVoxels(shape, box);
  for (let chunkX = chunks.min[0]; chunkX < chunks.max[0]; chunkX++) {
    for (let chunkZ = chunks.min[2]; chunkZ < chunks.max[2]; chunkZ++) {
      const column = {
        min: positionFrom((axis) => (axis === 0 ? chunkX : axis === 2 ? chunkZ : chunks.min[axis])),
        max: positionFrom((axis) => (axis === 0 ? chunkX + 1 : axis === 2 ? chunkZ + 1 : chunks.max[axis])),
      };
      const chunkAt = await source.open(column);
      for (let chunkY = chunks.min[1]; chunkY < chunks.max[1]; chunkY++) {
        const chunk = chunkAt([chunkX, chunkY, chunkZ, chunks.min[3]]);
        if (chunk === undefined || (chunk.isEmpty && chunk.data.size === 0)) continue;
        const [edgeX, edgeY, edgeZ] = shape.extents;
        const voxels = chunk.voxels();
        isEmpty = false;
        const place = [
          chunkX * edgeX - box.min[0],
          chunkY * edgeY - box.min[1],
          chunkZ * edgeZ - box.min[2],
        ] as const;
        const sheet = (box.min[3] - chunks.min[3] * shape.extents[3]) * edgeX * edgeY * edgeZ;
        for (let index = 0; index < edgeX * edgeY * edgeZ; index++) {
          const x = place[0] + (index % edgeX);
          const y = place[1] + (Math.floor(index / edgeX) % edgeY);
          const z = place[2] + Math.floor(index / (edgeX * edgeY));
          if (x < 0 || y < 0 || z < 0 || x >= size[0] || y >= size[1] || z >= size[2]) continue;
          blocks[x + (z + y * size[2]) * size[0]] = voxels[sheet + index] as number;
          const bytes = chunk.data.size === 0 ? undefined : chunk.dataAt(sheet + index);
          if (bytes !== undefined) data.push({ position: [x, y, z], value: plainValue(bytes) });
        }
      }
      onColumn();
    }
  }
  return {
    min: [box.min[0], box.min[1], box.min[2]],
    size,
    catalog: catalogOf(save.global.description),
    blocks,
    data,
    isEmpty,
  };
}

/** Returns whether data of a voxel is an object with fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

function plainValue(bytes: Uint8Array): unknown {
  try {
    return PLAIN_DATA.decode(bytes);
  } catch (error) {
    // A game may store bytes of its own.
    if (error instanceof OrthantError) return undefined;
    throw error;
  }
}
