import { type Box, type Chunk, type Place, PlaceMap, type WorldField } from "@orthant/core";
import type { LeafEntry, SaveContent } from "@orthant/formats";

/** Leaves that are kept: those of a few columns, which the next columns ask for again. */
const LEAVES_KEPT = 48;

/** Chunks as they are: made by people, else by the generator. Keeps a few leaves and a bounded number of chunks. */
export class ChunkSource {
  readonly #content: SaveContent;
  readonly #field: WorldField;
  /** The least recently used first. */
  readonly #leaves = new Map<LeafEntry, PlaceMap<Chunk>>();

  constructor(content: SaveContent, field: WorldField) {
    this.#content = content;
    this.#field = field;
  }

  /** The chunks of a box, ready to be asked for one after the other. */
  async open(box: Box): Promise<(place: Place) => Chunk | undefined> {
    const made: PlaceMap<Chunk>[] = [];
    for (const leaf of await this.#content.touching(box)) made.push(await this.#read(leaf));
    const content = this.#field.queryContentBounds(box);
    return (place) => {
      for (const chunks of made) {
        const chunk = chunks.get(...place);
        if (chunk !== undefined) return chunk;
      }
      if (content === undefined || place.some((at, axis) => isOutside(at, content, axis))) return undefined;
      return this.#field.realizeChunk(...place);
    };
  }

  async #read(leaf: LeafEntry): Promise<PlaceMap<Chunk>> {
    let chunks = this.#leaves.get(leaf);
    if (chunks === undefined) {
      chunks = new PlaceMap<Chunk>();
      for (const { place, chunk } of await this.#content.readBlocks(leaf)) chunks.set(...place, chunk);
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
