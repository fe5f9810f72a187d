import { PlaceMap } from "@orthant/core";
import { compareBodies, type PixelBodyRef } from "../save.ts";

/** Where each body lies, and which are in a chunk. */
export class BodyIndex {
  readonly #byId = new Map<bigint, PixelBodyRef>();
  readonly #byChunk = new PlaceMap<Set<bigint>>();
  #liveBytes = 0;

  /** How many bodies there are. */
  get size(): number {
    return this.#byId.size;
  }

  /** Bytes of all their entries. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Where a body lies. */
  get(id: bigint): PixelBodyRef | undefined {
    return this.#byId.get(id);
  }

  /** The bodies of a chunk, in the order of their ids. */
  inChunk(x: number, y: number): readonly PixelBodyRef[] {
    const refs: PixelBodyRef[] = [];
    for (const id of this.#byChunk.get(x, y, 0, 0) ?? []) {
      const ref = this.#byId.get(id);
      if (ref !== undefined) refs.push(ref);
    }
    return refs.sort(compareBodies);
  }

  /** Adds or replaces a body. */
  set(ref: PixelBodyRef): void {
    this.delete(ref.id);
    this.#byId.set(ref.id, ref);
    this.#liveBytes += ref.bytes;
    const there = this.#byChunk.get(ref.x, ref.y, 0, 0);
    if (there === undefined) this.#byChunk.set(ref.x, ref.y, 0, 0, new Set([ref.id]));
    else there.add(ref.id);
  }

  /** Removes a body. */
  delete(id: bigint): void {
    const ref = this.#byId.get(id);
    if (ref === undefined) return;
    this.#byId.delete(id);
    this.#liveBytes -= ref.bytes;
    const there = this.#byChunk.get(ref.x, ref.y, 0, 0);
    there?.delete(id);
    if (there?.size === 0) this.#byChunk.delete(ref.x, ref.y, 0, 0);
  }

  /** All of them, in their order. */
  *[Symbol.iterator](): Generator<PixelBodyRef> {
    yield* [...this.#byId.values()].sort(compareBodies);
  }
}
