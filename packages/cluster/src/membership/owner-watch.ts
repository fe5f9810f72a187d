import type { TimeSource } from "@orthant/core";
import type { Backbone, Subscription } from "../backbone/backbone.ts";
import { ClusterDirectory } from "../shard/cluster-directory.ts";
import { heartbeatPrefix } from "../shard/names.ts";
import { shardsOf } from "../shard/shard-map.ts";

/** Time without a sign of an owner after which a shard counts as vacant. A lost owner is replaced in less. */
const VACANT_MS = 10_000;

/**
 * Knows which shards of a world have had no live owner for ten seconds. A shard has one while the node that its lease
 * names sends heartbeats.
 *
 * @example
 * const watch = await OwnerWatch.open({ backbone, world: "town", time: systemTime });
 * if (watch.vacant.length > 0) console.log(`no node owns ${watch.vacant.join(", ")}`);
 */
export class OwnerWatch {
  readonly #time: TimeSource;
  readonly #directory: ClusterDirectory;
  readonly #openedMs: number;
  /** When the owner of each shard last sent a heartbeat. */
  readonly #ownedMs = new Map<string, number>();
  #heartbeats: Subscription | undefined;

  private constructor(time: TimeSource, directory: ClusterDirectory) {
    this.#time = time;
    this.#directory = directory;
    this.#openedMs = time.nowMs();
  }

  /** Begins to watch. Throws `ORT_NOT_FOUND` if the cluster has no such world. */
  static async open(options: {
    readonly backbone: Backbone;
    readonly world: string;
    readonly time: TimeSource;
  }): Promise<OwnerWatch> {
    const { backbone, world, time } = options;
    const watch = new OwnerWatch(time, await ClusterDirectory.open(backbone, world));
    const prefix = heartbeatPrefix(world);
    let isLive = false;
    watch.#heartbeats = await backbone.table.watch(prefix, ({ key }) => {
      // The entries before may be those of nodes that ended long ago.
      if (isLive) watch.#heard(key.slice(prefix.length));
    });
    isLive = true;
    return watch;
  }

  /** The shards without an owner, in order of creation. */
  get vacant(): readonly string[] {
    const nowMs = this.#time.nowMs();
    return shardsOf(this.#directory.map).filter(
      (shard) => Math.abs(nowMs - (this.#ownedMs.get(shard) ?? this.#openedMs)) >= VACANT_MS,
    );
  }

  /** Stops watching. */
  close(): void {
    this.#heartbeats?.end();
    this.#directory.close();
  }

  #heard(node: string): void {
    for (const shard of shardsOf(this.#directory.map))
      if (this.#directory.leaseOf(shard)?.lease.node === node) this.#ownedMs.set(shard, this.#time.nowMs());
  }
}
