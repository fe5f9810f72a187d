import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { Clock } from "@orthant/core";
import type { Logger } from "pino";
import { isForwarded } from "./client-address.ts";
import type { Refusal } from "./front-door.ts";

/** The host names a server answers to. */
export interface HostRule {
  /** The operator's names; `undefined` when none were given. */
  readonly hosts: readonly string[] | undefined;
  /** The address it listens at, which may be a name. */
  readonly address: string;
  /** Whether it has a certificate: a browser then checks the name before its request. */
  readonly isSecure: boolean;
  /** Number of the operator's proxies in front of the server. */
  readonly proxies: number;
}

const REFUSAL: Refusal = {
  status: 421,
  name: "host",
  detail:
    "this server does not answer to that host name; its operator can add the name with hosts, or orthant serve --host-name",
};
/** The longest name in DNS. */
const NAME_LENGTH_MAX = 253;
/** Minimum interval between log lines about refused names. */
const LOG_MS = 60_000;

/**
 * Refuses requests for host names that are not the server's. Without it, a web page whose owner points its
 * own name at this machine (DNS rebinding) would count as a page of this server.
 */
export class HostNames {
  readonly #rule: HostRule;
  readonly #names: ReadonlySet<string>;
  readonly #log: Logger;
  readonly #clock: Clock;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(rule: HostRule, log: Logger, clock: Clock) {
    const machine = hostname().toLowerCase();
    const [short = ""] = machine.split(".");
    this.#rule = rule;
    this.#names = new Set([
      ...["localhost", machine, short, `${short}.local`, rule.address.toLowerCase()],
      ...(rule.hosts ?? []).map((name) => name.toLowerCase()),
    ]);
    this.#log = log;
    this.#clock = clock;
  }

  /** Returns why a request is refused for its `Host`; `undefined` when it is not. */
  refusalOf(request: IncomingMessage): Refusal | undefined {
    const { host } = request.headers;
    if (host === undefined || this.#isVouchedFor(request) || this.#isOurs(nameIn(host))) return undefined;
    this.#logRefused(host);
    return REFUSAL;
  }

  /** Whether a certificate or the operator's own proxy has already checked the name. */
  #isVouchedFor(request: IncomingMessage): boolean {
    const { hosts, isSecure, proxies } = this.#rule;
    if (hosts !== undefined) return false;
    return isSecure || (proxies > 0 && isForwarded(request));
  }

  /** No name server decides where an address leads, so every address counts as ours. */
  #isOurs(name: string): boolean {
    return isIP(name) !== 0 || name.endsWith(".localhost") || this.#names.has(name);
  }

  #logRefused(host: string): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#loggedMs < LOG_MS) return;
    this.#loggedMs = nowMs;
    this.#log.warn(
      { host: host.slice(0, NAME_LENGTH_MAX) },
      "refused a request for this host name; if it is yours, add it to hosts, or give orthant serve --host-name",
    );
  }
}

/** Returns the name in a `Host` header, without the port, in lower case. */
function nameIn(host: string): string {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name.replace(/\.$/, "");
}
