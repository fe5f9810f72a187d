import { type Box, type Chunk, type Position, PositionMap, type WorldField } from "@orthant/core";
import type { LeafEntry, SaveContent } from "@orthant/save";

/** Cached leaves: those of a few columns, which the next columns need again. */
const LEAVES_KEPT = 48;

/** Returns chunks from the save, or else from the generator. Caches a few leaves and some chunks. */
export class ChunkSource {
  readonly #content: SaveContent;
  readonly #field: WorldField;
  /** Least recently used first. */
  readonly #leaves = new Map<LeafEntry, PositionMap<Chunk>>();

  constructor(content: SaveContent, field: WorldField) {
    this.#content = content;
    this.#field = field;
  }

  /** Loads the chunks of a box. Returns a function that looks them up. */
  async open(box: Box): Promise<(position: Position) => Chunk | undefined> {
    const made: PositionMap<Chunk>[] = [];
    for (const leaf of await this.#content.touching(box)) made.push(await this.#read(leaf));
    const content = this.#field.queryContentBounds(box);
    return (position) => {
      for (const chunks of made) {
        const chunk = chunks.get(...position);
        if (chunk !== undefined) return chunk;
      }
      if (content === undefined || position.some((at, axis) => isOutside(at, content, axis)))
        return undefined;
      return this.#field.realizeChunk(...position);
    };
  }

  async #read(leaf: LeafEntry): Promise<PositionMap<Chunk>> {
    let chunks = this.#leaves.get(leaf);
    if (chunks === undefined) {
      chunks = new PositionMap<Chunk>();
      for (const { position, chunk } of await this.#content.readBlocks(leaf)) chunks.set(...position, chunk);
    }
    this.#leaves.delete(leaf);
    this.#leaves.set(leaf, chunks);
    const [oldest] = this.#leaves.keys();
    if (this.#leaves.size > LEAVES_KEPT && oldest !== undefined) this.#leaves.delete(oldest);
    return chunks;
  }
}

function isOutside(at: number, { min, max }: Box, axis: number): boolean {
  return at < (min[axis] as number) || at >= (max[axis] as number);
}
