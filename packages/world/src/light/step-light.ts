import type { Box, Chunk, ChunkShape, Position } from "@orthant/core";
import { I32_MAX } from "@orthant/core/bytes";
import {
  boxBetween,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
} from "@orthant/core/lattice";
import type { Light, LitWorld } from "@orthant/core/light";
import { type LitStateSource, StateLight } from "./state-light.ts";

/** What the steps of a simulation can read. */
export interface StepLightWorld extends LitStateSource {
  /** Whether steps can read the chunks of a region. They are in memory then, or generated. */
  isInReach(region: Position): boolean;
}

/**
 * The light that steps see: of the world before each step, as far as steps reach. What is out of reach above is as generated,
 * also where it happens to be in memory, so that the same steps see the same light. Rule L10.
 */
export class StepLight {
  readonly #light: StateLight;

  constructor(world: StepLightWorld) {
    this.#light = new StateLight(world, new ReachedPart(world));
  }

  /** Returns the light of a voxel; `undefined` if something that can change it is out of reach. */
  at(voxel: Position): Light | undefined {
    return this.#light.at(voxel);
  }

  /** Notes regions that came into reach or are no longer in reach. */
  reachChanged(regions: Iterable<Position>): void {
    const field = this.#light.present();
    for (const region of regions) field.changedIn(regionBox(region));
  }
}

/** The part of a world that is in reach of steps. */
class ReachedPart implements LitWorld {
  readonly shape: ChunkShape;
  readonly #world: StepLightWorld;

  constructor(world: StepLightWorld) {
    this.#world = world;
    this.shape = world.state.shape;
  }

  get skyAbove(): number | undefined {
    return this.#world.state.skyAbove;
  }

  chunkAt(x: number, y: number, z: number, w: number): Chunk | undefined {
    return this.#world.isInReach(regionOf([x, y, z, w]))
      ? this.#world.state.findChunk(x, y, z, w)
      : undefined;
  }

  chunkAbove(x: number, y: number, z: number, w: number): Chunk | undefined {
    const { state } = this.#world;
    if (this.#world.isInReach(regionOf([x, y, z, w]))) return state.findChunk(x, y, z, w);
    // What others have generated must not matter.
    return state.isAsynchronous ? undefined : state.generatedChunk(x, y, z, w);
  }

  *editedAbove(x: number, y: number, z: number, w: number): Generator<Chunk> {
    const column = boxBetween([x, y, z, w], [x + 1, I32_MAX + 1, z + 1, w + 1]);
    for (const { box, content } of this.#world.state.overrides.pieces(column))
      if (this.#isInReach(box)) yield content;
  }

  #isInReach(chunks: Box): boolean {
    for (const region of positionsLexicographic(regionsTouching(chunks)))
      if (this.#world.isInReach(region)) return true;
    return false;
  }
}
