import { AIR, type Box, type Chunk, uniformChunk } from "@orthant/core";
import type { ByteReader, ByteWriter, Codec } from "@orthant/core/bytes";
import { GeneratorRef } from "@orthant/core/generate";
import { ChunkArray, canonicalNodes, type EncodedNode, TREE_NODES_MAX } from "@orthant/core/internal";
import { boxCodec, boxContainsBox, boxEquals } from "@orthant/core/lattice";
import { contentEquals, generatorRefCodec, type RegionTree } from "@orthant/core/tree";
import { chunkArrayCodec } from "./chunk-array-codec.ts";
import { treeOfNodes } from "./tree-of-nodes.ts";

/** The contents of a tree in a box. What lies outside is not encoded. */
export interface BoundedTree {
  readonly bounds: Box;
  readonly tree: RegionTree;
}

/** The kinds of nodes, by tag. */
export const NODE_KIND = { empty: 0, uniform: 1, procedural: 2, chunkArray: 3, branch: 4 } as const;

/** Number of kinds of nodes. */
export const NODE_KINDS = 5;

/** Region trees in their canonical form. Rules T1 to T22 in docs/formats/region-tree.md. */
export function regionTreeCodec(volume: number): Codec<BoundedTree> {
  const arrays = chunkArrayCodec(volume);
  return {
    write(out, { bounds, tree }) {
      const nodes = canonicalNodes(tree, bounds);
      if (nodes.length > 0 && !isBranch(nodes, bounds)) {
        writeNode(out, nodes[0] as EncodedNode, arrays);
        return;
      }
      boxCodec.write(out, bounds);
      out.tag(nodes.length === 0 ? NODE_KIND.empty : NODE_KIND.branch, NODE_KINDS);
      if (nodes.length > 0) out.varUint(nodes.length);
      for (const node of nodes) writeNode(out, node, arrays);
      out.varU64(0n);
    },

    read(input) {
      const bounds = boxCodec.read(input);
      const kind = input.tag(NODE_KINDS);
      const nodes = readRoot(input, bounds, kind, volume, arrays);
      const tree = treeOfNodes(input, nodes, volume);
      const expected = canonicalNodes(tree, bounds);
      const sameNodes =
        nodes.length === expected.length &&
        nodes.every((node, index) => nodesEqual(node, expected[index] as EncodedNode));
      if (!sameNodes || isBranch(expected, bounds) !== (kind === NODE_KIND.branch)) {
        throw input.fail("ORT_TREE_FORM", `${nodes.length} nodes where ${expected.length} say the same`);
      }
      return { bounds, tree };
    },
  };
}

/** Whether nodes need a branch around them: several nodes, or one that does not fill the bounds. */
function isBranch(nodes: readonly EncodedNode[], bounds: Box): boolean {
  const [first] = nodes;
  return nodes.length > 1 || (first !== undefined && !boxEquals(first.box, bounds));
}

function writeNode(out: ByteWriter, { box, content }: EncodedNode, arrays: Codec<ChunkArray>): void {
  boxCodec.write(out, box);
  if (content instanceof ChunkArray) {
    out.tag(NODE_KIND.chunkArray, NODE_KINDS);
    arrays.write(out, content);
    out.varU64(0n);
  } else if (content instanceof GeneratorRef) {
    out.tag(NODE_KIND.procedural, NODE_KINDS);
    generatorRefCodec.write(out, content); // its last field is the node's version hash
  } else {
    out.tag(NODE_KIND.uniform, NODE_KINDS);
    out.varU16(content.get(0));
    out.varU64(0n);
  }
}

function readRoot(
  input: ByteReader,
  bounds: Box,
  kind: number,
  volume: number,
  arrays: Codec<ChunkArray>,
): readonly EncodedNode[] {
  if (kind === NODE_KIND.empty) {
    requireNoHash(input);
    return [];
  }
  if (kind !== NODE_KIND.branch) return [readLeaf(input, bounds, kind, volume, arrays)];
  const nodes: EncodedNode[] = [];
  const count = input.count(TREE_NODES_MAX - 1);
  for (let index = 0; index < count; index++) {
    const box = boxCodec.read(input);
    if (!boxContainsBox(bounds, box)) {
      throw input.fail("ORT_TREE_BOUNDS", `[${box.min}] to [${box.max}] reaches out of its parent`);
    }
    const childKind = input.tag(NODE_KINDS);
    if (childKind === NODE_KIND.empty || childKind === NODE_KIND.branch) {
      throw input.fail("ORT_TREE_FORM", "a child that is a branch itself, or holds nothing");
    }
    nodes.push(readLeaf(input, box, childKind, volume, arrays));
  }
  requireNoHash(input);
  return nodes;
}

function readLeaf(
  input: ByteReader,
  box: Box,
  kind: number,
  volume: number,
  arrays: Codec<ChunkArray>,
): EncodedNode {
  if (kind === NODE_KIND.procedural) return { box, content: generatorRefCodec.read(input) };
  const content = kind === NODE_KIND.uniform ? readUniform(input, volume) : readArray(input, box, arrays);
  requireNoHash(input);
  return { box, content };
}

function readUniform(input: ByteReader, volume: number): Chunk {
  const block = input.varU16();
  if (block === AIR) throw input.fail("ORT_TREE_FORM", "air written as Uniform");
  return uniformChunk(volume, block);
}

function readArray(input: ByteReader, box: Box, arrays: Codec<ChunkArray>): ChunkArray {
  const array = arrays.read(input);
  if (!boxEquals(array.bounds, box)) {
    throw input.fail("ORT_TREE_BOUNDS", "an array whose bounds are not those of its node");
  }
  return array;
}

function requireNoHash(input: ByteReader): void {
  if (input.varU64() !== 0n) throw input.fail("ORT_TREE_FORM", "a version hash without a generator");
}

function nodesEqual(a: EncodedNode, b: EncodedNode): boolean {
  if (!boxEquals(a.box, b.box)) return false;
  if (a.content instanceof ChunkArray) {
    return b.content instanceof ChunkArray && chunkArraysEqual(a.content, b.content);
  }
  return !(b.content instanceof ChunkArray) && contentEquals(a.content, b.content as Chunk | GeneratorRef);
}

function chunkArraysEqual(a: ChunkArray, b: ChunkArray): boolean {
  const indices = a.indices;
  return (
    boxEquals(a.bounds, b.bounds) &&
    a.palette.length === b.palette.length &&
    b.indices.every((index, cell) => index === indices[cell]) &&
    a.palette.every((chunk, index) => chunk.equals(b.palette[index] as Chunk))
  );
}
