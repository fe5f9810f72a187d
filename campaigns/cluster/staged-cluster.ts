import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createClusterWorld,
  DiskFolders,
  type Engine,
  FIRST_SHARD,
  ShardFolders,
  type ShardMap,
} from "@orthant/cluster";
import { mapKey, shardMapCodec } from "@orthant/cluster/internal";
import type { Box } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import { systemRandomBits } from "@orthant/core/engine";
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
import type { MemberNews } from "./member.ts";
import { MemberProcess } from "./member-process.ts";
import { waitUntil } from "./waiting.ts";

const SERVERS = 3;
const OWNERS = 3;
const GATEWAYS = 2;
const WORLD = "town";
const OWNER_PROGRAM = new URL("./owner-process.js", import.meta.url);
const GATEWAY_PROGRAM = new URL("./gateway-process.js", import.meta.url);
const FAR = 1_000_000;

/** The shards a staged cluster starts with besides the first; each gets half of another. */
const SPLITS: readonly { readonly from: string; readonly to: string; readonly sectors: Box }[] = [
  { from: FIRST_SHARD, to: "east", sectors: halfSpace(0) },
  { from: FIRST_SHARD, to: "south", sectors: halfSpace(2) },
  { from: "east", to: "corner", sectors: halfSpace(2) },
];

/** A shard that a node took, and when. */
export interface Claimed {
  readonly atMs: number;
  readonly node: string;
  readonly shard: string;
  /** The term, and the time it took to load. */
  readonly detail: string;
}

/**
 * Three NATS servers, three owners and two gateways as processes, each in its own network where the machine
 * allows it.
 */
export class StagedCluster {
  readonly network: Network;
  readonly nats: NatsCluster;
  readonly engine: Engine;
  readonly owners: readonly MemberProcess[];
  readonly gateways: readonly MemberProcess[];
  readonly gatewayUrls: readonly string[];
  readonly folders: ShardFolders;
  readonly root: string;
  /** Every time a node took a shard. */
  readonly claimed: Claimed[] = [];
  readonly troubles: string[] = [];
  readonly #owned = new Map<string, string>();
  #splits = 0;
  #gateway = 0;

  private constructor(
    network: Network,
    nats: NatsCluster,
    engine: Engine,
    root: string,
    ports: readonly number[],
  ) {
    this.network = network;
    this.nats = nats;
    this.engine = engine;
    this.root = root;
    this.folders = new ShardFolders(new DiskFolders(new NodeDisk(root)), WORLD);
    const member = (index: number, name: string, program: URL, port: number): MemberProcess => {
      const position = { address: network.address(index), port };
      const settings = { servers: nats.urls, world: WORLD, name, folder: root, ...position };
      return new MemberProcess(network.prefix(index), program, settings, (news) => this.#receive(name, news));
    };
    this.owners = Array.from({ length: OWNERS }, (_, index) =>
      member(SERVERS + index, `owner-${index}`, OWNER_PROGRAM, 0),
    );
    this.gateways = ports.map((port, index) =>
      member(SERVERS + OWNERS + index, `gateway-${index}`, GATEWAY_PROGRAM, port),
    );
    this.gatewayUrls = ports.map(
      (port, index) => `ws://${network.address(SERVERS + OWNERS + index)}:${port}`,
    );
  }

  /** Starts everything, with a world in four shards. */
  static async start(): Promise<StagedCluster> {
    const network = canMakeNetworks() ? new NamespaceNetwork(SERVERS + OWNERS + GATEWAYS) : LOOPBACK;
    const nats = await NatsCluster.start(SERVERS, {}, network);
    const root = mkdtempSync(join(tmpdir(), "orthant-cluster-"));
    const ports = [await network.freePort(), await network.freePort()];
    const staged = new StagedCluster(network, nats, await nats.connect(), root, ports);
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

  /** The owner with the most shards. */
  get busiest(): MemberProcess {
    const [first, ...rest] = this.owners.filter(({ isRunning }) => isRunning);
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
    const gateway = this.gateways[this.#gateway++ % GATEWAYS];
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
    const entry = await this.engine.table.get(mapKey(WORLD));
    if (entry?.value === undefined) throw new Error("the world has no map");
    return decode(shardMapCodec, entry.value);
  }

  /** Returns the folder of a shard's save. */
  async folderOf(shard: string): Promise<string> {
    return join(this.root, WORLD, "shards", shard, `e${await this.folders.termOf(shard)}`);
  }

  /**
   * Moves a shard to another owner. If that one is slow, a third may claim it, so this waits for any new
   * owner.
   */
  async move(shard: string, to: MemberProcess): Promise<void> {
    await waitUntil(() => this.ownerOf(shard) !== undefined, `shard ${shard} has an owner`);
    const before = this.claimed.length;
    await this.ownerOf(shard)?.execute({ kind: "move", shard, successor: to.name });
    const isTaken = (): boolean => this.claimed.slice(before).some((event) => event.shard === shard);
    await waitUntil(isTaken, `a node claims shard ${shard}, which is for ${to.name}`);
  }

  /** Adds one shard: splits the far part off each of the first shards in turn, and then a nearer part. */
  async splitAgain(): Promise<void> {
    const firsts = [FIRST_SHARD, ...SPLITS.map(({ to }) => to)];
    const shard = firsts[this.#splits % firsts.length] ?? FIRST_SHARD;
    const sectors = halfSpace(3, 1 - Math.floor(this.#splits / firsts.length));
    const newShard = `part-${++this.#splits}`;
    await waitUntil(() => this.ownerOf(shard) !== undefined, `shard ${shard} has an owner`);
    await this.ownerOf(shard)?.execute({ kind: "split", shard, sectors, newShard });
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.owners, ...this.gateways].map((member) => member.kill()));
    await this.engine.close();
    await this.nats.dispose();
    this.network.dispose();
    rmSync(this.root, { recursive: true });
  }

  async #makeWorld(): Promise<void> {
    const source = new MemoryDisk();
    await (await createWorldEngine(source, { name: "Town" })).close();
    const { engine, folders } = this;
    await createClusterWorld({ engine, folders, world: WORLD, source, random: systemRandomBits });
    await Promise.all(this.owners.map((owner) => owner.start()));
    await waitUntil(() => this.ownerOf(FIRST_SHARD) !== undefined, "a node claims the first shard");
    for (const { from, to, sectors } of SPLITS) {
      await this.ownerOf(from)?.execute({ kind: "split", shard: from, sectors, newShard: to });
    }
    for (const [index, { to }] of SPLITS.entries()) {
      const successor = this.owners[index % OWNERS];
      if (successor !== undefined && this.ownerOf(to) !== successor) await this.move(to, successor);
    }
    await Promise.all(this.gateways.map((gateway) => gateway.start()));
  }

  #receive(name: string, news: MemberNews): void {
    if (news.kind === "claimed") {
      this.#owned.set(news.shard, name);
      this.claimed.push({ atMs: performance.now(), node: name, shard: news.shard, detail: news.detail });
    } else if (news.kind === "lost" && this.#owned.get(news.shard) === name) this.#owned.delete(news.shard);
    else if (news.kind === "trouble") this.troubles.push(`${name}: ${news.detail}`);
  }
}

/** Returns all sectors at or above `from` along an axis. */
function halfSpace(axis: number, from = 0): Box {
  const min: [number, number, number, number] = [-FAR, -FAR, -FAR, -FAR];
  min[axis] = from;
  return { min, max: [FAR, FAR, FAR, FAR] };
}
