import { OrthantError } from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";

declare const URL: new (
  text: string,
) => {
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly hash: string;
};

const EXAMPLE = "write it as ws://127.0.0.1:7440";
/** The scheme to use instead of one that is not for WebSockets. */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ["http:", "ws:"],
  ["https:", "wss:"],
]);

/** More addresses than any cluster has gateways are a mistake. */
const ADDRESSES_MAX = 1_000;

/**
 * Returns the addresses of one or several servers. Throws `ORT_ARGUMENT`, with what would be right, for anything but
 * addresses of WebSockets.
 */
export function requireServerUrls(given: unknown): readonly string[] {
  if (!Array.isArray(given)) return [requireServerUrl("server", given)];
  if (given.length === 0 || given.length > ADDRESSES_MAX)
    throw wrongArgument("server", given, `a list has 1 to ${ADDRESSES_MAX} addresses; ${EXAMPLE}`);
  return Array.from(given, (url: unknown, at) => requireServerUrl(`server[${at}]`, url));
}

function requireServerUrl(name: string, url: unknown): string {
  if (typeof url !== "string" || url === "") throw wrongArgument(name, url, EXAMPLE);
  const parsed = parse(url);
  if (parsed === undefined) throw wrongArgument(name, url, `it is not a URL; ${EXAMPLE}`);
  const { protocol, hash } = parsed;
  if (protocol !== "ws:" && protocol !== "wss:") {
    const wanted = SCHEMES.get(protocol);
    const advice = wanted === undefined ? "" : ` (${wanted} here)`;
    throw wrongArgument(name, url, `use ws: or wss:${advice}; ${EXAMPLE}`);
  }
  if (hash !== "") throw wrongArgument(name, url, `leave out ${hash}: a WebSocket takes no fragment`);
  return url;
}

/** A longer timer fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Throws `ORT_ARGUMENT` unless `timeoutMs` is a time, or `Infinity`. */
export function requireTimeout(timeoutMs: unknown): asserts timeoutMs is number {
  const isTime = typeof timeoutMs === "number" && timeoutMs > 0;
  if (isTime && (timeoutMs <= TIMER_MS_MAX || timeoutMs === Number.POSITIVE_INFINITY)) return;
  throw wrongArgument("timeoutMs", timeoutMs, "it is a number of milliseconds above 0, or Infinity");
}

/**
 * Returns the error for a socket that failed, with what to do about it. `problem` is what the platform says; browsers
 * say nothing.
 */
export function socketError(url: string, problem: string): OrthantError {
  return new OrthantError("ORT_DISCONNECTED", explanation(url, problem));
}

function explanation(url: string, problem: string): string {
  const { host = url, hostname = url } = parse(url) ?? {};
  if (/ECONNREFUSED/.test(problem)) {
    return `nothing listens at ${host}: start the server, or correct the port (${problem})`;
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(problem)) {
    return `the host name ${hostname} leads nowhere: correct it, or check the network (${problem})`;
  }
  if (/EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/.test(problem)) return `${host} cannot be reached (${problem})`;
  const status = /Unexpected server response: (?<status>\d+)/.exec(problem)?.groups?.["status"];
  if (status !== undefined) {
    return `${host} answers with HTTP ${status} instead of a WebSocket: ${ADVICE.get(status) ?? NO_WEBSOCKET}`;
  }
  if (/wrong version number|EPROTO/.test(problem)) {
    return `${host} does not speak TLS: use ws: instead of wss: (${problem})`;
  }
  if (/certificate|CERT|altname/i.test(problem)) {
    return `the certificate of ${host} is not trusted (${problem}): use one of a known authority, or name yours in NODE_EXTRA_CA_CERTS`;
  }
  if (/socket hang up|ECONNRESET/.test(problem)) {
    return `${host} closed the connection without an answer: is it a WebSocket server, and does it need wss:? (${problem})`;
  }
  return problem;
}

const NO_WEBSOCKET = "correct the address";
const ADVICE: ReadonlyMap<string, string> = new Map([
  ["403", "pages of this origin may not connect; the option origins of the server says which may"],
  ["404", "a world is at the paths / and /world"],
  ["421", "the server does not know this host name; its option hosts lists them"],
  ["429", "this network sends too many requests; try again later"],
  ["503", "the server is full or closing; try again later"],
]);

function parse(url: string): InstanceType<typeof URL> | undefined {
  try {
    return new URL(url);
  } catch {
    // The caller says what would be right.
    return undefined;
  }
}
