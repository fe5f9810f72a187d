import {
  ClusterDirectory,
  cellsTouching,
  clusterNodes,
  command,
  type Engine,
  type Lease,
  requireName,
  voxelsOfCells,
} from "@orthant/cluster";
import { OrthantError } from "@orthant/core";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../context.ts";
import { parseBox } from "../parse/place.ts";
import { formatBox } from "../report/format.ts";
import { UsageError } from "../usage-error.ts";
import { requireStatus } from "./status.ts";

/** Time without an owner after which a released shard is reported. */
const TAKE_OVER_MS = 30_000;

/** `orthant cluster move`: finishes when the new owner has the shard. */
export async function moveShard(engine: Engine, args: Arguments, context: Context): Promise<void> {
  const [world, shard] = [args.at(1), args.at(2)];
  const heir = args.text("to") ?? "";
  const before = await requireOwned(engine, world, shard);
  if (heir === before.node) throw new UsageError(`${heir} owns shard ${shard} already`);
  if (heir !== "") await requireAlive(engine, world, heir, context);
  await command(engine, world, before.node, { kind: "move", shard, heir });
  const { node, epoch } = await untilTaken(engine, world, shard, before.epoch, context);
  context.printJson({ world, shard, from: before.node, owner: node, epoch });
  context.print(`shard ${shard} went from ${before.node} to ${node}, in epoch ${epoch}`);
}

/** `orthant cluster split`: finishes when the new shard accepts edits. */
export async function splitOff(engine: Engine, args: Arguments, context: Context): Promise<void> {
  const [world, shard] = [args.at(1), args.at(2)];
  const voxels = args.parsed("box", parseBox);
  const newShard = args.text("as");
  if (voxels === undefined || newShard === undefined)
    throw new UsageError("split needs --box and --as: which voxels, and what the new shard is called");
  args.parsed("as", (text) => requireName(text, "shard"));
  const { shape } = (await requireStatus(engine, world)).map.world;
  const before = await requireOwned(engine, world, shard);
  const cells = cellsTouching(shape, voxels);
  await command(engine, world, before.node, { kind: "split", shard, cells, newShard });
  const { node, epoch } = await untilTaken(engine, world, newShard, 0, context);
  const box = voxelsOfCells(shape, cells);
  context.printJson({ world, shard: newShard, from: shard, owner: node, epoch, box });
  context.print(`shard ${newShard} has ${formatBox(box)} of shard ${shard} now; ${node} owns it`);
}

/** `orthant cluster drain`: finishes when the node owns no shard. */
export async function drainNode(engine: Engine, args: Arguments, context: Context): Promise<void> {
  const [world, node] = [args.at(1), args.at(2)];
  await requireStatus(engine, world);
  await command(engine, world, node, { kind: "drain" });
  context.printJson({ world, node });
  context.print(`${node} owns nothing of ${world} any more, and takes nothing until it is started again`);
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
      : `nobody owns shard ${shard} now; start a node with orthant serve --cluster owner`,
  );
}

/** A shard released to a dead node would be without an owner for seconds. */
async function requireAlive(engine: Engine, world: string, node: string, { clock }: Context): Promise<void> {
  const nodes = await clusterNodes(engine, world, clock);
  const known = nodes.filter(({ isAlive, isLeaving }) => isAlive && !isLeaving).map((alive) => alive.node);
  if (known.includes(node)) return;
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `no node ${node} takes shards now; these do: ${known.join(", ") || "none"}`,
  );
}

async function untilTaken(
  engine: Engine,
  world: string,
  shard: string,
  epoch: number,
  { clock }: Context,
): Promise<Lease> {
  const directory = await ClusterDirectory.open(engine, world);
  try {
    return await new Promise<Lease>((resolve, reject) => {
      const late = new OrthantError("ORT_ENGINE_NOBODY", `shard ${shard} was let go, and nobody took it yet`);
      const timer = clock.wait(TAKE_OVER_MS, () => reject(late));
      const take = (lease: Lease | undefined): void => {
        if (lease === undefined || lease.node === "" || lease.epoch <= epoch) return;
        timer.cancel();
        resolve(lease);
      };
      directory.listen({ onLease: (changed, lease) => changed === shard && take(lease) });
      take(directory.leaseOf(shard)?.lease);
    });
  } finally {
    directory.close();
  }
}
