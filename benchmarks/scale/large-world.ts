import {
  type Chunk,
  clockOf,
  cubeAt,
  generatorRef,
  HYPERCUBE_CHUNKS,
  PLATFORMS_DEFAULTS,
  type Place,
  placesLexicographic,
  platformsGenerator,
  REGION_EDGE_CHUNKS,
  regionOf,
  uniformChunk,
} from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { BulkSaveWriter, generatedChunks, type LeafChange, openSave } from "@orthant/formats";
import { Prng } from "@orthant/testkit";
import { createWorld } from "@orthant/world";
import { builtChunk } from "../cli/built-leaves.ts";

const CHUNKS_PER_REGION = REGION_EDGE_CHUNKS ** 4;
/** Chunks that people built, of which each one in the world is a variation. */
const TEMPLATES = 64;
const VOXELS_CHANGED = 6;
const MATERIALS = 12;
/** One chunk in so many is built on; in the others a few voxels were changed. */
const BUILT_ONE_IN = 8;
const REGIONS_AT_ONCE = 64;

/** Where the chunks of a large world lie: regions side by side, in a cube of four dimensions. */
export class LargeWorldPlan {
  readonly chunks: number;
  readonly #edge: number;

  constructor(chunks: number) {
    this.chunks = chunks;
    this.#edge = Math.ceil((chunks / CHUNKS_PER_REGION) ** 0.25);
  }

  /** How many regions have chunks. */
  get regions(): number {
    return Math.ceil(this.chunks / CHUNKS_PER_REGION);
  }

  /** The least chunk of a region. */
  cornerOf(index: number): Place {
    const edge = this.#edge;
    const part = (divisor: number): number => (Math.floor(index / divisor) % edge) * REGION_EDGE_CHUNKS;
    return [part(1), part(edge), part(edge ** 2), part(edge ** 3)];
  }

  /** A chunk that somebody changed. */
  randomChunk(prng: Prng): Place {
    const index = prng.below(this.regions - 1);
    const corner = this.cornerOf(index);
    const inside = (): number => prng.below(REGION_EDGE_CHUNKS);
    return [corner[0] + inside(), corner[1] + inside(), corner[2] + inside(), corner[3] + inside()];
  }
}

/** Makes a world over `platforms` in which so many chunks were changed or built on, as one save. */
export async function makeLargeWorld(folder: string, plan: LargeWorldPlan, seed: number): Promise<void> {
  const disk = await NodeDisk.create(folder);
  const global = await globalState();
  const writer = await BulkSaveWriter.create(disk, HYPERCUBE_CHUNKS, { generated: generatedChunks(global) });
  const maker = new LeafMaker(plan, seed);
  for (let region = 0; region < plan.regions; region += REGIONS_AT_ONCE) {
    const end = Math.min(region + REGIONS_AT_ONCE, plan.regions);
    await writer.add(Array.from({ length: end - region }, (_, index) => maker.leaf(region + index)));
  }
  await writer.finish({ nowMs: 1, global, players: [] });
  await writer.close();
}

async function globalState(): ReturnType<typeof readGlobal> {
  const disk = new MemoryDisk();
  const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 7n);
  await (await createWorld(disk, { name: "large", generator }, { autosave: false })).close();
  return readGlobal(disk);
}

async function readGlobal(disk: MemoryDisk) {
  const save = await openSave(disk);
  await save.close();
  const { global } = save;
  return { ...global, description: { ...global.description, clockEpoch: 1 } };
}

class LeafMaker {
  readonly #plan: LargeWorldPlan;
  readonly #prng: Prng;
  readonly #templates: readonly Chunk[];
  readonly #air = uniformChunk(HYPERCUBE_CHUNKS.volume, 0);

  constructor(plan: LargeWorldPlan, seed: number) {
    this.#plan = plan;
    this.#prng = new Prng(seed);
    this.#templates = Array.from({ length: TEMPLATES }, () => builtChunk(this.#prng));
  }

  leaf(index: number): LeafChange {
    const cell = cubeAt(this.#plan.cornerOf(index), REGION_EDGE_CHUNKS);
    const count = Math.min(CHUNKS_PER_REGION, this.#plan.chunks - index * CHUNKS_PER_REGION);
    const places = [...placesLexicographic(cell)].slice(0, count);
    return {
      cell,
      blocks: places.map((place) => ({ place, chunk: this.#chunk() })),
      clocks: [{ region: regionOf(cell.min), clock: clockOf(1, index + 1) }],
    };
  }

  #chunk(): Chunk {
    const isBuilt = this.#prng.below(BUILT_ONE_IN) === 0;
    const from = isBuilt ? this.#templates[this.#prng.below(TEMPLATES)] : undefined;
    const edits = Array.from({ length: VOXELS_CHANGED }, () => ({
      index: this.#prng.below(HYPERCUBE_CHUNKS.volume),
      material: 1 + this.#prng.below(MATERIALS),
    }));
    return (from ?? this.#air).edit(edits);
  }
}
