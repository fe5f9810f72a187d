import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { OrthantError, type TimeSource } from "@orthant/core";
import type { Logger } from "pino";
import { isForwarded, isLoopback } from "./addresses.ts";
import type { HttpRefusal } from "./connection-limiter.ts";

/** The host names a server answers to. */
interface HostRule {
  /** The operator's names; `undefined` when none were given. */
  readonly hosts: readonly string[] | undefined;
  /** The address it listens at, which may be a name. */
  readonly address: string;
  /** Whether it has a certificate: a browser then checks the name before its request. */
  readonly isSecure: boolean;
  /** Number of the operator's proxies in front of the server. */
  readonly proxies: number;
}

const REFUSAL: HttpRefusal = {
  status: 421,
  name: "host",
  detail:
    "this server does not answer to that host name; its operator can add the name with hosts, or orthant serve --host-name",
};
/** The longest name in DNS. */
const NAME_LENGTH_MAX = 253;
/** Minimum interval between log lines about refused names. */
const LOG_MS = 60_000;

/** Returns why a request is refused for its `Host`; `undefined` when it is not. */
export type HostCheck = (request: IncomingMessage) => HttpRefusal | undefined;

/**
 * Returns a check that refuses requests for host names that are not the server's. Without it, a web page whose owner
 * points its own name at this machine (DNS rebinding) would count as a page of this server.
 */
export function hostCheck(rule: HostRule, log: Logger, time: TimeSource): HostCheck {
  const { hosts, isSecure, proxies } = rule;
  const machine = hostname().toLowerCase();
  const [short = ""] = machine.split(".");
  const names = new Set([
    ...["localhost", machine, short, `${short}.local`, rule.address.toLowerCase()],
    ...(hosts ?? []).map((name) => name.toLowerCase()),
  ]);
  let loggedMs = Number.NEGATIVE_INFINITY;
  return (request) => {
    const { host } = request.headers;
    // A certificate or the operator's own proxy has already checked the name.
    const isVouchedFor = hosts === undefined && (isSecure || (proxies > 0 && isForwarded(request)));
    if (host === undefined || isVouchedFor || isOurs(nameIn(host), names)) return undefined;
    const nowMs = time.nowMs();
    if (nowMs - loggedMs < LOG_MS) return REFUSAL;
    loggedMs = nowMs;
    log.warn(
      { host: host.slice(0, NAME_LENGTH_MAX) },
      "refused a request for this host name; if it is yours, add it to hosts, or give orthant serve --host-name",
    );
    return REFUSAL;
  };
}

/** No name server decides where an address leads, so every address counts as ours. */
function isOurs(name: string, names: ReadonlySet<string>): boolean {
  return isIP(name) !== 0 || name.endsWith(".localhost") || names.has(name);
}

/** Returns the name in a `Host` header, without the port, in lower case. */
function nameIn(host: string): string {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name.replace(/\.$/, "");
}

/** The web pages that may connect. */
export interface OriginRule {
  /** Origins such as `https://example.org`, or `*` for all; `undefined` allows pages of the same host. */
  readonly origins: readonly string[] | undefined;
  /** Whether the host itself must be this machine; otherwise any page could point its own name at it. */
  readonly loopbackOnly: boolean;
}

/** An origin as browsers send it: a scheme and a lower-case host without a path; `null` for none. */
const ORIGIN = /^(?:\*|null|[a-z][a-z\d+.-]*:\/\/[^/\s?#A-Z]+)$/;

/** Rejects entries that can never match an `Origin` header, which would silently keep every page out. */
export function requireOrigins(origins: readonly string[]): void {
  const wrong = origins.find((origin) => !ORIGIN.test(origin));
  if (wrong === undefined) return;
  throw new OrthantError(
    "ORT_ARGUMENT",
    `"${wrong}" is not an origin; write it as https://example.org, without a path, or * for all of them`,
  );
}

/** Whether a page, or a program other than a browser, may connect. Browsers send a page's true `Origin`. */
export function originMayConnect(
  headers: IncomingHttpHeaders,
  { origins, loopbackOnly }: OriginRule,
): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return true;
  if (origins !== undefined) return origins.includes("*") || origins.includes(origin);
  const page = parse(origin);
  const here = page && host !== undefined ? parse(`${page.protocol}//${host}`) : undefined;
  if (page === undefined || here === undefined || page.host !== here.host) return false;
  return !loopbackOnly || isLoopback(here.hostname);
}

/** Returns `undefined` for an invalid address, such as the `null` of a page without an origin. */
function parse(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.host === "" ? undefined : url;
  } catch {
    return undefined; // an invalid header grants no access
  }
}
