import { BlockCatalog, type Box, type Chunk } from "@orthant/core";
import {
  checkedOptions,
  matching,
  requireFlag,
  whole,
  withMethods,
  wrongArgument,
} from "@orthant/core/arguments";
import { encode, I32_MAX } from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import type { GenerationJob } from "@orthant/core/generate";
import { boxAt, floorDivide, positionsLexicographic } from "@orthant/core/lattice";
import { LIGHT_REACH_VOXELS } from "@orthant/core/light";
import { generatorMapCodec, type Piece } from "@orthant/core/tree";
import type { BlockLook, BlockLooks } from "@orthant/mesh/looks";
import { chunkSizeIn, VOLUME_EDGE_MAX, type VolumeMesh, XYZ } from "@orthant/mesh/volume";
import { canOpen, WorkerGenerators } from "../generation/worker-generators.ts";
import type { Posted } from "../pool/job-messages.ts";
import type { Priority } from "../pool/waiting-jobs.ts";
import { AGAIN, type WorkerPool } from "../pool/worker-pool.ts";
import type { GeneratorsDescription, MeshAnswer, MeshDescription, MeshTask } from "./mesh-tasks.ts";
import { QuadTables } from "./quad-tables.ts";
import type { SceneSource } from "./scene-source.ts";
import { chunksInReach, type MeshSection, voxelsWithBorder } from "./section-box.ts";
import { SentChunks } from "./sent-chunks.ts";

/** Options of a scene. */
export interface MeshSceneOptions {
  /** The chunks of the world. */
  readonly source: SceneSource;
  readonly blocks: BlockCatalog;
  /** How blocks are drawn. Default: cubes of the catalog's colours. */
  readonly looks?: BlockLooks;
  /** Whether quads have light. Default: true. */
  readonly isLit?: boolean;
  /** Memory of each worker for chunks of the world: for edited ones, and as much for generated ones. Default: 16 MiB. */
  readonly cacheBytes?: number;
}

/** When a section is meshed. */
export interface MeshJobOptions {
  /**
   * The lowest number is first, such as the distance from the camera; `URGENT` is before all others. A function is asked
   * again by `MeshPool.sort`. Default: 0.
   */
  readonly priority?: Priority;
}

/** The priority of what must not wait, such as a player's own edits. */
export const URGENT: number = -Infinity;

const CACHE_BYTES = 16 * 1024 * 1024;
const CACHE_BYTES_MIN = 1024 * 1024;
/** Limit on the voxels of a section. */
const SECTION_VOXELS_MAX = 64 ** 3;

const sceneOptions = {
  source: withMethods<SceneSource>("it is what stateSource returns", "has", "madeIn", "chunkAt"),
  blocks: matching<BlockCatalog>("it is a BlockCatalog", (value) => value instanceof BlockCatalog),
  looks: withMethods<BlockLooks>("it is what looksOf returns", "lookOf"),
  isLit: requireFlag,
  cacheBytes: whole(CACHE_BYTES_MIN),
};

/** Builds meshes of worlds in workers, and generates chunks. */
export class MeshPool extends WorkerGenerators {
  readonly #workers: WorkerPool;

  constructor(workers: WorkerPool) {
    super(workers);
    this.#workers = workers;
  }

  /**
   * Opens a world for meshes. After a change of its catalog or its looks, open another one and close this one.
   *
   * @example
   * const scene = pool.openScene({ source: stateSource(() => world.engine.state), blocks: world.blocks });
   * const { opaque } = (await scene.mesh({ first: [0, 0, 0], chunks: [2, 2, 2] }).result) ?? {};
   */
  openScene(options: MeshSceneOptions): MeshScene {
    return new MeshScene(this.#workers, checkedOptions("the options", options, sceneOptions));
  }

  /** Asks all functions of jobs that wait for their priority again, after the camera has moved. */
  sort(): void {
    this.#workers.sort();
  }
}

/** A world whose sections workers mesh. */
export class MeshScene {
  readonly #workers: WorkerPool;
  readonly #source: SceneSource;
  readonly #looks: BlockLooks | undefined;
  readonly #isLit: boolean;
  readonly #hasGenerators: boolean;
  readonly #tables = new QuadTables();
  readonly #sent: SentChunks;
  readonly #space: number;

  /** @internal */
  constructor(
    workers: WorkerPool,
    { source, blocks, looks, isLit = true, cacheBytes = CACHE_BYTES }: MeshSceneOptions,
  ) {
    this.#workers = workers;
    this.#source = source;
    this.#looks = looks;
    this.#isLit = isLit;
    this.#sent = new SentChunks(cacheBytes);
    const generators = generatorsOf(workers, source);
    this.#hasGenerators = generators !== undefined;
    const description: MeshDescription = {
      kind: "mesh",
      extents: source.shape.extents,
      catalog: encode(blockCatalogCodec, blocks),
      hasLooks: looks !== undefined,
      isLit,
      skyAbove: source.skyAbove,
      generators,
      cacheBytes,
    };
    this.#space = workers.openSpace({
      description,
      onWorkerEnd: (worker) => {
        this.#sent.forget(worker);
        this.#tables.forget(worker);
      },
    });
  }

  /** The materials that quads refer to, two words each. It grows: later ones follow behind. */
  get materials(): Uint32Array<ArrayBuffer> {
    return this.#tables.materials;
  }

  /** The templates that faces of models refer to, 32 numbers each. It grows as well. */
  get templates(): Float32Array<ArrayBuffer> {
    return this.#tables.templates;
  }

  /**
   * Meshes a section as the world is when it is its turn. The result is `undefined` if a chunk is not in memory then that it
   * depends on; `job.cancel()` gives it up. Fails with `ORT_WORKER` if a worker crashed or took too long.
   */
  mesh(section: MeshSection, { priority }: MeshJobOptions = {}): GenerationJob<VolumeMesh | undefined> {
    requireSection(section, this.#source);
    let looks: ReadonlyMap<number, BlockLook> | undefined;
    return this.#workers.run<VolumeMesh>(this.#space, {
      shown: `meshing ${section.chunks.join(" x ")} chunks from [${section.first}]`,
      priority,
      post: (worker) => this.#taskFor(worker, section, looks),
      take: (message, worker) => {
        const answer = message as MeshAnswer;
        if (!("missing" in answer)) return this.#tables.take(answer, worker);
        looks = new Map(answer.missing.map((block) => [block, this.#looks?.lookOf(block) as BlockLook]));
        return AGAIN;
      },
    });
  }

  /** Lets workers forget the world. Unfinished jobs fail with `ORT_CLOSED`. */
  close(): void {
    this.#workers.closeSpace(this.#space);
  }

  #taskFor(
    worker: number,
    section: MeshSection,
    looks: ReadonlyMap<number, BlockLook> | undefined,
  ): Posted<MeshTask> | undefined {
    const pieces = this.#piecesFor(section);
    if (pieces === undefined) return undefined;
    const { first, chunks, slice = XYZ } = section;
    const chunksOfTask = this.#sent.toWorker(worker, pieces);
    const { right, up, back, hidden, at } = slice;
    const message: MeshTask = {
      first: [...first],
      chunks: [...chunks],
      slice: { right, up, back, hidden, at },
      ...chunksOfTask,
      looks,
    };
    return { message, transfer: [chunksOfTask.pieces.buffer] };
  }

  /** Returns the chunks that a worker cannot generate; `undefined` while one of those that matter is not in memory. */
  #piecesFor(section: MeshSection): Piece<Chunk>[] | undefined {
    const source = this.#source;
    const near = chunksInReach(
      source.shape,
      voxelsWithBorder(source.shape, section),
      this.#isLit ? LIGHT_REACH_VOXELS : 0,
    );
    if (!source.has(near)) return undefined;
    const pieces = this.#hasGenerators ? [...source.madeIn(near)] : this.#allPieces(near);
    // What is above takes light away, however high it is.
    if (this.#hasGenerators && this.#isLit && source.skyAbove !== undefined)
      pieces?.push(...source.madeIn(above(near)));
    return pieces;
  }

  #allPieces(near: Box): Piece<Chunk>[] | undefined {
    const { shape, skyAbove } = this.#source;
    const pieces: Piece<Chunk>[] = [];
    for (const position of positionsLexicographic(near)) {
      const content = this.#source.chunkAt(...position);
      if (content === undefined) return undefined;
      pieces.push({ box: boxAt(position), content });
    }
    if (!this.#isLit || skyAbove === undefined) return pieces;
    const { min, max } = above(near);
    const top = Math.max(min[1], floorDivide(skyAbove - 1, shape.extents[1]) + 1);
    // What is not in memory up there takes no light away.
    for (const position of positionsLexicographic({ min, max: [max[0], top, max[2], max[3]] })) {
      const content = this.#source.chunkAt(...position);
      if (content?.isEmpty === false) pieces.push({ box: boxAt(position), content });
    }
    pieces.push(...this.#source.madeIn({ min: [min[0], top, min[2], min[3]], max }));
    return pieces;
  }
}

/** Returns the box of all chunks above another one. */
function above({ min, max }: Box): Box {
  const height = Math.min(max[1], I32_MAX);
  return { min: [min[0], height, min[2], min[3]], max: [max[0], I32_MAX + 1, max[2], max[3]] };
}

/** Returns what workers generate untouched chunks with; `undefined` if they cannot load it. */
function generatorsOf(workers: WorkerPool, { generators }: SceneSource): GeneratorsDescription | undefined {
  if (generators === undefined) return undefined;
  const { map } = generators;
  const modules = map.refs.map((ref) => generators.moduleOf(ref));
  const isKnown = map.refs.every((ref, index) => canOpen(workers, { ref, module: modules[index] }));
  return isKnown ? { map: encode(generatorMapCodec, map), modules } : undefined;
}

function requireSection({ first, chunks, slice = XYZ }: MeshSection, { shape }: SceneSource): void {
  for (const [name, point] of Object.entries({ first, chunks })) {
    if (!Array.isArray(point) || point.length !== 3 || !point.every((part) => Number.isSafeInteger(part)))
      throw wrongArgument(`section.${name}`, point, "it is three whole numbers");
  }
  const size = chunkSizeIn(shape, slice).map((edge, axis) => edge * (chunks[axis] as number));
  const voxels = size.reduce((product, edge) => product * edge, 1);
  const isBounded =
    size.every((edge) => edge >= 1 && edge <= VOLUME_EDGE_MAX) && voxels <= SECTION_VOXELS_MAX;
  if (isBounded) return;
  const wanted = `a section has up to ${VOLUME_EDGE_MAX} voxels on each axis, and up to ${SECTION_VOXELS_MAX} in all`;
  throw wrongArgument("section.chunks", chunks, wanted);
}
