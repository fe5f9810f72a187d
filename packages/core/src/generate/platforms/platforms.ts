import { record } from "../../bytes/combinators.ts";
import { type Chunk, emptyChunk, uniformChunk } from "../../chunk/chunk.ts";
import { type Box, boxAt, intersectBoxes, unionBox } from "../../lattice/box.ts";
import { type ChunkShape, chunksOfVoxels, voxelsOfChunks } from "../../lattice/chunk-shape.ts";

import { ChunkCanvas } from "../draw/chunk-canvas.ts";
import { countBetween } from "../parameter-fields.ts";
import type { VoxelSource, WorldGenerator } from "../world-generator.ts";

import { type Platform, PlatformLayout } from "./platform-layout.ts";
import { drawLayer, isCore, isUnbuilt, relateToLayer, structuresNear } from "./platform-structures.ts";

/** Platforms floating in endless space, and the structures on them. */
export interface PlatformsParameters {
  /** Edge of the cells, in voxels, each of which may hold a platform about 2/3 as wide. */
  readonly cellVoxels: number;
  /** Percentage of the sites for structures that have one. */
  readonly structurePercent: number;
}

/** Platforms about 160 to 290 voxels wide. */
export const PLATFORMS_DEFAULTS: PlatformsParameters = { cellVoxels: 384, structurePercent: 30 };

const CELL_VOXELS_MIN = 96;
const CELL_VOXELS_MAX = 4096;
const parametersCodec = record<PlatformsParameters>({
  cellVoxels: countBetween("cellVoxels", CELL_VOXELS_MIN, CELL_VOXELS_MAX),
  structurePercent: countBetween("structurePercent", 0, 100),
});

/** Platforms scattered through space. The anchor is always around the origin, with its top at 0. */
export const platformsGenerator: WorldGenerator<PlatformsParameters> = {
  id: "platforms",
  version: 1,
  parametersVersion: 1,
  parametersCodec,
  open: (parameters, seed, shape) => new Platforms(parameters, seed, shape),
};

class Platforms implements VoxelSource {
  readonly #shape: ChunkShape;
  readonly #layout: PlatformLayout;
  readonly #structurePercent: number;

  constructor({ cellVoxels, structurePercent }: PlatformsParameters, seed: bigint, shape: ChunkShape) {
    this.#shape = shape;
    this.#layout = new PlatformLayout(cellVoxels, seed, shape);
    this.#structurePercent = structurePercent;
  }

  repeatedIn(box: Box): Chunk | undefined {
    const voxels = voxelsOfChunks(this.#shape, box);
    if (this.#layout.isTooLarge(voxels)) return undefined;
    const [platform, another] = this.#layout.near(voxels);
    if (platform === undefined) return emptyChunk(this.#shape.volume);
    return another === undefined ? this.#repeatedNear(platform, voxels) : undefined;
  }

  realize(x: number, y: number, z: number, w: number): Chunk {
    const voxels = voxelsOfChunks(this.#shape, boxAt([x, y, z, w]));
    let canvas: ChunkCanvas | undefined;
    for (const platform of this.#layout.near(voxels)) {
      const repeated = this.#repeatedNear(platform, voxels);
      if (repeated?.isEmpty) continue;
      if (repeated !== undefined) return repeated;
      canvas ??= new ChunkCanvas(this.#shape, x, y, z, w);
      this.#draw(canvas, platform, voxels);
    }
    return canvas?.toChunk() ?? emptyChunk(this.#shape.volume);
  }

  contentBounds(box: Box): Box | undefined {
    const voxels = voxelsOfChunks(this.#shape, box);
    if (this.#layout.isTooLarge(voxels)) return box;
    let content: Box | undefined;
    for (const { bounds } of this.#layout.near(voxels)) {
      const common = intersectBoxes(bounds, voxels);
      if (common !== undefined) content = unionBox(content, common);
    }
    return content === undefined ? undefined : chunksOfVoxels(this.#shape, content);
  }

  /** Returns the chunk repeated in a box of voxels that only this platform is near. */
  #repeatedNear(platform: Platform, voxels: Box): Chunk | undefined {
    const { volume } = this.#shape;
    if (voxels.min[1] >= platform.top) {
      return isUnbuilt(platform, this.#structurePercent, voxels) ? emptyChunk(volume) : undefined;
    }
    const highest = this.#layerAt(platform, voxels.max[1] - 1);
    const lowest = this.#layerAt(platform, voxels.min[1]);
    if (lowest < 0 || highest >= this.#layout.layerCount) return emptyChunk(volume);
    if (highest < 0 || lowest >= this.#layout.layerCount) return undefined;
    // Lower layers lie within the outline of higher ones.
    if (relateToLayer(platform, highest, voxels) === "outside") return emptyChunk(volume);
    return isCore(platform, lowest, voxels) ? uniformChunk(volume, platform.surface) : undefined;
  }

  /** Draws the part of a platform that lies in a chunk: one layer of it, or its structures. */
  #draw(canvas: ChunkCanvas, platform: Platform, voxels: Box): void {
    const layer = this.#layerAt(platform, canvas.minY);
    if (layer >= 0 && layer < this.#layout.layerCount) drawLayer(canvas, platform, layer);
    for (const structure of structuresNear(platform, this.#structurePercent, voxels))
      structure.draw(canvas, structure);
  }

  /** Returns the layer of a slab at a height: 0 is the top one; negative is above it. */
  #layerAt({ top }: Platform, y: number): number {
    const height = this.#shape.extents[1];
    return Math.floor((top - 1 - y) / height);
  }
}
