import { AIR, type Chunk, chunkFromVoxels, emptyChunk, uniformChunk } from "../../chunk/chunk.ts";
import { type Box, boxAt } from "../../lattice/box.ts";
import { type ChunkShape, chunkShape, voxelsOfChunks } from "../../lattice/chunk-shape.ts";
import { floorDivide } from "../../lattice/position.ts";

import { visitCapsule } from "../draw/capsule.ts";
import { ChunkCanvas } from "../draw/chunk-canvas.ts";
import { GRASS, SAND, SNOW, SOIL, STONE, WATER } from "../draw/palette.ts";
import { drawTree, TREE_HEIGHT_MAX } from "../draw/tree-shapes.ts";
import type { FeatureCells } from "../hash/feature-cells.ts";
import type { VoxelSource, WorldGenerator } from "../world-generator.ts";

import { type Cave, scatterCaves } from "./terrain-caves.ts";
import { type ColumnHeights, TerrainHeights } from "./terrain-heights.ts";
import { scatterOres, type Vein } from "./terrain-ores.ts";
import { type TerrainParameters, terrainParametersCodec } from "./terrain-parameters.ts";
import { TerrainTrees } from "./terrain-trees.ts";

/** Voxels of soil, sand or snow over the stone. */
const COVER_VOXELS = 4;
/** Minimum distance of caves from the bottom of a lake. */
const LAKE_BED_VOXELS = 5;
/** Height of sand above the water. */
const BEACH_VOXELS = 2;

/** Hills over stone with caves and ores. In four dimensions, every slice along w looks the same. */
export const terrainGenerator: WorldGenerator<TerrainParameters> = {
  id: "terrain",
  version: 1,
  parametersVersion: 1,
  parametersCodec: terrainParametersCodec,
  open: (parameters, seed, shape) => new Terrain(parameters, seed, shape),
};

class Terrain implements VoxelSource {
  readonly #shape: ChunkShape;
  readonly #slice: ChunkShape;
  readonly #heights: TerrainHeights;
  readonly #caves: FeatureCells<Cave> | undefined;
  readonly #ores: FeatureCells<Vein> | undefined;
  readonly #trees: TerrainTrees | undefined;
  /** Height of the first voxel above all lakes. */
  readonly #waterTop: number;
  readonly #snowLine: number;
  readonly skyAbove: number;

  constructor(
    { baseLevel, relief, waterLevel, caves, ores, trees }: TerrainParameters,
    seed: bigint,
    shape: ChunkShape,
  ) {
    const [extentX, extentY, extentZ] = shape.extents;
    const hasDepth = extentZ > 1;
    this.#shape = shape;
    this.#slice = chunkShape([extentX, extentY, extentZ, 1]);
    this.#heights = new TerrainHeights(baseLevel, relief, seed, shape);
    this.#caves = caves ? scatterCaves(seed, baseLevel, hasDepth) : undefined;
    this.#ores = ores ? scatterOres(seed, baseLevel, hasDepth) : undefined;
    this.#waterTop = waterLevel ?? Number.NEGATIVE_INFINITY;
    this.#snowLine = baseLevel + Math.floor(relief / 4);
    const treeLine = {
      lowest: this.#waterTop + BEACH_VOXELS + 1,
      snowLine: this.#snowLine,
      highest: baseLevel + Math.floor(relief / 3),
    };
    this.#trees = trees ? new TerrainTrees(seed, this.#heights, treeLine, hasDepth) : undefined;
    this.skyAbove = Math.max(this.#heights.highest + (trees ? TREE_HEIGHT_MAX : 0), this.#waterTop);
  }

  repeatedIn(box: Box): Chunk | undefined {
    const { min, max } = box;
    const isOneSlice = max[0] - min[0] === 1 && max[1] - min[1] === 1 && max[2] - min[2] === 1;
    return isOneSlice ? this.realize(...min) : this.#uniformIn(box);
  }

  realize(x: number, y: number, z: number, w: number): Chunk {
    const box = boxAt([x, y, z, w]);
    const uniform = this.#uniformIn(box);
    if (uniform !== undefined) return uniform;
    const voxels = voxelsOfChunks(this.#shape, box);
    const columns = this.#heights.under(x, z);
    const canvas = new ChunkCanvas(this.#slice, x, y, z, 0);
    if (canvas.maxY <= columns.lowest - COVER_VOXELS) canvas.voxels.fill(STONE);
    else this.#layGround(canvas, columns);
    for (const vein of this.#ores?.near(voxels) ?? []) drawVein(canvas, vein);
    this.#hollowOut(canvas, columns, this.#caves?.near(voxels) ?? []);
    for (const tree of this.#trees?.near(voxels) ?? []) drawTree(canvas, tree);
    return this.#spreadAlongW(canvas);
  }

  contentBounds({ min, max }: Box): Box | undefined {
    const top = Math.min(max[1], floorDivide(this.skyAbove - 1, this.#shape.extents[1]) + 1);
    return top <= min[1] ? undefined : { min, max: [max[0], top, max[2], max[3]] };
  }

  #uniformIn(box: Box): Chunk | undefined {
    const voxels = voxelsOfChunks(this.#shape, box);
    const isOneColumn = box.max[0] - box.min[0] === 1 && box.max[2] - box.min[2] === 1;
    if (voxels.min[1] >= this.skyAbove) return emptyChunk(this.#shape.volume);
    const { lowest, highest } = isOneColumn ? this.#heights.under(box.min[0], box.min[2]) : this.#heights;
    if (isOneColumn && voxels.min[1] >= Math.max(highest, this.#waterTop) && !this.#hasTrees(voxels)) {
      return emptyChunk(this.#shape.volume);
    }
    const isDeep = voxels.max[1] <= lowest - COVER_VOXELS;
    return isDeep && this.#isUntouched(voxels) ? uniformChunk(this.#shape.volume, STONE) : undefined;
  }

  #hasTrees(voxels: Box): boolean {
    return this.#trees !== undefined && this.#trees.near(voxels).length > 0;
  }

  /** Whether a box certainly has no cave and no vein. False when checking would take too long. */
  #isUntouched(voxels: Box): boolean {
    return (this.#caves?.isClear(voxels) ?? true) && (this.#ores?.isClear(voxels) ?? true);
  }

  #layGround(canvas: ChunkCanvas, { heights }: ColumnHeights): void {
    const { voxels, minX, minY, minZ, maxX, maxY, maxZ } = canvas;
    const strideY = maxX - minX;
    let column = 0;
    for (let z = minZ; z < maxZ; z++)
      for (let x = minX; x < maxX; x++) {
        const ground = heights[column++] as number;
        const [surface, cover] = this.#coverOf(ground);
        let index = canvas.indexOf(x, minY, z, 0);
        let y = minY;
        for (; y < maxY && y < ground - COVER_VOXELS; y++, index += strideY) voxels[index] = STONE;
        for (; y < maxY && y < ground - 1; y++, index += strideY) voxels[index] = cover;
        for (; y < maxY && y < ground; y++, index += strideY) voxels[index] = surface;
        for (const end = Math.min(maxY, this.#waterTop); y < end; y++, index += strideY)
          voxels[index] = WATER;
      }
  }

  #coverOf(ground: number): readonly [surface: number, cover: number] {
    if (ground <= this.#waterTop + BEACH_VOXELS) return [SAND, SAND];
    return ground >= this.#snowLine ? [SNOW, STONE] : [GRASS, SOIL];
  }

  #hollowOut(canvas: ChunkCanvas, { heights }: ColumnHeights, caves: readonly Cave[]): void {
    const { voxels, minX, minZ, maxX } = canvas;
    const roofAt = (x: number, z: number): number => {
      const ground = heights[x - minX + (z - minZ) * (maxX - minX)] as number;
      return ground <= this.#waterTop ? ground - LAKE_BED_VOXELS : ground;
    };
    for (const cave of caves) {
      visitCapsule(canvas, cave, (index, x, y, z) => {
        if (y < roofAt(x, z)) voxels[index] = AIR;
      });
    }
    // Pools come last, so that a tunnel that enters a hall does not cut a hole into its lake.
    for (const pool of caves) {
      if (pool.poolTop < canvas.minY) continue;
      visitCapsule(canvas, pool, (index, x, y, z) => {
        if (y < pool.poolTop && y < roofAt(x, z)) voxels[index] = pool.poolBlock;
      });
    }
  }

  #spreadAlongW({ voxels: slice }: ChunkCanvas): Chunk {
    const count = this.#shape.extents[3];
    if (count === 1) return chunkFromVoxels(slice);
    const voxels = new Uint16Array(this.#shape.volume);
    for (let w = 0; w < count; w++) voxels.set(slice, w * slice.length);
    return chunkFromVoxels(voxels);
  }
}

function drawVein(canvas: ChunkCanvas, vein: Vein): void {
  const { voxels } = canvas;
  visitCapsule(canvas, vein, (index) => {
    if (voxels[index] === STONE) voxels[index] = vein.block;
  });
}
