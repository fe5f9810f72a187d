import { type Box, type Dimensions, isOrthantError, OrthantError } from "@orthant/core";
import { Retries } from "../backbone/retries.ts";
import type { ShardOwnerOptions } from "../changes/owner-context.ts";
import type { ShardEntities } from "../changes/shard-entities.ts";
import { SharedShardMap } from "../folder/shared-shard-map.ts";
import { type OwnerReport, ShardOwner } from "../owner/shard-owner.ts";
import type { Lease } from "../shard/cluster-directory.ts";
import { requireName } from "../shard/names.ts";
import { shardsOf } from "../shard/shard-map.ts";
import { Election } from "./election.ts";
import { Heartbeats } from "./heartbeats.ts";
import { isPlausible, Leases } from "./leases.ts";
import type { ClusterNodeOptions } from "./node-options.ts";
import { ClusterSimulation, type ClusterSimulationOptions } from "./node-simulation.ts";
import { splitShard } from "./split-shard.ts";
import { nodeStopped, whenTaken } from "./status.ts";
import { TableCheck } from "./table-check.ts";

/** A cluster member that owns shards and claims vacant ones. */
export class ClusterNode {
  readonly node: string;
  readonly #options: ClusterNodeOptions;
  readonly #heartbeats: Heartbeats;
  readonly #election: Election;
  readonly #leases: Leases;
  readonly #retries: Retries;
  readonly #owners = new Map<string, ShardOwner>();
  readonly #claims = new Map<string, Promise<void>>();
  #maps: SharedShardMap | undefined;
  #tableCheck: TableCheck | undefined;
  #simulation: Pick<ClusterSimulation, "add" | "remove"> | undefined;
  #isLeaving = false;
  #isStopped = false;

  constructor(options: ClusterNodeOptions) {
    requireName(options.node, "node");
    this.node = options.node;
    this.#options = options;
    this.#heartbeats = new Heartbeats({
      ...options,
      state: () => ({ shards: this.#owners.size, isLeaving: this.#isLeaving }),
      onAccepted: () => this.#heartbeatAccepted(),
      onEnd: (error) => this.#end(error),
    });
    this.#election = new Election(options.node, this.#heartbeats);
    this.#leases = new Leases(options);
    this.#retries = new Retries(options.time, (error, waitedMs) =>
      options.events?.onStuck?.(undefined, error, waitedMs),
    );
  }

  /**
   * Joins the cluster. Rejects with `ORT_EXISTS` if another process has the node's name, and with
   * `ORT_BACKBONE_PERMISSION` if the backbone does not permit what a node has to do.
   */
  async start(): Promise<void> {
    try {
      await this.#join();
    } catch (error) {
      this.kill(error);
      throw error;
    }
  }

  async #join(): Promise<void> {
    const { backbone, world } = this.#options;
    const maps = await SharedShardMap.open(this.#options, this.#retries);
    this.#maps = maps;
    this.#tableCheck = new TableCheck({
      ...{ backbone, world, leases: this.#leases, maps },
      owned: () => this.#ownTerms(),
    });
    maps.directory.listen({
      onLease: (shard, lease) => this.#leaseChanged(shard, lease),
      onMap: (map) => {
        for (const owner of this.#owners.values()) owner.mapChanged(map);
        this.#claimShards();
      },
    });
    await this.#heartbeats.start(this.#retries);
  }

  /** The shards it owns, with a report on each. */
  get shards(): ReadonlyMap<string, OwnerReport> {
    return new Map(Array.from(this.#owners, ([shard, owner]) => [shard, owner.report]));
  }

  /** Returns true if this node owns `shard` now. */
  owns(shard: string): boolean {
    return this.#owners.has(shard);
  }

  /** Returns the entities of a shard, to change them; `undefined` if this node does not own it now. */
  entities(shard: string): ShardEntities | undefined {
    return this.#owners.get(shard)?.entities;
  }

  /**
   * Simulates every shard that this node owns, now and later: calls the systems of a game in steps at a fixed pace. Start it
   * on all nodes of a world, with the same systems. One simulation at a time.
   *
   * @example
   * const simulation = node.simulate<3>({ stepMs: 50, systems: { sand: fallingSand } });
   */
  simulate<D extends Dimensions>(options: ClusterSimulationOptions<D>): ClusterSimulation<D> {
    if (this.#simulation !== undefined)
      throw new OrthantError(
        "ORT_ARGUMENT",
        "the node simulates its shards already: stop that simulation first",
      );
    const simulation = new ClusterSimulation<D>(options, () => {
      this.#simulation = undefined;
    });
    for (const owner of this.#owners.values()) simulation.add(owner);
    this.#simulation = simulation;
    return simulation;
  }

  /** Saves everything in the journals of its shards. */
  async checkpoint(): Promise<void> {
    for (const owner of this.#owners.values()) await owner.checkpoint();
  }

  /**
   * Hands one of its shards to `successor`, or to any other node if that is omitted. No edit is rejected
   * meanwhile. Throws `ORT_NOT_FOUND` if there is no other node.
   */
  async move(shard: string, successor?: string): Promise<void> {
    this.#requireOwner(shard);
    if (successor === undefined) this.#requireOthers();
    await this.#release(shard, successor);
  }

  /**
   * Moves those sectors of the box that belong to its shard `shard` into a new shard, which it owns as well.
   */
  async split(shard: string, sectors: Box, newShard: string): Promise<void> {
    const owner = this.#requireOwner(shard);
    if (this.#claims.has(newShard))
      throw new OrthantError("ORT_EXISTS", `shard ${newShard} is being split off or claimed at this moment`);
    this.#claims.set(newShard, Promise.resolve());
    let undoing = Promise.resolve();
    try {
      const created = await splitShard({
        ...this.#options,
        maps: this.#requireMaps(),
        leases: this.#leases,
        retries: this.#retries,
        owner,
        sectors,
        newShard,
        ownerOptions: (term) => this.#ownerOptions(newShard, term),
        onStuck: (error) => this.#lose(shard, owner, error),
        onUndo: (work) => {
          undoing = work;
        },
      });
      this.#own(created, 0);
    } finally {
      this.#claims.set(newShard, undoing);
      void undoing.then(() => this.#claims.delete(newShard));
    }
  }

  /**
   * Hands all shards to other nodes and claims no more. Throws `ORT_NOT_FOUND` if there is no other node, or if no node
   * claims a shard within 30 seconds; the node then stays what it was. With `force` it only releases its shards, even
   * if no node is left to claim them.
   */
  async drain({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    if (!force) this.#requireOthers();
    this.#isLeaving = true;
    try {
      await Promise.all(this.#claims.values());
      const terms = this.#ownTerms();
      for (const shard of terms.keys()) if (this.#owners.has(shard)) await this.#release(shard);
      const { time } = this.#options;
      const { directory } = this.#requireMaps();
      if (!force)
        await whenTaken({ time, node: this.node, directory, terms, isStopped: () => this.#isStopped });
    } catch (error) {
      this.#isLeaving = false;
      throw error;
    }
  }

  /** Leaves the cluster cleanly: saves and releases every shard it owns. */
  async stop(): Promise<void> {
    this.#isLeaving = true;
    await Promise.all(this.#claims.values());
    for (const shard of [...this.#owners.keys()]) await this.#release(shard).catch(() => undefined);
    this.kill(nodeStopped());
  }

  /** Ends at once, without handing its shards over. */
  kill(error: unknown): void {
    this.#isStopped = true;
    this.#heartbeats.stop(error);
    this.#retries.end(error);
    this.#maps?.close();
    for (const owner of [...this.#owners.values()]) {
      this.#disown(owner);
      void owner.stop(error);
    }
  }

  async #release(shard: string, successor?: string): Promise<void> {
    const owner = this.#requireOwner(shard);
    const to = successor ?? this.#election.leastLoaded();
    // Saves most of it while edits continue, which shortens the pause. A shard that cannot be saved stays here: the next
    // owner could not save it either.
    await owner.checkpoint();
    this.#disown(owner);
    // The lease still names this node, so no other node claims the shard; this keeps us from reclaiming it.
    this.#election.backOff(shard);
    try {
      await owner.release();
    } catch (error) {
      await owner.stop(error);
      throw error;
    }
    await this.#retries.until(() => this.#leases.release(shard, owner.term, to));
    this.#options.events?.onLost?.(shard, undefined);
  }

  #requireOthers(): void {
    if (this.#heartbeats.others().length > 0) return;
    throw new OrthantError(
      "ORT_NOT_FOUND",
      `no other node can take the shards of ${this.node}: start one, or force the drain, which leaves them without an owner`,
    );
  }

  #heartbeatAccepted(): void {
    this.#election.heartbeatAccepted();
    this.#tableCheck?.heartbeatAccepted();
    this.#claimShards();
  }

  #ownTerms(): ReadonlyMap<string, number> {
    return new Map(Array.from(this.#owners, ([shard, { term }]) => [shard, term]));
  }

  #leaseChanged(shard: string, lease: Lease): void {
    const { node, term } = lease;
    const owner = this.#owners.get(shard);
    if (owner !== undefined && !isPlausible(lease, owner.term)) {
      this.#refuseLease(owner, lease);
      return;
    }
    if (owner !== undefined && (node !== this.node || term > owner.term) && term >= owner.term)
      this.#lose(shard, owner, new OrthantError("ORT_FENCED", `${node} claimed shard ${shard}`));
    this.#claimShards();
  }

  /** Replaces a lease that no node can have written, and goes on owning the shard. Rule K44. */
  #refuseLease({ shard, term }: ShardOwner, lease: Lease): void {
    const detail = `the lease of shard ${shard} has term ${lease.term}, and ${this.node} owns it in term ${term}`;
    this.#options.events?.onForeign?.(shard, new OrthantError("ORT_CLOCK", detail));
    // The next check of the table tries again.
    this.#leases.restore(shard, term).catch(() => undefined);
  }

  /** Claims every shard that this node should claim now. */
  #claimShards(): void {
    if (this.#isStopped || this.#isLeaving || this.#maps === undefined) return;
    if (!this.#heartbeats.isReady) return;
    const { directory } = this.#maps;
    for (const shard of shardsOf(directory.map)) {
      if (this.#owners.has(shard) || this.#claims.has(shard)) continue;
      const lease = directory.leaseOf(shard)?.lease ?? { node: "", successor: "" };
      if (!this.#election.shouldClaim(shard, lease)) continue;
      const claim = this.#claim(shard).finally(() => this.#claims.delete(shard));
      this.#claims.set(shard, claim);
    }
  }

  async #claim(shard: string): Promise<void> {
    const { time, events } = this.#options;
    const startMs = time.nowMs();
    let term: number | undefined;
    try {
      const maps = this.#requireMaps();
      term = await this.#retries.until(() => this.#leases.claim(shard, maps.directory.leaseOf(shard)));
      if (term === undefined || this.#isStopped) return;
      // The journal may have blocks of a map that has not arrived here yet.
      await maps.refresh();
      await maps.copy(maps.map);
      const owner = await ShardOwner.claim(this.#ownerOptions(shard, term));
      await this.#serve(owner);
      this.#own(owner, time.nowMs() - startMs);
    } catch (error) {
      if (this.#isStopped) return;
      events?.onFailure?.(shard, error);
      if (isOrthantError(error, "ORT_BACKBONE_PERMISSION")) return this.#end(error);
      // A fenced node only lost a race.
      if (!isOrthantError(error, "ORT_FENCED")) await this.#giveUp(shard, term);
    }
  }

  /** Lets a new owner answer, or stops it if that fails or the node ends meanwhile. */
  async #serve(owner: ShardOwner): Promise<void> {
    try {
      if (!this.#isStopped) await this.#retries.until(() => owner.serve());
      if (this.#isStopped) throw nodeStopped();
    } catch (error) {
      await owner.stop(error);
      throw error;
    }
  }

  /** Backs off from a shard that this node failed to claim, so that other nodes can claim it. */
  async #giveUp(shard: string, term: number | undefined): Promise<void> {
    this.#election.backOff(shard);
    if (term === undefined) return;
    try {
      await this.#leases.release(shard, term, "");
    } catch (error) {
      // The lease still names this node, which tries again after the backoff.
      if (!isOrthantError(error)) throw error;
    }
  }

  #ownerOptions(shard: string, term: number): ShardOwnerOptions {
    return {
      ...this.#options,
      ...{ shard, term, maps: this.#requireMaps() },
      onEnd: (error) => {
        const owner = this.#owners.get(shard);
        if (owner?.term === term) this.#lose(shard, owner, error);
        if (isOrthantError(error, "ORT_BACKBONE_PERMISSION")) this.#end(error);
      },
    };
  }

  /**
   * Ends the node, so that others take its shards: without a permission it can neither serve them nor hand them over.
   * Rule K46. Before the node has started, `start` reports the error, not `onEnd`.
   */
  #end(error: unknown): void {
    if (this.#isStopped) return;
    this.kill(error);
    if (this.#heartbeats.isAnnounced) this.#options.events?.onEnd?.(error);
  }

  #lose(shard: string, owner: ShardOwner, error: unknown): void {
    this.#disown(owner);
    void owner.stop(error);
    this.#options.events?.onLost?.(shard, error);
  }

  /** Begins to own a shard, which took `tookMs` to load. */
  #own(owner: ShardOwner, tookMs: number): void {
    const { shard, term } = owner;
    const { directory } = this.#requireMaps();
    this.#owners.set(shard, owner);
    owner.mapChanged(directory.map);
    this.#simulation?.add(owner);
    this.#election.claimed(shard);
    this.#options.events?.onClaimed?.(shard, term, tookMs);
    // While the shard was loaded or split off, another process may have claimed it, or an edit have ended its owner.
    const lease = directory.leaseOf(shard)?.lease;
    if (lease !== undefined) this.#leaseChanged(shard, lease);
    if (owner.failure !== undefined && this.owns(shard)) this.#lose(shard, owner, owner.failure);
  }

  #disown(owner: ShardOwner): void {
    this.#owners.delete(owner.shard);
    this.#simulation?.remove(owner);
  }

  #requireOwner(shard: string): ShardOwner {
    const owner = this.#owners.get(shard);
    if (owner === undefined)
      throw new OrthantError("ORT_NOT_FOUND", `${this.node} does not own shard ${shard}`);
    return owner;
  }

  #requireMaps(): SharedShardMap {
    if (this.#maps === undefined) throw new OrthantError("ORT_CLOSED", "the node was not started");
    return this.#maps;
  }
}
