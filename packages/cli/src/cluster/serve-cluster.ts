import { hostname } from "node:os";
import {
  ClusterGateway,
  ClusterNode,
  type Engine,
  NodeFolders,
  obeyCommands,
  requireName,
  ShardFolders,
} from "@orthant/cluster";
import { DEFAULT_GENERATORS, systemRandomBits } from "@orthant/core";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { type ListenSettings, listenSettings, whileListening } from "../serve/listen.ts";
import { SECRET_VARIABLE } from "../serve/secret.ts";
import { UsageError } from "../usage-error.ts";
import { requireClusterName } from "./actions.ts";
import { connectEngine } from "./nats-options.ts";

/** `orthant serve --cluster`: an owner, a gateway or both, until the user wants to end. */
export async function serveCluster(args: Arguments, context: Context): Promise<ExitCode> {
  const part = args.text("cluster");
  requireClusterName(args, 0, "world");
  const node = part === "gateway" ? undefined : nodeName(args);
  const folder = part === "gateway" ? undefined : await sharedFolder(args, context);
  const settings = part === "owner" ? undefined : await gatewaySettings(args, context);
  const engine = await connectEngine(args, context, node ?? "gateway");
  const owner = node === undefined ? undefined : nodeOf(engine, node, folder ?? "", args.at(0), context);
  try {
    await owner?.start();
    if (owner !== undefined) await obeyCommands(engine, args.at(0), owner);
    const facts = { part, node: node ?? null };
    const work = async (): Promise<void> => {
      await context.whenEnding();
      await owner?.stop();
    };
    if (settings === undefined) {
      announceOwner(args, context, facts);
      await work();
    } else await letIn(engine, { settings, facts }, args, context, work);
  } finally {
    await owner?.stop();
    await engine.close();
  }
  context.print(owner === undefined ? "stopped" : "stopped; what it owned is saved and handed over");
  return EXIT.ok;
}

/** An owner that tells what it takes and loses. */
function nodeOf(engine: Engine, node: string, folder: string, world: string, context: Context): ClusterNode {
  return new ClusterNode({
    ...{ engine, world, node, clock: context.clock, random: systemRandomBits },
    ...{ folders: new ShardFolders(new NodeFolders(folder), world), generators: DEFAULT_GENERATORS },
    events: {
      onTaken: (shard, epoch, tookMs) =>
        context.note(`owns shard ${shard} in epoch ${epoch}, after ${tookMs} ms`),
      onLost: (shard, error) =>
        context.note(error === undefined ? `let go of shard ${shard}` : `lost shard ${shard}: ${error}`),
      onJournalLost: (shard, detail) => context.note(`the journal of shard ${shard} was lost: ${detail}`),
      onFailure: (shard, error) => context.note(`could not take shard ${shard}: ${error}`),
    },
  });
}

/** Lets players into all of the world, whoever owns what of it. */
async function letIn(
  engine: Engine,
  { settings, facts }: { readonly settings: ListenSettings; readonly facts: object },
  args: Arguments,
  context: Context,
  work: () => Promise<void>,
): Promise<void> {
  const gateway = await ClusterGateway.open({
    ...{ engine, world: args.at(0), clock: context.clock, generators: DEFAULT_GENERATORS },
    onReadOnly: (isReadOnly) =>
      context.note(isReadOnly ? "NATS is away: the world can be looked at, not changed" : "NATS is back"),
  });
  try {
    await whileListening(args, context, { settings, facts, world: gateway.served }, work);
  } finally {
    gateway.close();
  }
}

/** A gateway says that an edit is made when a journal has it, whatever it is told. */
async function gatewaySettings(args: Arguments, context: Context): Promise<ListenSettings> {
  const { options, secret } = await listenSettings(args, context);
  if (args.text("secretFile") === undefined && context.environment[SECRET_VARIABLE] === undefined)
    context.note(
      "warning: the secret is new, so that other gateways do not know its tokens; give all one --secret-file",
    );
  return { options: { ...options, acknowledge: "durable" }, secret };
}

function announceOwner(args: Arguments, context: Context, facts: { readonly node: string | null }): void {
  context.printJson({ world: args.at(0), ...facts });
  context.print(`${facts.node} is a node of ${args.at(0)}`);
  context.note("press Ctrl-C to stop");
}

function nodeName(args: Arguments): string {
  const [host = ""] = hostname().toLowerCase().split(".");
  const name = args.text("node") ?? host;
  args.parsed("node", (text) => requireName(text, "node"));
  requireName(name, "node");
  return name;
}

/** Wrong usage, or `ORT_NOT_FOUND`: one that is not mounted is not made on this machine's own disk. */
async function sharedFolder(args: Arguments, context: Context): Promise<string> {
  const folder = args.text("shards");
  if (folder === undefined)
    throw new UsageError("--cluster needs --shards, the folder that all owners share; a gateway needs none");
  await context.openDisk(folder);
  return folder;
}
