import { type EncodedChange, joinChanges, type RegionEncoding, type SharedPatch } from "./encoded-change.ts";

/**
 * A set of changes that some clients get together. Sets grow by one change at a time, always in the same
 * order, so clients that get the same changes arrive at the same group, and its patches are encoded once for
 * all of them.
 */
export class ChangeGroup {
  readonly #parent: ChangeGroup | undefined;
  readonly #encoded: EncodedChange | undefined;
  readonly #children = new Map<EncodedChange, ChangeGroup>();
  /** The child requested last; most clients request the same one. */
  #latest: ChangeGroup | undefined;
  #patches: readonly SharedPatch[] | undefined;

  private constructor(parent?: ChangeGroup, encoded?: EncodedChange) {
    this.#parent = parent;
    this.#encoded = encoded;
  }

  /** Returns the empty group that others grow from. */
  static empty(): ChangeGroup {
    return new ChangeGroup();
  }

  /** Returns this set with one more change. */
  with(encoded: EncodedChange): ChangeGroup {
    const latest = this.#latest;
    if (latest !== undefined && latest.#encoded === encoded) return latest;
    let child = this.#children.get(encoded);
    if (child === undefined) {
      child = new ChangeGroup(this, encoded);
      this.#children.set(encoded, child);
    }
    this.#latest = child;
    return child;
  }

  /** Returns the patches for the whole set. */
  patches(volume: number): readonly SharedPatch[] {
    this.#patches ??= joinChanges(this.#changes(), volume);
    return this.#patches;
  }

  #changes(): readonly EncodedChange[] {
    const changes: EncodedChange[] = [];
    for (let group: ChangeGroup | undefined = this; group !== undefined; group = group.#parent) {
      if (group.#encoded !== undefined) changes.push(group.#encoded);
    }
    return changes;
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
