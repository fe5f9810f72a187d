import { type Codec, EPOCH_MAX } from "@orthant/core";
import { isName } from "./names.ts";

/** Who owns a shard. Rule K16. */
export interface Lease {
  /** The node; empty while nobody has the shard. */
  readonly node: string;
  /** Rises with every owner. */
  readonly epoch: number;
  /** The node that is to take the shard next; empty when any may. */
  readonly heir: string;
}

/** What a node says of itself while it lives. Rule K17. */
export interface Beat {
  readonly count: number;
  /** Shards that it owns. */
  readonly shards: number;
  /** Whether it takes no more of them. */
  readonly isLeaving: boolean;
}

const VERSION = 1;
const NODE_BYTES_MAX = 32;

/** The value of a lease's key. */
export const leaseCodec: Codec<Lease> = {
  write(out, { node, epoch, heir }) {
    out.u8(VERSION);
    out.string(node, NODE_BYTES_MAX);
    out.varUint(epoch);
    out.string(heir, NODE_BYTES_MAX);
  },
  read(input) {
    requireVersion(input);
    const lease = {
      node: input.string(NODE_BYTES_MAX),
      epoch: input.varUint(),
      heir: input.string(NODE_BYTES_MAX),
    };
    const isNamed = [lease.node, lease.heir].every((node) => node === "" || isName(node));
    if (!isNamed || lease.epoch > EPOCH_MAX) throw input.fail("ORT_MESSAGE", "a lease that none may write");
    return lease;
  },
};

/** The value of a beat's key. */
export const beatCodec: Codec<Beat> = {
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
