import { type Chunk, type ChunkShape, GeneratorRegistry, type Position, uniformChunk } from "@orthant/core";
import {
  boxAt,
  chunkOfVoxel,
  PositionSet,
  positionsLexicographic,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import { LightField, LitState, type LitWorld } from "@orthant/core/light";
import { WorldState } from "@orthant/core/tree";
import type { Prng } from "@orthant/testkit";
import {
  BLOCKS,
  chunksAround,
  chunksInReach,
  difference,
  GROUND_HEIGHT,
  modelLight,
  placeNear,
  randomLand,
  randomPlace,
  randomPlacements,
} from "./lit-land.ts";

/** Edits between two comparisons: few as often as many. */
const EDITS_MAX = 1_200;
/** The last ones of them, which are near what is compared. */
const LAST_EDITS_MAX = 4;

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
  readonly #field: LightField;
  /** A field that knows only a part of the world, as a client does. */
  readonly #partial: LightField;
  readonly #part: HeldWorld;
  #state: WorldState;
  #ceiling = GROUND_HEIGHT;

  constructor(prng: Prng, shapes: readonly ChunkShape[]) {
    this.#prng = prng;
    this.shape = prng.pick(shapes);
    const { ref, generator } = randomLand(this.shape, prng);
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
    for (let count = 1 + prng.below(1 + prng.below(EDITS_MAX)); count > 0; count--) {
      this.#edit();
      if (prng.below(8) === 0) this.#field.at(this.#place());
      if (prng.below(8) === 0) this.#partial.at(this.#place());
      if (prng.below(20) === 0) this.#hold();
    }
    const chunk = chunkOfVoxel(this.shape, this.#place());
    for (const position of positionsLexicographic(chunksAround(this.shape, chunk, 1))) {
      if (prng.below(3) === 0) continue;
      this.#field.chunk(position);
      this.#partial.chunk(position);
    }
    // Few edits whose light is changed in place.
    for (let count = 1 + prng.below(LAST_EDITS_MAX); count > 0; count--) {
      this.#take(
        this.#state.setVoxels(randomPlacements(this.shape, prng, placeNear(this.shape, chunk, prng))).state,
      );
      this.edits++;
    }
    return this.#compare(chunk) ?? this.#comparePart(chunk);
  }

  #edit(): void {
    const prng = this.#prng;
    const state = this.#state;
    if (prng.below(24) > 0) this.#take(state.setVoxels(randomPlacements(this.shape, prng)).state);
    else {
      const chunk = uniformChunk(this.shape.volume, prng.below(BLOCKS.types.length));
      this.#take(state.setChunks([[chunkOfVoxel(this.shape, this.#place()), chunk]]).state);
    }
    this.edits++;
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
    const box = chunksAround(this.shape, chunkOfVoxel(this.shape, this.#place()), 1 + prng.below(3));
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
    const around = chunksInReach(this.shape, chunk);
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
    return modelLight({ shape, catalog: BLOCKS, skyAbove, ceiling: this.#ceiling, chunkAt }, chunk);
  }

  #place(): Position {
    return randomPlace(this.shape, this.#prng);
  }
}
