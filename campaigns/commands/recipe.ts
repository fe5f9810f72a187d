import {
  type ChunkShape,
  CUBE_CHUNKS,
  chunkOfVoxel,
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratorRef,
  GeneratorRegistry,
  generatorRef,
  HYPERCUBE_CHUNKS,
  type Place,
  placeFrom,
  TILE_CHUNKS,
} from "@orthant/core";
import type { Prng } from "@orthant/testkit";

/** What happened to a world before a command sees it. */
export const STATES = ["fresh", "edited", "killed", "paged", "compacted", "tagged"] as const;
export type State = (typeof STATES)[number];

/** Dimensions, each with the shape of chunks that worlds of it have. */
const SHAPES = { 2: TILE_CHUNKS, 3: CUBE_CHUNKS, 4: HYPERCUBE_CHUNKS } as const;
export type Dimensions = keyof typeof SHAPES;

/** A generator that the command line does not have. */
const foreignGenerator = { ...flatGenerator, id: "my-game:islands" };
/** All generators of the program that makes the worlds. */
export const ALL_GENERATORS: GeneratorRegistry = new GeneratorRegistry([flatGenerator, foreignGenerator]);

/** A voxel and the material that it gets. */
export type Placement = readonly [voxel: Place, material: number];

/** A step of a world's life. A process of its own makes it; the campaign keeps the model. */
export type Step =
  | { readonly kind: "edit"; readonly edits: readonly Placement[] }
  | { readonly kind: "save" }
  | { readonly kind: "compact" }
  | { readonly kind: "tag"; readonly name: string }
  | { readonly kind: "player"; readonly playerId: number; readonly name: string };

/** All that makes one world. */
export interface Recipe {
  readonly state: State;
  readonly dimensions: Dimensions;
  readonly isForeign: boolean;
  readonly name: string;
  readonly seed: number;
  readonly steps: readonly Step[];
}

/** Materials that every format has a place for. */
const MATERIALS = [1, 2, 3, 4, 6, 11] as const;
/** Voxels of a world lie this far from its middle, and above the ground. */
const REACH = 60;
const HEIGHT = 40;
const EDITS_PER_BATCH = 12;
/** Enough far places for an index in pages under the small limits of the maker. */
const FAR_PLACES = 160;
const FAR_STEP = 700;

export function shapeOf({ dimensions }: Pick<Recipe, "dimensions">): ChunkShape {
  return SHAPES[dimensions];
}

export function generatorOf({ isForeign, seed }: Recipe): GeneratorRef {
  return generatorRef(isForeign ? foreignGenerator : flatGenerator, FLAT_DEFAULTS, BigInt(seed));
}

/** The life of a world in which every command finds something to do. */
export function makeRecipe(state: State, dimensions: Dimensions, isForeign: boolean, prng: Prng): Recipe {
  const seed = prng.below(1_000_000);
  const name = `${state} ${dimensions}D ${seed}`;
  const base = { state, dimensions, isForeign, name, seed };
  if (state === "fresh") return { ...base, steps: [] };
  const batch = (): Step => ({ kind: "edit", edits: randomEdits(dimensions, prng) });
  const first = batch();
  const steps: Step[] = [first, { kind: "player", playerId: 7, name: "Ada" }, { kind: "save" }];
  if (state === "tagged") steps.push({ kind: "tag", name: "opening-day" });
  // The same places again, so that the first save has what the last one has not.
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
    const voxel = placeFrom((axis) => {
      if (axis >= dimensions) return 0;
      return axis === 1 ? prng.between(2, HEIGHT) : prng.between(-REACH, REACH);
    });
    return [voxel, prng.pick(MATERIALS)] as const;
  });
}

function farEdits(dimensions: Dimensions, prng: Prng): readonly Placement[] {
  return Array.from({ length: FAR_PLACES }, (_, index) => {
    const voxel = placeFrom((axis) =>
      axis >= dimensions ? 0 : axis === 0 ? (index - FAR_PLACES / 2) * FAR_STEP : 3,
    );
    return [voxel, prng.pick(MATERIALS)] as const;
  });
}

/** The voxels of an edit with other materials. */
function changed(step: Step, prng: Prng): readonly Placement[] {
  const edits = step.kind === "edit" ? step.edits : [];
  return edits.map(([voxel, material]) => {
    const others = MATERIALS.filter((other) => other !== material);
    return [voxel, prng.pick(others)] as const;
  });
}

/** What a world must hold, kept apart from all code under test. */
export class Model {
  readonly recipe: Recipe;
  /** Every voxel that was edited, by its coordinates. */
  readonly voxels = new Map<string, Placement>();
  readonly players = new Map<number, string>();
  readonly names = new Map<string, number>();
  /** What voxels there were in each generation that was saved. */
  readonly saved = new Map<number, ReadonlyMap<string, Placement>>();
  /** The last generation on the disk. */
  generation = 0;
  /** Changes that only the journal has. */
  journaled = 0;

  constructor(recipe: Recipe) {
    this.recipe = recipe;
  }

  /** Takes over what the maker has acknowledged. */
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

  /** Whether the journal has acknowledged changes that the command line cannot replay. */
  get losesJournal(): boolean {
    return this.recipe.state === "killed" && this.recipe.isForeign;
  }
}
