import type { Backbone, Subscription } from "@orthant/cluster";
import { decodeShardRecord, nameOfPosition } from "@orthant/cluster/internal";
import type { Box } from "@orthant/core";
import { positionsLexicographic } from "@orthant/core/lattice";

/**
 * Reads every stored record as it is published, and reports edits that were applied twice and clocks that were issued
 * twice. It may miss records while its server is away, and invents none.
 */
export class FeedAudit {
  readonly faults: string[] = [];
  /** Number of times that entities left a shard for another. */
  crossings = 0;
  readonly #subscriptions: Subscription[] = [];
  /** The clock that each edit gave to a region, and the clock that followed each one. */
  readonly #edits = new Map<string, number>();
  readonly #steps = new Map<string, number>();

  private constructor() {}

  /** Follows all sectors of a box. `volume` is the number of voxels in a chunk. */
  static async start(backbone: Backbone, world: string, sectors: Box, volume: number): Promise<FeedAudit> {
    const audit = new FeedAudit();
    for (const sector of positionsLexicographic(sectors)) {
      const listener = (bytes: Uint8Array): void => audit.#receive(bytes, volume);
      audit.#subscriptions.push(await backbone.follow(world, nameOfPosition(sector), listener));
    }
    return audit;
  }

  /** Number of edits seen, counted once for each region that they change. */
  get edits(): number {
    return this.#edits.size;
  }

  end(): void {
    for (const subscription of this.#subscriptions) subscription.end();
  }

  #receive(bytes: Uint8Array, volume: number): void {
    const record = decodeShardRecord(bytes, volume);
    if (record.kind === "entities")
      this.crossings += record.items.filter(({ kind }) => kind === "left").length;
    if (record.kind !== "region") return;
    const { region, before, after, origins, term } = record;
    const name = nameOfPosition(region);
    const other = this.#steps.get(`${name} ${before}`);
    if (other !== undefined && other !== after)
      this.faults.push(`the clock ${before} of [${region}] is followed by ${other} and ${after}`);
    this.#steps.set(`${name} ${before}`, after);
    for (const { clientId, lastEditId: editId } of origins) {
      const edit = `${name} ${clientId} ${editId}`;
      const applied = this.#edits.get(edit);
      if (applied !== undefined && applied !== after)
        this.faults.push(
          `edit ${editId} of client ${clientId} was applied twice to [${region}], at ${applied} and ${after}, term ${term}`,
        );
      this.#edits.set(edit, after);
    }
  }
}
