import { OrthantError } from "@orthant/core";
import {
  DEFAULT_HOST_LIMITS,
  DEFAULT_WIRE1_LIMITS,
  type HostLimits,
  type Wire1Limits,
} from "@orthant/protocol";

/** What networks and sockets may ask of a server. Each has a line in docs/reference/limits.md. */
export interface ServerLimits {
  /** Connections at once. */
  readonly connectionsMax: number;
  /** Connections at once from one network: the first 24 bits of an IPv4 address, the first 64 of an IPv6 one. */
  readonly connectionsPerAddress: number;
  /** Sockets at once from one network that are not connections, or not yet. */
  readonly httpSocketsPerAddress: number;
  /** HTTP requests from one network; asking for a connection is one. */
  readonly httpRequestsPerSecond: number;
  readonly httpRequestsBurst: number;
  /** Time until the head of a request is there, and until a TLS handshake is done. */
  readonly httpHeaderMs: number;
  readonly httpHeaderBytesMax: number;
  /** Pings and pongs of one client. */
  readonly pingsPerSecond: number;
  /** Fragments that one message may come in. */
  readonly fragmentsMax: number;
  /** Bytes that wait in memory for one client to read them. */
  readonly sendBacklogBytesMax: number;
  /** Bytes that wait in memory for all clients to read them. */
  readonly sendBacklogTotalBytesMax: number;
  /** Time that a client has to take what was sent to it when its connection ends. */
  readonly closeMs: number;
}

/** All limits of a server. */
export interface Limits extends HostLimits, ServerLimits, Wire1Limits {}

/** What networks and sockets may ask unless the operator says otherwise. */
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

/** Farther out, a region beside a chunk might not be on the lattice. */
const CHUNK_COORDINATE_MAX = 2 ** 30;

/** The limits that hold: what the operator says, and the defaults for the rest. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  const limits: Limits = { ...DEFAULT_HOST_LIMITS, ...DEFAULT_SERVER_LIMITS, ...DEFAULT_WIRE1_LIMITS };
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(limits, name))
      throw new OrthantError(
        "ORT_ARGUMENT",
        `there is no limit ${name}; docs/reference/limits.md lists them`,
      );
    if (!Number.isFinite(value) || value <= 0) {
      throw new OrthantError("ORT_ARGUMENT", `the limit ${name} is ${value}, not a number above 0`);
    }
  }
  const chosen = { ...limits, ...given };
  if (chosen.chunkCoordinateMax > CHUNK_COORDINATE_MAX) {
    const detail = `chunkCoordinateMax is ${chosen.chunkCoordinateMax}, at most ${CHUNK_COORDINATE_MAX} may be`;
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  return chosen;
}
