import { record } from "../bytes/combinators.ts";
import { U16_MAX } from "../bytes/integers.ts";
import { AIR, type Chunk, emptyChunk, uniformChunk } from "../chunk/chunk.ts";
import { type Box, intersectBoxes, WHOLE_LATTICE } from "../lattice/box.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import { floorDivide } from "../lattice/position.ts";
import { ChunkCanvas } from "./draw/chunk-canvas.ts";
import { GRASS } from "./draw/palette.ts";
import { countBetween, integerBetween } from "./parameter-fields.ts";
import type { VoxelSource, WorldGenerator } from "./world-generator.ts";

/** An endless floor. */
export interface FlatParameters {
  readonly block: number;
  /** Height of the first voxel above the floor. */
  readonly top: number;
  /** Voxels from the underside of the floor to its top; 0 is a world of air. */
  readonly thickness: number;
}

const TOP_MAX = 2 ** 31;
const THICKNESS_MAX = 2 ** 16;

/** The floor of the first worlds in four dimensions: voxels -2 and -1. */
export const FLAT_DEFAULTS: FlatParameters = { block: GRASS, top: 0, thickness: 2 };

const parametersCodec = record<FlatParameters>({
  block: countBetween("block", 0, U16_MAX),
  top: integerBetween("top", -TOP_MAX, TOP_MAX),
  thickness: countBetween("thickness", 0, THICKNESS_MAX),
});

/** A floor of one block at one height. */
export const flatGenerator: WorldGenerator<FlatParameters> = {
  id: "flat",
  version: 1,
  parametersVersion: 1,
  parametersCodec,
  open: openFlat,
};

function openFlat({ block, top, thickness }: FlatParameters, _seed: bigint, shape: ChunkShape): VoxelSource {
  const bottom = top - thickness;
  const height = shape.extents[1];
  const isNothing = thickness === 0 || block === AIR;
  const { min, max } = WHOLE_LATTICE;
  const floor: Box = {
    min: [min[0], floorDivide(bottom, height), min[2], min[3]],
    max: [max[0], floorDivide(top - 1, height) + 1, max[2], max[3]],
  };
  const layers = new Map<number, Chunk>();

  /** All chunks at one height are the same; besides air and solid ones there are at most two kinds. */
  function layerAt(y: number): Chunk {
    const from = y * height;
    if (isNothing || from >= top || from + height <= bottom) return emptyChunk(shape.volume);
    if (bottom <= from && from + height <= top) return uniformChunk(shape.volume, block);
    const known = layers.get(y);
    if (known !== undefined) return known;
    const canvas = new ChunkCanvas(shape, 0, y, 0, 0);
    const { minX, minZ, minW, maxX, maxZ, maxW } = canvas;
    canvas.fillBox(minX, bottom, minZ, minW, maxX, top, maxZ, maxW, block);
    const layer = canvas.toChunk();
    layers.set(y, layer);
    return layer;
  }

  return {
    skyAbove: top,
    repeatedIn({ min, max }) {
      const lowest = layerAt(min[1]);
      const highest = layerAt(max[1] - 1);
      const isOneLayer = max[1] - min[1] === 1;
      if (isOneLayer || (lowest === highest && !lowest.isEmpty)) return lowest;
      const isClear = isNothing || min[1] >= floor.max[1] || max[1] <= floor.min[1];
      return isClear ? lowest : undefined;
    },
    realize: (_x, y) => layerAt(y),
    contentBounds: (box) => (isNothing ? undefined : intersectBoxes(box, floor)),
  };
}
