import {
  AIR,
  BlockCatalog,
  type Chunk,
  type ChunkShape,
  chunkShape,
  defineGenerator,
  dimensionsOf,
  GeneratorRegistry,
  hashPosition,
  type Position,
  uniformChunk,
} from "@orthant/core";
import {
  boxAt,
  boxBetween,
  chunkOfVoxel,
  PositionSet,
  positionFrom,
  positionsEqual,
  positionsLexicographic,
  voxelIndex,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import { LIGHT_REACH_VOXELS, LightField, LitState, type LitWorld } from "@orthant/core/light";
import { WorldState } from "@orthant/core/tree";
import type { Prng } from "@orthant/testkit";
import { plainLight } from "@orthant/testkit/light";

/** Blocks of all opacities and lights that differ in a rule. */
const BLOCKS = new BlockCatalog(
  (
    [
      ["air", 0, 0],
      ["stone", 15, 0],
      ["pane", 0, 0],
      ["fog", 1, 0],
      ["leaf", 2, 0],
      ["cloth", 7, 0],
      ["shade", 14, 0],
      ["lamp", 15, 15],
      ["torch", 0, 14],
      ["ember", 1, 5],
      ["mushroom", 3, 9],
    ] as const
  ).map(([name, opacity, light], id) => ({ id, name, colour: 0, solid: opacity > 1, opacity, light })),
);
const STONE = 1;

const SHAPES: readonly ChunkShape[] = [
  chunkShape([16, 16, 16]),
  chunkShape([8, 8, 8]),
  chunkShape([5, 7, 6]),
  chunkShape([16, 16]),
  chunkShape([32, 32]),
  chunkShape([6, 9]),
  chunkShape([6, 5, 6, 6]),
];
/** Voxels around the origin in which most edits are. */
const EDITED_VOXELS = 20;
const ROOF_HEIGHT_MAX = 90;
/** Edits between two comparisons. */
const EDITS_MAX = 300;

/** Where caves go up to; a world that has no sky goes on above. */
const GROUND_HEIGHT = 5;

const DEFAULTS = { hasSky: true };
const land = ([2, 3, 4] as const).map((dimensions) =>
  defineGenerator({
    id: `lit:caves-${dimensions}`,
    version: 1,
    dimensions,
    parameters: DEFAULTS,
    open: ({ seed, parameters }) => {
      const key = Number(seed);
      const blockAt = (x: number, y: number, z = 0, w = 0): number => {
        if (y >= GROUND_HEIGHT) return AIR;
        const hash = hashPosition(key, x >> 2, y >> 1, z >> 2, w) % 16;
        return hash < 6 ? STONE : hash === 6 ? 1 + (hashPosition(key, x, y, z, w) % 10) : AIR;
      };
      return parameters.hasSky ? { blockAt, skyAbove: GROUND_HEIGHT } : { blockAt };
    },
  }),
);

/** What a reader of a world holds of it, and what it asks of the generator. */
class HeldWorld implements LitWorld {
  readonly shape: ChunkShape;
  readonly held = new PositionSet();
  readonly #state: () => WorldState;

  constructor(state: () => WorldState) {
    this.#state = state;
    this.shape = state().shape;
  }

  get skyAbove(): number | undefined {
    return this.#state().skyAbove;
  }

  chunkAt(x: number, y: number, z: number, w: number): Chunk | undefined {
    return this.held.has(x, y, z, w) ? this.#state().realizeChunk(x, y, z, w) : undefined;
  }

  chunkAbove(x: number, y: number, z: number, w: number): Chunk {
    return this.chunkAt(x, y, z, w) ?? this.#state().generatedChunk(x, y, z, w);
  }

  *editedAbove(x: number, y: number, z: number, w: number): Generator<Chunk> {
    const held = [...this.held].filter(([hx, hy, hz, hw]) => hx === x && hy >= y && hz === z && hw === w);
    for (const position of held) {
      const chunk = this.#state().overrides.at(...position);
      if (chunk !== undefined) yield chunk;
    }
  }
}

/** A small world that is edited at random, whose light is compared with a plain model's. */
export class LitCase {
  readonly shape: ChunkShape;
  /** Edits so far. */
  edits = 0;
  readonly #prng: Prng;
  readonly #dimensions: 2 | 3 | 4;
  readonly #field: LightField;
  /** A field that knows only a part of the world, as a client does. */
  readonly #partial: LightField;
  readonly #part: HeldWorld;
  #state: WorldState;
  #ceiling = GROUND_HEIGHT;

  constructor(prng: Prng) {
    this.#prng = prng;
    this.shape = prng.pick(SHAPES);
    this.#dimensions = dimensionsOf(this.shape);
    const { ref, generator } = (land[this.#dimensions - 2] as (typeof land)[number])({
      seed: BigInt(prng.below(1_000)),
      hasSky: prng.below(8) > 0,
    });
    this.#state = WorldState.open({
      generators: new GeneratorRegistry([generator]),
      generator: ref,
      shape: this.shape,
    });
    // Sometimes there is room for few chunks.
    const room = prng.below(3) === 0 ? [this.shape.volume * 40] : [];
    this.#field = new LightField(new LitState(() => this.#state), BLOCKS, ...room);
    this.#part = new HeldWorld(() => this.#state);
    this.#partial = new LightField(this.#part, BLOCKS);
  }

  /** Makes some edits, looks at some light in between, and returns the first difference from the model. */
  round(): string | undefined {
    const prng = this.#prng;
    for (let count = 1 + prng.below(EDITS_MAX); count > 0; count--) {
      this.#edit();
      if (prng.below(8) === 0) this.#field.at(this.#place());
      if (prng.below(8) === 0) this.#partial.at(this.#place());
      if (prng.below(20) === 0) this.#hold();
    }
    const chunk = chunkOfVoxel(this.shape, this.#place());
    for (const position of positionsLexicographic(this.#around(chunk, 1))) {
      if (prng.below(3) > 0) continue;
      this.#field.chunk(position);
      this.#partial.chunk(position);
    }
    this.#edit();
    return this.#compare(chunk) ?? this.#comparePart(chunk);
  }

  #edit(): void {
    const prng = this.#prng;
    const state = this.#state;
    const position = this.#place();
    const block = prng.below(3) === 0 ? AIR : prng.below(BLOCKS.types.length);
    const kind = prng.below(24);
    const extent = (most: number): number => (kind === 0 ? 1 + prng.below(most) : 1);
    let next: WorldState;
    if (kind === 1) {
      next = state.setChunks([
        [chunkOfVoxel(this.shape, position), uniformChunk(this.shape.volume, block)],
      ]).state;
    } else {
      // A roof now and then, some of them high above everything.
      const roof = kind === 0 && prng.below(2) === 0 ? prng.below(ROOF_HEIGHT_MAX) : 0;
      const [x, y, z, w] = position;
      const size = positionFrom((axis) => (this.shape.extents[axis] > 1 && axis !== 1 ? extent(9) : 1));
      const box = boxBetween(
        [x, y + roof, z, w],
        positionFrom((axis) => position[axis] + size[axis] + (axis === 1 ? roof : 0)),
      );
      next = state.setVoxels(Array.from(positionsLexicographic(box), (voxel) => ({ voxel, block }))).state;
    }
    this.edits++;
    this.#take(next);
  }

  #take(next: WorldState): void {
    for (const { box } of this.#state.overrides.differences(next.overrides)) {
      this.#ceiling = Math.max(this.#ceiling, voxelsOfChunks(this.shape, box).max[1]);
      if (this.#prng.below(2) === 0) this.#field.changedIn(box);
      else for (const position of positionsLexicographic(box)) this.#field.changed(position);
      for (const position of positionsLexicographic(box))
        if (this.#part.held.has(...position)) this.#partial.changed(position);
    }
    this.#state = next;
  }

  /** Takes some chunks into the part, or out of it. */
  #hold(): void {
    const prng = this.#prng;
    const box = this.#around(chunkOfVoxel(this.shape, this.#place()), 1 + prng.below(3));
    const isHeld = prng.below(4) > 0;
    for (const position of positionsLexicographic(box)) {
      if (isHeld) this.#part.held.add(...position);
      else this.#part.held.delete(...position);
    }
    this.#partial.changedIn(box);
  }

  #compare(chunk: Position): string | undefined {
    const box = voxelsOfChunks(this.shape, boxAt(chunk));
    const wanted = this.#plain(chunk, (position) => this.#state.realizeChunk(...position));
    return (
      difference("kept", this.#field.chunk(chunk), wanted) ?? difference("new", this.#field.in(box), wanted)
    );
  }

  #comparePart(chunk: Position): string | undefined {
    const { held } = this.#part;
    const reach = positionFrom((axis) => Math.ceil(LIGHT_REACH_VOXELS / this.shape.extents[axis]));
    const around = this.#around(chunk, reach);
    const isKnown = [...positionsLexicographic(around)].every((position) => held.has(...position));
    const found = this.#partial.chunk(chunk);
    if (!isKnown) return found === undefined ? undefined : `light of chunk [${chunk}], which is not known`;
    return difference(
      "of a part",
      found,
      this.#plain(chunk, (position) => this.#part.chunkAbove(...position)),
    );
  }

  #plain(chunk: Position, chunkAt: (position: Position) => Chunk): Uint8Array {
    const { shape } = this;
    const { skyAbove } = this.#state;
    let last: readonly [Position, Uint16Array] | undefined;
    const blockAt = (x: number, y: number, z: number, w: number): number => {
      const position = chunkOfVoxel(shape, [x, y, z, w]);
      if (last === undefined || !positionsEqual(last[0], position))
        last = [position, chunkAt(position).voxels()];
      return last[1][voxelIndex(shape, x, y, z, w)] as number;
    };
    const world = { shape, catalog: BLOCKS, skyAbove, ceiling: this.#ceiling, blockAt };
    return plainLight(world, voxelsOfChunks(shape, boxAt(chunk)));
  }

  #around(chunk: Position, reach: number | Position): ReturnType<typeof boxAt> {
    const { extents } = this.shape;
    const margin = (axis: 0 | 1 | 2 | 3): number =>
      extents[axis] > 1 ? (typeof reach === "number" ? reach : reach[axis]) : 0;
    return boxBetween(
      positionFrom((axis) => chunk[axis] - margin(axis)),
      positionFrom((axis) => chunk[axis] + margin(axis) + 1),
    );
  }

  #place(): Position {
    return positionFrom((axis) =>
      this.shape.extents[axis] > 1 ? this.#prng.between(-EDITED_VOXELS, EDITED_VOXELS) : 0,
    );
  }
}

function difference(name: string, found: Uint8Array | undefined, wanted: Uint8Array): string | undefined {
  if (found === undefined) return `${name}: no light`;
  const index = wanted.findIndex((byte, at) => byte !== found[at]);
  return index < 0 ? undefined : `${name}: voxel ${index} has ${found[index]}, the model ${wanted[index]}`;
}
