import {
  type Box,
  type Clock,
  decode,
  encode,
  type GeneratorRegistry,
  isOrthantError,
  OrthantError,
  type Timer,
} from "@orthant/core";
import { ClusterDirectory } from "../directory/cluster-directory.ts";
import type { Engine, Entry, Subscription } from "../engine/engine.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import { Retries } from "../owner/retries.ts";
import { ended, type OwnerLimits, type OwnerReport, ShardOwner } from "../owner/shard-owner.ts";
import { crc32c } from "../shard/crc32c.ts";
import { heartbeatCodec, type Lease, leaseCodec } from "../shard/lease.ts";
import { heartbeatKey, heartbeatPrefix, leaseKey, requireName } from "../shard/names.ts";
import { shardsOf } from "../shard/shard-map.ts";
import { Liveness } from "./liveness.ts";
import { ShardMapStore } from "./map-keeper.ts";
import { splitShard } from "./split-shard.ts";

/** Dependencies and settings of a node. */
export interface ClusterNodeOptions {
  readonly engine: Engine;
  readonly folders: ShardFolders;
  readonly clock: Clock;
  /** 64 random bits. */
  readonly random: () => bigint;
  readonly generators: GeneratorRegistry;
  readonly world: string;
  /** The node's name, unique among the nodes of the world. */
  readonly node: string;
  readonly limits?: Partial<OwnerLimits>;
  readonly events?: NodeEvents;
}

/** Callbacks of a node. */
export interface NodeEvents {
  /** The node now owns `shard`, `tookMs` after it began to claim it. */
  onClaimed?(shard: string, term: number, tookMs: number): void;
  /** The node no longer owns `shard`. `error` is the reason; `undefined` when the node released it. */
  onLost?(shard: string, error: unknown): void;
  /** The shard's journal was lost, together with every edit that no save contains. */
  onJournalLost?(shard: string, detail: string): void;
  /** An attempt to take `shard` failed. */
  onFailure?(shard: string, error: unknown): void;
}

/** Interval between heartbeats. */
export const HEARTBEAT_MS = 500;
/** Heartbeats to back off after failing to take a shard. */
const BACKOFF_HEARTBEATS = 20;
/** Heartbeats between checks that the table still has the map and this node's leases. */
const CHECK_INTERVAL_HEARTBEATS = 10;
/** Heartbeats a non-preferred node waits before it takes a vacant shard. */
const NON_PREFERRED_DELAY_HEARTBEATS = 2;

/** A cluster member that owns shards and takes vacant ones. */
export class ClusterNode {
  readonly node: string;
  readonly #options: ClusterNodeOptions;
  readonly #liveness: Liveness;
  readonly #retries: Retries;
  readonly #maps: ShardMapStore;
  readonly #owners = new Map<string, ShardOwner>();
  readonly #taking = new Map<string, Promise<void>>();
  /** Heartbeats left to back off from a shard, and heartbeats for which a shard has been vacant. */
  readonly #backoff = new Map<string, number>();
  readonly #vacant = new Map<string, number>();
  readonly #subscriptions: Subscription[] = [];
  #directory: ClusterDirectory | undefined;
  #timer: Timer | undefined;
  #heartbeats = 0;
  #accepted = 0;
  #isSendingHeartbeat = false;
  #isLeaving = false;
  #isStopped = false;

  constructor(options: ClusterNodeOptions) {
    requireName(options.node, "node");
    this.node = options.node;
    this.#options = options;
    this.#liveness = new Liveness(options.world, options.node);
    this.#retries = new Retries(options.clock);
    this.#maps = new ShardMapStore(options);
  }

  /** Joins the cluster. */
  async start(): Promise<void> {
    const { engine, world } = this.#options;
    this.#directory = await this.#retries.until(async () => {
      await this.#maps.restore();
      return ClusterDirectory.open(engine, world);
    });
    this.#directory.listen({
      onLease: (shard, lease) => this.#leaseChanged(shard, lease),
      onMap: (map) => {
        for (const owner of this.#owners.values()) owner.mapChanged(map);
        this.#consider();
      },
    });
    this.#subscriptions.push(
      await this.#retries.until(() =>
        engine.table.watch(heartbeatPrefix(world), (entry) => {
          if (this.#liveness.record(entry)) this.#heartbeatAccepted();
        }),
      ),
    );
    this.#heartbeat();
  }

  /** The shards it owns, with a report on each. */
  get shards(): ReadonlyMap<string, OwnerReport> {
    return new Map(Array.from(this.#owners, ([shard, owner]) => [shard, owner.report]));
  }

  /** Returns true if this node owns `shard` now. */
  owns(shard: string): boolean {
    return this.#owners.has(shard);
  }

  /** Saves everything in the journals of its shards. */
  async checkpoint(): Promise<void> {
    for (const owner of this.#owners.values()) await owner.checkpoint();
  }

  /**
   * Hands one of its shards to `successor`, or to any other node if that is omitted. No edit is rejected
   * meanwhile.
   */
  async move(shard: string, successor?: string): Promise<void> {
    const owner = this.#requireOwner(shard);
    const to = successor ?? this.#leastLoaded();
    this.#owners.delete(shard);
    // The lease still names this node, so no other node takes the shard; this keeps us from retaking it.
    this.#backoff.set(shard, BACKOFF_HEARTBEATS);
    try {
      await owner.release();
    } catch (error) {
      await owner.stop(error);
      throw error;
    }
    await this.#retries.until(() => this.#writeRelease(shard, owner.term, to));
    this.#options.events?.onLost?.(shard, undefined);
  }

  /**
   * Moves those sectors of the box that belong to its shard `shard` into a new shard, which it owns as well.
   */
  async split(shard: string, sectors: Box, newShard: string): Promise<void> {
    const owner = this.#requireOwner(shard);
    const directory = this.#requireDirectory();
    this.#taking.set(newShard, Promise.resolve());
    try {
      const made = await splitShard({
        ...{ ...this.#options, directory, retries: this.#retries, owner, sectors, newShard },
        ownerOptions: (term) => this.#ownerOptions(newShard, term),
      });
      this.#owners.set(newShard, made);
      this.#options.events?.onClaimed?.(newShard, made.term, 0);
    } finally {
      this.#taking.delete(newShard);
    }
  }

  /** Hands all shards to other nodes and takes no more. */
  async drain(): Promise<void> {
    this.#isLeaving = true;
    for (const shard of [...this.#owners.keys()]) await this.move(shard);
  }

  /** Leaves the cluster cleanly: saves and releases every shard it owns. */
  async stop(): Promise<void> {
    this.#isLeaving = true;
    await Promise.all(this.#taking.values());
    for (const shard of [...this.#owners.keys()]) await this.move(shard).catch(() => undefined);
    this.kill(ended("the node was stopped"));
  }

  /** Ends at once, without handing its shards over. */
  kill(error: unknown): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#retries.end(error);
    for (const subscription of this.#subscriptions) subscription.end();
    this.#directory?.close();
    for (const owner of this.#owners.values()) void owner.stop(error);
    this.#owners.clear();
  }

  #heartbeat(): void {
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.after(HEARTBEAT_MS, () => this.#heartbeat());
    if (this.#isSendingHeartbeat) return;
    this.#isSendingHeartbeat = true;
    const heartbeat = { count: ++this.#heartbeats, shards: this.#owners.size, isLeaving: this.#isLeaving };
    const { engine, world } = this.#options;
    engine.table
      .put(heartbeatKey(world, this.node), encode(heartbeatCodec, heartbeat))
      // The next heartbeat tries again. Other nodes notice the failure because they miss this one.
      .catch(() => undefined)
      .finally(() => {
        this.#isSendingHeartbeat = false;
      });
  }

  #heartbeatAccepted(): void {
    for (const [shard, left] of this.#backoff) {
      if (left > 1) this.#backoff.set(shard, left - 1);
      else this.#backoff.delete(shard);
    }
    for (const [shard, heartbeats] of this.#vacant) this.#vacant.set(shard, heartbeats + 1);
    if (++this.#accepted % CHECK_INTERVAL_HEARTBEATS === 0) this.#checkTable();
    this.#consider();
  }

  /** Restores to a lost table what this node knows for sure: the map and its own leases. */
  #checkTable(): void {
    const checks = [
      this.#maps.restore(this.#requireDirectory().map),
      ...Array.from(this.#owners.values(), ({ shard, term }) =>
        this.#swapLease(shard, { node: this.node, term, successor: "" }, 0),
      ),
    ];
    // The next check tries again.
    for (const check of checks) check.catch(() => undefined);
  }

  #leaseChanged(shard: string, { node, term }: Lease): void {
    const owner = this.#owners.get(shard);
    if (owner !== undefined && (node !== this.node || term > owner.term) && term >= owner.term)
      this.#lose(shard, owner, new OrthantError("ORT_FENCED", `${node} took shard ${shard}`));
    this.#consider();
  }

  /** Takes every shard that this node should take now. */
  #consider(): void {
    if (this.#isStopped || this.#isLeaving || this.#directory === undefined) return;
    for (const shard of shardsOf(this.#directory.map)) {
      // A named successor takes the shard even if it released it a moment ago.
      const isSuccessor = this.#directory.leaseOf(shard)?.lease.successor === this.node;
      if (this.#owners.has(shard) || this.#taking.has(shard)) continue;
      if ((this.#backoff.has(shard) && !isSuccessor) || !this.#shouldTake(shard)) continue;
      const taking = this.#take(shard).finally(() => this.#taking.delete(shard));
      this.#taking.set(shard, taking);
    }
  }

  #shouldTake(shard: string): boolean {
    const { node, successor } = this.#directory?.leaseOf(shard)?.lease ?? { node: "", successor: "" };
    if (node === this.node || (node === "" && successor === this.node)) return true;
    if (node !== "" && !this.#liveness.isDead(node)) {
      this.#vacant.delete(shard);
      return false;
    }
    const vacant = this.#vacant.get(shard) ?? 0;
    this.#vacant.set(shard, vacant);
    const isLeftTo = successor !== "" && !this.#liveness.isDead(successor);
    return (!isLeftTo && this.#isFirstChoice(shard)) || vacant >= NON_PREFERRED_DELAY_HEARTBEATS;
  }

  /** True if this node has the fewest shards; a hash of shard and node name breaks ties. */
  #isFirstChoice(shard: string): boolean {
    // The count in its last accepted heartbeat, which is the number the other nodes compare.
    const own = this.#liveness.ownShards;
    return this.#liveness.others().every(({ node, heartbeat }) => {
      if (heartbeat.shards !== own) return own < heartbeat.shards;
      return preference(shard, this.node) > preference(shard, node);
    });
  }

  async #take(shard: string): Promise<void> {
    const { clock, events } = this.#options;
    const startMs = clock.nowMs();
    let term: number | undefined;
    try {
      term = await this.#retries.until(() => this.#writeLease(shard));
      if (term === undefined || this.#isStopped) return;
      await this.#maps.copy(this.#requireDirectory().map);
      const owner = await ShardOwner.claim(this.#ownerOptions(shard, term));
      if (this.#isStopped) return void (await owner.stop(ended("the node was stopped")));
      await this.#retries.until(() => owner.serve());
      this.#owners.set(shard, owner);
      owner.mapChanged(this.#requireDirectory().map);
      this.#vacant.delete(shard);
      events?.onClaimed?.(shard, term, clock.nowMs() - startMs);
      // Another node may have taken the shard while this one loaded it.
      const lease = this.#directory?.leaseOf(shard)?.lease;
      if (lease !== undefined) this.#leaseChanged(shard, lease);
    } catch (error) {
      if (this.#isStopped) return;
      events?.onFailure?.(shard, error);
      // A fenced node only lost a race.
      if (!isOrthantError(error, "ORT_FENCED")) await this.#leaveToOthers(shard, term);
    }
  }

  /** Backs off from a shard that this node failed to take, so that other nodes can take it. */
  async #leaveToOthers(shard: string, term: number | undefined): Promise<void> {
    this.#backoff.set(shard, BACKOFF_HEARTBEATS);
    if (term === undefined) return;
    try {
      await this.#writeRelease(shard, term, "");
    } catch (error) {
      // The lease still names this node, which tries again after the backoff.
      if (!isOrthantError(error)) throw error;
    }
  }

  /** Writes a lease for this node in a new term. Returns `undefined` if another node was faster. */
  async #writeLease(shard: string): Promise<number | undefined> {
    const { engine, folders, world } = this.#options;
    // Read from the table, not the directory: an earlier attempt may have succeeded without an answer.
    const entry = await engine.table.get(leaseKey(world, shard));
    const known = this.#directory?.leaseOf(shard);
    if (known !== undefined && entry !== undefined && entry.revision > known.revision) {
      if (leaseIn(entry)?.node !== this.node) return undefined;
    }
    const before = leaseIn(entry)?.term ?? 0;
    const term = Math.max(before, (await folders.termOf(shard)) ?? 0) + 1;
    const lease = { node: this.node, term, successor: "" };
    const revision = await this.#swapLease(shard, lease, entry?.revision ?? 0);
    return revision === undefined ? undefined : term;
  }

  async #writeRelease(shard: string, term: number, successor: string): Promise<void> {
    const { engine, world } = this.#options;
    const entry = await engine.table.get(leaseKey(world, shard));
    const lease = leaseIn(entry);
    // Another owner has the lease, so there is nothing to release.
    if (entry === undefined || lease?.node !== this.node || lease.term !== term) return;
    await this.#swapLease(shard, { node: "", term, successor }, entry.revision);
  }

  #swapLease(shard: string, lease: Lease, expected: number): Promise<number | undefined> {
    const { engine, world } = this.#options;
    return engine.table.swap(leaseKey(world, shard), encode(leaseCodec, lease), expected);
  }

  #ownerOptions(shard: string, term: number): Parameters<typeof ShardOwner.claim>[0] {
    const { engine, folders, clock, random, generators, world, limits, events } = this.#options;
    const directory = this.#requireDirectory();
    return {
      ...{ engine, folders, clock, random, generators, world, shard, term, node: this.node },
      volume: directory.map.world.shape.volume,
      owns: (region) => directory.shardOf(region) === shard,
      onEnd: (error) => {
        const owner = this.#owners.get(shard);
        if (owner?.term === term) this.#lose(shard, owner, error);
      },
      completeSplit: (split) => {
        const requireHeld = (): Promise<void> => folders.requireHeld(shard, term);
        return this.#retries.until(() => this.#maps.completeSplit(directory, split, requireHeld));
      },
      cancelSplits: () => this.#retries.until(() => this.#maps.cancelSplits(directory)),
      onLost: (detail) => events?.onJournalLost?.(shard, detail),
      ...(limits && { limits }),
    };
  }

  #lose(shard: string, owner: ShardOwner, error: unknown): void {
    this.#owners.delete(shard);
    void owner.stop(error);
    this.#options.events?.onLost?.(shard, error);
  }

  #leastLoaded(): string {
    const [first, ...rest] = this.#liveness.others();
    if (first === undefined) return "";
    return rest.reduce(
      (least, other) => (other.heartbeat.shards < least.heartbeat.shards ? other : least),
      first,
    ).node;
  }

  #requireOwner(shard: string): ShardOwner {
    const owner = this.#owners.get(shard);
    if (owner === undefined)
      throw new OrthantError("ORT_NOT_FOUND", `${this.node} does not own shard ${shard}`);
    return owner;
  }

  #requireDirectory(): ClusterDirectory {
    if (this.#directory === undefined) throw new OrthantError("ORT_CLOSED", "the node was not started");
    return this.#directory;
  }
}

function leaseIn(entry: Entry | undefined): Lease | undefined {
  return entry?.value && decode(leaseCodec, entry.value);
}

function preference(shard: string, node: string): number {
  return crc32c(new TextEncoder().encode(`${shard}/${node}`));
}
