import { type Box, boxesIntersect } from "@orthant/core";
import type { StoredEntity } from "../codec/entity.ts";
import type { ChunkEntry } from "../codec/prepared-chunks.ts";
import type { Save } from "../read/save.ts";
import type { LeafEntry } from "./leaf-entry.ts";

/** Number of queries after which index parts that no recent query needs are unloaded. */
const QUESTIONS_REMEMBERED = 256;

/** Content of a save, leaf by leaf. Only parts of the index around the latest queries stay in memory. */
export class SaveContent {
  readonly #save: Save;
  #questions = 0;

  constructor(save: Save) {
    this.#save = save;
  }

  /** Yields every leaf, in index order. */
  all(): AsyncGenerator<LeafEntry> {
    return this.#save.index.all();
  }

  /**
   * Returns the leaves that intersect a box of chunks. The cost depends on the result, not on the number of
   * leaves.
   */
  async touching(box: Box): Promise<readonly LeafEntry[]> {
    do await this.#save.index.load(box);
    while (!this.#save.index.isLoaded(box));
    if (++this.#questions % QUESTIONS_REMEMBERED === 0) {
      this.#save.index.unload((cube) => boxesIntersect(cube, box));
    }
    return [...this.#save.index.touching(box)];
  }

  /** Reads the overridden chunks of a leaf. */
  readChunks(leaf: LeafEntry): Promise<readonly ChunkEntry[]> {
    return this.#save.readChunks(leaf);
  }

  /** Reads the entities of a leaf. */
  readEntities(leaf: LeafEntry): Promise<readonly StoredEntity[]> {
    return this.#save.readEntities(leaf);
  }
}
