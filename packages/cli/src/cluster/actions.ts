import {
  type Backbone,
  type ClusterStatus,
  clusterNodes,
  clusterStatus,
  createClusterWorld,
  DiskFolders,
  type Lease,
  type NodeStatus,
  requireName,
  ShardFolders,
  type ShardStatus,
  sectorsTouching,
  sendCommand,
  voxelsOfSectors,
  waitForOwner,
} from "@orthant/cluster";
import { dimensionsOf, OrthantError } from "@orthant/core";
import { systemRandomBits } from "@orthant/core/lattice";
import { NodeDisk } from "@orthant/disk/node";
import { formatBox, formatBytes, formatCount, formatPosition } from "@orthant/formats";
import type { Arguments } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseBox } from "../command/parse.ts";
import { type BoxJson, boxJson, tableLines } from "../command/report.ts";
import { UsageError } from "../command/usage.ts";
import { withEngine } from "../world/with-engine.ts";
import { backToOne, backUpCluster, restoreCluster } from "./backup-actions.ts";

type Action = (backbone: Backbone, args: Arguments, context: Context) => Promise<void>;

const ACTIONS: ReadonlyMap<string, Action> = new Map([
  ["create", createInCluster],
  ["status", printStatus],
  ["move", moveShard],
  ["split", splitOff],
  ["drain", drainNode],
  ["restore", restoreCluster],
  ["back-to-one", backToOne],
]);

/** Runs an action that needs no NATS. Returns false for any other. */
export async function actAlone(name: string, args: Arguments, context: Context): Promise<boolean> {
  if (name === "backup") await backUpCluster(args, context);
  else if (name === "back-to-one" && args.has("savesOnly")) await backToOne(undefined, args, context);
  else return false;
  return true;
}

/** Runs an action of `orthant cluster` and prints the result. */
export async function act(
  name: string,
  backbone: Backbone,
  args: Arguments,
  context: Context,
): Promise<void> {
  const action = ACTIONS.get(name);
  if (action === undefined) throw new UsageError(`orthant cluster has no action ${name}`);
  await action(backbone, args, context);
}

/** Rejects the argument at a position as wrong usage unless it can name a world, a shard or a node. */
export function requireClusterName(args: Arguments, position: number, what: string): void {
  args.parsedAt(position, what, (text) => requireName(text, what));
}

/** `orthant cluster create`: copies a world into the owners' shared folder, as the first shard. */
async function createInCluster(backbone: Backbone, args: Arguments, context: Context): Promise<void> {
  const [world, folder] = [args.at(1), args.at(2)];
  const shared = args.text("shards");
  if (shared === undefined) throw new UsageError("create needs --shards, the folder that all owners share");
  // A folder that is not mounted must not be created on this machine's own disk.
  await context.openDisk(shared);
  // The copy is of the last save; opening the world first replays its journal into that save.
  await withEngine(folder, { durability: "journal" }, context, () => Promise.resolve());
  const source = await context.openDisk(folder);
  const folders = new ShardFolders(new DiskFolders(new NodeDisk(shared)), world);
  const map = await createClusterWorld({ backbone, folders, world, source, random: systemRandomBits });
  context.printJson({ world, name: map.world.name, shards: shared, shard: map.first });
  context.print(`copied ${folder} into the cluster as ${world}, with one shard, ${map.first}`);
}

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
  readonly box: BoxJson | null;
}

/** `orthant cluster status`. */
async function printStatus(backbone: Backbone, args: Arguments, context: Context): Promise<void> {
  const world = args.at(1);
  const status = await requireStatus(backbone, world);
  const shards = status.shards.map((shard) => rowOf(status, shard));
  // Heartbeats count shards, too, but the last one of a dead node still has those that others own now.
  const nodes = (await clusterNodes(backbone, world, context.time)).map((node) => ({
    ...node,
    shards: shards.filter(({ owner }) => owner === node.node).length,
  }));
  context.printJson({ world, name: status.map.world.name, map: status.map.generation, shards, nodes });
  context.printAll(
    tableLines([
      ["shard", "owner", "term", "unsaved", "journal", "voxels"],
      ...shards.map(({ shard, owner, term, unsavedRecords, journalBytes, box }) => [
        ...[shard, owner ?? "none", String(term), formatCount(unsavedRecords), formatBytes(journalBytes)],
        box === null ? "the rest of the world" : `${formatPosition(box.min)} to ${formatPosition(box.max)}`,
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
async function requireStatus(backbone: Backbone, world: string): Promise<ClusterStatus> {
  const status = await clusterStatus(backbone, world);
  if (status !== undefined) return status;
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `the cluster has no world ${world}; orthant cluster create brings one into it`,
  );
}

function rowOf({ map }: ClusterStatus, { shard, lease, journal }: ShardStatus): ShardRow {
  const { shape } = map.world;
  const split = map.splits.find(({ to }) => to === shard);
  return {
    shard,
    owner: lease?.node || null,
    term: lease?.term ?? 0,
    unsavedRecords: journal === undefined ? 0 : Math.max(0, journal.last - journal.first + 1),
    journalBytes: journal?.bytes ?? 0,
    from: split?.from ?? null,
    box: split === undefined ? null : boxJson(voxelsOfSectors(shape, split.sectors), dimensionsOf(shape)),
  };
}

function stateOf({ isAlive, isLeaving }: NodeStatus): string {
  if (!isAlive) return "silent";
  return isLeaving ? "leaving" : "alive";
}

/** `orthant cluster move`: finishes when the new owner has the shard. */
async function moveShard(backbone: Backbone, args: Arguments, context: Context): Promise<void> {
  const [world, shard] = [args.at(1), args.at(2)];
  const successor = args.text("to") ?? "";
  const before = await requireOwned(backbone, world, shard);
  if (successor === before.node) throw new UsageError(`${successor} owns shard ${shard} already`);
  if (successor !== "") await requireAlive(backbone, world, successor, context);
  await sendCommand(backbone, world, before.node, { kind: "move", shard, successor });
  const { node, term } = await waitForOwner(backbone, world, shard, before.term, context.time);
  context.printJson({ world, shard, from: before.node, owner: node, term });
  context.print(`moved shard ${shard} from ${before.node} to ${node}, in term ${term}`);
}

/** `orthant cluster split`: finishes when the new shard accepts edits. */
async function splitOff(backbone: Backbone, args: Arguments, context: Context): Promise<void> {
  const [world, shard] = [args.at(1), args.at(2)];
  const voxels = args.parsed("box", parseBox);
  const newShard = args.text("as");
  if (voxels === undefined || newShard === undefined)
    throw new UsageError("split needs --box and --as: the voxels, and the name of the new shard");
  args.parsed("as", (text) => requireName(text, "shard"));
  const { shape } = (await requireStatus(backbone, world)).map.world;
  const before = await requireOwned(backbone, world, shard);
  const sectors = sectorsTouching(shape, voxels);
  await sendCommand(backbone, world, before.node, { kind: "split", shard, sectors, newShard });
  const { node, term } = await waitForOwner(backbone, world, newShard, 0, context.time);
  const box = voxelsOfSectors(shape, sectors);
  const dimensions = dimensionsOf(shape);
  context.printJson({
    world,
    shard: newShard,
    from: shard,
    owner: node,
    term,
    box: boxJson(box, dimensions),
  });
  context.print(
    `split ${formatBox(box, dimensions)} off shard ${shard} as shard ${newShard}; ${node} owns it`,
  );
}

/** `orthant cluster drain`: finishes when other nodes own its shards. */
async function drainNode(backbone: Backbone, args: Arguments, context: Context): Promise<void> {
  const [world, node] = [args.at(1), args.at(2)];
  await requireStatus(backbone, world);
  await sendCommand(backbone, world, node, { kind: args.has("force") ? "leave" : "drain" });
  const { shards } = await requireStatus(backbone, world);
  const vacant = shards.filter(({ lease }) => !lease?.node).map(({ shard }) => shard);
  context.printJson({ world, node, vacant });
  context.print(`${node} owns no shard of ${world} any more, and claims none until it is restarted`);
  if (vacant.length > 0) context.print(`no node owns ${vacant.join(", ")}; start a node, or restart ${node}`);
}

/** Returns the lease of a shard. Throws `ORT_NOT_FOUND` when the shard does not exist or has no owner. */
async function requireOwned(backbone: Backbone, world: string, shard: string): Promise<Lease> {
  const { shards } = await requireStatus(backbone, world);
  const found = shards.find((known) => known.shard === shard);
  if (found?.lease !== undefined && found.lease.node !== "") return found.lease;
  const names = shards.map((known) => known.shard).join(", ");
  throw new OrthantError(
    "ORT_NOT_FOUND",
    found === undefined
      ? `${world} has no shard ${shard}; there are ${names}`
      : `shard ${shard} has no owner; start a node with orthant serve --cluster owner`,
  );
}

/** A shard released to a dead node would be without an owner for seconds. */
async function requireAlive(
  backbone: Backbone,
  world: string,
  node: string,
  { time }: Context,
): Promise<void> {
  const nodes = await clusterNodes(backbone, world, time);
  const known = nodes.filter(({ isAlive, isLeaving }) => isAlive && !isLeaving).map((alive) => alive.node);
  if (known.includes(node)) return;
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `no node ${node} claims shards now; these do: ${known.join(", ") || "none"}`,
  );
}
