import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Backbone,
  createClusterWorld,
  DiskFolders,
  FIRST_SHARD,
  ShardFolders,
  type ShardMap,
} from "@orthant/cluster";
import { mapKey, shardMapCodec, shardsOf } from "@orthant/cluster/internal";
import { decode } from "@orthant/core/bytes";
import { systemRandomBits } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import {
  canLoseOneWay,
  canMakeNetworks,
  type LinkState,
  LOOPBACK,
  NamespaceNetwork,
  NatsCluster,
  type Network,
} from "@orthant/testkit/nats";
import { createWorldEngine } from "@orthant/world/engine";
import { MARKED_BLOCKS } from "./contested.ts";
import type { FatalCall, MemberNews } from "./member.ts";
import { MemberProcess } from "./member-process.ts";
import { type PlannedSplit, plannedSplit } from "./planned-splits.ts";
import { waitUntil } from "./waiting.ts";
import { addWalkers } from "./walkers.ts";

const SERVERS = 3;
/** The world of a staged cluster. */
export const STAGED_WORLD = "town";
/** Programs are built, even for a test that runs from the sources. */
const PROGRAMS = new URL(
  import.meta.url.endsWith(".ts") ? "../../build/campaigns/cluster/" : "./",
  import.meta.url,
);
const OWNER_PROGRAM = new URL("owner-process.js", PROGRAMS);
const GATEWAY_PROGRAM = new URL("gateway-process.js", PROGRAMS);
/** How many processes and shards a staged cluster starts with. */
export interface StagedSizes {
  readonly owners: number;
  readonly gateways: number;
  readonly shards: number;
  /** Entities that owners walk across the borders of shards. */
  readonly walkers?: number;
}

/** A shard that a node took, and when. */
export interface Claimed {
  readonly atMs: number;
  readonly node: string;
  readonly shard: string;
  /** The term, and the time it took to load. */
  readonly detail: string;
}

/** A split or move that was ordered, and how it ended. */
export interface OrderedChange {
  readonly kind: "split" | "move";
  /** The shard that moves, or the new shard of a split. */
  readonly shard: string;
  readonly number: number;
  /** `undefined` while it runs, and an error if its node could not finish it. */
  outcome: "done" | Error | undefined;
}

/** Three NATS servers, owners and gateways as processes, each in its own network where the machine allows it. */
export class StagedCluster {
  readonly network: Network;
  readonly nats: NatsCluster;
  readonly backbone: Backbone;
  readonly owners: readonly MemberProcess[];
  readonly gateways: readonly MemberProcess[];
  readonly gatewayUrls: readonly string[];
  readonly folders: ShardFolders;
  readonly root: string;
  /** Every time a node took a shard. */
  readonly claimed: Claimed[] = [];
  readonly troubles: string[] = [];
  /** Every split and move that was ordered after the start. */
  readonly changes: OrderedChange[] = [];
  /** The calls before which owners died, by order: proof that they died in the middle. */
  readonly deaths: string[] = [];
  /** The last reports of the gateways. */
  readonly gatewaySizes: Map<string, { readonly regions: number; readonly bytes: number }> = new Map();
  /** Number of entities that owners walk. */
  readonly walkers: number;
  readonly #owned = new Map<string, string>();
  readonly #sizes: StagedSizes;
  #splits: number;
  #gateway = 0;

  private constructor(
    network: Network,
    nats: NatsCluster,
    backbone: Backbone,
    root: string,
    ports: readonly number[],
    sizes: StagedSizes,
  ) {
    this.network = network;
    this.nats = nats;
    this.backbone = backbone;
    this.root = root;
    this.#sizes = sizes;
    this.walkers = sizes.walkers ?? 0;
    this.#splits = sizes.shards - 1;
    this.folders = new ShardFolders(new DiskFolders(new NodeDisk(root)), STAGED_WORLD);
    const member = (index: number, name: string, program: URL, port: number): MemberProcess => {
      const position = { address: network.address(index), port };
      const walks = this.walkers > 0;
      const settings = { servers: nats.urls, world: STAGED_WORLD, name, walks, folder: root, ...position };
      return new MemberProcess(network.prefix(index), program, settings, (news) => this.#receive(name, news));
    };
    this.owners = Array.from({ length: sizes.owners }, (_, index) =>
      member(SERVERS + index, `owner-${index}`, OWNER_PROGRAM, 0),
    );
    this.gateways = ports.map((port, index) =>
      member(SERVERS + sizes.owners + index, `gateway-${index}`, GATEWAY_PROGRAM, port),
    );
    this.gatewayUrls = ports.map(
      (port, index) => `ws://${network.address(SERVERS + sizes.owners + index)}:${port}`,
    );
  }

  /** Starts everything. */
  static async start(sizes: StagedSizes): Promise<StagedCluster> {
    const members = SERVERS + sizes.owners + sizes.gateways;
    const network = canMakeNetworks() ? new NamespaceNetwork(members) : LOOPBACK;
    const nats = await NatsCluster.start(SERVERS, {}, network);
    const root = mkdtempSync(join(tmpdir(), "orthant-cluster-"));
    const ports: number[] = [];
    for (let gateway = 0; gateway < sizes.gateways; gateway++) ports.push(await network.freePort());
    const staged = new StagedCluster(network, nats, await nats.connect(), root, ports, sizes);
    try {
      await staged.#makeWorld();
      return staged;
    } catch (error) {
      await staged.dispose();
      throw error;
    }
  }

  /** What the network supports: cutting members off, and losing one direction of their traffic. */
  get abilities(): ReadonlySet<"links" | "loss"> {
    if (this.network === LOOPBACK) return new Set();
    return new Set(canLoseOneWay() ? ["links", "loss"] : ["links"]);
  }

  /** The owner of a shard, according to its latest news. */
  ownerOf(shard: string): MemberProcess | undefined {
    return this.owners.find(({ name }) => name === this.#owned.get(shard));
  }

  /** Returns the shards of an owner. */
  shardsOf(owner: MemberProcess): readonly string[] {
    return [...this.#owned].flatMap(([shard, name]) => (name === owner.name ? [shard] : []));
  }

  get shards(): readonly string[] {
    return [...this.#owned.keys()];
  }

  /** Returns the running one of these owners with the most shards. */
  busiestOf(owners: readonly MemberProcess[]): MemberProcess {
    const [first, ...rest] = owners.filter(({ isRunning }) => isRunning);
    if (first === undefined) throw new Error("no owner runs");
    return rest.reduce(
      (most, owner) => (this.shardsOf(owner).length > this.shardsOf(most).length ? owner : most),
      first,
    );
  }

  /**
   * Returns the gateways in turn, because the clients of a lost gateway move to the other one and stay there.
   */
  nextGateway(): MemberProcess {
    const gateway = this.gateways[this.#gateway++ % this.gateways.length];
    if (gateway === undefined) throw new Error("there is no gateway");
    return gateway;
  }

  /** Cuts a server, owner or gateway off, in one or both directions, or reconnects it. */
  setLink(process: { readonly name: string }, state: LinkState): void {
    const member = [...this.nats.nodes, ...this.owners, ...this.gateways].findIndex(
      ({ name }) => name === process.name,
    );
    this.network.setLink(member, state);
  }

  /** Returns the shard map from the table. */
  async map(): Promise<ShardMap> {
    const entry = await this.backbone.table.get(mapKey(STAGED_WORLD));
    if (entry?.value === undefined) throw new Error("the world has no map");
    return decode(shardMapCodec, entry.value);
  }

  /** Returns the folder of a shard's save. */
  async folderOf(shard: string): Promise<string> {
    return join(this.root, STAGED_WORLD, "shards", shard, `e${await this.folders.termOf(shard)}`);
  }

  /**
   * Moves a shard to another owner. If that one is slow, a third may claim it, so this waits for any new
   * owner. The old owner dies before the call `diesBefore`, if given.
   */
  async move(shard: string, to: MemberProcess, diesBefore?: FatalCall): Promise<void> {
    await waitUntil(() => this.ownerOf(shard) !== undefined, `shard ${shard} has an owner`);
    const before = this.claimed.length;
    const isTaken = (): boolean => this.claimed.slice(before).some((event) => event.shard === shard);
    await this.#order({ kind: "move", shard }, async () => {
      await this.ownerOf(shard)?.execute({ kind: "move", shard, successor: to.name, ...fatal(diesBefore) });
      await waitUntil(isTaken, `a node claims shard ${shard}, which is for ${to.name}`);
    });
  }

  /** The split that {@link splitAgain} makes next. */
  get nextSplit(): PlannedSplit {
    return plannedSplit(this.#splits);
  }

  /** Adds one shard. The owner of the old one dies before the call `diesBefore`, if given. */
  async splitAgain(diesBefore?: FatalCall): Promise<void> {
    await this.#split(this.#splits++, diesBefore);
  }

  /** Repeats the splits that were undone, under the same names. */
  async repeatUndoneSplits(): Promise<void> {
    const shards = shardsOf(await this.map());
    const undone = this.changes.filter(({ kind, shard }) => kind === "split" && !shards.includes(shard));
    for (const number of new Set(undone.map((change) => change.number))) await this.#split(number);
  }

  async #split(number: number, diesBefore?: FatalCall): Promise<void> {
    const { from, to, sectors } = plannedSplit(number);
    await waitUntil(() => this.ownerOf(from) !== undefined, `shard ${from} has an owner`);
    await this.#order({ kind: "split", shard: to, number }, async () => {
      await this.ownerOf(from)?.execute({
        kind: "split",
        shard: from,
        sectors,
        newShard: to,
        ...fatal(diesBefore),
      });
    });
  }

  async #order(
    { kind, shard, number = 0 }: { kind: OrderedChange["kind"]; shard: string; number?: number },
    work: () => Promise<void>,
  ): Promise<void> {
    const change: OrderedChange = { kind, shard, number, outcome: undefined };
    this.changes.push(change);
    try {
      await work();
      change.outcome = "done";
    } catch (error) {
      change.outcome = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.owners, ...this.gateways].map((member) => member.kill()));
    await this.backbone.close();
    await this.nats.dispose();
    this.network.dispose();
    rmSync(this.root, { recursive: true });
  }

  async #makeWorld(): Promise<void> {
    const source = new MemoryDisk();
    const world = await createWorldEngine(source, { name: "Town" });
    await world.blocks.define(MARKED_BLOCKS);
    addWalkers(world, this.walkers);
    await world.close();
    const { backbone, folders } = this;
    await createClusterWorld({ backbone, folders, world: STAGED_WORLD, source, random: systemRandomBits });
    await Promise.all(this.owners.map((owner) => owner.start()));
    await waitUntil(() => this.ownerOf(FIRST_SHARD) !== undefined, "a node claims the first shard");
    for (let number = 0; number < this.#sizes.shards - 1; number++) await this.#split(number);
    for (const [index, shard] of this.shards.entries()) {
      const successor = this.owners[index % this.owners.length];
      if (successor !== undefined && this.ownerOf(shard) !== successor) await this.move(shard, successor);
    }
    this.changes.splice(0);
    await Promise.all(this.gateways.map((gateway) => gateway.start()));
  }

  #receive(name: string, news: MemberNews): void {
    if (news.kind === "claimed") {
      this.#owned.set(news.shard, name);
      this.claimed.push({ atMs: performance.now(), node: name, shard: news.shard, detail: news.detail });
    } else if (news.kind === "lost" && this.#owned.get(news.shard) === name) this.#owned.delete(news.shard);
    else if (news.kind === "trouble") this.troubles.push(`${name}: ${news.detail}`);
    else if (news.kind === "dying") this.deaths.push(news.call);
    else if (news.kind === "size") this.gatewaySizes.set(name, news);
  }
}

function fatal(diesBefore: FatalCall | undefined): { readonly diesBefore?: FatalCall } {
  return diesBefore === undefined ? {} : { diesBefore };
}
