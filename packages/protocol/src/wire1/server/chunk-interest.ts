import { type Position, PositionMap } from "@orthant/core";
import type { Wire1Limits } from "../wire1-limits.ts";
import { ChunkCopy, type CopyOwner, type CopySender } from "./chunk-copy.ts";
import type { TileFeed } from "./tile-feed.ts";

/** The chunks that one session sees. A chunk beyond the limit or far away displaces the farthest ones. */
export class ChunkInterest {
  readonly #feed: TileFeed;
  readonly #sender: CopySender;
  readonly #limits: Wire1Limits;
  readonly #owner: CopyOwner;
  readonly #copies = new PositionMap<ChunkCopy>();

  constructor(feed: TileFeed, sender: CopySender, limits: Wire1Limits, owner: CopyOwner) {
    this.#feed = feed;
    this.#sender = sender;
    this.#limits = limits;
    this.#owner = owner;
  }

  /** Number of chunks that the session sees. */
  get size(): number {
    return this.#copies.size;
  }

  /** Adds a chunk, or sends it again if the session sees it already. */
  add(x: number, y: number, nowMs: number): void {
    const known = this.#copies.get(x, y, 0, 0);
    if (known !== undefined) {
      known.askAgain(nowMs);
      return;
    }
    this.#makeRoom(x, y);
    const copy = new ChunkCopy(this.#owner, this.#sender);
    this.#copies.set(x, y, 0, 0, copy);
    copy.follow(this.#feed.watch(x, y, copy));
  }

  /** Sends a chunk again, if the session sees it. */
  repeat(x: number, y: number): void {
    this.#copies.get(x, y, 0, 0)?.chunkChanged();
  }

  /** Removes a chunk. */
  remove(x: number, y: number): void {
    const copy = this.#copies.get(x, y, 0, 0);
    if (copy === undefined) return;
    this.#copies.delete(x, y, 0, 0);
    const chunk = copy.drop();
    if (chunk !== undefined) this.#feed.leave(chunk, copy);
  }

  /** Removes all chunks. */
  clear(): void {
    for (const [x, y] of [...this.#copies.positions()]) this.remove(x, y);
  }

  /** Removes the chunks too far from a position, then the farthest one if there is still no room. */
  #makeRoom(x: number, y: number): void {
    const { wire1ChunksMax, wire1ChunkRadius } = this.#limits;
    const tooFar: Position[] = [];
    let farthest: Position | undefined;
    let farthestDistance = -1;
    for (const position of this.#copies.positions()) {
      const distance = Math.max(Math.abs(position[0] - x), Math.abs(position[1] - y));
      if (distance > wire1ChunkRadius) tooFar.push(position);
      else if (distance > farthestDistance) [farthest, farthestDistance] = [position, distance];
    }
    for (const position of tooFar) this.remove(position[0], position[1]);
    if (this.#copies.size >= wire1ChunksMax && farthest !== undefined) this.remove(farthest[0], farthest[1]);
  }
}
