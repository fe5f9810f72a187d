import { type Box, boxCodec, type Codec, encode, repeated, varU32 } from "@orthant/core";
import { NONE } from "../codec/layout.ts";

/** A node of the index tree. `NONE` marks absent ids. */
export interface IndexNode {
  readonly nodeId: number;
  readonly parentId: number;
  readonly isLeaf: boolean;
  /** Number of nodes above it. */
  readonly depth: number;
  readonly bounds: Box;
  readonly childIds: readonly number[];
  readonly leafEntryId: number;
}

/** Number of children of a node. */
export const CHILDREN = 16;

const childIdsCodec = repeated(varU32, CHILDREN);
/** The encoding for most nodes: leaves have no children. */
const noChildren = encode(childIdsCodec, new Array<number>(CHILDREN).fill(NONE));

/** Codec of one node. Rule S22. */
export const indexNodeCodec: Codec<IndexNode> = {
  write(out, node) {
    out.varU32(node.nodeId);
    out.varU32(node.parentId);
    out.bool(node.isLeaf);
    out.u8(node.depth);
    boxCodec.write(out, node.bounds);
    if (node.isLeaf) out.raw(noChildren);
    else childIdsCodec.write(out, node.childIds);
    out.varU32(node.leafEntryId);
  },

  read: (input) => ({
    nodeId: input.varU32(),
    parentId: input.varU32(),
    isLeaf: input.bool(),
    depth: input.u8(),
    bounds: boxCodec.read(input),
    childIds: childIdsCodec.read(input),
    leafEntryId: input.varU32(),
  }),
};
