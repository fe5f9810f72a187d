import { type GeneratorRegistry, OrthantError, type TimeSource } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { Backbone } from "../backbone/backbone.ts";
import { Retries } from "../backbone/retries.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import { SharedShardMap } from "../folder/shared-shard-map.ts";
import { Leases } from "../membership/leases.ts";
import { clusterNodes } from "../membership/status.ts";
import { ShardOwner } from "../owner/shard-owner.ts";
import { type ShardMap, shardsOf } from "../shard/shard-map.ts";
import type { ShardSaves } from "./merge-shards.ts";

/** What an operation on a world that no node runs needs. */
export interface StoppedWorldOptions {
  readonly backbone: Backbone;
  readonly folders: ShardFolders;
  readonly world: string;
  readonly time: TimeSource;
  /** 64 random bits. */
  readonly random: () => bigint;
}

/** What it takes to save the journals of a world. */
export interface CheckpointOptions extends StoppedWorldOptions {
  readonly generators: GeneratorRegistry;
  /** Called when the journal of a shard was lost, with the edits since its last save. */
  readonly onJournalLost?: (shard: string, detail: string) => void;
}

/** The saves of a world, which are complete until a node takes a shard. */
export interface CheckpointedShards extends ShardSaves {
  /** Throws `ORT_FENCED` if a node has taken a shard since, so that the saves may lack edits. */
  readonly requireHeld: () => Promise<void>;
  /** Releases the shards to all nodes. */
  readonly release: () => Promise<void>;
}

/** Throws `ORT_LOCKED` if a node of the world is alive, and names it. */
export async function requireStopped({ backbone, world, time }: StoppedWorldOptions): Promise<void> {
  const nodes = await clusterNodes(backbone, world, time);
  const alive = nodes.filter(({ isAlive }) => isAlive).map(({ node }) => node);
  if (alive.length === 0) return;
  const detail = `${alive.join(", ")} of ${world} ${alive.length === 1 ? "is" : "are"} running: stop all owners and gateways first`;
  throw new OrthantError("ORT_LOCKED", detail);
}

/**
 * Claims all shards of a world that no node runs, without accepting an edit, and saves what their journals have. From
 * then on the saves are complete.
 */
export async function checkpointShards(options: CheckpointOptions): Promise<CheckpointedShards> {
  const { backbone, folders, world, time, random } = options;
  await requireStopped(options);
  const retries = new Retries(time);
  const maps = await SharedShardMap.open(options, retries);
  const node = `fold-${BigInt.asUintN(40, random()).toString(36)}`;
  const leases = new Leases({ backbone, folders, world, node });
  const terms = new Map<string, number>();
  const disks = new Map<string, Disk>();
  const release = async (): Promise<void> => {
    for (const [shard, term] of terms) await retries.until(() => leases.release(shard, term, ""));
    maps.close();
  };
  try {
    // The journal of a shard may have a split that the map lacks.
    for (let shard = nextOf(maps.map, disks); shard !== undefined; shard = nextOf(maps.map, disks)) {
      const claimed = shard;
      const term = await retries.until(() => leases.claim(claimed, undefined));
      if (term === undefined) throw taken(claimed, world);
      terms.set(claimed, term);
      await maps.copy(maps.map);
      const owner = await ShardOwner.claim({
        ...options,
        ...{ maps, node, shard: claimed, term },
        events: { onJournalLost: (shard, detail) => options.onJournalLost?.(shard, detail) },
      });
      await owner.release();
      disks.set(claimed, owner.disk);
    }
  } catch (error) {
    await release().catch(() => undefined);
    throw error;
  }
  return {
    map: maps.map,
    disks,
    requireHeld: async () => {
      for (const [shard, term] of terms) await folders.requireHeld(shard, term);
    },
    release,
  };
}

function nextOf(map: ShardMap, disks: ReadonlyMap<string, Disk>): string | undefined {
  return shardsOf(map).find((shard) => !disks.has(shard));
}

function taken(shard: string, world: string): OrthantError {
  return new OrthantError(
    "ORT_FENCED",
    `a node of ${world} claimed shard ${shard} meanwhile: stop all nodes first`,
  );
}
