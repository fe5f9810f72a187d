import {
  type ChunkShape,
  CUBE_CHUNKS,
  GeneratorRegistry,
  HYPERCUBE_CHUNKS,
  type Position,
  TILE_CHUNKS,
  type WorldGenerator,
} from "@orthant/core";
import {
  FLAT_DEFAULTS,
  type FlatParameters,
  flatGenerator,
  type GeneratorRef,
  generatorRef,
} from "@orthant/core/generate";
import { chunkOfVoxel, positionFrom } from "@orthant/core/lattice";
import type { Prng } from "@orthant/testkit";

/** States of a world when a command first sees it. */
export const STATES = ["fresh", "edited", "killed", "paged", "compacted", "tagged"] as const;
export type State = (typeof STATES)[number];

/** Chunk shape of worlds, by number of dimensions. */
const SHAPES = { 2: TILE_CHUNKS, 3: CUBE_CHUNKS, 4: HYPERCUBE_CHUNKS } as const;
export type Dimensions = keyof typeof SHAPES;

/** A generator that the command line lacks, unless `--generators` names this module. */
export const foreignGenerator: WorldGenerator<FlatParameters> = { ...flatGenerator, id: "my-game:islands" };
/** Generators of the program that creates the worlds. */
export const ALL_GENERATORS: GeneratorRegistry = new GeneratorRegistry([flatGenerator, foreignGenerator]);

/** A voxel and its new block. */
export type Placement = readonly [voxel: Position, block: number];

/** A step in the life of a world. A separate process makes it; the campaign keeps the model. */
export type Step =
  | { readonly kind: "edit"; readonly edits: readonly Placement[] }
  | { readonly kind: "save" }
  | { readonly kind: "compact" }
  | { readonly kind: "tag"; readonly name: string }
  | { readonly kind: "player"; readonly playerId: number; readonly name: string };

/** Everything needed to create one world. */
export interface Recipe {
  readonly state: State;
  readonly dimensions: Dimensions;
  readonly isForeign: boolean;
  readonly name: string;
  readonly seed: number;
  readonly steps: readonly Step[];
}

/** Blocks that every format can store. */
const BLOCKS = [1, 2, 3, 4, 6, 11] as const;
/** Greatest distance of edited voxels from the middle of a world. All lie above the ground. */
const REACH = 60;
const HEIGHT = 40;
const EDITS_PER_BATCH = 12;
/** Enough distant positions to split the index into pages under the small limits of `world-maker.ts`. */
const FAR_PLACES = 160;
const FAR_STEP = 700;

export function shapeOf({ dimensions }: Pick<Recipe, "dimensions">): ChunkShape {
  return SHAPES[dimensions];
}

export function generatorOf({ isForeign, seed }: Recipe): GeneratorRef {
  return generatorRef(isForeign ? foreignGenerator : flatGenerator, FLAT_DEFAULTS, BigInt(seed));
}

/** Creates the recipe of a world on which every command has something to do. */
export function makeRecipe(state: State, dimensions: Dimensions, isForeign: boolean, prng: Prng): Recipe {
  const seed = prng.below(1_000_000);
  const name = `${state} ${dimensions}D ${seed}`;
  const base = { state, dimensions, isForeign, name, seed };
  if (state === "fresh") return { ...base, steps: [] };
  const batch = (): Step => ({ kind: "edit", edits: randomEdits(dimensions, prng) });
  const first = batch();
  const steps: Step[] = [first, { kind: "player", playerId: 7, name: "Ada" }, { kind: "save" }];
  if (state === "tagged") steps.push({ kind: "tag", name: "opening-day" });
  // Edits the same positions again, so that the first save differs from the last one.
  steps.push({ kind: "edit", edits: changed(first, prng) }, batch(), { kind: "save" });
  if (state === "paged") steps.push({ kind: "edit", edits: farEdits(dimensions, prng) }, { kind: "save" });
  if (state === "compacted") {
    for (let round = 0; round < 6; round++)
      steps.push({ kind: "edit", edits: changed(first, prng) }, { kind: "save" });
    steps.push({ kind: "compact" });
  }
  if (state === "killed") {
    steps.push({ kind: "edit", edits: changed(first, prng) }, batch(), {
      kind: "player",
      playerId: 8,
      name: "Bea",
    });
  }
  return { ...base, steps };
}

function randomEdits(dimensions: Dimensions, prng: Prng): readonly Placement[] {
  return Array.from({ length: EDITS_PER_BATCH }, () => {
    const voxel = positionFrom((axis) => {
      if (axis >= dimensions) return 0;
      return axis === 1 ? prng.between(2, HEIGHT) : prng.between(-REACH, REACH);
    });
    return [voxel, prng.pick(BLOCKS)] as const;
  });
}

function farEdits(dimensions: Dimensions, prng: Prng): readonly Placement[] {
  return Array.from({ length: FAR_PLACES }, (_, index) => {
    const voxel = positionFrom((axis) =>
      axis >= dimensions ? 0 : axis === 0 ? (index - FAR_PLACES / 2) * FAR_STEP : 3,
    );
    return [voxel, prng.pick(BLOCKS)] as const;
  });
}

/** Returns the voxels of an edit with other blocks. */
function changed(step: Step, prng: Prng): readonly Placement[] {
  const edits = step.kind === "edit" ? step.edits : [];
  return edits.map(([voxel, block]) => {
    const others = BLOCKS.filter((other) => other !== block);
    return [voxel, prng.pick(others)] as const;
  });
}

/** Model of what a world must hold, independent of all code under test. */
export class Model {
  readonly recipe: Recipe;
  /** Every edited voxel, by its coordinates. */
  readonly voxels = new Map<string, Placement>();
  readonly players = new Map<number, string>();
  readonly names = new Map<string, number>();
  /** The edited voxels of each saved generation. */
  readonly saved = new Map<number, ReadonlyMap<string, Placement>>();
  /** The last generation on the disk. */
  generation = 0;
  /** Number of changes that only the journal has. */
  journaled = 0;

  constructor(recipe: Recipe) {
    this.recipe = recipe;
  }

  /** Records a step that the maker has acknowledged. */
  note(step: Step, generation: number): void {
    this.generation = generation;
    if (step.kind === "edit") for (const edit of step.edits) this.voxels.set(`${edit[0]}`, edit);
    if (step.kind === "player") this.players.set(step.playerId, step.name);
    if (step.kind === "save") this.saved.set(generation, new Map(this.voxels));
    if (step.kind === "tag") this.names.set(step.name, [...this.saved.keys()].at(-1) ?? generation);
    this.journaled = step.kind === "save" ? 0 : this.journaled + (step.kind === "compact" ? 0 : 1);
  }

  get edits(): readonly Placement[] {
    return [...this.voxels.values()];
  }

  /** The chunks that hold an edit. */
  get chunks(): ReadonlySet<string> {
    return new Set(this.edits.map(([voxel]) => `${chunkOfVoxel(shapeOf(this.recipe), voxel)}`));
  }

  /** True when the journal edits chunks that only the foreign generator can produce. */
  get losesJournal(): boolean {
    if (!this.repairLosesJournal) return false;
    const saved = this.savedChunks;
    return [...this.chunks].some((chunk) => !saved.has(chunk));
  }

  /** True when the world has a journal, and no generator to replay all of it. */
  get repairLosesJournal(): boolean {
    return this.recipe.state === "killed" && this.recipe.isForeign;
  }

  /** Returns the block that `get` can know: without the generator, only that of a voxel in an edited chunk. */
  visibleBlock(voxel: Position, block: number): number | null {
    if (!this.recipe.isForeign) return block;
    const chunks = this.losesJournal ? this.savedChunks : this.chunks;
    if (!chunks.has(`${chunkOfVoxel(shapeOf(this.recipe), voxel)}`)) return null;
    return this.losesJournal ? (this.saved.get(this.generation)?.get(`${voxel}`)?.[1] ?? 0) : block;
  }

  /** The chunks that hold an edit in the last save. */
  get savedChunks(): ReadonlySet<string> {
    const voxels = [...(this.saved.get(this.generation)?.values() ?? [])];
    return new Set(voxels.map(([voxel]) => `${chunkOfVoxel(shapeOf(this.recipe), voxel)}`));
  }
}
