import { OrthantError } from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { generationPool } from "@orthant/worker-pool/node";
import type { DamagedJournal, Durability } from "@orthant/world";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import {
  NATS_GATEWAY_NOTES,
  NATS_GATEWAY_OPTION,
  NATS_NOTES,
  NATS_OPTIONS,
} from "../cluster/nats-options.ts";
import type { Arguments, Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { METRICS_VARIABLE, ROLE_NAMES, SECRET_VARIABLE } from "../serve/credentials.ts";
import { listenSettings, whileListening } from "../serve/listen.ts";
import { findWorld, openCopy, unsupported } from "../world/found-world.ts";
import { nativeFormat } from "../world/native-format.ts";

const DURABILITIES: readonly Durability[] = ["journal", "snapshot"];
const ACKNOWLEDGEMENTS: readonly string[] = ["applied", "durable"];
const DAMAGED_JOURNALS: readonly DamagedJournal[] = ["refuse", "cut"];

/** `orthant serve`. */
export const serveCommand: Command = {
  name: "serve",
  summary: "Share a world over the network",
  details: [
    "Prints the address of a page that shows the world, and a token with which one player may join; with --cluster",
    "and a secret only the address, because a service keeps what it prints.",
    "Saves the world when it is stopped by Ctrl-C.",
    `Without --secret-file or ${SECRET_VARIABLE} the secret is new each time, and so old tokens are good for nothing.`,
    "With --read-only players change nothing, and the world may be one of another program: a folder or file that",
    "orthant convert reads. A copy in memory is served, of at most 16,384 columns, chunks or blocks, or 256 MiB.",
    "With --cluster it is a part of a cluster, and hands over what it owns when it is stopped.",
  ].join(" "),
  arguments: [{ name: "<world>", description: "the folder of a world, its file, or its name in a cluster" }],
  usesGenerators: true,
  options: [
    { flags: "-p, --port <number>", description: "where to listen; 0 picks a free one", default: "7440" },
    { flags: "--host <address>", description: "0.0.0.0 is all of the network", default: "127.0.0.1" },
    {
      flags: "--durability <kind>",
      description: "when a change is on the disk: at once (journal), or with the next save (snapshot)",
      default: "journal",
      choices: DURABILITIES,
    },
    {
      flags: "--damaged-journal <what>",
      description: "refuse a world whose journal is damaged, or cut off the damage and all behind it",
      default: "refuse",
      choices: DAMAGED_JOURNALS,
    },
    {
      flags: "--acknowledge <when>",
      description: "when a player's edit is confirmed: once applied, or once durable, so on the disk",
      default: "applied",
      choices: ACKNOWLEDGEMENTS,
    },
    { flags: "--read-only", description: "let players look, and reject every edit" },
    {
      flags: "--operations <role>",
      description: "let players of this role do operations, such as fill and paste (default: none)",
      choices: ROLE_NAMES,
      repeated: true,
    },
    { flags: "--secret-file <file>", description: "the secret that tokens are signed with" },
    { flags: "--role <role>", description: "the role of the token", default: "builder", choices: ROLE_NAMES },
    { flags: "--expires <span>", description: "how long the token is good for", default: "1d" },
    { flags: "--anonymous <role>", description: "accept players without a token", choices: ROLE_NAMES },
    { flags: "--revoked <file>", description: "players and tokens to keep out; read again when it changes" },
    {
      flags: "--host-name <name>",
      description: "a name by which clients reach it; requests for other names are refused",
      repeated: true,
    },
    { flags: "--origin <origin>", description: "a web page that may connect, or *", repeated: true },
    {
      flags: "--frame-ancestors <origin>",
      description: "a web page that may show the viewer's page in a frame (default: none)",
      repeated: true,
    },
    { flags: "--proxies <count>", description: "how many proxies of yours stand before it", default: "0" },
    { flags: "--certificate <file>", description: "serve wss: with this certificate chain, in PEM" },
    { flags: "--key <file>", description: "the certificate's private key, in PEM" },
    {
      flags: "--wire1 <port>",
      description: "accept players of Wire v1 at this UDP port; 0 picks a free one",
    },
    {
      flags: "--wire1-allow <address>",
      description: "an address they may connect from (default: this machine)",
      repeated: true,
    },
    {
      flags: "--wire1-role <role>",
      description: "what they may do",
      default: "builder",
      choices: ROLE_NAMES,
    },
    {
      flags: "--wire1-record <file>",
      description: "record all they send, with times, in a new file for orthant replay",
    },
    {
      flags: "--cluster <part>",
      description: "own shards of a world, accept players, or both",
      choices: ["owner", "gateway", "both"],
    },
    { flags: "--shards <folder>", description: "the folder that all owners of the cluster share" },
    {
      flags: "--node <name>",
      description: "what this owner is called (default: the host's name, and a mark of its network card)",
    },
    ...NATS_OPTIONS,
    NATS_GATEWAY_OPTION,
    {
      flags: "--metrics-token-file <file>",
      description: `what readers of /metrics send as a bearer token; or in ${METRICS_VARIABLE}`,
    },
    { flags: "--public-metrics", description: "let every client read /metrics, not this machine alone" },
    { flags: "--log <level>", description: "log to stderr", choices: ["error", "warn", "info", "debug"] },
  ],
  notes: [...NATS_NOTES, ...NATS_GATEWAY_NOTES],
  examples: [
    "orthant serve my-world",
    "orthant serve my-world --host 0.0.0.0 --secret-file secret.txt --acknowledge durable",
    "orthant serve tiles --wire1 7777 --wire1-record today.ow1r",
    "orthant serve r.0.0.mca --read-only",
    "orthant serve town --cluster both --shards /srv/orthant --nats tls://a.example.org:4222",
  ],

  async run(args, context) {
    if (args.text("cluster") !== undefined) {
      const { serveCluster } = await import("../cluster/serve-cluster.ts");
      return serveCluster(args, context);
    }
    requireAlone(args);
    const folder = args.at(0);
    // Read settings first: a secret read from a pipe may take forever, and there is nothing to save yet.
    const settings = await listenSettings(args, context);
    const disk = await openServed(folder, context, args.has("readOnly"));
    const isCopy = disk instanceof MemoryDisk;
    const generation = generationPool();
    const world = await openWorldEngine(disk, {
      time: context.time,
      generators: context.generators,
      generation,
      durability: isCopy ? "snapshot" : chosen(DURABILITIES, args.text("durability")),
      autosave: !isCopy,
      damagedJournal: chosen(DAMAGED_JOURNALS, args.text("damagedJournal")),
    });
    let failure: unknown;
    try {
      failure = await whileListening(args, context, { settings, world }, () => untilEnd(world, context));
    } finally {
      await world.close();
      await generation.close();
    }
    if (failure !== undefined) throw failure;
    context.print(isCopy ? "stopped" : `stopped; the world is saved as generation ${world.generation}`);
    return EXIT.ok;
  },
};

/** Opens a world of Orthant, or, to be read only, makes a copy in memory of one of another program. */
async function openServed(path: string, context: Context, isReadOnly: boolean): Promise<Disk> {
  const found = await findWorld(path, context);
  const { world } = found;
  if (world.format === nativeFormat.name) return context.openSteadyDisk(path);
  if (!isReadOnly) {
    const { code, detail } = unsupported({ path, world });
    throw new OrthantError(code, `${detail}; --read-only serves it as it is`);
  }
  const disk = await openCopy(found, context);
  context.note(`"${path}" stays as it is: a copy in memory is served until this command ends`);
  context.takeSignals();
  return disk;
}

/** Rejects cluster options without --cluster: such a mistake would serve another world. */
function requireAlone(args: Arguments): void {
  const stray = ["shards", "node"].find((option) => args.text(option) !== undefined);
  if (stray !== undefined || args.all("nats").length > 0)
    throw new UsageError(`--${stray ?? "nats"} needs --cluster`);
}

/** Returns the chosen value, which the parser has already checked. */
function chosen<Choice extends string>(choices: readonly Choice[], text: string | undefined): Choice {
  const [first, ...others] = choices as readonly [Choice, ...Choice[]];
  return others.find((choice) => choice === text) ?? first;
}

/** Waits until the user stops the server or a save fails. Returns the failure. */
async function untilEnd(world: WorldEngine, context: Context): Promise<unknown> {
  let stopWatching: () => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => {
    stopWatching = world.onFailure(resolve);
  });
  const failure = await Promise.race([failed, context.whenEnding()]);
  stopWatching();
  return failure;
}
