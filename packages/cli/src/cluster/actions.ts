import { type Engine, requireName } from "@orthant/cluster";
import type { Arguments } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../usage.ts";
import { createInCluster } from "./create.ts";
import { drainNode, moveShard, splitOff } from "./hand-over.ts";
import { printStatus } from "./status.ts";

type Action = (engine: Engine, args: Arguments, context: Context) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = {
  create: createInCluster,
  status: printStatus,
  move: moveShard,
  split: splitOff,
  drain: drainNode,
};

/** Runs an action of `orthant cluster` and prints the result. */
export async function act(name: string, engine: Engine, args: Arguments, context: Context): Promise<void> {
  const action = ACTIONS[name];
  if (action === undefined) throw new UsageError(`orthant cluster has no action ${name}`);
  await action(engine, args, context);
}

/** Rejects the argument at a position as wrong usage unless it can name a world, a shard or a node. */
export function requireClusterName(args: Arguments, position: number, what: string): void {
  args.parsedAt(position, what, (text) => requireName(text, what));
}
