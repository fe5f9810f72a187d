import type { Position } from "@orthant/core";
import type { BlockLook } from "@orthant/mesh/looks";
import type { VolumeMesh, VolumePoint, VolumeSlice } from "@orthant/mesh/volume";

/** A world that workers build meshes of. */
export interface MeshDescription {
  readonly kind: "mesh";
  readonly extents: Position;
  /** Encoded with `blockCatalogCodec`. */
  readonly catalog: Uint8Array;
  /** Whether looks come with the tasks; otherwise blocks are cubes of the catalog's colours. */
  readonly hasLooks: boolean;
  readonly isLit: boolean;
  /** From this height up generators make only air; for workers that do not have them. */
  readonly skyAbove: number | undefined;
  /** What untouched chunks are generated with; `undefined` if tasks have all chunks. */
  readonly generators: GeneratorsDescription | undefined;
  /** Memory for generated chunks. */
  readonly cacheBytes: number;
}

/** The generators of a world. */
export interface GeneratorsDescription {
  /** Encoded with `generatorMapCodec`. */
  readonly map: Uint8Array;
  /** By generator of the map: the module that exports it. */
  readonly modules: readonly (string | undefined)[];
}

/** A section to mesh, with what the worker does not have yet. */
export interface MeshTask {
  readonly first: VolumePoint;
  readonly chunks: VolumePoint;
  readonly slice: VolumeSlice;
  /** Boxes of chunks that are not as generated: {@link PIECE_NUMBERS} each, two corners and the number of a chunk. */
  readonly pieces: Int32Array<ArrayBuffer>;
  /** Chunks by number, encoded with `chunkCodec`, that the worker keeps from now on. */
  readonly sent: readonly (readonly [number: number, chunk: Uint8Array])[];
  /** Numbers of chunks that it no longer keeps. */
  readonly forgotten: readonly number[];
  /** Looks of blocks that it asked for. */
  readonly looks: ReadonlyMap<number, BlockLook> | undefined;
}

/** Numbers of a box and its chunk in {@link MeshTask.pieces}. */
export const PIECE_NUMBERS = 9;

/** A mesh, with what its quads refer to since the last answer of this worker; or the blocks whose looks are missing. */
export type MeshAnswer =
  | {
      readonly mesh: VolumeMesh;
      readonly materials: Uint32Array<ArrayBuffer>;
      readonly templates: Float32Array<ArrayBuffer>;
    }
  | { readonly missing: readonly number[] };
