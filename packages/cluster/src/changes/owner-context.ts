import type { WorldEngine } from "@orthant/world/engine";
import type { ShardLog } from "../journal/shard-log.ts";
import type { OwnerGate } from "./owner-gate.ts";
import type { ShardOwnerOptions } from "./shard-owner-options.ts";
import type { ShardSaver } from "./shard-saver.ts";

/** What the parts of an owner share. */
export interface OwnerContext {
  readonly options: ShardOwnerOptions;
  readonly world: WorldEngine;
  readonly log: ShardLog;
  readonly gate: OwnerGate;
  readonly saver: ShardSaver;
}
