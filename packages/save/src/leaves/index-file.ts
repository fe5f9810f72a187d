import { type Box, OrthantError } from "@orthant/core";
import {
  ByteReader,
  ByteWriter,
  type Codec,
  crc32,
  encode,
  list,
  repeated,
  varU32,
} from "@orthant/core/bytes";
import {
  boxCodec,
  boxContainsBox,
  boxEquals,
  comparePositions,
  positionCodec,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import type { RegionClock } from "@orthant/core/tree";
import { atFile, decodeAt } from "@orthant/disk/files";
import { recordRefsCodec } from "../codec/blob.ts";
import { indexHeader, LEAF_LEVEL_MAX, NONE } from "../codec/layout.ts";
import { CHILDREN, childCube, childSlot, lastOf, levelOf, requireLevel } from "./cube.ts";
import { CLOCKS_PER_LEAF_MAX, findLeafFault, type LeafEntry, type WholeIndexVersion } from "./leaf-entry.ts";
import { type HasCube, isBranch, type TrieNode, trieOf } from "./leaf-trie.ts";

/** A leaf entry as encoded: without the cube, which its node has. */
interface StoredLeaf extends Omit<LeafEntry, "cube"> {
  readonly leafId: number;
}

const clocksCodec = list<RegionClock>(
  {
    write(out, { region, clock }) {
      positionCodec.write(out, region);
      out.varUint(clock);
    },
    read: (input) => ({ region: positionCodec.read(input), clock: input.varUint() }),
  },
  CLOCKS_PER_LEAF_MAX,
);

/** Codec of the part of a leaf entry after its id. Rules S26 and S28. */
function leafContentCodec(version: WholeIndexVersion): Codec<Omit<LeafEntry, "cube">> {
  return {
    write(out, { chunkRefs, entityRefs, clocks }) {
      recordRefsCodec.write(out, chunkRefs);
      recordRefsCodec.write(out, entityRefs);
      if (version === 2) clocksCodec.write(out, clocks);
    },

    read: (input) => ({
      chunkRefs: recordRefsCodec.read(input),
      entityRefs: recordRefsCodec.read(input),
      chunks: 0,
      clocks: version === 2 ? clocksCodec.read(input) : [],
    }),
  };
}

/** Codec of one leaf entry. */
function storedLeafCodec(version: WholeIndexVersion): Codec<StoredLeaf> {
  const content = leafContentCodec(version);
  return {
    write(out, leaf) {
      out.varU32(leaf.leafId);
      content.write(out, leaf);
    },

    read: (input) => ({ leafId: input.varU32(), ...content.read(input) }),
  };
}

/** A node of the index tree. `NONE` marks absent ids. */
interface IndexNode {
  readonly nodeId: number;
  readonly parentId: number;
  readonly isLeaf: boolean;
  /** Number of nodes above it. */
  readonly depth: number;
  readonly bounds: Box;
  readonly childIds: readonly number[];
  readonly leafEntryId: number;
}

const childIdsCodec = repeated(varU32, CHILDREN);
/** The encoding for most nodes: leaves have no children. */
const noChildren = encode(childIdsCodec, new Array<number>(CHILDREN).fill(NONE));

/** Codec of one node. Rule S22. */
const indexNodeCodec: Codec<IndexNode> = {
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

/**
 * Returns the nodes of the unique tree of a set of leaf cubes: a 16-way trie without single-child nodes.
 * Nodes come before their children, children in slot order; leaf entry ids follow the order of `cubes`. The
 * cubes must be disjoint aligned cubes.
 */
function buildIndexNodes(cubes: readonly Box[]): readonly IndexNode[] {
  const nodes: IndexNode[] = [];
  const trie = trieOf<Entry>(cubes.map((cube, leafEntryId) => ({ cube, leafEntryId })));
  if (trie !== undefined) addSubtree(nodes, trie, NONE, 0);
  return nodes;
}

/**
 * Returns the cube of each leaf entry if the nodes are exactly those that {@link buildIndexNodes} makes of
 * the cubes. Otherwise throws `ORT_INDEX` with the first broken rule. Rules S22 to S25.
 */
function checkIndexNodes(nodes: readonly IndexNode[], leafCount: number): readonly Box[] {
  const cubes = new Array<Box | undefined>(leafCount);
  const walk = { next: 0 };
  if (nodes.length > 0) checkSubtree(nodes, cubes, walk, { parentId: NONE, depth: 0, within: undefined });
  if (walk.next !== nodes.length) throw wrong(`node ${walk.next} cannot be reached`);
  return cubes.map((cube, leafEntryId) => {
    if (cube === undefined) throw wrong(`leaf ${leafEntryId} has no node`);
    const previous = cubes[leafEntryId - 1];
    if (previous !== undefined && comparePositions(previous.min, cube.min) >= 0) {
      throw wrong(`leaf ${leafEntryId} is out of order`);
    }
    return cube;
  });
}

/** A leaf of the trie that the nodes are built from. */
interface Entry extends HasCube {
  readonly leafEntryId: number;
}

function addSubtree(nodes: IndexNode[], part: TrieNode<Entry>, parentId: number, depth: number): number {
  const nodeId = nodes.length;
  const childIds = new Array<number>(CHILDREN).fill(NONE);
  const isLeaf = !isBranch(part);
  const leafEntryId = isLeaf ? (part as Entry).leafEntryId : NONE;
  nodes.push({ nodeId, parentId, isLeaf, depth, bounds: part.cube, childIds, leafEntryId });
  if (isLeaf) return nodeId;
  for (const child of part.children) {
    childIds[childSlot(part.cube, child.cube.min)] = addSubtree(nodes, child, nodeId, depth + 1);
  }
  return nodeId;
}

/** Properties of a node implied by its parent. */
interface Expectation {
  readonly parentId: number;
  readonly depth: number;
  readonly within: Box | undefined;
}

function checkSubtree(
  nodes: readonly IndexNode[],
  cubes: (Box | undefined)[],
  walk: { next: number },
  { parentId, depth, within }: Expectation,
): void {
  const nodeId = walk.next++;
  const node = nodes[nodeId];
  if (node === undefined) throw wrong(`node ${nodeId} is missing`);
  if (node.nodeId !== nodeId) throw wrong(`node ${node.nodeId} stands where node ${nodeId} belongs`);
  if (node.parentId !== parentId) throw wrong(`node ${nodeId} has parent ${node.parentId}, not ${parentId}`);
  if (node.depth !== depth) throw wrong(`node ${nodeId} has depth ${node.depth}, not ${depth}`);
  const level = levelOf(node.bounds);
  if (level === undefined) throw wrong(`node ${nodeId} is not an aligned cube`);
  if (within !== undefined && !boxContainsBox(within, node.bounds)) {
    throw wrong(`node ${nodeId} reaches out of its slot in node ${parentId}`);
  }
  if (node.isLeaf) checkLeaf(node, level, cubes);
  else checkBranch(node, nodes, cubes, walk);
}

function checkLeaf(node: IndexNode, level: number, cubes: (Box | undefined)[]): void {
  const { nodeId, leafEntryId, bounds } = node;
  if (level > LEAF_LEVEL_MAX) throw wrong(`leaf node ${nodeId} has an edge of 2^${level} chunks`);
  if (node.childIds.some((id) => id !== NONE)) throw wrong(`leaf node ${nodeId} has children`);
  if (leafEntryId >= cubes.length) throw wrong(`node ${nodeId} means leaf ${leafEntryId} of ${cubes.length}`);
  if (cubes[leafEntryId] !== undefined) throw wrong(`leaf ${leafEntryId} has two nodes`);
  cubes[leafEntryId] = bounds;
}

function checkBranch(
  { nodeId, depth, bounds, childIds, leafEntryId }: IndexNode,
  nodes: readonly IndexNode[],
  cubes: (Box | undefined)[],
  walk: { next: number },
): void {
  if (leafEntryId !== NONE) throw wrong(`node ${nodeId} is not a leaf and has leaf ${leafEntryId}`);
  if (childIds.filter((id) => id !== NONE).length < 2)
    throw wrong(`node ${nodeId} has less than two children`);
  for (const [slot, childId] of childIds.entries()) {
    if (childId === NONE) continue;
    // Ids count up along the walk, so this catches cycles, shared children and wrong order.
    if (childId !== walk.next) throw wrong(`child ${slot} of node ${nodeId} is ${childId}, not ${walk.next}`);
    checkSubtree(nodes, cubes, walk, { parentId: nodeId, depth: depth + 1, within: childCube(bounds, slot) });
  }
}

function wrong(detail: string): OrthantError {
  return new OrthantError("ORT_INDEX", detail);
}

/** Content of a tree index. */
export interface IndexFile {
  readonly version: WholeIndexVersion;
  readonly generation: number;
  /** In lexicographic order of the cubes. */
  readonly leaves: readonly LeafEntry[];
}

const NODES_MAX = 0xffff_fffe;
const nodesCodec = list(indexNodeCodec, NODES_MAX);

/** Encodes a tree index. The same leaves, in any order, yield the same bytes. */
export function encodeIndexFile({ version, generation, leaves }: IndexFile): Uint8Array {
  const sorted = [...leaves].sort((a, b) => comparePositions(a.cube.min, b.cube.min));
  for (const { cube } of sorted) requireLevel(cube, LEAF_LEVEL_MAX);
  const fault = findLeafFault(version === 1 ? sorted.map(withoutClocks) : sorted);
  if (fault !== undefined) throw new OrthantError("ORT_ARGUMENT", fault);
  const nodes = buildIndexNodes(sorted.map(({ cube }) => cube));
  const body = new ByteWriter(64 + nodes.length * 128);
  nodesCodec.write(body, nodes);
  writeLeaves(body, sorted, version);

  const out = new ByteWriter(indexHeader.bytes + body.length);
  indexHeader.write(out, {
    magic: "V4IX",
    version,
    generation,
    rootMin: WHOLE_LATTICE.min,
    rootLast: lastOf(WHOLE_LATTICE),
    nodeCount: nodes.length,
    leafCount: sorted.length,
    payloadCrc32: crc32(body.view()),
  });
  out.raw(body.view());
  return out.copy();
}

/** Returns a leaf as version 1 has it. */
export function withoutClocks(leaf: LeafEntry): LeafEntry {
  return leaf.clocks.length === 0 ? leaf : { ...leaf, clocks: [] };
}

/** Decodes and fully checks a tree index. Rules S20 to S28. */
export function decodeIndexFile(path: string, bytes: Uint8Array): IndexFile {
  const header = decodeAt({ path }, indexHeader, bytes.subarray(0, indexHeader.bytes));
  const { version, generation, rootMin, rootLast, nodeCount, leafCount, payloadCrc32 } = header;
  if (version !== 1 && version !== 2) {
    const context = { path, offset: indexHeader.offsets.version };
    throw new OrthantError("ORT_VERSION", `unsupported index version ${version} (expected 1 or 2)`, context);
  }
  if (
    !boxEquals({ min: rootMin, max: WHOLE_LATTICE.max }, WHOLE_LATTICE) ||
    comparePositions(rootLast, lastOf(WHOLE_LATTICE)) !== 0
  ) {
    const context = { path, offset: indexHeader.offsets.rootMin };
    throw new OrthantError("ORT_INDEX", `the root is [${rootMin}] to [${rootLast}]`, context);
  }
  const body = bytes.subarray(indexHeader.bytes);
  if (crc32(body) !== payloadCrc32) {
    throw new OrthantError("ORT_CHECKSUM", "the index is damaged", { path, offset: indexHeader.bytes });
  }
  const leaves = atFile({ path }, () => decodeBody(body, version, nodeCount, leafCount));
  return { version, generation, leaves };
}

function decodeBody(
  body: Uint8Array,
  version: WholeIndexVersion,
  nodeCount: number,
  leafCount: number,
): readonly LeafEntry[] {
  const input = new ByteReader(body, { origin: indexHeader.bytes });
  const nodes = nodesCodec.read(input);
  const stored: readonly StoredLeaf[] = list(storedLeafCodec(version), NODES_MAX).read(input);
  input.end();
  if (nodes.length !== nodeCount || stored.length !== leafCount) {
    const detail = `${nodes.length} nodes and ${stored.length} leaves, not ${nodeCount} and ${leafCount}`;
    throw new OrthantError("ORT_INDEX", detail, { offset: indexHeader.offsets.nodeCount });
  }
  const cubes = checkIndexNodes(nodes, stored.length);
  const leaves = stored.map(({ leafId, ...refs }, index) => {
    if (leafId !== index) throw new OrthantError("ORT_INDEX", `leaf ${leafId} stands at ${index}`);
    return { cube: cubes[index] as Box, ...refs };
  });
  const fault = findLeafFault(leaves);
  if (fault !== undefined) throw new OrthantError("ORT_INDEX", fault);
  return leaves;
}

/**
 * Encoded content of leaf entries after their ids. An entry never changes, and most are in many generations.
 */
const encodedLeaves = new WeakMap<
  LeafEntry,
  { readonly version: WholeIndexVersion; readonly bytes: Uint8Array }
>();

function writeLeaves(out: ByteWriter, leaves: readonly LeafEntry[], version: WholeIndexVersion): void {
  out.varUint(leaves.length);
  for (const [leafId, leaf] of leaves.entries()) {
    out.varU32(leafId);
    const known = encodedLeaves.get(leaf);
    const bytes = known?.version === version ? known.bytes : encode(leafContentCodec(version), leaf);
    if (known?.bytes !== bytes) encodedLeaves.set(leaf, { version, bytes });
    out.raw(bytes);
  }
}
