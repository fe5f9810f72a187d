import { U16_MAX } from "../bytes/integers.ts";
import { BlockCatalog } from "../chunk/block-catalog.ts";
import { idCountOf } from "../chunk/block-type.ts";
import { AIR } from "../chunk/chunk.ts";

import { wrongArgument } from "../error/orthant-error.ts";
import { type Box, intersectBoxes, WHOLE_LATTICE } from "../lattice/box.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import { type Position, positionFrom } from "../lattice/position.ts";

/** The brightest level of light. */
export const LIGHT_MAX = 15;
/** Voxels from a voxel to the farthest one whose light or block can change its light. */
export const LIGHT_REACH_VOXELS: number = LIGHT_MAX - 1;
/** Chunks that begin farther below the height of the sky are not open to it, so that a search never goes through an endless column. */
export const SKY_DEPTH_VOXELS = 4_096;
/** Bits of the light of blocks in a byte of light, below the bits of the light of the sky. */
export const SKY_SHIFT = 4;

/** What blocks do to light: a byte for each block, its opacity, plus 16 times the light that it gives off. */
export class LightRules {
  readonly kinds: Uint8Array = new Uint8Array(U16_MAX + 1).fill(LIGHT_MAX);

  constructor(catalog: BlockCatalog) {
    if (!(catalog instanceof BlockCatalog)) throw wrongArgument("catalog", catalog, "it is a BlockCatalog");
    for (const type of catalog.types) {
      const { id, opacity, light } = type;
      this.kinds.fill(opacity | (light << 4), id, id + idCountOf(type));
    }
    this.kinds[AIR] = 0;
  }

  /** Whether light is the same everywhere by these rules and by others. */
  equals({ kinds }: LightRules): boolean {
    return this.kinds.every((kind, block) => kind === kinds[block]);
  }
}

/** The light of a voxel, each from 0 to 15. */
export interface Light {
  readonly sky: number;
  /** Light that blocks give off. */
  readonly block: number;
}

/** Returns the light in a byte, 16 times the light of the sky plus that of blocks. */
export function lightOfByte(byte: number): Light {
  return { sky: byte >> SKY_SHIFT, block: byte & LIGHT_MAX };
}

/** Returns how many chunks away from a chunk voxels can change its light, by axis. */
export function lightReachChunks({ extents }: ChunkShape): Position {
  return positionFrom((axis) => (extents[axis] > 1 ? Math.ceil(LIGHT_REACH_VOXELS / extents[axis]) : 0));
}

/** Returns the chunks whose voxels can change the light of a box of chunks. Those above keep the sky from it, too. */
export function chunksInLightReach(shape: ChunkShape, { min, max }: Box): Box {
  const reach = lightReachChunks(shape);
  const around: Box = {
    min: positionFrom((axis) => min[axis] - reach[axis]),
    max: positionFrom((axis) => max[axis] + reach[axis]),
  };
  return intersectBoxes(around, WHOLE_LATTICE) ?? around;
}
