import { PositionMap } from "@orthant/core";
import { compareBodies, type PixelBodyRef } from "../save.ts";

/** Locations of all bodies, by id and by chunk. */
export class BodyIndex {
  readonly #byId = new Map<bigint, PixelBodyRef>();
  readonly #byChunk = new PositionMap<Set<bigint>>();
  #liveBytes = 0;

  get size(): number {
    return this.#byId.size;
  }

  /** Total size of the bodies' entries. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  get(id: bigint): PixelBodyRef | undefined {
    return this.#byId.get(id);
  }

  /** Returns the bodies of a chunk, ordered by id. */
  inChunk(x: number, y: number): readonly PixelBodyRef[] {
    const refs: PixelBodyRef[] = [];
    for (const id of this.#byChunk.get(x, y, 0, 0) ?? []) {
      const ref = this.#byId.get(id);
      if (ref !== undefined) refs.push(ref);
    }
    return refs.sort(compareBodies);
  }

  set(ref: PixelBodyRef): void {
    this.delete(ref.id);
    this.#byId.set(ref.id, ref);
    this.#liveBytes += ref.bytes;
    const there = this.#byChunk.get(ref.x, ref.y, 0, 0);
    if (there === undefined) this.#byChunk.set(ref.x, ref.y, 0, 0, new Set([ref.id]));
    else there.add(ref.id);
  }

  delete(id: bigint): void {
    const ref = this.#byId.get(id);
    if (ref === undefined) return;
    this.#byId.delete(id);
    this.#liveBytes -= ref.bytes;
    const there = this.#byChunk.get(ref.x, ref.y, 0, 0);
    there?.delete(id);
    if (there?.size === 0) this.#byChunk.delete(ref.x, ref.y, 0, 0);
  }

  /** All bodies, ordered by chunk, then id. */
  *[Symbol.iterator](): Generator<PixelBodyRef> {
    yield* [...this.#byId.values()].sort(compareBodies);
  }
}
