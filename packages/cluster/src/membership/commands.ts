import { type Box, type ErrorCode, isOrthantError, OrthantError } from "@orthant/core";
import { type Codec, constant, decode, encode, option, record, string, variants } from "@orthant/core/bytes";
import { boxCodec } from "@orthant/core/lattice";
import type { Backbone, Subscription } from "../backbone/backbone.ts";
import { nodeAddress } from "../shard/names.ts";
import { errorCodeCodec } from "../shard/owner-messages.ts";
import type { ClusterNode } from "./cluster-node.ts";

/** A command from an operator to a node. */
export type NodeCommand =
  | { readonly kind: "move"; readonly shard: string; readonly successor: string }
  | { readonly kind: "split"; readonly shard: string; readonly sectors: Box; readonly newShard: string }
  | { readonly kind: "drain" }
  /** Like `drain`, also if no other node can take the shards. */
  | { readonly kind: "leave" };

/** The error that a command caused. */
interface NodeAnswer {
  readonly code: ErrorCode;
  readonly detail: string;
}

const nameCodec = string(32);
const DETAIL_BYTES_MAX = 1_024;
/** Timeout for a command, which may have to save or copy a whole shard. */
const COMMAND_MS = 600_000;

/** Commands to nodes. Rule K26 in docs/formats/cluster.md. */
export const nodeCommandCodec: Codec<NodeCommand> = variants<NodeCommand>({
  move: record({ kind: constant("move"), shard: nameCodec, successor: nameCodec }),
  split: record({ kind: constant("split"), shard: nameCodec, sectors: boxCodec, newShard: nameCodec }),
  drain: record({ kind: constant("drain") }),
  leave: record({ kind: constant("leave") }),
});

const answerCodec = option<NodeAnswer>(record({ code: errorCodeCodec, detail: string(DETAIL_BYTES_MAX) }));

/** Executes the commands sent to a node until the returned subscription ends. */
export function handleCommands(backbone: Backbone, world: string, node: ClusterNode): Promise<Subscription> {
  return backbone.respond(nodeAddress(world, node.node), async (bytes) => {
    try {
      await execute(node, decode(nodeCommandCodec, bytes));
      return encode(answerCodec, undefined);
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      return encode(answerCodec, { code: error.code, detail: clipped(error.detail) });
    }
  });
}

/** Sends a command to a node and waits until it is done. Throws the error that the node reports. */
export async function sendCommand(
  backbone: Backbone,
  world: string,
  node: string,
  what: NodeCommand,
): Promise<void> {
  const bytes = await backbone.request(nodeAddress(world, node), encode(nodeCommandCodec, what), COMMAND_MS);
  const answer = decode(answerCodec, bytes);
  if (answer !== undefined) throw new OrthantError(answer.code, `${node} says: ${answer.detail}`);
}

async function execute(node: ClusterNode, what: NodeCommand): Promise<void> {
  switch (what.kind) {
    case "move":
      return node.move(what.shard, what.successor === "" ? undefined : what.successor);
    case "split":
      return node.split(what.shard, what.sectors, what.newShard);
    case "drain":
      return node.drain();
    case "leave":
      return node.drain({ force: true });
  }
}

function clipped(detail: string): string {
  return detail.slice(0, DETAIL_BYTES_MAX / 4);
}
