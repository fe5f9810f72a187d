import {
  type BlockCatalog,
  type BlockDescription,
  type Box,
  type Chunk,
  type ChunkShape,
  type DataCodec,
  OrthantError,
  type Position,
} from "@orthant/core";
import { chunksOfVoxels, positionFrom } from "@orthant/core/lattice";
import { dataValue } from "../format/data-value.ts";
import type { ConversionLosses } from "../format/losses.ts";

/** Maximum number of voxels that are exported at once: they are held in memory, and our own reader takes as many. */
const EXPORT_VOXELS_MAX = 33_554_432;

/** What an export reads: an open world, or a save. Positions and boxes have four axes. */
export interface ExportSource {
  readonly shape: ChunkShape;
  readonly catalog: BlockCatalog;
  readonly dataCodec: DataCodec;
  /** Names that types have in the file, by those of the world. */
  readonly names?: ReadonlyMap<string, string>;
  /** Loads the chunks of a box. Returns a function that looks them up; a chunk that is `undefined` is air. */
  open(chunks: Box): Promise<(position: Position) => Chunk | undefined>;
  /** Returns the number of entities in a box of voxels. */
  entitiesIn(box: Box): Promise<number>;
  /** Returns the voxels of all edited chunks; `undefined` if there are none. */
  editedBox(): Promise<Box | undefined>;
}

/** What a file is written from. */
export interface BoxToWrite {
  readonly source: ExportSource;
  /** In voxels, with one place on the fourth axis. */
  readonly box: Box;
  readonly losses: ConversionLosses;
  /** Called for each column of chunks. */
  readonly onColumn: () => void;
}

/** Writes files of another program. */
export interface BoxWriter {
  /** How the names of its files end. */
  readonly ending: string;
  write(request: BoxToWrite): Promise<Uint8Array>;
}

/** Writes files that are made from all voxels of a box at once. */
export interface VoxelsWriter extends BoxWriter {
  fileOf(voxels: ExportedVoxels, losses: ConversionLosses): Uint8Array | Promise<Uint8Array>;
}

/** Returns the writer of such a format. */
export function boxWriter(ending: string, fileOf: VoxelsWriter["fileOf"]): VoxelsWriter {
  return { ending, fileOf, write: async (request) => fileOf(await readVoxels(request), request.losses) };
}

/** Data of an exported voxel. */
interface ExportedDatum {
  /** Relative to the box. */
  readonly position: readonly [x: number, y: number, z: number];
  /** `undefined` for data that is not a plain value. */
  readonly value: unknown;
}

/** A box of voxels of a world, in memory. */
export interface ExportedVoxels {
  readonly min: readonly [x: number, y: number, z: number];
  readonly size: readonly [x: number, y: number, z: number];
  readonly catalog: BlockCatalog;
  /** Returns a block with the name of its type in the file. */
  readonly describe: (block: number) => BlockDescription;
  /** Ids of blocks; x runs fastest, then z, then y. */
  readonly blocks: Uint16Array;
  readonly data: readonly ExportedDatum[];
  /** Whether no chunk of the box has anything in it. */
  readonly isEmpty: boolean;
}

/** Returns the extents of a box in space. Throws `ORT_ARGUMENT` if it has several places on the fourth axis. */
export function exportSize({ min, max }: Box): ExportedVoxels["size"] {
  const [x, y, z, w] = positionFrom((axis) => max[axis] - min[axis]);
  if (w === 1) return [x, y, z];
  throw new OrthantError(
    "ORT_ARGUMENT",
    "these formats have three axes: choose one place on the fourth, as in --box 0,0,0,5..16,16,16,6",
  );
}

/**
 * Reads the voxels of a box, those of the generator among them. With a smaller box `inside` of it, all others are air. Throws
 * `ORT_ARGUMENT` for too many.
 */
export async function readVoxels(
  { source, box, onColumn }: Pick<BoxToWrite, "source" | "box" | "onColumn">,
  inside: Box = box,
): Promise<ExportedVoxels> {
  const { shape, catalog, dataCodec, names } = source;
  const size = exportSize(box);
  if (size[0] * size[1] * size[2] > EXPORT_VOXELS_MAX) {
    throw new OrthantError(
      "ORT_ARGUMENT",
      `${size.join(" x ")} voxels are too many, the limit is ${EXPORT_VOXELS_MAX}: use a smaller --box`,
    );
  }
  const blocks = new Uint16Array(size[0] * size[1] * size[2]);
  const data: ExportedDatum[] = [];
  let isEmpty = true;
  const chunks = chunksOfVoxels(shape, inside);
  const [lowX, lowY, lowZ] = positionFrom((axis) => inside.min[axis] - box.min[axis]);
  const [highX, highY, highZ] = positionFrom((axis) => inside.max[axis] - box.min[axis]);
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
          if (x < lowX || y < lowY || z < lowZ || x >= highX || y >= highY || z >= highZ) continue;
          blocks[x + (z + y * size[2]) * size[0]] = voxels[sheet + index] as number;
          const bytes = chunk.data.size === 0 ? undefined : chunk.dataAt(sheet + index);
          if (bytes !== undefined) data.push({ position: [x, y, z], value: dataValue(dataCodec, bytes) });
        }
      }
      onColumn();
    }
  }
  return {
    min: [box.min[0], box.min[1], box.min[2]],
    size,
    catalog,
    describe(block) {
      const { type, properties } = catalog.describe(block) ?? { type: `block ${block}`, properties: {} };
      return { type: names?.get(type) ?? type, properties };
    },
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
