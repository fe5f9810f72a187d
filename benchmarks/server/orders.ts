/** A server with its own world or, with {@link ClusterSettings}, a gateway of a cluster. */
export const SERVER_PROGRAM: URL = new URL("./shared-world.js", import.meta.url);
/** Many clients. */
export const CROWD_PROGRAM: URL = new URL("./crowd.js", import.meta.url);

/** Orders for the clients' process. It answers each with a {@link CrowdReport}. */
export type CrowdOrder =
  /** Joins the servers in turn. */
  | { readonly kind: "join"; readonly urls: readonly string[]; readonly count: number }
  | { readonly kind: "joinBare"; readonly url: string; readonly count: number }
  /** Joins the Colyseus room of `benchmarks/rooms`. */
  | { readonly kind: "joinRoom"; readonly port: number; readonly count: number }
  /** Opens `count` connections to NATS itself, each subscribed to a subject. */
  | {
      readonly kind: "joinNats";
      readonly servers: readonly string[];
      readonly subject: string;
      readonly count: number;
    }
  /** All move, and together make edits. */
  | { readonly kind: "move"; readonly editsPerSecond: number }
  /** All stand still, and together make edits. */
  | { readonly kind: "edit"; readonly editsPerSecond: number }
  /** All bare sockets send messages of the size of a step, as often as members do. */
  | { readonly kind: "moveBare" }
  | { readonly kind: "reset" | "stop" | "stopReading" | "resumeReading" | "report" | "leave" };

/** Quantiles of times. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
}

/** What the clients received since the last `reset`. */
export interface CrowdReport {
  readonly frames: number;
  readonly frameBytes: number;
  /** Edits received, over all members. */
  readonly editsSeen: number;
  readonly editsMade: number;
  readonly bareMessages: number;
  readonly latencyMs: Latency;
  /** From a step of a member until others have exactly that position. */
  readonly poseMs: Latency;
  /** Bytes of some members by the kind of message; `frames` are those of frames and WebSocket messages themselves. */
  readonly bytesByKind: Readonly<Record<string, number>>;
  /** Number of those members. */
  readonly observers: number;
  readonly faults: readonly string[];
  readonly cpuUs: number;
}

/** Settings that make a server a gateway of a cluster. */
export interface ClusterSettings {
  readonly servers: readonly string[];
  readonly world: string;
}

/** Orders for the server's process. It answers each with a {@link ServerReport}. */
export type ServerOrder =
  | { readonly kind: "start" | "reset" | "report" }
  /** Sends messages of this size to every bare socket, as fast as they accept them, for `forMs`. */
  | { readonly kind: "bare"; readonly bytes: number; readonly forMs: number }
  /** Sends a message of this size to every bare socket in each interval. */
  | { readonly kind: "bareTicks"; readonly bytes: number; readonly everyMs: number; readonly forMs: number };

/** Orders that the processes of all servers answer with a {@link UsageReport}; `collect` collects garbage before. */
export interface UsageOrder {
  readonly kind: "usage" | "collect";
}

/** What a server's process uses, found without the work that a {@link ServerReport} needs. */
export type UsageReport = Pick<ServerReport, "port" | "cpuUs" | "usedBytes">;

/** Interval between ticks of the server, in which the work of one has to be done. */
export const TICK_MS = 100;

/** State of the server. */
export interface ServerReport {
  readonly port: number;
  readonly barePort: number;
  readonly tickMs: { readonly p50: number; readonly p99: number };
  readonly cpuUs: number;
  readonly residentBytes: number;
  /** Objects and the bytes of waiting frames, without the system's socket buffers. */
  readonly usedBytes: number;
  readonly bareMessages: number;
  readonly bareMs: number;
}
