import { access } from "node:fs/promises";
import type { Backbone } from "@orthant/cluster";
import type { NatsCredentials, NatsRole } from "@orthant/cluster/nats";
import type { Arguments, OptionSpec } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseInteger } from "../command/parse.ts";
import { UsageError } from "../command/usage.ts";

/** Environment variable with the servers, separated by commas, as an alternative to the options. */
const NATS_VARIABLE = "ORTHANT_NATS";
const USER_VARIABLE = "ORTHANT_NATS_USER";
const PASSWORD_VARIABLE = "ORTHANT_NATS_PASSWORD";
const TOKEN_VARIABLE = "ORTHANT_NATS_TOKEN";
const GATEWAY_USER_VARIABLE = "ORTHANT_NATS_GATEWAY_USER";
const GATEWAY_PASSWORD_VARIABLE = "ORTHANT_NATS_GATEWAY_PASSWORD";
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

/** Option for the gateway's own credentials. */
export const NATS_GATEWAY_OPTION: OptionSpec = {
  flags: "--nats-gateway <file>",
  description: "credentials file of the gateway, if it has its own",
};

/**
 * Environment variables, for the help of commands with these options. Unlike an option, a variable keeps the
 * password out of process lists.
 */
export const NATS_NOTES: readonly string[] = [
  "Environment variables:",
  `${NATS_VARIABLE}  the NATS servers, separated by commas`,
  `${PASSWORD_VARIABLE}  the password for NATS, with ${USER_VARIABLE} as`,
  `  the user (default: owner, gateway or operator); or ${TOKEN_VARIABLE}`,
];

/** Environment variables with the gateway's own credentials. */
export const NATS_GATEWAY_NOTES: readonly string[] = [
  `${GATEWAY_PASSWORD_VARIABLE}  the password of the gateway, if it has its`,
  `  own, with ${GATEWAY_USER_VARIABLE} as the user (default: gateway)`,
];

/**
 * Connects in a role with the options and the environment. The servers list the connection under `name`. Throws
 * `ORT_BACKBONE_PERMISSION` if they do not permit what the role needs.
 */
export async function connectBackbone(
  args: Arguments,
  context: Context,
  role: NatsRole,
  name: string,
): Promise<Backbone> {
  const servers = serversOf(args, context);
  const caFile = args.text("natsCa");
  const credentials =
    (role === "gateway" ? gatewayCredentialsOf(args, context) : undefined) ??
    credentialsOf(args, context, role);
  const files = [caFile, ...(credentials !== undefined && "file" in credentials ? [credentials.file] : [])];
  for (const file of files) if (file !== undefined) await access(file);
  const replicas = args.parsed("copies", parseInteger(1, COPIES_MAX)) ?? 1;
  const isEncrypted = caFile !== undefined || servers.some((server) => server.startsWith("tls:"));
  const { connectNats } = await import("@orthant/cluster/nats");
  return connectNats({
    ...{ servers, replicas, name, role },
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

/** Returns the credentials that only a gateway uses. */
function gatewayCredentialsOf(args: Arguments, { variables }: Context): NatsCredentials | undefined {
  const file = args.text("natsGateway");
  if (file !== undefined) return { file };
  const password = variables[GATEWAY_PASSWORD_VARIABLE];
  return password ? { user: variables[GATEWAY_USER_VARIABLE] || "gateway", password } : undefined;
}

function credentialsOf(args: Arguments, { variables }: Context, role: NatsRole): NatsCredentials | undefined {
  const file = args.text("natsCredentials");
  if (file !== undefined) return { file };
  const password = variables[PASSWORD_VARIABLE];
  if (password) return { user: variables[USER_VARIABLE] || role, password };
  const token = variables[TOKEN_VARIABLE];
  return token ? { token } : undefined;
}
