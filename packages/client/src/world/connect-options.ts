import type { Clock, GeneratorRegistry, RandomBits } from "@orthant/core";
import type { ReplicaCache } from "../cache/replica-cache.ts";
import type { TokenOption } from "../link/token-source.ts";
import type { OpenSocket } from "../link/web-socket.ts";
import type { Interest } from "./interest.ts";

/** Options of a connection. All are optional. */
export interface ConnectOptions {
  /** The player's visible name, unless the server overrides it. */
  readonly name?: string;
  /** Identifies the player. A function is called before each connection, so that tokens may expire. */
  readonly token?: TokenOption;
  /** What to hold from the start; `look` changes it. */
  readonly interest?: Interest;
  /** Stores the held regions, so that the next client fetches only what changed. */
  readonly cache?: ReplicaCache;
  /** The cache failed and is no longer written. Nothing else is affected. */
  readonly onCacheFailure?: (error: unknown) => void;
  /** The generators of this program. If they match the server's, untouched space costs nothing to send. */
  readonly generators?: GeneratorRegistry;
  /** Creates the WebSocket; the platform's by default. */
  readonly socket?: OpenSocket;
  readonly clock?: Clock;
  /** Returns 64 random bits, for the client's secret id and for the waits between attempts. */
  readonly random?: RandomBits;
}

/** The options with all defaults filled in. */
export interface ResolvedOptions {
  readonly url: string;
  readonly name: string;
  readonly token: TokenOption;
  readonly interest: Interest | undefined;
  readonly cache: ReplicaCache | undefined;
  readonly onCacheFailure: (error: unknown) => void;
  readonly generators: GeneratorRegistry;
  readonly socket: OpenSocket;
  readonly clock: Clock;
  readonly random: RandomBits;
}
