import {
  clusterNodes,
  type Engine,
  type Lease,
  requireName,
  sectorsTouching,
  sendCommand,
  voxelsOfSectors,
  waitForOwner,
} from "@orthant/cluster";
import { OrthantError } from "@orthant/core";
import type { Arguments } from "../command.ts";
import type { Context } from "../context.ts";
import { parseBox } from "../parse.ts";
import { formatBox } from "../report.ts";
import { UsageError } from "../usage.ts";
import { requireStatus } from "./status.ts";

/** `orthant cluster move`: finishes when the new owner has the shard. */
export async function moveShard(engine: Engine, args: Arguments, context: Context): Promise<void> {
  const [world, shard] = [args.at(1), args.at(2)];
  const successor = args.text("to") ?? "";
  const before = await requireOwned(engine, world, shard);
  if (successor === before.node) throw new UsageError(`${successor} owns shard ${shard} already`);
  if (successor !== "") await requireAlive(engine, world, successor, context);
  await sendCommand(engine, world, before.node, { kind: "move", shard, successor });
  const { node, term } = await waitForOwner(engine, world, shard, before.term, context.clock);
  context.printJson({ world, shard, from: before.node, owner: node, term });
  context.print(`moved shard ${shard} from ${before.node} to ${node}, in term ${term}`);
}

/** `orthant cluster split`: finishes when the new shard accepts edits. */
export async function splitOff(engine: Engine, args: Arguments, context: Context): Promise<void> {
  const [world, shard] = [args.at(1), args.at(2)];
  const voxels = args.parsed("box", parseBox);
  const newShard = args.text("as");
  if (voxels === undefined || newShard === undefined)
    throw new UsageError("split needs --box and --as: the voxels, and the name of the new shard");
  args.parsed("as", (text) => requireName(text, "shard"));
  const { shape } = (await requireStatus(engine, world)).map.world;
  const before = await requireOwned(engine, world, shard);
  const sectors = sectorsTouching(shape, voxels);
  await sendCommand(engine, world, before.node, { kind: "split", shard, sectors, newShard });
  const { node, term } = await waitForOwner(engine, world, newShard, 0, context.clock);
  const box = voxelsOfSectors(shape, sectors);
  context.printJson({ world, shard: newShard, from: shard, owner: node, term, box });
  context.print(`split ${formatBox(box)} off shard ${shard} as shard ${newShard}; ${node} owns it`);
}

/** `orthant cluster drain`: finishes when the node owns no shard. */
export async function drainNode(engine: Engine, args: Arguments, context: Context): Promise<void> {
  const [world, node] = [args.at(1), args.at(2)];
  await requireStatus(engine, world);
  await sendCommand(engine, world, node, { kind: "drain" });
  context.printJson({ world, node });
  context.print(`${node} owns no shard of ${world} any more, and claims none until it is restarted`);
}

/** Returns the lease of a shard. Throws `ORT_NOT_FOUND` when the shard does not exist or has no owner. */
async function requireOwned(engine: Engine, world: string, shard: string): Promise<Lease> {
  const { shards } = await requireStatus(engine, world);
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
async function requireAlive(engine: Engine, world: string, node: string, { clock }: Context): Promise<void> {
  const nodes = await clusterNodes(engine, world, clock);
  const known = nodes.filter(({ isAlive, isLeaving }) => isAlive && !isLeaving).map((alive) => alive.node);
  if (known.includes(node)) return;
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `no node ${node} claims shards now; these do: ${known.join(", ") || "none"}`,
  );
}
