import type { GeneratorRegistry } from "@orthant/core";
import type { ShardLogOptions } from "../journal/shard-log-options.ts";
import type { OwnerLimits } from "./owner-limits.ts";

/** Dependencies and settings of a shard owner. */
export interface ShardOwnerOptions extends Omit<ShardLogOptions, "sealed"> {
  /** 64 random bits. */
  readonly random: () => bigint;
  readonly generators: GeneratorRegistry;
  readonly limits?: Partial<OwnerLimits>;
  /** Called when the shard has a newer owner, or when its journal fails. */
  readonly onEnd?: (error: unknown) => void;
}
