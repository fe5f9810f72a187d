import { OrthantError } from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";
import { DEFAULT_SYNC_LIMITS, type SyncLimits } from "@orthant/protocol/server";
import { DEFAULT_WIRE1_LIMITS, type Wire1Limits } from "@orthant/protocol/wire1";

/** Limits for networks and sockets. Each has a line in docs/reference/limits.md. */
export interface ServerLimits {
  /** Simultaneous connections. */
  readonly connectionsMax: number;
  /** Simultaneous connections per network: the first 24 bits of an IPv4 address, 64 of an IPv6 one. */
  readonly connectionsPerAddress: number;
  /** Simultaneous sockets per network that are not connections, or not yet. */
  readonly httpSocketsPerAddress: number;
  /** HTTP requests per network, including upgrade requests. */
  readonly httpRequestsPerSecond: number;
  readonly httpRequestsBurst: number;
  /** Time limit for the head of a request, and for a TLS handshake. */
  readonly httpHeaderMs: number;
  readonly httpHeaderBytesMax: number;
  /** Pings and pongs of one client. */
  readonly pingsPerSecond: number;
  /** Fragments of one message. */
  readonly fragmentsMax: number;
  /** Bytes waiting in memory for one client to read them. */
  readonly sendBacklogBytesMax: number;
  /** Bytes waiting in memory for all clients to read them. */
  readonly sendBacklogTotalBytesMax: number;
  /** Time for a client to read what was sent when its connection ends. */
  readonly closeMs: number;
}

/** All limits of a server. */
export interface Limits extends SyncLimits, ServerLimits, Wire1Limits {}

/** Default limits for networks and sockets. */
export const DEFAULT_SERVER_LIMITS: ServerLimits = {
  connectionsMax: 4_096,
  connectionsPerAddress: 32,
  httpSocketsPerAddress: 32,
  httpRequestsPerSecond: 20,
  httpRequestsBurst: 64,
  httpHeaderMs: 10_000,
  httpHeaderBytesMax: 8_192,
  pingsPerSecond: 10,
  fragmentsMax: 256,
  sendBacklogBytesMax: 16_777_216,
  sendBacklogTotalBytesMax: 268_435_456,
  closeMs: 5_000,
};

/** Further out, a region next to a chunk might be off the lattice. */
const CHUNK_COORDINATE_MAX = 2 ** 30;

/** Returns the operator's limits, with defaults for the rest. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  const limits: Limits = { ...DEFAULT_SYNC_LIMITS, ...DEFAULT_SERVER_LIMITS, ...DEFAULT_WIRE1_LIMITS };
  const own = { ...given };
  for (const [name, value] of Object.entries(own)) {
    if (!Object.hasOwn(limits, name))
      throw new OrthantError(
        "ORT_ARGUMENT",
        `there is no limit ${name}; docs/reference/limits.md lists them`,
      );
    if (!Number.isFinite(value) || value <= 0) {
      throw wrongArgument(`the limit ${name}`, value, "it is a number above 0");
    }
  }
  const chosen = { ...limits, ...own };
  if (chosen.chunkCoordinateMax > CHUNK_COORDINATE_MAX) {
    const detail = `chunkCoordinateMax is ${chosen.chunkCoordinateMax}, the limit is ${CHUNK_COORDINATE_MAX}`;
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  return chosen;
}
