import { hostname, networkInterfaces } from "node:os";
import {
  type Backbone,
  ClusterGateway,
  ClusterNode,
  DiskFolders,
  defaultNodeName,
  handleCommands,
  type NodeEvents,
  OwnerWatch,
  requireName,
  ShardFolders,
} from "@orthant/cluster";
import { isOrthantError } from "@orthant/core";
import { systemRandomBits } from "@orthant/core/lattice";
import { sleep } from "@orthant/core/time";
import { NodeDisk } from "@orthant/disk/node";
import type { ClusterCounts, OwnedShard, OwnerCounts } from "@orthant/server";
import type { Arguments } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { EXIT, type ExitCode, UsageError } from "../command/usage.ts";
import { SECRET_VARIABLE } from "../serve/credentials.ts";
import {
  type ListenSettings,
  listenSettings,
  metricsSettings,
  portSettings,
  whileListening,
} from "../serve/listen.ts";
import { requireClusterName } from "./actions.ts";
import { connectBackbone } from "./nats-options.ts";

/** Delay before NATS is asked again: at first, and at most. It doubles with each attempt. */
const NATS_RETRY_MS_MIN = 500;
const NATS_RETRY_MS_MAX = 15_000;
/** Time after which a process that cannot use NATS gives up and ends. */
const NATS_START_MS_MAX = 120_000;
const NO_HARDWARE_ADDRESS = "00:00:00:00:00:00";

/** Shard events since the process started. */
interface NodeCounts {
  claimed: number;
  lost: number;
  journalsLost: number;
}

/** What an owner and a gateway run on. */
interface PartRun {
  readonly backbone: Backbone;
  readonly facts: { readonly node: string | null };
  /** Resolves when the user stops the process. Rejects if the node ends by itself. */
  readonly untilEnd: () => Promise<unknown>;
}

/** Settings for accepting players, and what is reported about them. */
interface GatewayRun extends PartRun {
  readonly settings: ListenSettings;
  readonly counts: () => OwnerCounts;
}

/** `orthant serve --cluster`: runs an owner, a gateway or both until the user stops it. */
export async function serveCluster(args: Arguments, context: Context): Promise<ExitCode> {
  const world = args.at(0);
  const part = args.text("cluster");
  requireClusterName(args, 0, "world");
  const node = part === "gateway" ? undefined : nodeName(args);
  const folder = part === "gateway" ? "" : await sharedFolder(args, context);
  const settings = part === "owner" ? undefined : await gatewaySettings(args, context);
  const backbones: Backbone[] = [];
  const connect = async (role: "owner" | "gateway", name: string): Promise<Backbone> => {
    const backbone = await untilAnswered(context, () => connectBackbone(args, context, role, name));
    backbones.push(backbone);
    return backbone;
  };
  const counts: NodeCounts = { claimed: 0, lost: 0, journalsLost: 0 };
  let owner: ClusterNode | undefined;
  let isHandedOver = true;
  let watch: OwnerWatch | undefined;
  try {
    const facts = { part, node: node ?? null };
    const watched = async (backbone: Backbone): Promise<() => OwnerCounts> => {
      const owners = await OwnerWatch.open({ backbone, world, time: context.time });
      watch = owners;
      return () => ({ ...counts, vacant: owners.vacant, owned: ownedBy(owner, context) });
    };
    let untilEnd = (): Promise<unknown> => context.whenEnding();
    if (node !== undefined) {
      const backbone = await connect("owner", node);
      const ended = new Promise<never>((_resolve, reject) => {
        owner = new ClusterNode({
          ...{
            backbone,
            world,
            node,
            folders: new ShardFolders(new DiskFolders(new NodeDisk(folder)), world),
          },
          ...{ time: context.time, random: systemRandomBits, generators: context.generators },
          events: { ...eventsFor(counts, context), onEnd: reject },
        });
      });
      // Rejects before anything waits for it if the node ends early.
      ended.catch(() => undefined);
      untilEnd = () => Promise.race([context.whenEnding(), ended]);
      await owner?.start();
      if (owner !== undefined) await handleCommands(backbone, world, owner);
      if (settings === undefined)
        await serveOwner({ backbone, facts, untilEnd }, await watched(backbone), args, context);
    }
    if (settings !== undefined) {
      const backbone = await connect("gateway", node ?? "gateway");
      const run = { backbone, facts, untilEnd, settings, counts: await watched(backbone) };
      await serveGateway(run, args, context);
    }
    // After the players have left, so that even the last node saves their positions with the rest.
    if (owner) isHandedOver = await handOver(owner, context);
  } finally {
    watch?.close();
    await owner?.stop();
    for (const backbone of backbones) await backbone.close();
  }
  if (!isHandedOver) return EXIT.failed;
  context.print(owner ? "stopped; its shards are saved and released" : "stopped");
  return EXIT.ok;
}

/** Hands over all shards of a node. Notes what failed, and returns whether all succeeded. */
async function handOver(owner: ClusterNode, context: Context): Promise<boolean> {
  try {
    await owner.drain({ force: true });
    return true;
  } catch (error) {
    context.note(`could not hand over all shards, so other nodes replay their journals: ${error}`);
    return false;
  }
}

/** Logs and counts the shards that a node claims and loses. */
function eventsFor(counts: NodeCounts, context: Context): NodeEvents {
  return {
    onClaimed: (shard, term, tookMs) => {
      counts.claimed++;
      context.note(`owns shard ${shard} in term ${term}, after ${tookMs} ms`);
    },
    onLost: (shard, error) => {
      if (error === undefined) return context.note(`released shard ${shard}`);
      counts.lost++;
      context.note(`lost shard ${shard}: ${error}`);
    },
    onJournalLost: (shard, detail) => {
      counts.journalsLost++;
      context.note(`the journal of shard ${shard} was lost: ${detail}`);
    },
    onForeign: (_shard, error) => context.note(`warning: ignored what no node of Orthant wrote: ${error}`),
    onRefusedEdits: (_shard, error) => context.note(`warning: ${error}`),
    onFailure: (shard, error) => context.note(`could not claim shard ${shard}: ${error}`),
    onStuck: (shard, error, waitedMs) => {
      const what = shard === undefined ? "" : ` for shard ${shard}`;
      context.note(`has waited ${Math.round(waitedMs / 1_000)} s${what}, and goes on trying: ${error}`);
    },
    onSaveFailure: (shard, error) =>
      context.note(
        error === undefined
          ? `saves shard ${shard} again`
          : `cannot save shard ${shard}, tries again every 5 seconds, and edits stay in the journal: ${error}`,
      ),
  };
}

function ownedBy(owner: ClusterNode | undefined, { time }: Context): readonly OwnedShard[] {
  return Array.from(
    owner?.shards ?? [],
    ([shard, { term, unsavedRecords, unsavedBytes, checkpointedMs, saveFailure }]) => ({
      ...{ shard, term, unsavedRecords, unsavedBytes },
      savedAgoMs: Math.max(0, time.nowMs() - checkpointedMs),
      isSaveRefused: saveFailure !== undefined,
    }),
  );
}

/**
 * Repeats `work` while NATS cannot be used, for two minutes: after a power cut its servers need some seconds to elect
 * leaders. A wrong password or certificate is reported at once, and again when the process ends with it.
 */
async function untilAnswered<Result>(context: Context, work: () => Promise<Result>): Promise<Result> {
  const { time, signal } = context;
  const endMs = time.nowMs() + NATS_START_MS_MAX;
  let reported = "";
  for (let delayMs = NATS_RETRY_MS_MIN; ; delayMs = Math.min(delayMs * 2, NATS_RETRY_MS_MAX)) {
    try {
      return await work();
    } catch (error) {
      const mayPass = isOrthantError(error, "ORT_BACKBONE_AWAY", "ORT_CREDENTIALS", "ORT_BACKBONE_UNFIT");
      if (!mayPass || signal.aborted || time.nowMs() + delayMs > endMs) throw error;
      if (error.code !== reported) context.note(`waiting for NATS: ${error.detail}`);
      reported = error.code;
      await sleep(time, delayMs);
    }
  }
}

/** Accepts players into the whole world, across all owners, until the user stops it. */
async function serveGateway(
  { backbone, facts, untilEnd, settings, counts }: GatewayRun,
  args: Arguments,
  context: Context,
): Promise<void> {
  const options = {
    ...{ backbone, world: args.at(0), time: context.time, generators: context.generators },
    onBackboneAway: (isBackboneAway: boolean) =>
      context.note(isBackboneAway ? "NATS is away: edits wait until it is back" : "NATS is back"),
  };
  const gateway = await untilAnswered(context, () => ClusterGateway.open(options));
  try {
    const { options: listening, secret } = settings;
    const cluster = (): ClusterCounts => {
      return { ...counts(), ...gateway.report, isBackboneAway: gateway.isBackboneAway };
    };
    const world = gateway.served;
    const counted = { secret, options: { ...listening, cluster } };
    // A service runs it, and the system log would keep the token. An operator makes tokens with the secret.
    const printsToken = !hasSecret(args, context);
    await whileListening(args, context, { settings: counted, facts, world, printsToken }, untilEnd);
  } finally {
    gateway.close();
  }
}

/** A gateway always confirms an edit only when a journal has it. */
async function gatewaySettings(args: Arguments, context: Context): Promise<ListenSettings> {
  const { options, secret } = await listenSettings(args, context);
  if (!hasSecret(args, context))
    context.note(
      "warning: the secret is new, so other gateways reject its tokens; give all of them one --secret-file",
    );
  return { options: { ...options, acknowledge: "durable" }, secret };
}

/** Returns true if the secret that signs tokens is given, and not made by this process. */
function hasSecret(args: Arguments, { variables }: Context): boolean {
  return args.text("secretFile") !== undefined || variables[SECRET_VARIABLE] !== undefined;
}

/** Shows an owner's health to its operator, and to no player, until the user stops it. */
async function serveOwner(
  { backbone, facts, untilEnd }: PartRun,
  counts: () => OwnerCounts,
  args: Arguments,
  context: Context,
): Promise<void> {
  const metrics = await metricsSettings(args, context);
  const { serveOwnerEndpoints } = await import("@orthant/server");
  let isAway = false;
  const status = backbone.onStatus((now) => {
    if (now !== "lagging") isAway = now === "disconnected";
  });
  const unready = (): string | undefined => (isAway ? "NATS is away" : undefined);
  const pages = await serveOwnerEndpoints({ ...portSettings(args), ...metrics, counts, unready });
  try {
    const { url, port } = pages;
    context.printJson({ world: args.at(0), ...facts, url, port });
    context.print(`${facts.node} is a node of ${args.at(0)}; metrics: ${url}/metrics`);
    context.note("press Ctrl-C to stop");
    await untilEnd();
  } finally {
    status.end();
    await pages.close();
  }
}

/** Returns the hardware address of this machine's first network card; `undefined` if it has none. */
function hardwareAddress(): string | undefined {
  const cards = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return cards.find(({ internal, mac }) => !internal && mac !== NO_HARDWARE_ADDRESS)?.mac;
}

function nodeName(args: Arguments): string {
  const name = args.text("node") ?? defaultNodeName(hostname(), hardwareAddress());
  args.parsed("node", (text) => requireName(text, "node"));
  requireName(name, "node");
  return name;
}

/** Throws wrong usage or `ORT_NOT_FOUND`: an unmounted folder must not be created on this machine's disk. */
async function sharedFolder(args: Arguments, context: Context): Promise<string> {
  const folder = args.text("shards");
  if (folder === undefined)
    throw new UsageError("--cluster needs --shards, the folder that all owners share; a gateway needs none");
  await context.openDisk(folder);
  return folder;
}
