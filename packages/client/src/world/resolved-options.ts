import type { GeneratorRegistry, TimeSource } from "@orthant/core";
import type { RandomBits } from "@orthant/core/lattice";
import type { ReplicaCache } from "../cache/replica-cache.ts";
import type { TokenOption } from "../connection/retry.ts";
import type { OpenSocket } from "../connection/server-connection.ts";
import type { ReplicaInterest } from "./interest.ts";

/** The options with all defaults filled in. */
export interface ResolvedOptions {
  readonly urls: readonly string[];
  readonly name: string;
  readonly token: TokenOption;
  readonly interest: ReplicaInterest | undefined;
  readonly cache: ReplicaCache | undefined;
  readonly onCacheFailure: (error: unknown) => void;
  readonly generators: GeneratorRegistry;
  readonly socket: OpenSocket;
  readonly time: TimeSource;
  readonly random: RandomBits;
  readonly timeoutMs: number;
}
