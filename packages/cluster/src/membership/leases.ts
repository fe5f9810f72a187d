import { OrthantError } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import type { Engine, TableEntry } from "../engine/engine.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import { type Lease, type LeaseEntry, leaseCodec } from "../shard/cluster-directory.ts";
import { leaseKey } from "../shard/names.ts";

/** Dependencies of a node's leases. */
export interface LeasesOptions {
  readonly engine: Engine;
  readonly folders: ShardFolders;
  readonly world: string;
  readonly node: string;
}

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
    if (isNewer && leaseIn(entry)?.node !== node) return undefined;
    const term = Math.max(leaseIn(entry)?.term ?? 0, (await folders.termOf(shard)) ?? 0) + 1;
    const revision = await this.#swap(shard, { node, term, successor: "" }, entry?.revision ?? 0);
    return revision === undefined ? undefined : term;
  }

  /** Writes a lease for this node unless the shard has one: for a new shard, or after a loss of the table. */
  async create(shard: string, term: number): Promise<void> {
    await this.#swap(shard, { node: this.#options.node, term, successor: "" }, 0);
  }

  /** Returns the term of a shard's lease; 0 if it has none. */
  async termOf(shard: string): Promise<number> {
    return leaseIn(await this.#read(shard))?.term ?? 0;
  }

  /**
   * Writes a lease for this node on a shard that it splits off, over one of an attempt that failed. Throws
   * `ORT_FENCED` if the shard has a lease in this term or a later one.
   */
  async createSplit(shard: string, term: number): Promise<void> {
    const { node } = this.#options;
    for (;;) {
      const entry = await this.#read(shard);
      const lease = leaseIn(entry);
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
    const lease = leaseIn(entry);
    if (entry === undefined || lease?.node !== this.#options.node || lease.term !== term) return;
    await this.#swap(shard, { node: "", term, successor }, entry.revision);
  }

  #read(shard: string): Promise<TableEntry | undefined> {
    const { engine, world } = this.#options;
    return engine.table.get(leaseKey(world, shard));
  }

  #swap(shard: string, lease: Lease, expected: number): Promise<number | undefined> {
    const { engine, world } = this.#options;
    return engine.table.swap(leaseKey(world, shard), encode(leaseCodec, lease), expected);
  }
}

function leaseIn(entry: TableEntry | undefined): Lease | undefined {
  return entry?.value && decode(leaseCodec, entry.value);
}
