import { type Chunk, HYPERCUBE_CHUNKS, type Position, uniformChunk } from "@orthant/core";
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import { cubeAt, positionsLexicographic, REGION_EDGE_CHUNKS, regionOf } from "@orthant/core/lattice";
import { clockFrom } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { BulkSaveWriter, type LeafChange, openSave, type StoredChunk } from "@orthant/save";
import { wholeChunk } from "@orthant/save/internal";
import { Prng } from "@orthant/testkit";
import { createWorldEngine } from "@orthant/world/engine";
import { builtChunk } from "../cli/built-leaves.ts";

const CHUNKS_PER_REGION = REGION_EDGE_CHUNKS ** 4;
/** Templates of built chunks; each built chunk of the world is a variation of one. */
const TEMPLATES = 64;
const VOXELS_CHANGED = 6;
const BLOCKS = 12;
/** One chunk in this many is built on; the others have a few edited voxels. */
const BUILT_ONE_IN = 8;
const REGIONS_AT_ONCE = 64;
/** Number of different chunks, to the power of four. */
const SAMPLES_EDGE = 8;

/** The layout of a large world's chunks: adjacent regions in a four-dimensional cube. */
export class LargeWorldPlan {
  readonly chunks: number;
  readonly #edge: number;

  constructor(chunks: number) {
    this.chunks = chunks;
    this.#edge = Math.ceil((chunks / CHUNKS_PER_REGION) ** 0.25);
  }

  /** Number of regions with chunks. */
  get regions(): number {
    return Math.ceil(this.chunks / CHUNKS_PER_REGION);
  }

  /** Returns the least chunk of a region. */
  cornerOf(index: number): Position {
    const edge = this.#edge;
    const part = (divisor: number): number => (Math.floor(index / divisor) % edge) * REGION_EDGE_CHUNKS;
    return [part(1), part(edge), part(edge ** 2), part(edge ** 3)];
  }

  /** Returns a random edited chunk. */
  randomChunk(prng: Prng): Position {
    const index = prng.below(this.regions - 1);
    const corner = this.cornerOf(index);
    const inside = (): number => prng.below(REGION_EDGE_CHUNKS);
    return [corner[0] + inside(), corner[1] + inside(), corner[2] + inside(), corner[3] + inside()];
  }
}

/** Creates a world over `platforms` with the planned number of edited chunks, as one save. */
export async function makeLargeWorld(folder: string, plan: LargeWorldPlan, seed: number): Promise<void> {
  const disk = await NodeDisk.create(folder);
  const global = await globalState();
  const prng = new Prng(seed);
  const maker = new LeafMaker(plan, prng, await storedSamples(prng));
  const writer = await BulkSaveWriter.create(disk, HYPERCUBE_CHUNKS);
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
  await (await createWorldEngine(disk, { name: "large", generator }, { autosave: false })).close();
  return readGlobal(disk);
}

async function readGlobal(disk: MemoryDisk) {
  const save = await openSave(disk);
  await save.close();
  const { global } = save;
  return { ...global, description: { ...global.description, clockEpoch: 1 } };
}

/** Makes leaves from chunks that were encoded once: encoding ten million would be most of the work. */
class LeafMaker {
  readonly #plan: LargeWorldPlan;
  readonly #prng: Prng;
  readonly #stored: readonly StoredChunk[];

  constructor(plan: LargeWorldPlan, prng: Prng, stored: readonly StoredChunk[]) {
    this.#plan = plan;
    this.#prng = prng;
    this.#stored = stored;
  }

  leaf(index: number): LeafChange {
    const cube = cubeAt(this.#plan.cornerOf(index), REGION_EDGE_CHUNKS);
    const count = Math.min(CHUNKS_PER_REGION, this.#plan.chunks - index * CHUNKS_PER_REGION);
    const positions = [...positionsLexicographic(cube)].slice(0, count);
    return {
      cube,
      chunks: positions.map((position) => this.#entryAt(position)),
      clocks: [{ region: regionOf(cube.min), clock: clockFrom(1, index + 1) }],
    };
  }

  #entryAt(position: Position): StoredChunk {
    const entry = this.#stored[this.#prng.below(this.#stored.length)] as StoredChunk;
    return entry.kind === "chunk" ? wholeChunk(position, entry.content) : { ...entry, position };
  }
}

/** Returns edited chunks in their stored form. */
async function storedSamples(prng: Prng): Promise<readonly StoredChunk[]> {
  const air = uniformChunk(HYPERCUBE_CHUNKS.volume, 0);
  const templates = Array.from({ length: TEMPLATES }, () => builtChunk(prng));
  const cube = cubeAt([0, 0, 0, 0], SAMPLES_EDGE);
  const chunks = Array.from(positionsLexicographic(cube), (position) => {
    const isBuilt = prng.below(BUILT_ONE_IN) === 0;
    const edits = Array.from({ length: VOXELS_CHANGED }, () => ({
      index: prng.below(HYPERCUBE_CHUNKS.volume),
      block: 1 + prng.below(BLOCKS),
    }));
    const from = isBuilt ? (templates[prng.below(TEMPLATES)] as Chunk) : air;
    return { position, chunk: from.edit(edits) };
  });
  const disk = new MemoryDisk();
  const writer = await BulkSaveWriter.create(disk, HYPERCUBE_CHUNKS);
  await writer.add([{ cube, chunks }]);
  await writer.finish({ nowMs: 1, global: await globalState(), players: [] });
  await writer.close();
  const save = await openSave(disk);
  const stored: StoredChunk[] = [];
  for await (const leaf of save.index.all()) stored.push(...(await save.readStored(leaf)));
  await save.close();
  return stored;
}
