import { type Box, ERROR_CODES, type ErrorCode, isOrthantError, OrthantError } from "@orthant/core";
import { type Codec, decode, encode } from "@orthant/core/bytes";
import { boxCodec } from "@orthant/core/lattice";
import type { Backbone, Subscription } from "../backbone/backbone.ts";
import { nodeAddress } from "../shard/names.ts";
import type { ClusterNode } from "./cluster-node.ts";

/** A command from an operator to a node. */
export type NodeCommand =
  | { readonly kind: "move"; readonly shard: string; readonly successor: string }
  | { readonly kind: "split"; readonly shard: string; readonly sectors: Box; readonly newShard: string }
  | { readonly kind: "drain" }
  /** Like `drain`, also if no other node can take the shards. */
  | { readonly kind: "leave" };

/** The error that a command caused, or `undefined` on success. */
type NodeAnswer = { readonly code: ErrorCode; readonly detail: string } | undefined;

const KINDS: readonly NodeCommand["kind"][] = ["move", "split", "drain", "leave"];
const NAME_BYTES_MAX = 32;
const DETAIL_BYTES_MAX = 1_024;
/** Timeout for a command, which may have to save or copy a whole shard. */
const COMMAND_MS = 600_000;

/** Commands to nodes. Rule K26 in docs/formats/cluster.md. */
export const nodeCommandCodec: Codec<NodeCommand> = {
  write(out, command) {
    out.tag(KINDS.indexOf(command.kind), KINDS.length);
    if (command.kind === "drain" || command.kind === "leave") return;
    out.string(command.shard, NAME_BYTES_MAX);
    if (command.kind === "move") return out.string(command.successor, NAME_BYTES_MAX);
    boxCodec.write(out, command.sectors);
    out.string(command.newShard, NAME_BYTES_MAX);
  },
  read(input) {
    const kind = KINDS[input.tag(KINDS.length)] ?? "drain";
    if (kind === "drain" || kind === "leave") return { kind };
    const shard = input.string(NAME_BYTES_MAX);
    if (kind === "move") return { kind, shard, successor: input.string(NAME_BYTES_MAX) };
    return { kind, shard, sectors: boxCodec.read(input), newShard: input.string(NAME_BYTES_MAX) };
  },
};

const answerCodec: Codec<NodeAnswer> = {
  write(out, answer) {
    out.bool(answer !== undefined);
    if (answer === undefined) return;
    out.string(answer.code);
    out.string(clipped(answer.detail), DETAIL_BYTES_MAX);
  },
  read(input) {
    if (!input.bool()) return undefined;
    const text = input.string(64);
    const code = (Object.keys(ERROR_CODES) as ErrorCode[]).find((known) => known === text);
    if (code === undefined) throw input.fail("ORT_MESSAGE", `an answer with the code ${text}`);
    return { code, detail: input.string(DETAIL_BYTES_MAX) };
  },
};

/** Executes the commands sent to a node until the returned subscription ends. */
export function handleCommands(backbone: Backbone, world: string, node: ClusterNode): Promise<Subscription> {
  return backbone.respond(nodeAddress(world, node.node), async (bytes) => {
    try {
      await execute(node, decode(nodeCommandCodec, bytes));
      return encode(answerCodec, undefined);
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      return encode(answerCodec, { code: error.code, detail: error.detail });
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
