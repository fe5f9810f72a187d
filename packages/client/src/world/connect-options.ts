import type { Clock, GeneratorRegistry, RandomBits } from "@orthant/core";
import type { ReplicaCache } from "../cache/replica-cache.ts";
import type { TokenOption } from "../link/token-source.ts";
import type { OpenSocket } from "../link/web-socket.ts";
import type { Look } from "./look.ts";

/** How a client connects. Everything is optional. */
export interface ConnectOptions {
  /** What others see of the player, unless the server knows better. */
  readonly name?: string;
  /** What proves who the player is; a function is asked before each connection, so that tokens may expire. */
  readonly token?: TokenOption;
  /** What to hold from the start; `look` changes it. */
  readonly look?: Look;
  /** Where to keep what is held, so that the next client fetches only what changed. */
  readonly cache?: ReplicaCache;
  /** The cache failed: it is not written any more. Nothing else is affected. */
  readonly onCacheFailure?: (error: unknown) => void;
  /** The generators that this program has. With the server's own, untouched space costs nothing to send. */
  readonly generators?: GeneratorRegistry;
  /** Makes the WebSocket; the platform's own unless given. */
  readonly socket?: OpenSocket;
  readonly clock?: Clock;
  /** Gives 64 random bits, for the client's secret id and for the waits between attempts. */
  readonly random?: RandomBits;
}

/** The options with nothing left open. */
export interface ResolvedOptions {
  readonly url: string;
  readonly name: string;
  readonly token: TokenOption;
  readonly look: Look | undefined;
  readonly cache: ReplicaCache | undefined;
  readonly onCacheFailure: (error: unknown) => void;
  readonly generators: GeneratorRegistry;
  readonly socket: OpenSocket;
  readonly clock: Clock;
  readonly random: RandomBits;
}
