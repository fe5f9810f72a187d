import {
  AIR,
  type BlockCatalog,
  type Box,
  type Chunk,
  type ChunkShape,
  chunkShape,
  emptyChunk,
  GeneratorRegistry,
  OrthantError,
  type WorldGenerator,
} from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import { blockCatalogCodec, chunkCodec } from "@orthant/core/chunk";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { LIGHT_REACH_VOXELS, LightField, type LitWorld, overridesAbove } from "@orthant/core/light";
import { generatorMapCodec, OverrideTree, WorldState } from "@orthant/core/tree";
import { BlockAppearance } from "@orthant/mesh";
import {
  ALL_SIDES,
  type ChunkCut,
  chunkInSlice,
  chunkSizeIn,
  cutChunk,
  emptyVolume,
  fillVolume,
  NO_QUADS,
  type Volume,
  type VolumeMesh,
  VolumeMesher,
  type VolumePoint,
  type VolumeSlice,
} from "@orthant/mesh/volume";
import { importGenerators } from "../generation/import-generators.ts";
import { type Posted, wholeBuffers } from "../pool/job-messages.ts";
import type { WorkerSpace } from "../pool/job-runner.ts";
import { KnownLooks } from "./known-looks.ts";
import {
  type GeneratorsDescription,
  type MeshAnswer,
  type MeshDescription,
  type MeshTask,
  PIECE_NUMBERS,
} from "./mesh-tasks.ts";
import { chunksInReach, voxelsWithBorder } from "./section-box.ts";
import { volumeLight } from "./volume-light.ts";

/** A world of two dimensions shows only the sides towards greater z. */
const FRONT: readonly number[] = [4];
/** Voxels of cuts that are kept: the sections around a chunk need them, too. */
const CUT_VOXELS_MAX = 1_048_576;
const NO_SURFACE: VolumeMesh = { opaque: NO_QUADS, cutout: NO_QUADS, blended: NO_QUADS };

/** The world of a scene in a worker: generated chunks, and on top of them those that a task has. */
class SceneWorld implements LitWorld {
  readonly shape: ChunkShape;
  readonly skyAbove: number | undefined;
  overrides: OverrideTree = OverrideTree.UNTOUCHED;
  readonly #state: WorldState | undefined;

  constructor(shape: ChunkShape, state: WorldState | undefined, skyAbove: number | undefined) {
    this.shape = shape;
    this.#state = state;
    this.skyAbove = state === undefined ? skyAbove : state.skyAbove;
  }

  chunkAt(x: number, y: number, z: number, w: number): Chunk | undefined {
    return this.overrides.at(x, y, z, w) ?? this.#state?.generatedChunk(x, y, z, w);
  }

  chunkAbove(x: number, y: number, z: number, w: number): Chunk {
    return this.chunkAt(x, y, z, w) ?? emptyChunk(this.shape.volume);
  }

  editedAbove(x: number, y: number, z: number, w: number): Iterable<Chunk> {
    return overridesAbove(this.overrides, x, y, z, w);
  }

  /** Has an asynchronous generator make chunks. Returns a function that releases them. */
  async keep(box: Box): Promise<() => void> {
    return this.#state?.isAsynchronous === true ? this.#state.keepGenerated([box]) : () => undefined;
  }
}

/** Meshes sections of a world in a worker. */
class MeshSpace implements WorkerSpace {
  readonly #world: SceneWorld;
  readonly #light: LightField | undefined;
  readonly #mesher: VolumeMesher;
  readonly #looks: KnownLooks | undefined;
  readonly #chunks = new Map<number, Chunk>();
  /** In the order of use, in the slice of the last task. */
  readonly #cuts = new Map<Chunk, Uint16Array>();
  #slice = "";
  #volume: Volume = emptyVolume([1, 1, 1]);
  /** Numbers that this thread has been told of. */
  #materialWords = 0;
  #templateNumbers = 0;

  constructor(world: SceneWorld, catalog: BlockCatalog, { hasLooks, isLit }: MeshDescription) {
    this.#world = world;
    this.#light = isLit ? new LightField(world, catalog) : undefined;
    this.#looks = hasLooks ? new KnownLooks() : undefined;
    this.#mesher = new VolumeMesher(this.#looks ?? new BlockAppearance(catalog));
  }

  async run(task: MeshTask): Promise<Posted<MeshAnswer>> {
    const overrides = this.#take(task);
    const { shape } = this.#world;
    const voxels = voxelsWithBorder(shape, task);
    const release = await this.#world.keep(chunksInReach(shape, voxels, 0));
    try {
      if (this.#world.overrides !== overrides) {
        this.#world.overrides = overrides;
        this.#light?.changedIn(chunksInReach(shape, voxels, LIGHT_REACH_VOXELS));
      }
      return this.#answer(task, voxels);
    } finally {
      release();
    }
  }

  /** Takes over what a task brings. Returns the chunks that are not as generated. */
  #take({ sent, forgotten, pieces, looks }: MeshTask): OverrideTree {
    const { volume } = this.#world.shape;
    for (const [number, bytes] of sent) this.#chunks.set(number, decode(chunkCodec(volume), bytes));
    let overrides = OverrideTree.UNTOUCHED;
    for (let at = 0; at < pieces.length; at += PIECE_NUMBERS) {
      const [x = 0, y = 0, z = 0, w = 0, endX = 0, endY = 0, endZ = 0, endW = 0, number = -1] =
        pieces.subarray(at, at + PIECE_NUMBERS);
      const box: Box = { min: [x, y, z, w], max: [endX, endY, endZ, endW] };
      overrides = overrides.fill(box, this.#chunks.get(number) as Chunk);
    }
    for (const number of forgotten) this.#chunks.delete(number);
    this.#looks?.learn(looks);
    return overrides;
  }

  #answer(task: MeshTask, voxels: Box): Posted<MeshAnswer> {
    const mesh = this.#meshOf(task, voxels);
    if (!("opaque" in mesh)) return { message: mesh, transfer: [] };
    const { materials, templates } = this.#mesher.blocks;
    const message = {
      mesh,
      materials: materials.slice(this.#materialWords),
      templates: templates.slice(this.#templateNumbers),
    };
    this.#materialWords = materials.length;
    this.#templateNumbers = templates.length;
    const lists = [mesh.opaque, mesh.cutout, mesh.blended].filter((list) => list !== NO_QUADS);
    return { message, transfer: wholeBuffers(lists) };
  }

  #meshOf(
    { first, chunks, slice }: MeshTask,
    voxels: Box,
  ): VolumeMesh | { readonly missing: readonly number[] } {
    const { shape } = this.#world;
    const chunk = chunkSizeIn(shape, slice);
    const size: VolumePoint = [chunk[0] * chunks[0], chunk[1] * chunks[1], chunk[2] * chunks[2]];
    if (String(size) !== String(this.#volume.size)) this.#volume = emptyVolume(size);
    const isFlat = chunk[2] === 1;
    const cutAt = (right: number, up: number, back: number): ChunkCut =>
      isFlat && back !== first[2] ? AIR : this.#cutAt(slice, [right, up, back]);
    if (fillVolume({ chunk, chunks }, first, cutAt, this.#volume) === "air") return NO_SURFACE;
    const missing = this.#looks?.missingIn(this.#volume.blocks) ?? [];
    if (missing.length > 0) return { missing };
    // Deep in the ground there is nothing to light, which takes most of the time.
    if (this.#mesher.blocks.areSolid(this.#volume.blocks)) return NO_SURFACE;
    const sides = isFlat ? FRONT : ALL_SIDES;
    if (this.#light === undefined) return this.#mesher.mesh(this.#volume, { sides });
    const light = this.#light.in(voxels);
    if (light === undefined)
      throw new OrthantError("ORT_WORKER", "the light depends on a chunk that the worker does not have");
    return this.#mesher.mesh(this.#volume, { sides, light: volumeLight(light, voxels, slice, size) });
  }

  #cutAt(slice: VolumeSlice, place: VolumePoint): ChunkCut {
    const { right, up, back, at } = slice;
    const key = `${right} ${up} ${back} ${at}`;
    if (key !== this.#slice) this.#cuts.clear();
    this.#slice = key;
    const chunk = this.#world.chunkAbove(...chunkInSlice(this.#world.shape, slice, place));
    if (chunk.uniformBlock !== undefined) return chunk.uniformBlock;
    const cut = this.#cuts.get(chunk) ?? cutChunk(chunk, this.#world.shape, slice);
    if (typeof cut === "number") return cut;
    this.#cuts.delete(chunk);
    this.#cuts.set(chunk, cut);
    for (const oldest of this.#cuts.keys()) {
      if (this.#cuts.size * cut.length <= CUT_VOXELS_MAX) break;
      this.#cuts.delete(oldest);
    }
    return cut;
  }
}

/** Opens a world for meshes in a worker. */
export function openMeshes(description: unknown): Promise<WorkerSpace> | undefined {
  const { kind } = description as { readonly kind: unknown };
  return kind === "mesh" ? openScene(description as MeshDescription) : undefined;
}

async function openScene(description: MeshDescription): Promise<WorkerSpace> {
  const { extents, catalog, generators, skyAbove, cacheBytes } = description;
  const shape = chunkShape(extents);
  const state = generators && (await openState(generators, shape, cacheBytes));
  return new MeshSpace(
    new SceneWorld(shape, state, skyAbove),
    decode(blockCatalogCodec, catalog),
    description,
  );
}

async function openState(
  { map, modules }: GeneratorsDescription,
  shape: ChunkShape,
  cacheBytes: number,
): Promise<WorldState> {
  const generator = decode(generatorMapCodec, map);
  const loaded = new Set<WorldGenerator>();
  for (const [index, ref] of generator.refs.entries()) {
    const module = modules[index];
    const own = module === undefined ? DEFAULT_GENERATORS.generatorOf(ref) : undefined;
    const found = module === undefined ? [] : await importGenerators(module, ref.generatorId);
    for (const one of own === undefined ? found : [own]) loaded.add(one);
  }
  return WorldState.open({
    generators: new GeneratorRegistry([...loaded]),
    generator,
    shape,
    cacheLimits: { softBytes: Math.floor(cacheBytes / 2), hardBytes: cacheBytes },
  });
}
