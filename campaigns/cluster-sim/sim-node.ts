import { type ClusterFolders, ClusterNode, ShardFolders } from "@orthant/cluster";
import { isOrthantError, type TimeSource } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import type { Prng } from "@orthant/testkit";
import type { DeniedWrites, MemoryBackbone, MemoryHub } from "@orthant/testkit/cluster";
import { type FolderPace, HeldFolders, HeldProcess } from "./held-process.ts";

export const WORLD = "sim";
const RESTART_MS = 2_000;
/**
 * Reasons for which a node does not start: the table was lost between two reads or has a forged map, another process has
 * its name, or the backbone does not permit it to write.
 */
const REASONS_TO_END = [
  "ORT_NOT_FOUND",
  "ORT_EXISTS",
  "ORT_BACKBONE_PERMISSION",
  "ORT_TRUNCATED",
  "ORT_VERSION",
] as const;

/** Settings shared by all processes of a simulation. */
export interface SimSetting {
  readonly time: TimeSource;
  readonly prng: Prng;
  readonly hub: MemoryHub;
  readonly store: ClusterFolders;
  readonly pace: FolderPace;
  readonly checkpointMs: number;
  /** Clients that a shard remembers. */
  readonly clientsMax: number;
  /** Lets a node simulate its shards. */
  readonly simulate: (node: ClusterNode) => void;
  /** Called for every violation. */
  readonly fail: (error: unknown) => void;
}

interface Life {
  readonly process: HeldProcess;
  readonly folders: HeldFolders;
  readonly node: ClusterNode;
}

/** A node that may pause, be cut off, crash, and start again. */
export class SimNode {
  readonly name: string;
  readonly #setting: SimSetting;
  #denied: DeniedWrites = "none";
  #life: Life | undefined;

  constructor(name: string, setting: SimSetting) {
    this.name = name;
    this.#setting = setting;
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  get node(): ClusterNode | undefined {
    return this.#life?.node;
  }

  get backbone(): MemoryBackbone | undefined {
    return this.#life?.process.backbone;
  }

  /** The writes that the backbone refuses to this node, in all its lives. */
  get denied(): DeniedWrites {
    return this.#denied;
  }

  set denied(denied: DeniedWrites) {
    this.#denied = denied;
    if (this.backbone !== undefined) this.backbone.denied = denied;
  }

  /** Starts the node unless it is running. */
  start(): void {
    if (this.#life !== undefined) return;
    const { time, prng, hub, store, pace, checkpointMs, clientsMax, simulate, fail } = this.#setting;
    const process = new HeldProcess(time, hub);
    process.backbone.denied = this.#denied;
    const folders = new HeldFolders(store, time, process.time, prng, pace);
    const node = new ClusterNode({
      backbone: process.backbone,
      folders: new ShardFolders(folders, WORLD),
      time: process.time,
      random: () => (BigInt(prng.u32()) << 32n) | BigInt(prng.u32()),
      generators: DEFAULT_GENERATORS,
      world: WORLD,
      node: this.name,
      limits: { checkpointMs, clientsMax },
      events: {
        onFailure: (_shard, error) => {
          if (isSerious(error)) fail(error);
        },
        onRefusedEdits: (_shard, error) => {
          if (!String(error).includes("cannot be read")) fail(error);
        },
        onEnd: () => this.#startAgain(life),
      },
    });
    const life: Life = { process, folders, node };
    this.#life = life;
    simulate(node);
    // A node checks its permissions before it does anything else.
    if (this.#denied !== "none") {
      this.#startAgain(life);
      return;
    }
    node.start().catch((error: unknown) => {
      if (!isOrthantError(error, ...REASONS_TO_END)) return fail(error);
      this.#startAgain(life);
    });
  }

  /** Starts the node again like a service that ended by itself, unless it was ended or started meanwhile. */
  #startAgain(life: Life): void {
    life.process.kill();
    this.#setting.time.after(RESTART_MS, () => {
      if (this.#life !== life) return;
      this.#life = undefined;
      this.start();
    });
  }

  /** Has the node do something: now, when it resumes, or never. */
  act(act: (node: ClusterNode) => void): void {
    const life = this.#life;
    life?.process.time.happen(() => act(life.node));
  }

  /** Ends the process at an arbitrary point. */
  crash(): void {
    this.#life?.process.kill();
    this.#life = undefined;
  }

  pause(): void {
    this.#life?.process.pause();
  }

  /** Pauses the node after its next read of a folder; it continues later with what it saw. */
  pauseAfterRead(): void {
    this.#life?.folders.afterRead(() => this.pause());
  }

  resume(): void {
    this.#life?.folders.afterRead(undefined);
    this.#life?.process.resume();
  }

  jump(byMs: number): void {
    this.#life?.process.time.jump(byMs);
  }
}

/** An overtaken node finds a shard fenced or without a journal; an inconsistent journal is a fault. */
function isSerious(error: unknown): boolean {
  if (error instanceof Error && error.message.includes("has no journal")) return false;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ORT_JOURNAL" || code === "ORT_CHECKSUM" || code === "ORT_CLOCK" || code === undefined;
}
