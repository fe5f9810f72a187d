import { randomInt } from "node:crypto";
import type { OrthantServer, ServerOptions } from "@orthant/server";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import { type DamagedJournal, type Durability, openWorld, type World } from "@orthant/world";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { requireNative } from "../found-world.ts";
import { integerBetween, parseDuration } from "../parse/values.ts";
import { factLines } from "../report/table.ts";
import { parseRole, ROLES } from "../serve/roles.ts";
import { newSecret, readSecret, SECRET_VARIABLE } from "../serve/secret.ts";
import { UsageError } from "../usage-error.ts";

const DURABILITIES: readonly Durability[] = ["journal", "snapshot"];
const DAMAGED_JOURNALS: readonly DamagedJournal[] = ["refuse", "cut"];
const PORT_MAX = 65_535;
const PLAYER_ID_END = 2 ** 48 - 1;
const PROXIES_MAX = 16;

/** `orthant serve`. */
export const serveCommand: Command = {
  name: "serve",
  summary: "Share a world over the network",
  details: [
    "Prints the address of a page that shows the world, and a token with which one player may join.",
    "Saves the world when it is stopped by Ctrl-C.",
    `Without --secret-file or ${SECRET_VARIABLE} the secret is new each time, and so old tokens are good for nothing.`,
  ].join(" "),
  arguments: [{ name: "<world>", description: "the folder of a world" }],
  options: [
    { flags: "-p, --port <number>", description: "where to listen; 0 takes a free one", default: "7440" },
    { flags: "--host <address>", description: "0.0.0.0 is all of the network", default: "127.0.0.1" },
    {
      flags: "--durability <kind>",
      description: "write each change down at once, or with the next save alone",
      default: "journal",
      choices: DURABILITIES,
    },
    {
      flags: "--damaged-journal <what>",
      description: "refuse a world whose journal is damaged, or cut off the damage and all behind it",
      default: "refuse",
      choices: DAMAGED_JOURNALS,
    },
    { flags: "--durable", description: "say that an edit is made once it would survive a crash" },
    { flags: "--secret-file <file>", description: "the secret that tokens are signed with" },
    { flags: "--role <role>", description: "the role of the token", default: "builder", choices: ROLES },
    { flags: "--expires <span>", description: "how long the token is good for", default: "1d" },
    { flags: "--anonymous <role>", description: "let players in without a token", choices: ROLES },
    { flags: "--origin <origin>", description: "a web page that may connect, or *", repeated: true },
    { flags: "--proxies <count>", description: "how many proxies of yours stand before it", default: "0" },
    { flags: "--certificate <file>", description: "serve wss: with this certificate chain, in PEM" },
    { flags: "--key <file>", description: "the certificate's private key, in PEM" },
    {
      flags: "--wire1 <port>",
      description: "let players of Wire v1 in, at this UDP port; 0 takes a free one",
    },
    { flags: "--wire1-allow <address>", description: "who may, but for this machine alone", repeated: true },
    { flags: "--wire1-role <role>", description: "what they may do", default: "builder", choices: ROLES },
    { flags: "--log <level>", description: "log to stderr", choices: ["error", "warn", "info", "debug"] },
  ],
  examples: [
    "orthant serve my-world",
    "orthant serve my-world --host 0.0.0.0 --secret-file secret.txt --durable",
    "orthant serve tiles --wire1 7777",
  ],

  async run(args, context) {
    const folder = args.at(0);
    const disk = await context.openSteadyDisk(folder);
    await requireNative(disk, folder);
    const options = optionsOf(args);
    const secret = (await readSecret(args.text("secretFile"), context.environment)) ?? newSecret();
    const world = await openWorld(disk, {
      clock: context.clock,
      durability: chosen(DURABILITIES, args.text("durability")),
      damagedJournal: chosen(DAMAGED_JOURNALS, args.text("damagedJournal")),
    });
    let failure: unknown;
    try {
      const { createServer } = await import("@orthant/server");
      const anonymous = args.parsed("anonymous", parseRole) ?? false;
      const server = await createServer({
        ...options,
        world,
        auth: { secret, anonymous },
        page: VIEWER_PAGE,
      });
      try {
        await announce(args, context, server, secret);
        failure = await untilEnd(world, context);
      } finally {
        await server.close();
      }
    } finally {
      await world.close();
    }
    if (failure !== undefined) throw failure;
    context.print(`stopped; the world is saved as generation ${world.generation}`);
    return EXIT.ok;
  },
};

/** What was chosen, which has been checked. */
function chosen<Choice extends string>(choices: readonly Choice[], text: string | undefined): Choice {
  const [first, ...others] = choices as readonly [Choice, ...Choice[]];
  return others.find((choice) => choice === text) ?? first;
}

function optionsOf(args: Arguments): Omit<ServerOptions, "world"> {
  const origins = args.all("origin");
  const certificateFile = args.text("certificate");
  const keyFile = args.text("key");
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new UsageError("--certificate and --key belong together: give both, or neither");
  }
  const level = args.text("log");
  const wire1 = wire1Of(args);
  return {
    ...(wire1 && { wire1 }),
    port: args.parsed("port", integerBetween(0, PORT_MAX)) ?? 0,
    host: args.text("host") ?? "127.0.0.1",
    acknowledge: args.has("durable") ? "durable" : "applied",
    proxies: args.parsed("proxies", integerBetween(0, PROXIES_MAX)) ?? 0,
    ...(origins.length > 0 && { origins }),
    ...(certificateFile !== undefined && keyFile !== undefined && { tls: { certificateFile, keyFile } }),
    // Logs go to stderr: stdout is for the address and the token.
    logger:
      level === undefined
        ? false
        : { level, transport: { target: "pino/file", options: { destination: process.stderr.fd } } },
  };
}

/** Without a list of addresses players of Wire v1 come from this machine alone, wherever others come from. */
function wire1Of(args: Arguments): ServerOptions["wire1"] {
  const port = args.parsed("wire1", integerBetween(0, PORT_MAX));
  const allow = args.all("wire1Allow");
  if (port === undefined) {
    if (allow.length > 0) throw new UsageError("--wire1-allow needs --wire1");
    return undefined;
  }
  const role = args.parsed("wire1Role", parseRole) ?? "builder";
  return { port, role, ...(allow.length > 0 && { host: args.text("host") ?? "127.0.0.1", allow }) };
}

async function announce(
  args: Arguments,
  context: Context,
  server: OrthantServer,
  secret: string,
): Promise<void> {
  const { isLoopback, issueToken } = await import("@orthant/server");
  const playerId = BigInt(randomInt(1, PLAYER_ID_END));
  const role = args.parsed("role", parseRole) ?? "builder";
  const expiresInSeconds = args.parsed("expires", parseDuration) ?? 0;
  const token = await issueToken({ playerId, role, expiresInSeconds }, { secret }, context.clock.nowMs());
  const acknowledges = args.has("durable") ? "durable" : "applied";
  context.printJson({
    world: args.at(0),
    url: server.url,
    port: server.port,
    page: pageAddress(server, token),
    wire1Port: server.wire1Port ?? null,
    token,
    playerId,
    role,
    acknowledges,
  });
  context.printAll(
    factLines([
      ["address", server.url],
      ["page", pageAddress(server, token)],
      ["wire v1", server.wire1Port === undefined ? undefined : `UDP port ${server.wire1Port}`],
      ["token", token],
      ["player", `${playerId}, ${role}, for ${args.text("expires") ?? ""}`],
    ]),
  );
  if (
    args.text("certificate") === undefined &&
    args.text("proxies") === "0" &&
    !isLoopback(args.text("host") ?? "")
  ) {
    context.note(
      "warning: nothing is encrypted, tokens neither; give --certificate and --key, or put a proxy before it",
    );
  }
  context.note("press Ctrl-C to stop");
}

/** Where a browser sees the world; the token stays behind the `#`, which no server is told. */
function pageAddress({ url }: OrthantServer, token: string): string {
  return `${url.replace(/^ws/, "http")}/#token=${token}`;
}

/** Waits for the user, or for a save that fails; gives what failed. */
async function untilEnd(world: World, context: Context): Promise<unknown> {
  let stopWatching: () => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => {
    stopWatching = world.onFailure(resolve);
  });
  const failure = await Promise.race([failed, context.whenEnding()]);
  stopWatching();
  return failure;
}
