import { connect, errors, type NatsConnection, type NodeConnectionOptions } from "@nats-io/transport-node";
import { OrthantError } from "@orthant/core";

/** Time between two attempts of a connection that was lost: at first, and after a long outage. */
const RECONNECT_MS_MIN = 200;
const RECONNECT_MS_MAX = 5_000;
/** The time between attempts is this fraction of the outage. */
const OUTAGE_PART = 8;
/** Longest time between two attempts of one outage, with the time that an attempt takes. */
const ATTEMPTS_MS_MAX = 15_000;
/** Errors of TLS that say that a certificate cannot be trusted. */
const CERTIFICATE_ERRORS = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/;

/**
 * Connects for the first time. The client of NATS alone would try forever, because each server that rejects it names the
 * others. Throws `ORT_CREDENTIALS` if a server rejects the user or its password, `ORT_BACKBONE_UNFIT` if no certificate can be
 * verified, and the last failure otherwise.
 */
export async function connectFirst(options: NodeConnectionOptions): Promise<NatsConnection> {
  await requireAdmission(options);
  const { timeout = 0 } = options;
  const servers = serversOf(options);
  const connecting = connect(options);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const detail = `connecting to NATS at ${servers.join(", ")} takes too long`;
    timer = setTimeout(() => {
      reject(new OrthantError("ORT_BACKBONE_AWAY", detail));
      connecting.then((connection) => connection.close()).catch(() => undefined);
    }, timeout * servers.length);
  });
  try {
    return await Promise.race([connecting, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns how long a lost connection waits before it tries a server again: longer, the longer the outage lasts. */
export function reconnectPace(nowMs: () => number = Date.now): () => number {
  let beganMs = Number.NEGATIVE_INFINITY;
  let askedMs = Number.NEGATIVE_INFINITY;
  return () => {
    const now = nowMs();
    if (Math.abs(now - askedMs) > ATTEMPTS_MS_MAX) beganMs = now;
    askedMs = now;
    return Math.min(Math.max((now - beganMs) / OUTAGE_PART, RECONNECT_MS_MIN), RECONNECT_MS_MAX);
  };
}

/** Asks one server after the other until one admits this process, each once. */
async function requireAdmission(options: NodeConnectionOptions): Promise<void> {
  const failures: OrthantError[] = [];
  let last: unknown;
  for (const server of serversOf(options)) {
    try {
      const connection = await connect({
        ...options,
        servers: [server],
        reconnect: false,
        ignoreClusterUpdates: true,
      });
      await connection.close();
      return;
    } catch (error) {
      last = error;
      // All servers have the same users, so the others would only log another refusal.
      if (error instanceof errors.AuthorizationError) throw refusedUser(server, options, error);
      const failure = untrusted(server, options, error);
      if (failure !== undefined) failures.push(failure);
    }
  }
  throw failures[0] ?? last;
}

function serversOf({ servers = [] }: NodeConnectionOptions): readonly string[] {
  return typeof servers === "string" ? [servers] : servers;
}

function refusedUser(server: string, { user }: NodeConnectionOptions, cause: Error): OrthantError {
  const who = user === undefined ? "these credentials" : `the user ${user} with this password`;
  const remedy =
    "Give the password that the configuration of NATS has for that user, such as with ORTHANT_NATS_PASSWORD.";
  return new OrthantError(
    "ORT_CREDENTIALS",
    `NATS at ${server} rejects ${who}: ${cause.message}. ${remedy}`,
    {},
    { cause },
  );
}

/** Returns the error for a certificate that cannot be verified; `undefined` for any other failure. */
function untrusted(server: string, { tls }: NodeConnectionOptions, error: unknown): OrthantError | undefined {
  const causes = [error, error instanceof Error ? error.cause : undefined];
  const isUntrusted = causes.some((one) =>
    CERTIFICATE_ERRORS.test(String((one as { code?: unknown } | undefined)?.code)),
  );
  if (!isUntrusted) return undefined;
  const remedy =
    tls?.caFile === undefined
      ? "Name the file with the certificate of its authority, with --nats-ca or as tls.caFile."
      : `Compare it with the authority in ${tls.caFile}, and the names in it with the address.`;
  const reason = error instanceof Error ? error.message : String(error);
  const detail = `the certificate of NATS at ${server} cannot be verified: ${reason}. ${remedy}`;
  return new OrthantError("ORT_BACKBONE_UNFIT", detail, {}, { cause: error });
}
