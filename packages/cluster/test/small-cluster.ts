import {
  ClusterGateway,
  ClusterNode,
  createClusterWorld,
  DiskFolders,
  type NodeEvents,
  type OwnerLimits,
  ShardFolders,
} from "@orthant/cluster";
import { chunkShape, type ErrorCode, OrthantError, type Position } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { type FolderDisk, GatedDisk, MemoryDisk } from "@orthant/disk";
import { FakeTime, Prng } from "@orthant/testkit";
import {
  type MemoryBackbone,
  MemoryHub,
  type MemoryHubOptions,
  pass,
  settled,
} from "@orthant/testkit/cluster";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";

const WRITES: readonly string[] = ["append", "rename", "remove", "makeDirectory", "syncDirectory"];

/** A shared folder whose writes a test can make fail. */
export class SharedDisk extends GatedDisk implements FolderDisk {
  readonly memory: MemoryDisk;
  /** The code with which the disk refuses to write; `undefined` while it does not. */
  refusal: ErrorCode | undefined;
  /** Whether nothing is mounted here. */
  isAway = false;
  /** Called before everything that changes the disk. */
  onWrite: (() => void) | undefined;

  constructor(memory: MemoryDisk = new MemoryDisk()) {
    super(memory, async ({ operation, path }, happen) => {
      if (WRITES.includes(operation)) this.onWrite?.();
      if (this.isAway)
        throw new OrthantError("ORT_NOT_FOUND", `${operation}: nothing is mounted here`, { path });
      const isRefused = this.refusal !== undefined && operation === "append";
      if (isRefused) throw new OrthantError(this.refusal as ErrorCode, `no room for ${path}`, { path });
      return happen();
    });
    this.memory = memory;
  }

  moveDirectory(from: string, to: string): Promise<void> {
    if (this.isAway) throw new OrthantError("ORT_NOT_FOUND", "nothing is mounted here", { path: from });
    this.onWrite?.();
    return this.memory.moveDirectory(from, to);
  }
}

/** A node and its connection. */
export interface SmallNode {
  readonly node: ClusterNode;
  readonly backbone: MemoryBackbone;
}

/** A cluster in one process, on a test's clock. */
export class SmallCluster {
  readonly time: FakeTime;
  readonly hub: MemoryHub;
  readonly world: string;
  /** The shared folder. */
  readonly disk: SharedDisk = new SharedDisk();
  readonly store: DiskFolders = new DiskFolders(this.disk);
  readonly folders: ShardFolders;
  readonly #prng = new Prng(3);
  #edits = 0;

  /** With `beside`, shares that cluster's backbone under another world name. */
  constructor(
    sizes: Pick<MemoryHubOptions, "journalBytesMin" | "journalBytesMax"> = {},
    world = "town",
    beside?: SmallCluster,
  ) {
    this.world = world;
    this.folders = new ShardFolders(this.store, world);
    this.time = beside?.time ?? new FakeTime();
    this.hub =
      beside?.hub ??
      new MemoryHub({
        time: this.time,
        random: () => this.#prng.fraction(),
        ...sizes,
      });
  }

  /**
   * Creates a world, furnishes it, reopens and edits it `timesEdited` times, and imports it into the cluster.
   */
  async create(timesEdited = 0, furnish?: (world: WorldEngine) => unknown): Promise<void> {
    const source = new MemoryDisk();
    const { time, random } = this;
    const world = await createWorldEngine(
      source,
      { name: "Town", shape: chunkShape([4, 4, 4, 1]) },
      { time, random },
    );
    await furnish?.(world);
    await world.close();
    for (let index = 0; index < timesEdited; index++) {
      const again = await openWorldEngine(source, { time, random, autosave: false });
      await again.set([1, 2, 3, 0], index + 1);
      await again.close();
    }
    const backbone = this.hub.connect();
    await this.settled(
      createClusterWorld({ backbone, folders: this.folders, world: this.world, source, random }),
    );
  }

  readonly random = (): bigint => (BigInt(this.#prng.u32()) << 32n) | BigInt(this.#prng.u32());

  async node(...settings: Parameters<SmallCluster["startNode"]>): Promise<SmallNode> {
    const { node, backbone, started } = this.startNode(...settings);
    await this.settled(started);
    return { node, backbone };
  }

  /** Begins to start a node, and does not wait for it. */
  startNode(
    name: string,
    events: NodeEvents = {},
    checkpointMs = 1_000,
    limits: Partial<OwnerLimits> = {},
  ): SmallNode & { readonly started: Promise<void> } {
    const backbone = this.hub.connect();
    const { time, random, folders } = this;
    const node = new ClusterNode({
      ...{
        backbone,
        folders,
        time,
        random,
        generators: DEFAULT_GENERATORS,
        world: this.world,
        node: name,
        events,
      },
      limits: { checkpointMs, ...limits },
    });
    return { node, backbone, started: node.start() };
  }

  async gateway(): Promise<{ readonly gateway: ClusterGateway; readonly backbone: MemoryBackbone }> {
    const backbone = this.hub.connect();
    const { time } = this;
    const generators = DEFAULT_GENERATORS;
    return {
      gateway: await this.settled(ClusterGateway.open({ backbone, time, generators, world: this.world })),
      backbone,
    };
  }

  edit(
    gateway: ClusterGateway,
    voxel: Position,
    block: number,
    clientId = 5n,
  ): ReturnType<ClusterGateway["world"]["edit"]> {
    return gateway.world.edit(
      { kind: "voxels", placements: [{ voxel, block }] },
      { clientId, editId: ++this.#edits },
    );
  }

  settled<Result>(promise: Promise<Result>): Promise<Result> {
    return settled(this.time, promise);
  }

  pass(ms: number): Promise<void> {
    return pass(this.time, ms);
  }

  /** Advances the time until `isSo` returns true. Returns the time that took. */
  async until(isSo: () => boolean): Promise<number> {
    const startMs = this.time.nowMs();
    while (!isSo()) {
      if (this.time.nowMs() - startMs > 60_000) throw new Error("it never came to be so");
      await this.pass(50);
    }
    return this.time.nowMs() - startMs;
  }
}
