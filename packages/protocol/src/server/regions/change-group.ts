import { type ChangeBlock, joinBlocks, type RegionEncoding, type SharedPatch } from "./change-block.ts";

/**
 * A set of changes that some clients get together. Sets grow by one change at a time, always in the same
 * order, so clients that get the same changes arrive at the same group, and its patches are encoded once for
 * all of them.
 */
export class ChangeGroup {
  readonly #parent: ChangeGroup | undefined;
  readonly #block: ChangeBlock | undefined;
  readonly #children = new Map<ChangeBlock, ChangeGroup>();
  /** The child requested last; most clients request the same one. */
  #latest: ChangeGroup | undefined;
  #patches: readonly SharedPatch[] | undefined;

  private constructor(parent?: ChangeGroup, block?: ChangeBlock) {
    this.#parent = parent;
    this.#block = block;
  }

  /** Returns the empty group that others grow from. */
  static empty(): ChangeGroup {
    return new ChangeGroup();
  }

  /** Returns this set with one more change. */
  with(block: ChangeBlock): ChangeGroup {
    const latest = this.#latest;
    if (latest !== undefined && latest.#block === block) return latest;
    let child = this.#children.get(block);
    if (child === undefined) {
      child = new ChangeGroup(this, block);
      this.#children.set(block, child);
    }
    this.#latest = child;
    return child;
  }

  /** Returns the patches for the whole set. */
  patches(volume: number): readonly SharedPatch[] {
    this.#patches ??= joinBlocks(this.#blocks(), volume);
    return this.#patches;
  }

  #blocks(): readonly ChangeBlock[] {
    const blocks: ChangeBlock[] = [];
    for (let group: ChangeGroup | undefined = this; group !== undefined; group = group.#parent) {
      if (group.#block !== undefined) blocks.push(group.#block);
    }
    return blocks;
  }
}

/** The root groups of one tick, one per encoding. */
export class ChangeGroups {
  #roots: ChangeGroup[] = [];

  /** Drops the groups of the previous tick. */
  startTick(): void {
    this.#roots = [];
  }

  /** Returns the empty group of this tick. */
  root({ index }: RegionEncoding): ChangeGroup {
    this.#roots[index] ??= ChangeGroup.empty();
    return this.#roots[index];
  }
}
