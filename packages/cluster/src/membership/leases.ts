import { OrthantError } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import type { Backbone, TableEntry } from "../backbone/backbone.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import { isForeignValue, type Lease, type LeaseEntry, leaseCodec } from "../shard/cluster-directory.ts";
import { leaseKey } from "../shard/names.ts";

/** Dependencies of a node's leases. */
interface LeasesOptions {
  readonly backbone: Backbone;
  readonly folders: ShardFolders;
  readonly world: string;
  readonly node: string;
}

/**
 * Largest number of terms by which a lease is ahead of its shard's folder, whose name a node changes right after it wrote
 * the lease. A lease further ahead counts as none: it would use up the terms. The folder decides which node may write,
 * so a term that is given twice does no harm.
 */
const LEAD_MAX = 65_536;

/** Writes the leases of one node. Rule K16. */
export class Leases {
  readonly #options: LeasesOptions;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /**
   * Writes a lease for this node in a new term, which it returns. Returns `undefined` if another node was
   * faster. `known` is the lease on which the decision to claim the shard was based.
   */
  async claim(shard: string, known: LeaseEntry | undefined): Promise<number | undefined> {
    const { folders, node } = this.#options;
    // Read from the table, not the directory: an earlier attempt may have succeeded without an answer.
    const entry = await this.#read(shard);
    const isNewer = known !== undefined && entry !== undefined && entry.revision > known.revision;
    const held = (await folders.termOf(shard)) ?? 0;
    const lease = leaseIn(entry, held);
    if (isNewer && lease !== undefined && lease.node !== node) return undefined;
    const term = Math.max(lease?.term ?? 0, held) + 1;
    const revision = await this.#swap(shard, { node, term, successor: "" }, entry?.revision ?? 0);
    return revision === undefined ? undefined : term;
  }

  /**
   * Writes a lease for this node, which owns the shard in `term`, unless the shard has one that a node can have written:
   * after a loss of the table, or of this key.
   */
  async restore(shard: string, term: number): Promise<void> {
    const entry = await this.#read(shard);
    if (leaseIn(entry, term) !== undefined) return;
    await this.#swap(shard, { node: this.#options.node, term, successor: "" }, entry?.revision ?? 0);
  }

  /** Returns the term of a shard's lease; 0 if it has none. */
  async termOf(shard: string): Promise<number> {
    return leaseIn(await this.#read(shard), (await this.#options.folders.termOf(shard)) ?? 0)?.term ?? 0;
  }

  /**
   * Writes a lease for this node on a shard that it splits off, over one of an attempt that failed. Throws
   * `ORT_FENCED` if the shard has a lease in this term or a later one.
   */
  async createSplit(shard: string, term: number): Promise<void> {
    const { node } = this.#options;
    for (;;) {
      const entry = await this.#read(shard);
      const lease = leaseIn(entry, term);
      // An earlier attempt may have succeeded without an answer.
      if (lease?.node === node && lease.term === term) return;
      if (lease !== undefined && lease.term >= term)
        throw new OrthantError(
          "ORT_FENCED",
          `${lease.node || "a node"} has shard ${shard} in term ${lease.term}`,
        );
      const revision = await this.#swap(shard, { node, term, successor: "" }, entry?.revision ?? 0);
      if (revision !== undefined) return;
    }
  }

  /** Offers a shard to `successor`, or to any node if that is empty, unless another node has the lease. */
  async release(shard: string, term: number, successor: string): Promise<void> {
    const entry = await this.#read(shard);
    const lease = leaseIn(entry, term);
    if (entry === undefined || lease?.node !== this.#options.node || lease.term !== term) return;
    await this.#swap(shard, { node: "", term, successor }, entry.revision);
  }

  #read(shard: string): Promise<TableEntry | undefined> {
    const { backbone, world } = this.#options;
    return backbone.table.get(leaseKey(world, shard));
  }

  #swap(shard: string, lease: Lease, expected: number): Promise<number | undefined> {
    const { backbone, world } = this.#options;
    return backbone.table.swap(leaseKey(world, shard), encode(leaseCodec, lease), expected);
  }
}

/**
 * Returns the lease in an entry of a shard whose folder is at `held`; `undefined` if no node can have written it. Throws
 * `ORT_VERSION` for a lease of a newer version. Rule K44.
 */
function leaseIn(entry: TableEntry | undefined, held: number): Lease | undefined {
  if (entry?.value === undefined) return undefined;
  try {
    const lease = decode(leaseCodec, entry.value);
    return isPlausible(lease, held) ? lease : undefined;
  } catch (error) {
    if (!isForeignValue(entry.value, error)) throw error;
    return undefined;
  }
}

/** Returns true if a node can have written a lease on a shard whose folder is at the term `held`. */
export function isPlausible({ term }: Lease, held: number): boolean {
  return term <= held + LEAD_MAX;
}
