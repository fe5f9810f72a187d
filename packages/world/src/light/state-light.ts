import type { BlockCatalog, Position } from "@orthant/core";
import { type Light, LightField, type LitWorld } from "@orthant/core/light";
import type { WorldState } from "@orthant/core/tree";

/** What the light of a world follows from, as it is now. */
export interface LitStateSource {
  readonly state: WorldState;
  readonly catalog: BlockCatalog;
}

/** The light of a world whose state and catalog change: compares each state with the one before when it is asked. */
export class StateLight {
  readonly #source: LitStateSource;
  readonly #field: LightField;
  #state: WorldState;
  #catalog: BlockCatalog;

  /** `world` shows the part of the source that decides about light. */
  constructor(source: LitStateSource, world: LitWorld) {
    this.#source = source;
    this.#state = source.state;
    this.#catalog = source.catalog;
    this.#field = new LightField(world, source.catalog);
  }

  /** Returns the light of a voxel, if it is known. */
  at(voxel: Position): Light | undefined {
    return this.present().at(voxel);
  }

  /** Returns a copy of the light of a chunk, if it is known. */
  chunk(position: Position): Uint8Array | undefined {
    return this.present().chunk(position);
  }

  /** Returns the light of now. */
  present(): LightField {
    const { state, catalog } = this.#source;
    const field = this.#field;
    if (catalog !== this.#catalog) field.changeCatalog(catalog);
    if (state.generatorMap !== this.#state.generatorMap) field.reset();
    else if (state !== this.#state)
      for (const { box } of this.#state.overrides.differences(state.overrides)) field.changedIn(box);
    this.#state = state;
    this.#catalog = catalog;
    return field;
  }
}
