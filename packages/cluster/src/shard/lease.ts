import { type Codec, EPOCH_MAX } from "@orthant/core";
import { isName } from "./names.ts";

/** Ownership of a shard. Rule K16. */
export interface Lease {
  /** The owning node; empty while the shard has no owner. */
  readonly node: string;
  /** Rises with every owner. */
  readonly term: number;
  /** The node that should take the shard next; empty if any may. */
  readonly successor: string;
}

/** A node's heartbeat. Rule K17. */
export interface Heartbeat {
  readonly count: number;
  /** Number of shards it owns. */
  readonly shards: number;
  /** True if it takes no more shards. */
  readonly isLeaving: boolean;
}

const VERSION = 1;
const NODE_BYTES_MAX = 32;

/** Encodes the value of a lease key. */
export const leaseCodec: Codec<Lease> = {
  write(out, { node, term, successor }) {
    out.u8(VERSION);
    out.string(node, NODE_BYTES_MAX);
    out.varUint(term);
    out.string(successor, NODE_BYTES_MAX);
  },
  read(input) {
    requireVersion(input);
    const lease = {
      node: input.string(NODE_BYTES_MAX),
      term: input.varUint(),
      successor: input.string(NODE_BYTES_MAX),
    };
    const isNamed = [lease.node, lease.successor].every((node) => node === "" || isName(node));
    if (!isNamed || lease.term > EPOCH_MAX) throw input.fail("ORT_MESSAGE", "a lease that none may write");
    return lease;
  },
};

/** Encodes the value of a heartbeat key. */
export const heartbeatCodec: Codec<Heartbeat> = {
  write(out, { count, shards, isLeaving }) {
    out.u8(VERSION);
    out.varUint(count);
    out.varUint(shards);
    out.bool(isLeaving);
  },
  read(input) {
    requireVersion(input);
    return { count: input.varUint(), shards: input.varUint(), isLeaving: input.bool() };
  },
};

function requireVersion(input: Parameters<Codec<unknown>["read"]>[0]): void {
  const version = input.u8();
  if (version !== VERSION) throw input.fail("ORT_VERSION", `version ${version}, known is ${VERSION}`);
}
