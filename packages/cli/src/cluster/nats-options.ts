import { access } from "node:fs/promises";
import type { Engine } from "@orthant/cluster";
import type { NatsCredentials } from "@orthant/cluster/nats";
import type { Arguments, OptionSpec } from "../command.ts";
import type { Context } from "../context.ts";
import { parseInteger } from "../parse.ts";
import { UsageError } from "../usage.ts";

/** Environment variable with the servers, separated by commas, as an alternative to the options. */
const NATS_VARIABLE = "ORTHANT_NATS";
const USER_VARIABLE = "ORTHANT_NATS_USER";
const PASSWORD_VARIABLE = "ORTHANT_NATS_PASSWORD";
const TOKEN_VARIABLE = "ORTHANT_NATS_TOKEN";
/** The user that the guide configures. */
const DEFAULT_USER = "orthant";
const COPIES_MAX = 5;

/** Options for connecting to the NATS servers of a cluster. */
export const NATS_OPTIONS: readonly OptionSpec[] = [
  { flags: "--nats <url>", description: "a NATS server, such as tls://a.example.org:4222", repeated: true },
  { flags: "--nats-credentials <file>", description: "credentials file written by nsc" },
  { flags: "--nats-ca <file>", description: "certificate authority of the NATS servers, in PEM" },
  {
    flags: "--copies <count>",
    description: "number of NATS servers that store everything; 1 for experiments",
    default: "3",
  },
];

/**
 * Environment variables, for the help of commands with these options. Unlike an option, a variable keeps the
 * password out of process lists.
 */
export const NATS_NOTES: readonly string[] = [
  "Environment variables:",
  `${NATS_VARIABLE}  the NATS servers, separated by commas`,
  `${PASSWORD_VARIABLE}  the password for NATS, with ${USER_VARIABLE} as`,
  `  the user (default: ${DEFAULT_USER}); or ${TOKEN_VARIABLE}`,
];

/** Connects with the options and the environment. The servers list the connection under `name`. */
export async function connectEngine(args: Arguments, context: Context, name: string): Promise<Engine> {
  const servers = serversOf(args, context);
  const caFile = args.text("natsCa");
  const credentials = credentialsOf(args, context);
  for (const file of [caFile, args.text("natsCredentials")]) if (file !== undefined) await access(file);
  const replicas = args.parsed("copies", parseInteger(1, COPIES_MAX)) ?? 1;
  const isEncrypted = caFile !== undefined || servers.some((server) => server.startsWith("tls:"));
  const { connectNats } = await import("@orthant/cluster/nats");
  return connectNats({
    ...{ servers, replicas, name },
    ...(credentials && { credentials }),
    ...(isEncrypted && { tls: caFile === undefined ? {} : { caFile } }),
  });
}

function serversOf(args: Arguments, { variables }: Context): readonly string[] {
  const given = args.all("nats");
  const servers = given.length > 0 ? given : (variables[NATS_VARIABLE] ?? "").split(",");
  const named = servers.map((server) => server.trim()).filter((server) => server !== "");
  if (named.length > 0) return named;
  throw new UsageError(`no NATS server given; use --nats or ${NATS_VARIABLE}`);
}

function credentialsOf(args: Arguments, { variables }: Context): NatsCredentials | undefined {
  const file = args.text("natsCredentials");
  if (file !== undefined) return { file };
  const password = variables[PASSWORD_VARIABLE];
  if (password) return { user: variables[USER_VARIABLE] || DEFAULT_USER, password };
  const token = variables[TOKEN_VARIABLE];
  return token ? { token } : undefined;
}
