import type { Chunk, ChunkShape, GeneratorRegistry, Position } from "@orthant/core";
import type { GeneratedSpace, GeneratorRef } from "@orthant/core/generate";
import { PositionMap, regionBox } from "@orthant/core/lattice";
import { CLOCK_NEVER, epochOf, OverrideTree, RegionTree } from "@orthant/core/tree";

/** Content of a region at one clock. */
export interface RegionState {
  readonly overrides: OverrideTree;
  /** The tree for clients that have the generator, and for those that lack it. */
  readonly symbolic: RegionTree;
  readonly concrete: RegionTree;
}

/**
 * Every state of every region, at each clock that any run of the server issued. Recorded from the world's
 * state at the moment of the edit, and so independent of the protocol.
 */
export class RegionStates {
  readonly #generator: GeneratorRef;
  readonly #space: GeneratedSpace;
  readonly #issued = new PositionMap<Map<number, RegionState>>();
  readonly #untouched = new PositionMap<RegionState>();
  readonly #chunks = new PositionMap<Chunk>();
  readonly #described = new PositionMap<RegionTree>();

  constructor(generators: GeneratorRegistry, generator: GeneratorRef, shape: ChunkShape) {
    this.#generator = generator;
    this.#space = generators.open(generator, shape);
  }

  /** Records the state of a region. Throws when that clock was issued before. */
  add(region: Position, clock: number, overrides: OverrideTree): void {
    const states = this.#issued.get(...region) ?? new Map<number, RegionState>();
    if (states.size === 0) this.#issued.set(...region, states);
    if (states.has(clock)) throw new Error(`clock ${clock} of region [${region}] was issued twice`);
    states.set(clock, this.#stateOf(region, overrides.slice(regionBox(region))));
  }

  /** Drops the clocks of later epochs: no client may show them any more, and the server issues them again. */
  forgetAfter(epoch: number): void {
    for (const states of this.#issued.values()) {
      for (const clock of [...states.keys()]) if (epochOf(clock) > epoch) states.delete(clock);
    }
  }

  /** Returns the state of a region; `undefined` for a clock that was never issued. */
  at(region: Position, clock: number): RegionState | undefined {
    if (clock !== CLOCK_NEVER) return this.#issued.get(...region)?.get(clock);
    const known = this.#untouched.get(...region);
    if (known !== undefined) return known;
    const untouched = this.#stateOf(region, OverrideTree.UNTOUCHED);
    this.#untouched.set(...region, untouched);
    return untouched;
  }

  /** Returns a chunk in a given state of its region. */
  chunkAt(position: Position, state: RegionState): Chunk {
    return state.overrides.at(...position) ?? this.generatedAt(position);
  }

  /** Returns a chunk as generated. */
  generatedAt(position: Position): Chunk {
    const known = this.#chunks.get(...position);
    if (known !== undefined) return known;
    const chunk = this.#space.realize(...position);
    this.#chunks.set(...position, chunk);
    return chunk;
  }

  #stateOf(region: Position, overrides: OverrideTree): RegionState {
    const box = regionBox(region);
    const generator = this.#generator;
    const describe = () => this.#concreteUntouched(region);
    let symbolic: RegionTree | undefined;
    let concrete: RegionTree | undefined;
    return {
      overrides,
      get symbolic() {
        symbolic ??= RegionTree.EMPTY.fill(box, generator).under(overrides);
        return symbolic;
      },
      get concrete() {
        concrete ??= describe().under(overrides);
        return concrete;
      },
    };
  }

  #concreteUntouched(region: Position): RegionTree {
    const known = this.#described.get(...region);
    if (known !== undefined) return known;
    const described = this.#space.describe(regionBox(region));
    this.#described.set(...region, described);
    return described;
  }
}
