import type { GeneratorRegistry, TimeSource } from "@orthant/core";
import type { RandomBits } from "@orthant/core/lattice";
import type { ReplicaCache } from "../cache/replica-cache.ts";
import type { TokenOption } from "../connection/retry.ts";
import type { OpenSocket } from "../connection/server-connection.ts";
import type { ReplicaInterest } from "./interest.ts";

/** Options of a connection. All are optional. */
export interface ReplicaOptions {
  /** The player's visible name, unless the server overrides it. */
  readonly name?: string;
  /** Identifies the player. A function is called before each connection, so that tokens may expire. */
  readonly token?: TokenOption;
  /** What to hold from the start; `setInterest` changes it. */
  readonly interest?: ReplicaInterest;
  /** Stores the held regions, so that the next client fetches only what changed. */
  readonly cache?: ReplicaCache;
  /** The cache failed and is no longer written. Nothing else is affected. */
  readonly onCacheFailure?: (error: unknown) => void;
  /** The generators of this program. If they match the server's, untouched space costs nothing to send. */
  readonly generators?: GeneratorRegistry;
  /** Creates the WebSocket; the platform's by default. */
  readonly socket?: OpenSocket;
  readonly time?: TimeSource;
  /** Returns 64 random bits, for the client's secret id and for the waits between attempts. */
  readonly random?: RandomBits;
  /**
   * How long the first join may take, 10,000 by default. The client tries again until then; after it, it fails with
   * `ORT_TIMEOUT`, which says what the client waited for. `Infinity` never gives up.
   */
  readonly timeoutMs?: number;
}

/** The options with all defaults filled in. */
export type ResolvedOptions = Required<Omit<ReplicaOptions, "interest" | "cache">> &
  Pick<ReplicaOptions, "interest" | "cache"> & { readonly urls: readonly string[] };
