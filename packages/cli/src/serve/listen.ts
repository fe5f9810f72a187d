import { randomInt } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { isOrthantError, OrthantError } from "@orthant/core";
import { U64_MAX } from "@orthant/core/bytes";
import { GrowingFile } from "@orthant/disk/files";
import type { OrthantServer, Revocation, ServerOptions } from "@orthant/server";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import { type Arguments, requireOptionFiles } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseDuration, parseInteger } from "../command/parse.ts";
import { factLines } from "../command/report.ts";
import { UsageError } from "../command/usage.ts";
import { METRICS_VARIABLE, newSecret, parseRole, readSecret } from "./credentials.ts";

const PORT_MAX = 65_535;
const PLAYER_ID_END = 2 ** 48 - 1;
const PROXIES_MAX = 16;

/** Settings for accepting players. */
export interface ListenSettings {
  readonly options: Omit<ServerOptions, "world">;
  readonly secret: string;
}

/** What to serve, and how. */
interface Served {
  readonly settings: ListenSettings;
  readonly world: ServerOptions["world"];
  /** Additional fields for the output of `--json`. */
  readonly facts?: object;
  /** Whether to print a token with which one player may join. Default: true. */
  readonly printsToken?: boolean;
}

/** Returns the player settings from the options of `orthant serve`, checked before anything is opened. */
export async function listenSettings(args: Arguments, context: Context): Promise<ListenSettings> {
  const revokedFile = args.text("revoked");
  const chosen = optionsOf(args);
  await requireOptionFiles(args, ["certificate", "key", "revoked"]);
  const options = {
    ...chosen,
    ...(await metricsSettings(args, context)),
    ...(revokedFile !== undefined && { revoked: await readRevokedFile(revokedFile) }),
  };
  const secret = (await readSecret(args.text("secretFile"), context.variables)) ?? newSecret();
  return { options, secret };
}

/** Accepts players while `work` runs. First prints the address, and one token unless that is not wanted. */
export async function whileListening<Result>(
  args: Arguments,
  context: Context,
  served: Served,
  work: () => Promise<Result>,
): Promise<Result> {
  const { settings, world } = served;
  const { createServer } = await import("@orthant/server");
  const anonymous = args.parsed("anonymous", parseRole) ?? false;
  const auth = { secret: settings.secret, anonymous };
  const page = { folder: VIEWER_PAGE, frameAncestors: args.all("frameAncestors") };
  return whileRecording(args, context, async (record) => {
    const { wire1 } = settings.options;
    const server = await createServer({
      ...settings.options,
      ...(wire1 && { wire1: { ...wire1, ...(record && { record }) } }),
      world,
      auth,
      page,
    });
    const revokedFile = args.text("revoked");
    const endFollowing =
      revokedFile === undefined ? undefined : followRevokedFile(revokedFile, server, context);
    try {
      await announce(args, context, server, served);
      return await work();
    } finally {
      endFollowing?.();
      await server.close();
    }
  });
}

/** Runs `work` with a function that writes to the file of `--wire1-record`, if there is one. */
async function whileRecording<Result>(
  args: Arguments,
  context: Context,
  work: (record?: (bytes: Uint8Array) => void) => Promise<Result>,
): Promise<Result> {
  const path = args.text("wire1Record");
  if (path === undefined) return work();
  const disk = await context.openSteadyDisk(dirname(path));
  const onFailure = (error: unknown): void =>
    context.warn(`the recording in "${path}" ends here: ${error instanceof Error ? error.message : error}`);
  const file = await GrowingFile.create(disk, basename(path), onFailure).catch((error: unknown) => {
    if (!isOrthantError(error, "ORT_EXISTS")) throw error;
    throw new OrthantError("ORT_EXISTS", `there is a file "${path}" already; a recording needs a new one`);
  });
  try {
    return await work((bytes) => file.write(bytes));
  } finally {
    await file.close();
  }
}

/** Returns who may read `/metrics`. */
export async function metricsSettings(
  args: Arguments,
  context: Context,
): Promise<Pick<ServerOptions, "metrics">> {
  const bearer = await readSecret(args.text("metricsTokenFile"), context.variables, METRICS_VARIABLE);
  const isPublic = args.has("publicMetrics");
  if (bearer !== undefined && isPublic) {
    throw new UsageError(`either --public-metrics, or --metrics-token-file or ${METRICS_VARIABLE}, not both`);
  }
  return bearer === undefined ? { metrics: { public: isPublic } } : { metrics: { bearer } };
}

/** Returns the settings for the port from the options of `orthant serve`. */
export function portSettings(
  args: Arguments,
): Pick<ServerOptions, "port" | "host" | "hosts" | "proxies" | "tls"> {
  const hosts = args.all("hostName");
  const certificateFile = args.text("certificate");
  const keyFile = args.text("key");
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new UsageError("--certificate and --key belong together: give both, or neither");
  }
  return {
    port: args.parsed("port", parseInteger(0, PORT_MAX)) ?? 0,
    host: args.text("host") ?? "127.0.0.1",
    ...(hosts.length > 0 && { hosts }),
    proxies: args.parsed("proxies", parseInteger(0, PROXIES_MAX)) ?? 0,
    ...(certificateFile !== undefined && keyFile !== undefined && { tls: { certificateFile, keyFile } }),
  };
}

function optionsOf(args: Arguments): ListenSettings["options"] {
  const origins = args.all("origin");
  const level = args.text("log");
  const wire1 = wire1Of(args);
  return {
    ...portSettings(args),
    ...(wire1 && { wire1 }),
    acknowledge: args.text("acknowledge") === "durable" ? "durable" : "applied",
    readOnly: args.has("readOnly"),
    operations: operationsOf(args),
    ...(origins.length > 0 && { origins }),
    // Logs go to stderr: stdout is for the address and the token.
    logger:
      level === undefined
        ? false
        : { level, transport: { target: "pino/file", options: { destination: process.stderr.fd } } },
  };
}

/** Returns the roles that may do operations, with the default limits. */
function operationsOf(args: Arguments): NonNullable<ServerOptions["operations"]> {
  return Object.fromEntries(args.all("operations").map((role) => [parseRole(role), {}]));
}

/** Without a list of addresses, players of Wire v1 may come only from this machine, unlike others. */
function wire1Of(args: Arguments): ServerOptions["wire1"] {
  const port = args.parsed("wire1", parseInteger(0, PORT_MAX));
  const allow = args.all("wire1Allow");
  if (port === undefined) {
    if (allow.length > 0) throw new UsageError("--wire1-allow needs --wire1");
    if (args.text("wire1Record") !== undefined) throw new UsageError("--wire1-record needs --wire1");
    return undefined;
  }
  const role = args.parsed("wire1Role", parseRole) ?? "builder";
  return { port, role, ...(allow.length > 0 && { host: args.text("host") ?? "127.0.0.1", allow }) };
}

async function announce(
  args: Arguments,
  context: Context,
  server: OrthantServer,
  { settings: { secret, options }, facts, printsToken = true }: Served,
): Promise<void> {
  const { isLoopback, issueToken } = await import("@orthant/server");
  const playerId = BigInt(randomInt(1, PLAYER_ID_END));
  const role = options.readOnly === true ? "viewer" : (args.parsed("role", parseRole) ?? "builder");
  const expiresInSeconds = args.parsed("expires", parseDuration) ?? 0;
  const token = printsToken
    ? await issueToken({ playerId, role, expiresInSeconds }, { secret }, context.time.nowMs())
    : undefined;
  context.printJson({
    world: args.at(0),
    ...facts,
    url: server.url,
    port: server.port,
    page: pageAddress(server, token),
    wire1Port: server.wire1Port ?? null,
    ...(token !== undefined && { token, playerId, role }),
    acknowledges: options.acknowledge,
  });
  context.printAll(
    factLines([
      ["address", server.url],
      ["page", pageAddress(server, token)],
      ["wire v1", server.wire1Port === undefined ? undefined : `UDP port ${server.wire1Port}`],
      ["token", token],
      ["player", token && `${playerId}, ${role}, for ${args.text("expires") ?? ""}`],
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

/** Returns the page's address. A token follows the `#`, which browsers do not send to servers. */
function pageAddress({ url }: OrthantServer, token: string | undefined): string {
  return `${url.replace(/^ws/, "http")}/${token === undefined ? "" : `#token=${token}`}`;
}

/** Interval between checks of the file. */
const POLL_MS = 1_000;
const LINE = /^(?<kind>player|token)\s+(?<id>\S+)(?:\s+(?<reason>.*))?$/;
const PLAYER_ID = /^\d{1,20}$/;

/** Reads revoked players and tokens, one per line. Throws `ORT_ARGUMENT` with the line of a wrong entry. */
async function readRevokedFile(file: string): Promise<readonly Revocation[]> {
  const lines = (await readFile(file, "utf8")).split("\n");
  return lines.flatMap((line, index) => {
    const text = line.trim();
    return text === "" || text.startsWith("#") ? [] : [revocationIn(text, `line ${index + 1} of "${file}"`)];
  });
}

/** Applies the file to a server after each change. Returns a function that stops watching. */
function followRevokedFile(file: string, server: OrthantServer, context: Context): () => void {
  const apply = async (): Promise<void> => {
    try {
      const revoked = await readRevokedFile(file);
      server.replaceRevoked(revoked);
      context.note(`"${file}" revokes ${revoked.length} players and tokens now`);
    } catch (error) {
      // A mistake in the list must neither stop the server nor restore revoked access.
      context.warn(`what was revoked before still is: ${error instanceof Error ? error.message : error}`);
    }
  };
  const listener = (): void => void apply();
  // Polling works on every file system, and notices a replaced file.
  watchFile(file, { interval: POLL_MS, persistent: false }, listener);
  return () => unwatchFile(file, listener);
}

function revocationIn(text: string, place: string): Revocation {
  const { kind, id = "", reason } = LINE.exec(text)?.groups ?? {};
  const because = reason === undefined ? {} : { reason };
  if (kind === "token") return { tokenId: id, ...because };
  if (kind === "player" && PLAYER_ID.test(id) && BigInt(id) <= U64_MAX)
    return { playerId: BigInt(id), ...because };
  throw new OrthantError(
    "ORT_ARGUMENT",
    `${place} is neither "player ID reason" nor "token ID reason", with a decimal number for a player`,
  );
}
