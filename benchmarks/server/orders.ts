/** What the process of the clients is told to do. It answers each with a {@link CrowdReport}. */
export type CrowdOrder =
  /** Joins the servers in turn. */
  | { readonly kind: "join"; readonly urls: readonly string[]; readonly count: number }
  | { readonly kind: "joinBare"; readonly url: string; readonly count: number }
  /** Connects so many times to NATS itself, and listens to a subject each time. */
  | {
      readonly kind: "joinNats";
      readonly servers: readonly string[];
      readonly subject: string;
      readonly count: number;
    }
  | { readonly kind: "move"; readonly editsPerSecond: number }
  | { readonly kind: "forget" | "stop" | "stopReading" | "goOnReading" | "report" | "leave" };

/** What came to the clients since they were told to forget. */
export interface CrowdReport {
  readonly frames: number;
  readonly frameBytes: number;
  /** Edits that came, over all members. */
  readonly editsSeen: number;
  readonly editsMade: number;
  readonly bareMessages: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly count: number };
  readonly faults: readonly string[];
  readonly cpuUs: number;
}

/** What makes a server one of a cluster's gateways. */
export interface ClusterSettings {
  readonly servers: readonly string[];
  readonly world: string;
}

/** What the process of the server is told to do. It answers each with a {@link ServerReport}. */
export type ServerOrder =
  | { readonly kind: "start" | "forget" | "report" }
  /** Sends messages of these sizes to every bare socket, as fast as they are taken, for a while. */
  | { readonly kind: "bare"; readonly bytes: number; readonly forMs: number };

/** How the server is. */
export interface ServerReport {
  readonly port: number;
  readonly barePort: number;
  readonly tickMs: { readonly p50: number; readonly p99: number };
  readonly cpuUs: number;
  readonly residentBytes: number;
  /** Objects and the bytes of frames that wait; what the system holds for sockets is not in it. */
  readonly usedBytes: number;
  readonly bareMessages: number;
  readonly bareMs: number;
}
