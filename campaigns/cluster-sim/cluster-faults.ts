import type { ShardMap } from "@orthant/cluster";
import { leaseKey, mapKey, shardMapCodec, shardOf, shardsOf } from "@orthant/cluster/internal";
import { isOrthantError, type Position } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import { boxBetween } from "@orthant/core/lattice";
import type { FakeTime, Prng } from "@orthant/testkit";
import { type BackboneFaultPlan, type MemoryHub, NO_ENGINE_FAULTS } from "@orthant/testkit/cluster";
import type { ClusterWorkload } from "./cluster-workload.ts";
import type { JournalOracle } from "./journal-oracle.ts";
import type { SimClient } from "./sim-client.ts";
import type { SimGateway } from "./sim-gateway.ts";
import { type SimNode, WORLD } from "./sim-node.ts";
import { TrustFaults } from "./trust-faults.ts";

/** The targets of faults. */
export interface FaultTargets {
  readonly time: FakeTime;
  readonly prng: Prng;
  readonly hub: MemoryHub;
  readonly nodes: readonly SimNode[];
  /** A second process with the name of one of the nodes. */
  readonly twin: SimNode;
  readonly gateways: readonly SimGateway[];
  readonly clients: () => readonly SimClient[];
  readonly oracle: JournalOracle;
  readonly workload: ClusterWorkload;
}

type Process = SimNode | SimGateway;

/** The sectors on one side of the border. */
const EAST = boxBetween([0, -1_000, -1_000, -1_000], [1_000, 1_000, 1_000, 1_000]);
const NEW_SHARD = "east";
/** Time to wait for the lease of a new shard; a split that takes longer is held up by another fault. */
const SPLIT_MS_MAX = 6_000;
/** A journal with fewer bytes is not filled. */
const FILLED_BYTES_MIN = 1_024;
/** How much more likely the favourite faults of a case are. */
const FAVOURITE_FACTOR = 10;
const FAVOURITES_MAX = 3;
const WORST_FAULT_PLAN: BackboneFaultPlan = {
  delayMsMin: 1,
  delayMsMax: 40,
  requestLoss: 0.05,
  answerLoss: 0.05,
  deliveryLoss: 0.3,
};

/** The faults in a simulation, and the operations that people perform meanwhile. */
export class ClusterFaults {
  readonly #targets: FaultTargets;
  /** Functions that end the current faults. */
  readonly #ends = new Set<() => void>();
  readonly trust: TrustFaults;
  /** How likely each fault is in this case. */
  readonly #weights: readonly number[];
  #map: ShardMap | undefined;
  /** The value in the table that was looked at last. */
  #mapValue: Uint8Array | undefined;
  #isSplit = false;
  /** The node that splits a shard at this moment. */
  #splitter: { readonly owner: SimNode; readonly node: SimNode["node"] } | undefined;
  #types = 0;
  /** True if the table was ever lost, and the newest map perhaps with it. */
  hasLostTable = false;

  constructor(targets: FaultTargets) {
    this.#targets = targets;
    this.#weights = weightsOfCase(targets.prng);
    this.trust = new TrustFaults({
      ...targets,
      during: (ms, end) => this.#for(ms, end),
      shards: () => this.shards(),
      onMapLost: () => {
        this.hasLostTable = true;
      },
    });
  }

  /** Causes a random fault, or none. Returns true if it did. */
  act(): boolean {
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0);
    let draw = this.#targets.prng.fraction() * total;
    for (const [index, [, act]] of FAULTS.entries()) {
      draw -= this.#weights[index] as number;
      if (draw < 0) return act(this);
    }
    return false;
  }

  /** Ends all faults. */
  heal(): void {
    const { hub, nodes, gateways } = this.#targets;
    for (const end of [...this.#ends]) end();
    hub.isAway = false;
    hub.faultPlan = NO_ENGINE_FAULTS;
    for (const process of [...nodes, ...gateways]) process.start();
    this.trust.makeLasting();
  }

  /** Lets journals be made that were lost. A backbone may stay full, and all shards that have a journal go on. */
  makeNeededRoom(): void {
    const { hub } = this.#targets;
    if (this.shards().some((shard) => hub.journal(WORLD, shard) === undefined)) hub.hasRoom = true;
  }

  /** Runs `act` while all records are lost without their followers being notified. */
  async inSilence(act: () => Promise<void>): Promise<void> {
    const { hub } = this.#targets;
    hub.faultPlan = { ...NO_ENGINE_FAULTS, deliveryLoss: 1 };
    await act();
    hub.faultPlan = NO_ENGINE_FAULTS;
  }

  /** Returns the map from the table, or the last readable one while a forged one is there. */
  map(): ShardMap | undefined {
    const value = this.#targets.hub.table.get(mapKey(WORLD))?.value;
    if (value !== undefined && value === this.#mapValue) return this.#map;
    this.#mapValue = value;
    try {
      this.#map = value && decode(shardMapCodec, value);
    } catch (error) {
      if (!isOrthantError(error)) throw error;
    }
    return this.#map;
  }

  shards(): readonly string[] {
    const map = this.map();
    return map === undefined ? [] : shardsOf(map);
  }

  shardOf(region: Position): string | undefined {
    const map = this.map();
    return map && shardOf(map, region);
  }

  crash(): boolean {
    this.#crash(this.#anyProcess());
    return true;
  }

  pause(): boolean {
    const process = this.#anyProcess();
    process.pause();
    this.#for(this.#targets.prng.between(100, 9_000), () => process.resume());
    return true;
  }

  partition(): boolean {
    const { backbone } = this.#anyProcess();
    if (backbone === undefined) return false;
    backbone.partition = this.#targets.prng.pick(["to backbone", "from backbone", "both"]);
    this.#for(this.#targets.prng.between(100, 8_000), () => {
      backbone.partition = "none";
    });
    return true;
  }

  loseLeader(): boolean {
    const { hub, prng } = this.#targets;
    hub.isAway = true;
    this.#for(prng.between(100, 6_000), () => {
      hub.isAway = false;
    });
    return true;
  }

  changeFaultPlan(): boolean {
    const { hub, prng } = this.#targets;
    const worse = prng.fraction();
    hub.faultPlan = {
      delayMsMin: 1,
      delayMsMax: 1 + Math.floor(WORST_FAULT_PLAN.delayMsMax * worse),
      requestLoss: WORST_FAULT_PLAN.requestLoss * worse,
      answerLoss: WORST_FAULT_PLAN.answerLoss * worse,
      deliveryLoss: WORST_FAULT_PLAN.deliveryLoss * worse,
    };
    return true;
  }

  loseJournal(): boolean {
    const { hub, oracle, prng } = this.#targets;
    const shard = prng.pick(this.shards());
    const journal = hub.journal(WORLD, shard);
    if (journal === undefined) return false;
    const { first, last } = journal.state;
    oracle.excuse(journal.read(first, last).map(({ bytes }) => bytes));
    hub.loseJournal(WORLD, shard);
    return true;
  }

  /** Fills the backbone: no journal can be made or grow. */
  fillBackbone(): boolean {
    const { hub, prng } = this.#targets;
    hub.hasRoom = false;
    const end = (): void => {
      hub.hasRoom = true;
    };
    // Sometimes it stays full, even when all other faults are healed.
    if (prng.chance(0.5)) this.#for(prng.between(100, 20_000), end);
    else this.#targets.time.after(prng.between(5_000, 400_000), end);
    return true;
  }

  /** Fills a journal, of which the backbone may count more bytes than its owner, and mostly crashes the owner. */
  fillJournal(): boolean {
    const { hub, nodes, prng } = this.#targets;
    const shard = prng.pick(this.shards());
    const journal = hub.journal(WORLD, shard);
    if (journal === undefined || journal.state.bytes < FILLED_BYTES_MIN) return false;
    journal.fill();
    this.fillBackbone();
    const owner = nodes.find(({ node }) => node?.owns(shard) === true);
    if (owner === undefined || prng.chance(0.3)) return true;
    this.#crash(owner);
    return true;
  }

  /** Loses the appends of an owner and pauses it, so that another node owns its shards before it asks again. */
  holdUpAppend(): boolean {
    const { nodes, time, prng } = this.#targets;
    const owner = prng.pick(nodes);
    const { backbone } = owner;
    if (backbone === undefined || owner.node?.shards.size === 0) return false;
    backbone.partition = "to backbone";
    const resume = this.#for(prng.between(4_000, 9_000), () => {
      backbone.partition = "none";
      owner.resume();
    });
    time.after(prng.between(20, 1_500), () => {
      if (resume.isOver || owner.backbone !== backbone) return;
      backbone.partition = "none";
      owner.pause();
    });
    return true;
  }

  loseTable(): boolean {
    this.#targets.hub.table.lose();
    this.hasLostTable = true;
    return true;
  }

  jumpTime(): boolean {
    const { nodes, prng } = this.#targets;
    prng.pick(nodes).jump(prng.between(-3_600_000, 3_600_000));
    return true;
  }

  cutClient(): boolean {
    this.#targets.prng.pick(this.#targets.clients()).cut();
    return true;
  }

  /** Defines a type of block, which edits use once a gateway has it. */
  define(): boolean {
    const { gateways, prng, workload } = this.#targets;
    const { gateway } = prng.pick(gateways);
    if (gateway === undefined) return false;
    const name = `new ${++this.#types}`;
    gateway.defineBlocks({ [name]: {} }).then(
      ({ [name]: handle }) => {
        if (handle !== undefined) workload.addBlock(handle.id());
      },
      // The backbone may be away.
      () => undefined,
    );
    return true;
  }

  move(): boolean {
    const { nodes, prng } = this.#targets;
    const { node } = prng.pick(nodes);
    const [shard] = node?.shards.keys() ?? [];
    if (node === undefined || shard === undefined) return false;
    // The node may lose the shard or the backbone during the move.
    node.move(shard, prng.chance(0.5) ? prng.pick(nodes).name : undefined).catch(() => undefined);
    return true;
  }

  /** True while a living node splits a shard. */
  get isSplitting(): boolean {
    return this.#splitter !== undefined && this.#splitter.owner.node === this.#splitter.node;
  }

  /** Describes edits that wait for a split that still has to make a journal; `undefined` if none do. Rule K40. */
  waitingForJournal(shard: string): string | undefined {
    if (shard !== NEW_SHARD || this.shards().includes(NEW_SHARD)) return undefined;
    const isPaused = this.#splitter?.node?.shards.get("0")?.isPaused === true;
    return isPaused ? "edits wait while a split makes the journal of its new shard" : undefined;
  }

  split(): boolean {
    const { nodes, time, prng } = this.#targets;
    const owner = nodes.find(({ node }) => node?.owns("0") === true);
    if (owner?.node === undefined || this.#isSplit || this.shards().includes(NEW_SHARD)) return false;
    this.#isSplit = true;
    const { node } = owner;
    this.#splitter = { owner, node };
    const settle = (): void => {
      // A crashed node never gets here, and its split is not tried again.
      if (owner.node !== node) return;
      this.#splitter = undefined;
      this.#isSplit = false;
    };
    node.split("0", EAST, NEW_SHARD).then(settle, settle);
    if (prng.chance(0.5)) this.#holdUpSplit(owner, time.nowMs() + SPLIT_MS_MAX);
    return true;
  }

  /**
   * Pauses a node when everything but the split itself is ready, so that another node owns the old shard
   * before it resumes.
   */
  #holdUpSplit(owner: SimNode, untilMs: number): void {
    const { time, hub, prng } = this.#targets;
    if (time.nowMs() >= untilMs) return;
    if (hub.table.get(leaseKey(WORLD, NEW_SHARD)) === undefined) {
      time.after(1, () => this.#holdUpSplit(owner, untilMs));
      return;
    }
    const isAimed = prng.chance(0.5);
    time.after(isAimed ? 0 : prng.between(0, 30), () => {
      // Its next read shows that it still owns the old shard, so it commits the split.
      if (isAimed) owner.pauseAfterRead();
      else owner.pause();
      this.#for(prng.between(4_000, 9_000), () => owner.resume());
    });
  }

  #crash(process: Process): void {
    process.crash();
    this.#for(this.#targets.prng.between(50, 6_000), () => process.start());
  }

  #anyProcess(): Process {
    const { nodes, gateways, prng } = this.#targets;
    return prng.chance(0.75) ? prng.pick(nodes) : prng.pick(gateways);
  }

  /** Calls `end` after a time, or when all faults are healed. Returns whether it has. */
  #for(ms: number, end: () => void): { readonly isOver: boolean } {
    const fault = { isOver: false };
    const finish = (): void => {
      if (!this.#ends.delete(finish)) return;
      fault.isOver = true;
      end();
    };
    this.#ends.add(finish);
    this.#targets.time.after(ms, finish);
    return fault;
  }
}

const FAULTS: readonly (readonly [weight: number, act: (faults: ClusterFaults) => boolean])[] = [
  [88, () => false],
  [2, (faults) => faults.crash()],
  [2, (faults) => faults.pause()],
  [2, (faults) => faults.partition()],
  [1.5, (faults) => faults.loseLeader()],
  [2, (faults) => faults.changeFaultPlan()],
  [0.2, (faults) => faults.loseJournal()],
  [0.1, (faults) => faults.loseTable()],
  [0.5, (faults) => faults.jumpTime()],
  [1, (faults) => faults.cutClient()],
  [1, (faults) => faults.move()],
  [1, (faults) => faults.define()],
  [0.5, (faults) => faults.split()],
  [0.6, (faults) => faults.fillBackbone()],
  [0.3, (faults) => faults.fillJournal()],
  [0.5, (faults) => faults.holdUpAppend()],
  [0.7, (faults) => faults.trust.duplicate()],
  [0.4, (faults) => faults.trust.losePermission()],
  [0.4, (faults) => faults.trust.forge()],
  [0.3, (faults) => faults.trust.overreach()],
];

/** Returns the weights of the faults. Many cases have some favourites, because what is rare together is not found at random. */
function weightsOfCase(prng: Prng): readonly number[] {
  const weights = FAULTS.map(([weight]) => weight);
  for (let favourites = prng.between(0, FAVOURITES_MAX); favourites > 0; favourites--) {
    const index = prng.between(1, weights.length - 1);
    weights[index] = (weights[index] as number) * FAVOURITE_FACTOR;
  }
  return weights;
}
