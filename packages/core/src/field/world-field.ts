import type { Chunk, VoxelEdit } from "../chunk/chunk.ts";
import { OrthantError } from "../error/orthant-error.ts";
import type { GeneratedSpace } from "../generate/generated-space.ts";
import type { GeneratorRegistry } from "../generate/generator-registry.ts";
import { PlaceMemo } from "../generate/hash/place-memo.ts";
import { type Box, boxAt, unionBox } from "../lattice/box.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import { comparePlaces, type Place } from "../lattice/place.ts";
import { PlaceMap } from "../lattice/place-map.ts";
import { PlaceSet } from "../lattice/place-set.ts";
import { regionOf } from "../lattice/region.ts";
import { cellOfVoxel, chunkOfVoxel } from "../lattice/voxel-chunks.ts";
import type { GeneratorRef } from "../tree/generator-ref.ts";
import { OverrideTree } from "../tree/override-tree.ts";
import { RegionTree } from "../tree/region-tree.ts";
import { RealizationCache, type RealizeProfile } from "./realization-cache.ts";

/** `symbolic` leaves untouched space to the generator; `concrete` says what is there, for those who lack it. */
export type QueryDetail = "symbolic" | "concrete";

/** What a world is made of. */
export interface WorldFieldOptions {
  readonly generators: GeneratorRegistry;
  readonly generator: GeneratorRef;
  readonly shape: ChunkShape;
  /** What people made so far; nothing unless it is given. */
  readonly overrides?: OverrideTree;
  readonly cache?: RealizationCache;
}

/** A voxel of the world and the material that it gets. */
export interface VoxelPlacement {
  readonly voxel: Place;
  readonly material: number;
}

/** What an edit led to. */
export interface FieldEdit {
  /** The world after the edit; the very same field when nothing changed. */
  readonly field: WorldField;
  /** The chunks that look different now, in lexicographic order. */
  readonly chunks: readonly Place[];
  /** The regions of these chunks, in lexicographic order. */
  readonly regions: readonly Place[];
}

/** Edits of more chunks than this are compared with what was before, which finds boxes instead of single chunks. */
const CHUNKS_COMPARED_MIN = 16;
/** So many chunks under people's work are remembered. */
const CHUNKS_UNDER_EDITS_MAX = 256;

/** What all snapshots of one world have in common. */
interface FieldWorld {
  readonly generators: GeneratorRegistry;
  readonly space: GeneratedSpace;
  readonly generator: GeneratorRef;
  readonly cache: RealizationCache;
  /** What the generator says about chunks that people changed. */
  readonly under: PlaceMemo<Chunk>;
  /** The overrides of the newest snapshot. */
  newest: OverrideTree;
}

/** One state of a world: what people made, over what is generated. It never changes; an edit gives another one. */
export class WorldField {
  readonly shape: ChunkShape;
  readonly overrides: OverrideTree;
  /** Rises from snapshot to snapshot of a world. */
  readonly epoch: number;
  readonly #world: FieldWorld;

  private constructor(world: FieldWorld, overrides: OverrideTree, epoch: number) {
    this.#world = world;
    this.shape = world.space.shape;
    this.overrides = overrides;
    this.epoch = epoch;
  }

  /** The first snapshot of a world. The cache must not be that of another world. */
  static open(options: WorldFieldOptions): WorldField {
    const { generators, generator, shape, overrides = OverrideTree.VIRGIN } = options;
    const cache = options.cache ?? new RealizationCache();
    const space = generators.open(generator, shape);
    const under = new PlaceMemo(CHUNKS_UNDER_EDITS_MAX, (x, y, z, w) => space.realize(x, y, z, w));
    const world: FieldWorld = { generators, space, generator, cache, under, newest: overrides };
    return new WorldField(world, overrides, cache.newestEpoch);
  }

  /** What generates the space that nobody touched. */
  get generator(): GeneratorRef {
    return this.#world.generator;
  }

  /** All generators that the program has. */
  get generators(): GeneratorRegistry {
    return this.#world.generators;
  }

  /** Where realized chunks are kept, for all snapshots of this world. */
  get cache(): RealizationCache {
    return this.#world.cache;
  }

  /** All that is in a box. Concrete answers have a limit: see `GeneratedSpace.describe`. */
  queryRegion(box: Box, detail: QueryDetail): RegionTree {
    const { space, generator } = this.#world;
    const virgin = detail === "symbolic" ? RegionTree.EMPTY.fill(box, generator) : space.describe(box);
    return virgin.under(this.overrides.slice(box));
  }

  /**
   * A box around all that is not air in a box; `undefined` when all of it is. It may be too large. A field knows only
   * what is in it: of a world on disk, parts of which may not be loaded, ask `World.contentBounds`.
   */
  queryContentBounds(box: Box): Box | undefined {
    const generated = this.#world.space.contentBounds(box);
    const made = this.overrides.slice(box).bounds();
    if (generated === undefined || made === undefined) return generated ?? made;
    return unionBox(generated, made);
  }

  /** The voxels of one chunk. */
  realizeChunk(x: number, y: number, z: number, w: number, profile: RealizeProfile): Chunk {
    const made = this.overrides.at(x, y, z, w);
    if (made !== undefined) return made;
    const { space, generator, cache } = this.#world;
    const key = { epoch: this.epoch, x, y, z, w, profile, versionHash: generator.versionHash };
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const chunk = space.realize(x, y, z, w);
    cache.put(key, chunk);
    return chunk;
  }

  /** What the generator makes of a chunk, whatever people made of it. */
  generatedChunk(x: number, y: number, z: number, w: number): Chunk {
    return this.#world.under.at(x, y, z, w);
  }

  /** The material of one voxel. */
  voxelAt(x: number, y: number, z: number, w: number): number {
    const [chunkX, chunkY, chunkZ, chunkW] = chunkOfVoxel(this.shape, [x, y, z, w]);
    const chunk = this.realizeChunk(chunkX, chunkY, chunkZ, chunkW, "simulation");
    return chunk.get(cellOfVoxel(this.shape, x, y, z, w));
  }

  /** The world with other overrides, as its newest snapshot. Realizations of other places stay cached. */
  withOverrides(overrides: OverrideTree): WorldField {
    if (overrides === this.overrides) return this;
    return this.#succeed(
      overrides,
      Array.from(this.#world.newest.differences(overrides), ({ box }) => box),
    );
  }

  /** The newest snapshot, which differs from the one before in these boxes at most. */
  #succeed(overrides: OverrideTree, changed: readonly Box[]): WorldField {
    const world = this.#world;
    world.newest = overrides;
    return new WorldField(world, overrides, world.cache.advance(changed));
  }

  /** The world with these voxels, of which the last one given for a place counts. */
  setVoxels(placements: Iterable<VoxelPlacement>): FieldEdit {
    const editsByChunk = new PlaceMap<VoxelEdit[]>();
    for (const { voxel, material } of placements) {
      const [x, y, z, w] = chunkOfVoxel(this.shape, voxel);
      const edit = { index: cellOfVoxel(this.shape, ...voxel), material };
      const edits = editsByChunk.get(x, y, z, w);
      if (edits === undefined) editsByChunk.set(x, y, z, w, [edit]);
      else edits.push(edit);
    }
    return this.#apply(
      Array.from(editsByChunk, ([place, edits]) => [
        place,
        this.realizeChunk(...place, "simulation").edit(edits),
      ]),
    );
  }

  /** The world with these chunks, of which the last one given for a place counts. */
  setChunks(chunks: Iterable<readonly [place: Place, chunk: Chunk]>): FieldEdit {
    const { volume } = this.shape;
    const edited = new PlaceMap<Chunk>();
    for (const [place, chunk] of chunks) {
      if (chunk.volume !== volume) throw new OrthantError("ORT_ARGUMENT", otherVolume(chunk, volume));
      edited.set(...place, chunk);
    }
    return this.#apply([...edited]);
  }

  /** Keeps this snapshot's realizations when there are newer ones, until it is released as often. */
  hold(): void {
    this.#world.cache.hold(this.epoch);
  }

  /** Takes one hold back. */
  release(): void {
    this.#world.cache.release(this.epoch);
  }

  #apply(edited: readonly (readonly [place: Place, chunk: Chunk])[]): FieldEdit {
    let { overrides } = this;
    const changed: Place[] = [];
    for (const [place, chunk] of edited) {
      const before = this.overrides.at(...place);
      // The memory of what is under people's work spares a builder's next edit the generator.
      const generated =
        before === undefined ? this.realizeChunk(...place, "simulation") : this.#world.under.at(...place);
      if (!chunk.equals(before ?? generated)) changed.push(place);
      if (!chunk.equals(generated)) overrides = overrides.set(place, chunk);
      else if (before !== undefined) overrides = overrides.carve(boxAt(place));
    }
    // What a small edit of the newest snapshot touched is known; looking for it takes longer than all the rest.
    const isKnown = edited.length <= CHUNKS_COMPARED_MIN && this.#world.newest === this.overrides;
    const field =
      isKnown && overrides !== this.overrides
        ? this.#succeed(
            overrides,
            edited.map(([place]) => boxAt(place)),
          )
        : this.withOverrides(overrides);
    return { field, ...reportOf(changed) };
  }
}

function reportOf(changed: readonly Place[]): Pick<FieldEdit, "chunks" | "regions"> {
  // Most edits are of one chunk, and need no set of regions.
  if (changed.length <= 1) return { chunks: changed, regions: changed.map(regionOf) };
  const regions = new PlaceSet();
  for (const place of changed) regions.add(...regionOf(place));
  return { chunks: [...changed].sort(comparePlaces), regions: [...regions].sort(comparePlaces) };
}

function otherVolume(chunk: Chunk, volume: number): string {
  return `a chunk of ${chunk.volume} voxels, where the chunks of this world have ${volume}`;
}
