import type { TimeSource } from "@orthant/core";
import { TokenBucket } from "@orthant/core/time";
import { networkOf } from "./addresses.ts";
import type { ServerLimits } from "./limits.ts";

/** Reasons for which the server itself refuses or disconnects a client, before the sync server is involved. */
export const REFUSALS = [
  "closing",
  "path",
  "method",
  "host",
  "origin",
  "forwarded",
  "bearer",
  "metrics",
  "connectionsMax",
  "connectionsPerAddress",
  "httpSocketsPerAddress",
  "httpRequestsPerSecond",
  "httpHeaderMs",
  "httpHeaderBytesMax",
  "http",
  "frameBytesMax",
  "fragmentsMax",
  "pingsPerSecond",
  "sendBacklogBytesMax",
  "sendBacklogTotalBytesMax",
  "webSocket",
] as const;

/** One of {@link REFUSALS}. */
export type RefusalName = (typeof REFUSALS)[number];

/** The answer to a refused client. */
export interface HttpRefusal {
  readonly status: number;
  readonly name: RefusalName;
  readonly detail: string;
}

/** Number of networks whose rates are tracked. */
const NETWORKS_MAX = 16_384;

/** Counts connections and request rates by network, so that one network cannot exhaust the server. */
export class ConnectionLimiter {
  readonly #limits: ServerLimits;
  readonly #time: TimeSource;
  readonly #sockets = new Map<string, number>();
  readonly #connections = new Map<string, number>();
  readonly #rates = new Map<string, TokenBucket>();
  #connectionCount = 0;

  constructor(limits: ServerLimits, time: TimeSource) {
    this.#limits = limits;
    this.#time = time;
  }

  /** Number of open connections. */
  get connectionCount(): number {
    return this.#connectionCount;
  }

  /** Counts a socket. Returns false, without counting it, when its network has too many. */
  openSocket(address: string): boolean {
    const { connectionsPerAddress, httpSocketsPerAddress } = this.#limits;
    return increase(this.#sockets, networkOf(address), connectionsPerAddress + httpSocketsPerAddress);
  }

  /** Uncounts a closed socket. */
  closeSocket(address: string): void {
    decrease(this.#sockets, networkOf(address));
  }

  /** Counts a request against the rate of its network. */
  countRequest(address: string): HttpRefusal | undefined {
    const nowMs = this.#time.nowMs();
    if (this.#rateOf(networkOf(address), nowMs)?.take(1, nowMs) === true) return undefined;
    return { status: 429, name: "httpRequestsPerSecond", detail: "too many requests from your network" };
  }

  /** Counts a connection, unless there are too many. */
  openConnection(address: string): HttpRefusal | undefined {
    const { connectionsMax, connectionsPerAddress } = this.#limits;
    if (this.#connectionCount >= connectionsMax) {
      return { status: 503, name: "connectionsMax", detail: "the server is full" };
    }
    if (!increase(this.#connections, networkOf(address), connectionsPerAddress)) {
      const detail = `more than ${connectionsPerAddress} connections from your network`;
      return { status: 429, name: "connectionsPerAddress", detail };
    }
    this.#connectionCount++;
    return undefined;
  }

  /** Uncounts a connection that has ended. */
  closeConnection(address: string): void {
    decrease(this.#connections, networkOf(address));
    this.#connectionCount--;
  }

  #rateOf(network: string, nowMs: number): TokenBucket | undefined {
    const known = this.#rates.get(network);
    if (known !== undefined) return known;
    if (this.#rates.size >= NETWORKS_MAX) {
      for (const [other, rate] of this.#rates) if (rate.isFull(nowMs)) this.#rates.delete(other);
    }
    // This many networks at once are an attack: known ones continue, and no memory is spent on others.
    if (this.#rates.size >= NETWORKS_MAX) return undefined;
    const { httpRequestsPerSecond, httpRequestsBurst } = this.#limits;
    const rate = new TokenBucket(httpRequestsPerSecond, httpRequestsBurst, nowMs);
    this.#rates.set(network, rate);
    return rate;
  }
}

function increase(counts: Map<string, number>, key: string, max: number): boolean {
  const count = counts.get(key) ?? 0;
  if (count >= max) return false;
  counts.set(key, count + 1);
  return true;
}

function decrease(counts: Map<string, number>, key: string): void {
  const count = counts.get(key) ?? 0;
  if (count > 1) counts.set(key, count - 1);
  else counts.delete(key);
}
