import type { Chunk } from "../chunk/chunk.ts";
import { type Box, intersectBoxes, unionBox } from "../lattice/box.ts";
import { chunksOfRegions } from "../lattice/region.ts";
import type { GeneratorRef } from "../tree/content.ts";
import type { GeneratorMap } from "../tree/generator-map.ts";
import type { VoxelSource } from "./world-generator.ts";

/** The voxels of a world with several generators: each chunk comes from the one that its region has. */
export class MappedVoxels implements VoxelSource {
  readonly isAsynchronous: boolean;
  /** That of the highest generator, if all have one. */
  readonly skyAbove: number | undefined;
  readonly #map: GeneratorMap;
  readonly #sources: ReadonlyMap<GeneratorRef, VoxelSource>;
  /** For each generator but the current one, a box of chunks around its regions. */
  readonly #bounds: ReadonlyMap<GeneratorRef, Box>;

  /** `sources` has a source for each generator of the map. */
  constructor(map: GeneratorMap, sources: ReadonlyMap<GeneratorRef, VoxelSource>) {
    this.#map = map;
    this.#sources = sources;
    this.isAsynchronous = [...sources.values()].some((source) => source.isAsynchronous === true);
    const heights = Array.from(sources.values(), ({ skyAbove = Number.NaN }) => skyAbove);
    const highest = Math.max(...heights);
    this.skyAbove = Number.isNaN(highest) ? undefined : highest;
    const bounds = new Map<GeneratorRef, Box>();
    for (const { box, generator } of map.kept) {
      const chunks = chunksOfRegions(box);
      bounds.set(generator, unionBox(bounds.get(generator), chunks));
    }
    this.#bounds = bounds;
  }

  repeatedIn(box: Box): Chunk | undefined {
    const only = this.#map.onlyIn(box);
    return only && this.#sourceOf(only).repeatedIn(box);
  }

  realize(x: number, y: number, z: number, w: number): Chunk | Promise<Chunk> {
    return this.#sourceOf(this.#map.ofChunk(x, y, z, w)).realize(x, y, z, w);
  }

  contentBounds(box: Box): Box | undefined {
    const only = this.#map.onlyIn(box);
    if (only !== undefined) return this.#sourceOf(only).contentBounds(box);
    let bounds = this.#sourceOf(this.#map.current).contentBounds(box);
    for (const [generator, chunks] of this.#bounds) {
      const part = intersectBoxes(chunks, box);
      const content = part && this.#sourceOf(generator).contentBounds(part);
      if (content !== undefined) bounds = unionBox(bounds, content);
    }
    return bounds;
  }

  #sourceOf(generator: GeneratorRef): VoxelSource {
    return this.#sources.get(generator) as VoxelSource;
  }
}
