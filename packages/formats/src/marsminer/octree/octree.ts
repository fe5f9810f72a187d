import { type ByteReader, type Codec, requireInteger, U8_MAX, U16_MAX } from "@orthant/core";

/**
 * A cube of voxels, divided into eighths where they differ. Nodes are stored breadth-first; the eight
 * children of a node are adjacent, the child at x, y, z (each 0 or 1) as number `4x + 2y + z`. It never
 * changes.
 */
export interface Octree {
  /** Value of each node, branches included: those of leaves are voxels, those of branches are unused here. */
  readonly values: Uint16Array;
  /** Index of each node's first child; 0 for a leaf. */
  readonly firstChildren: Uint32Array;
  /** Number of branches above the deepest leaf. */
  readonly depth: number;
}

/** Number of children of a branch. */
export const OCTREE_CHILDREN = 8;
/** Two lengths of four bytes each. */
export const octreeHeadBytes = 8;

const NODES_PER_FLAG_BYTE = 4;

/** Returns an octree with a single value. */
export function uniformOctree(value: number): Octree {
  requireInteger(value, 0, U16_MAX);
  return { values: Uint16Array.of(value), firstChildren: Uint32Array.of(0), depth: 0 };
}

/**
 * Lengths, then flags, then values. Rules M15 to M18. Also reads what the original may have written:
 * arbitrary padding bits, and two bytes for a value that needs one. Writes neither.
 */
export const octreeCodec: Codec<Octree> = {
  write(out, { values, firstChildren }) {
    const flags = new Uint8Array(Math.ceil(values.length / NODES_PER_FLAG_BYTE));
    let valuesBytes = 0;
    for (let node = 0; node < values.length; node++) {
      const isLarge = (values[node] as number) > U8_MAX;
      const bits = (firstChildren[node] === 0 ? 0 : 1) | (isLarge ? 2 : 0);
      flags[node >>> 2] = (flags[node >>> 2] as number) | (bits << ((node & 3) * 2));
      valuesBytes += isLarge ? 2 : 1;
    }
    out.u32(flags.length);
    out.u32(valuesBytes);
    out.raw(flags);
    for (const value of values) {
      if (value > U8_MAX) out.u16(value);
      else out.u8(value);
    }
  },

  read(input) {
    const flagsBytes = input.u32();
    const valuesBytes = input.u32();
    if (flagsBytes + valuesBytes > input.remaining) {
      throw input.fail("ORT_TRUNCATED", `${flagsBytes} + ${valuesBytes} bytes in ${input.remaining}`);
    }
    const flags = input.view(flagsBytes);
    const { nodeCount, depth } = measureTree(input, flags, valuesBytes);
    return { ...readNodes(input, flags, valuesBytes, nodeCount), depth };
  },
};

/**
 * Returns whether an octree is stored as {@link octreeCodec} would store it, not longer or with stray bits.
 */
export function isPlainOctree(bytes: Uint8Array, octree: Octree): boolean {
  const { values } = octree;
  const flagsBytes = Math.ceil(values.length / NODES_PER_FLAG_BYTE);
  const large = values.reduce((count, value) => count + (value > U8_MAX ? 1 : 0), 0);
  if (bytes.length !== octreeHeadBytes + flagsBytes + values.length + large) return false;
  const used = values.length % NODES_PER_FLAG_BYTE;
  const lastFlags = bytes[octreeHeadBytes + flagsBytes - 1] ?? 0;
  return used === 0 || lastFlags >>> (used * 2) === 0;
}

/** Finds a leaf's block id that is not below the number of block types; `undefined` if there is none. */
export function unlistedId({ values, firstChildren }: Octree, blockTypeCount: number): number | undefined {
  return values.find((value, node) => value >= blockTypeCount && firstChildren[node] === 0);
}

/** Follows the flags until all announced children are found. */
function measureTree(
  input: ByteReader,
  flags: Uint8Array,
  valuesBytes: number,
): { readonly nodeCount: number; readonly depth: number } {
  let announced = 1;
  let levelEnd = 1;
  let depth = 0;
  for (let node = 0; node < announced; node++) {
    const byte = flags[node >>> 2];
    if (byte === undefined) {
      throw input.fail("ORT_OCTREE", `flags of ${node} nodes, where ${announced} are announced`);
    }
    if (node === levelEnd) {
      depth++;
      levelEnd = announced;
    }
    if (((byte >>> ((node & 3) * 2)) & 1) === 1) announced += OCTREE_CHILDREN;
  }
  if (Math.ceil(announced / NODES_PER_FLAG_BYTE) !== flags.length) {
    const rest = flags.length * NODES_PER_FLAG_BYTE - announced;
    throw input.fail(
      "ORT_OCTREE",
      `the tree ends after ${announced} nodes, with flags left for ${rest} more`,
    );
  }
  if (announced > valuesBytes) {
    throw input.fail("ORT_OCTREE", `${valuesBytes} bytes of values for ${announced} nodes`);
  }
  return { nodeCount: announced, depth };
}

function readNodes(
  input: ByteReader,
  flags: Uint8Array,
  valuesBytes: number,
  nodeCount: number,
): Pick<Octree, "values" | "firstChildren"> {
  const bytes = input.view(valuesBytes);
  const values = new Uint16Array(nodeCount);
  const firstChildren = new Uint32Array(nodeCount);
  let offset = 0;
  let nextChild = 1;
  for (let node = 0; node < nodeCount; node++) {
    const bits = (flags[node >>> 2] as number) >>> ((node & 3) * 2);
    if ((bits & 1) !== 0) {
      firstChildren[node] = nextChild;
      nextChild += OCTREE_CHILDREN;
    }
    // Past the end, `undefined` becomes 0; the check after the loop detects it.
    values[node] = (bytes[offset++] ?? 0) | ((bits & 2) === 0 ? 0 : (bytes[offset++] ?? 0) << 8);
  }
  if (offset !== valuesBytes) {
    throw input.fail(
      "ORT_OCTREE",
      `the values of ${nodeCount} nodes take ${offset} bytes, not ${valuesBytes}`,
    );
  }
  return { values, firstChildren };
}
