import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Backbone,
  ClusterGateway,
  createClusterWorld,
  DiskFolders,
  ShardFolders,
} from "@orthant/cluster";
import { type Position, systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { systemRandomBits } from "@orthant/core/lattice";
import type { ClockChange } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import type { NatsCluster } from "@orthant/testkit/nats";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { Child } from "../child.ts";
import type { ClusterSettings } from "../server/orders.ts";

const OWNER_PROGRAM = new URL("./owner.js", import.meta.url);
/** Name of the world. */
export const WORLD = "bench";
/** All edits happen in this box, so that all gateways hold it. */
const CHUNKS = { min: [0, 0, 0, 0], max: [8, 8, 8, 4] } as const;
const EDGE = 64;

/**
 * A clustered world on real servers: an owner in a separate process, and two gateways in this one, used to
 * edit and to watch it. Next to it, a world of this process alone.
 */
export class BenchmarkCluster {
  readonly #folder: string;
  readonly #backbones: readonly Backbone[];
  readonly #owner: Child<OwnerOrder, OwnerReport>;
  readonly #gateways: readonly ClusterGateway[];
  readonly #alone: WorldEngine;
  /** Clocks that the last gateway showed, by region in order, with their times. */
  readonly #shown = new Map<string, { readonly clock: number; readonly atMs: number }[]>();
  #asked: { readonly region: string; readonly clock: number; readonly atMs: number }[] = [];
  #edits = 0;

  private constructor(
    folder: string,
    backbones: readonly Backbone[],
    owner: Child<OwnerOrder, OwnerReport>,
    gateways: readonly ClusterGateway[],
    alone: WorldEngine,
  ) {
    this.#folder = folder;
    this.#backbones = backbones;
    this.#owner = owner;
    this.#gateways = gateways;
    this.#alone = alone;
    gateways.at(-1)?.world.onEdit((steps) => {
      for (const step of steps) this.#show(step);
    });
  }

  static async open(nats: NatsCluster): Promise<BenchmarkCluster> {
    const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
    const backbones = [await nats.connect(), await nats.connect()];
    const [first] = backbones;
    if (first === undefined) throw new Error("there are two");
    const shards = join(folder, "shards");
    const folders = new ShardFolders(new DiskFolders(await NodeDisk.create(shards)), WORLD);
    const [time, random, generators] = [systemTime, systemRandomBits, DEFAULT_GENERATORS];
    const source = new MemoryDisk();
    await (await createWorldEngine(source)).close();
    await createClusterWorld({ backbone: first, folders, world: WORLD, source, random });
    const settings: OwnerSettings = { servers: nats.urls, world: WORLD, folder: shards };
    const owner = new Child<OwnerOrder, OwnerReport>(OWNER_PROGRAM, settings);
    while (!(await owner.ask({ kind: "report" })).isOwner) await delay(20);
    const open = (backbone: Backbone): Promise<ClusterGateway> =>
      ClusterGateway.open({ backbone, time, generators, world: WORLD });
    const gateways = await Promise.all(backbones.map(open));
    for (const { world } of gateways) {
      world.keep(CHUNKS);
      await world.load(CHUNKS);
    }
    const alone = await createWorldEngine(
      await NodeDisk.create(join(folder, "alone")),
      {},
      { durability: "journal" },
    );
    return new BenchmarkCluster(folder, backbones, owner, gateways, alone);
  }

  /** Returns the processor time that the owner has used. */
  async ownerCpuUs(): Promise<number> {
    return (await this.#owner.ask({ kind: "report" })).cpuUs;
  }

  /**
   * Returns the delay until the last gateway showed each edit since the last call; infinite for an edit it
   * has not shown. Owners store edits together, so an edit is visible with the first step that reaches its
   * clock, or passes it.
   */
  takeSeenMs(): readonly number[] {
    const waits = this.#asked.map(({ region, clock, atMs }) => {
      const shown = this.#shown.get(region)?.find((step) => step.clock >= clock);
      return shown === undefined ? Number.POSITIVE_INFINITY : shown.atMs - atMs;
    });
    this.#asked = [];
    this.#shown.clear();
    return waits;
  }

  /** Sets one voxel through the first gateway. Resolves when a quorum has it and that gateway shows it. */
  async edit(worker: number): Promise<void> {
    const edit = ++this.#edits;
    const startMs = performance.now();
    const placement = { voxel: positionOf(edit), block: 1 + (edit % 7) };
    const origin = { clientId: BigInt(worker + 1), editId: edit };
    const result = await this.#gateways[0]?.world.edit({ kind: "voxels", placements: [placement] }, origin);
    // Only an edit that changed something was stored, and counts.
    if (result?.status !== "applied")
      throw new Error(`edit ${edit} of client ${worker + 1} was ${result?.status}`);
    for (const { region, after } of result.clocks) {
      this.#asked.push({ region: String(region), clock: after, atMs: startMs });
    }
  }

  /** Sets one voxel in the world of one process. Resolves when it is on the disk. */
  async editAlone(_worker: number): Promise<void> {
    const edit = ++this.#edits;
    await this.#alone.set(positionOf(edit), 1 + (edit % 7));
  }

  async close(): Promise<void> {
    for (const gateway of this.#gateways) gateway.close();
    this.#owner.end();
    await this.#alone.close();
    await Promise.all(this.#backbones.map((backbone) => backbone.close()));
    await rm(this.#folder, { recursive: true });
  }

  #show({ region, after }: ClockChange): void {
    const key = String(region);
    const steps = this.#shown.get(key) ?? [];
    this.#shown.set(key, steps);
    steps.push({ clock: after, atMs: performance.now() });
  }
}

function positionOf(edit: number): Position {
  return [edit % EDGE, Math.floor(edit / EDGE) % EDGE, Math.floor(edit / EDGE ** 2) % EDGE, 0];
}

/** Settings of an owner. */
export interface OwnerSettings extends ClusterSettings {
  /** Folder with the saves of the shards. */
  readonly folder: string;
}

/** Orders for the owner's process. */
interface OwnerOrder {
  readonly kind: "report";
}

/** State of the owner. */
export interface OwnerReport {
  /** Whether it owns the world yet. */
  readonly isOwner: boolean;
  readonly cpuUs: number;
}
