import type { BlockCatalog, Box, Chunk, ChunkShape, Position } from "@orthant/core";
import { I32_MAX } from "@orthant/core/bytes";
import { GeneratorRef } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { type Light, LightField, type LitWorld } from "@orthant/core/light";
import type { HeldRegions } from "@orthant/protocol/client";

/** The light of what a client holds. Made when it is first asked for; {@link changedIn} must be called from then on. */
export class ReplicaLight {
  #held: HeldRegions | undefined;
  #catalog: BlockCatalog | undefined;
  #field: LightField | undefined;

  /** Returns the light of a voxel; `undefined` while something that can change it is not held. */
  at(voxel: Position, held: HeldRegions, catalog: BlockCatalog): Light | undefined {
    return this.#fieldOf(held, catalog).at(voxel);
  }

  /** Returns a copy of the light of a chunk; `undefined` while something that can change it is not held. */
  atChunk(chunk: Position, held: HeldRegions, catalog: BlockCatalog): Uint8Array | undefined {
    return this.#fieldOf(held, catalog).chunk(chunk);
  }

  /** Notes boxes of chunks that look different, have arrived or are no longer held. */
  changedIn(boxes: readonly Box[]): void {
    for (const box of boxes) this.#field?.changedIn(box);
  }

  #fieldOf(held: HeldRegions, catalog: BlockCatalog): LightField {
    // Another welcome may be for another world.
    if (this.#field === undefined || held !== this.#held)
      this.#field = new LightField(new HeldWorld(held), catalog);
    else if (catalog !== this.#catalog) this.#field.changeCatalog(catalog);
    this.#held = held;
    this.#catalog = catalog;
    return this.#field;
  }
}

/** A client's part of a world: what it holds, and above that what the generator makes. Rule L9. */
class HeldWorld implements LitWorld {
  readonly shape: ChunkShape;
  /** A client without the generator cannot say that there is only air above. */
  readonly skyAbove: number | undefined;
  readonly #held: HeldRegions;

  constructor(held: HeldRegions) {
    this.#held = held;
    this.shape = held.shape;
    this.skyAbove = held.generatesEverywhere ? held.skyAbove : Number.MAX_SAFE_INTEGER;
  }

  chunkAt(x: number, y: number, z: number, w: number): Chunk | undefined {
    return this.#held.chunkAt([x, y, z, w]);
  }

  chunkAbove(x: number, y: number, z: number, w: number): Chunk | undefined {
    return this.chunkAt(x, y, z, w) ?? this.#held.generatedChunk([x, y, z, w]);
  }

  *editedAbove(x: number, y: number, z: number, w: number): Generator<Chunk> {
    const column = boxBetween([x, y, z, w], [x + 1, I32_MAX + 1, z + 1, w + 1]);
    for (const { content } of this.#held.region(column).pieces())
      if (!(content instanceof GeneratorRef)) yield content;
  }
}
