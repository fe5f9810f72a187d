import {
  type Box,
  ByteReader,
  ByteWriter,
  boxEquals,
  comparePositions,
  crc32,
  encode,
  list,
  OrthantError,
  WHOLE_LATTICE,
} from "@orthant/core";
import { atFile, decodeAt } from "@orthant/disk/files";
import { indexHeader, LEAF_LEVEL_MAX } from "../codec/layout.ts";
import {
  type LeafEntry,
  leafContentCodec,
  type StoredLeaf,
  storedLeafCodec,
  type WholeIndexVersion,
} from "../codec/leaf-entry.ts";
import { lastOf, requireLevel } from "./cell.ts";
import { indexNodeCodec } from "./index-node.ts";
import { buildIndexNodes, checkIndexNodes } from "./index-tree.ts";
import { findLeafFault } from "./leaf-faults.ts";

/** Content of a tree index. */
export interface IndexFile {
  readonly version: WholeIndexVersion;
  readonly generation: number;
  /** In lexicographic order of the cells. */
  readonly leaves: readonly LeafEntry[];
}

const NODES_MAX = 0xffff_fffe;
const nodesCodec = list(indexNodeCodec, NODES_MAX);

/** Encodes a tree index. The same leaves, in any order, yield the same bytes. */
export function encodeIndexFile({ version, generation, leaves }: IndexFile): Uint8Array {
  const sorted = [...leaves].sort((a, b) => comparePositions(a.cell.min, b.cell.min));
  for (const { cell } of sorted) requireLevel(cell, LEAF_LEVEL_MAX);
  const fault = findLeafFault(sorted, version);
  if (fault !== undefined) throw new OrthantError("ORT_ARGUMENT", fault);
  const nodes = buildIndexNodes(sorted.map(({ cell }) => cell));
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

/** Decodes and fully checks a tree index. Rules S20 to S28. */
export function decodeIndexFile(path: string, bytes: Uint8Array): IndexFile {
  const header = decodeAt({ path }, indexHeader, bytes.subarray(0, indexHeader.bytes));
  const { version, generation, rootMin, rootLast, nodeCount, leafCount, payloadCrc32 } = header;
  if (version !== 1 && version !== 2) {
    const context = { path, offset: indexHeader.offsets.version };
    throw new OrthantError("ORT_VERSION", `index version ${version}, known are 1 and 2`, context);
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
  const cells = checkIndexNodes(nodes, stored.length);
  const leaves = stored.map(({ leafId, ...refs }, index) => {
    if (leafId !== index) throw new OrthantError("ORT_INDEX", `leaf ${leafId} stands at ${index}`);
    return { cell: cells[index] as Box, ...refs };
  });
  const fault = findLeafFault(leaves, version);
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
