import {
  type ClusterStatus,
  clusterNodes,
  clusterStatus,
  type Engine,
  type NodeStatus,
  type ShardStatus,
  voxelsOfSectors,
} from "@orthant/cluster";
import { type Box, OrthantError } from "@orthant/core";
import type { Arguments } from "../command.ts";
import type { Context } from "../context.ts";
import { formatBox, formatBytes, formatCount, tableLines } from "../report.ts";

/** A shard in JSON. */
interface ShardRow {
  readonly shard: string;
  /** `null` while the shard has no owner. */
  readonly owner: string | null;
  readonly term: number;
  /** Journal records not yet in a save, and the size of the journal. */
  readonly unsavedRecords: number;
  readonly journalBytes: number;
  /** The shard that it was split from, and the voxels that it received; `null` for the first one. */
  readonly from: string | null;
  readonly box: Box | null;
}

/** `orthant cluster status`. */
export async function printStatus(engine: Engine, args: Arguments, context: Context): Promise<void> {
  const world = args.at(1);
  const status = await requireStatus(engine, world);
  const nodes = await clusterNodes(engine, world, context.clock);
  const shards = status.shards.map((shard) => rowOf(status, shard));
  context.printJson({ world, name: status.map.world.name, map: status.map.generation, shards, nodes });
  context.printAll(
    tableLines([
      ["shard", "owner", "term", "unsaved", "journal", "voxels"],
      ...shards.map(({ shard, owner, term, unsavedRecords, journalBytes, box }) => [
        ...[shard, owner ?? "none", String(term), formatCount(unsavedRecords), formatBytes(journalBytes)],
        box === null ? "the rest of the world" : formatBox(box),
      ]),
    ]),
  );
  context.print("");
  context.printAll(
    tableLines([
      ["node", "shards", "state"],
      ...nodes.map((node) => [node.node, String(node.shards), stateOf(node)]),
    ]),
  );
}

/** Returns the status of a world in the cluster. Throws `ORT_NOT_FOUND` when there is no such world. */
export async function requireStatus(engine: Engine, world: string): Promise<ClusterStatus> {
  const status = await clusterStatus(engine, world);
  if (status !== undefined) return status;
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `the cluster has no world ${world}; orthant cluster create brings one into it`,
  );
}

function rowOf({ map }: ClusterStatus, { shard, lease, journal }: ShardStatus): ShardRow {
  const split = map.splits.find(({ to }) => to === shard);
  return {
    shard,
    owner: lease?.node || null,
    term: lease?.term ?? 0,
    unsavedRecords: journal === undefined ? 0 : Math.max(0, journal.last - journal.first + 1),
    journalBytes: journal?.bytes ?? 0,
    from: split?.from ?? null,
    box: split === undefined ? null : voxelsOfSectors(map.world.shape, split.sectors),
  };
}

function stateOf({ isAlive, isLeaving }: NodeStatus): string {
  if (!isAlive) return "silent";
  return isLeaving ? "leaving" : "alive";
}
