import { type Box, OrthantError } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import { type ByteReader, type Codec, U8_MAX, U16_MAX } from "@orthant/core/bytes";
import { boxContainsBox, boxesIntersect } from "@orthant/core/lattice";

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
const OCTREE_CHILDREN = 8;
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

/** Returns whether bytes are those that {@link octreeCodec} writes: no value is too long, no padding bit is set. */
export function isShortestOctree(bytes: Uint8Array, octree: Octree): boolean {
  const { values } = octree;
  const flagsBytes = Math.ceil(values.length / NODES_PER_FLAG_BYTE);
  const large = values.reduce((count, value) => count + (value > U8_MAX ? 1 : 0), 0);
  if (bytes.length !== octreeHeadBytes + flagsBytes + values.length + large) return false;
  const used = values.length % NODES_PER_FLAG_BYTE;
  const lastFlags = bytes[octreeHeadBytes + flagsBytes - 1] ?? 0;
  return used === 0 || lastFlags >>> (used * 2) === 0;
}

/** Finds a leaf with a block id that the table of block types does not list. Returns that id, if there is one. */
export function findUnlistedId(
  { values, firstChildren }: Octree,
  blockTypeCount: number,
): number | undefined {
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

/**
 * Content of a cube: one value, the values of all its voxels, x running fastest, or `undefined` to look at
 * its eight parts.
 */
type CubeContent = number | Uint16Array | undefined;

/**
 * Builds the octree with the fewest nodes for a cube with this edge, a power of two. Calls `contentOf` for
 * the cube and, where it returns `undefined`, for its eight parts, and so on. A cube of one voxel must have a
 * value. Branches get the value 0, as in the game.
 */
export function buildOctree(edge: number, contentOf: (cube: OctreeCube) => CubeContent): Octree {
  return flatten(build({ x: 0, y: 0, z: 0, edge }, contentOf));
}

/**
 * Builds the octree of boxes in a cube with this edge, a power of two. Each voxel gets the value of the last
 * box that contains it, else `fill`.
 */
export function octreeOfBoxes(boxes: readonly OctreeBox[], edge: number, fill: number): Octree {
  const within = (cube: OctreeCube, candidates: readonly OctreeBox[]): Built => {
    const box = boxOfCube(cube);
    const touching = candidates.filter((candidate) => boxesIntersect(candidate.box, box));
    const last = touching.at(-1);
    if (last === undefined) return fill;
    if (boxContainsBox(last.box, box)) return last.value;
    return joined(Array.from({ length: 8 }, (_, child) => within(childCube(cube, child), touching)));
  };
  return flatten(within({ x: 0, y: 0, z: 0, edge }, boxes));
}

/** A leaf is represented by its value. */
type Built = number | readonly Built[];

function build(cube: OctreeCube, contentOf: (cube: OctreeCube) => CubeContent): Built {
  const content = contentOf(cube);
  if (content === undefined) {
    if (cube.edge <= 1) throw new OrthantError("ORT_ARGUMENT", "a voxel without a value");
    return joined(Array.from({ length: 8 }, (_, child) => build(childCube(cube, child), contentOf)));
  }
  if (typeof content !== "number") return buildVoxels(content, cube.edge);
  requireInteger(content, 0, U16_MAX);
  return content;
}

/** Works from the bottom up: on each level, eight neighbours become one. */
function buildVoxels(voxels: Uint16Array, edge: number): Built {
  requireInteger(voxels.length, edge ** 3, edge ** 3);
  let level: ArrayLike<Built> = voxels;
  for (let size = edge; size > 1; size /= 2) {
    const above: Built[] = [];
    for (let z = 0; z < size; z += 2)
      for (let y = 0; y < size; y += 2)
        for (let x = 0; x < size; x += 2) above.push(joinedAt(level, x + size * (y + size * z), size));
    level = above;
  }
  return level[0] as Built;
}

/** Joins the eight nodes from an index on, which is that of the lowest of them. */
function joinedAt(level: ArrayLike<Built>, index: number, size: number): Built {
  const first = level[index] as Built;
  const cell = (child: number): Built =>
    level[index + (child >> 2) + ((child >> 1) & 1) * size + (child & 1) * size * size] as Built;
  if (typeof first === "number") {
    let child = 1;
    while (child < 8 && cell(child) === first) child++;
    if (child === 8) return first;
  }
  return [first, cell(1), cell(2), cell(3), cell(4), cell(5), cell(6), cell(7)];
}

/** Joins eight leaves of one value into one leaf. */
function joined(children: readonly Built[]): Built {
  const [first] = children;
  return typeof first === "number" && children.every((child) => child === first) ? first : children;
}

function flatten(root: Built): Octree {
  const nodes: Built[] = [root];
  const firstChildren: number[] = [];
  let depth = 0;
  let levelEnd = 1;
  for (let node = 0; node < nodes.length; node++) {
    if (node === levelEnd) {
      depth++;
      levelEnd = nodes.length;
    }
    const built = nodes[node] as Built;
    firstChildren.push(typeof built === "number" ? 0 : nodes.length);
    if (typeof built !== "number") nodes.push(...built);
  }
  const values = Uint16Array.from(nodes, (built) => (typeof built === "number" ? built : 0));
  return { values, firstChildren: Uint32Array.from(firstChildren), depth };
}

/**
 * Voxels of one value. The box is relative to the corner of the octree's cube; on the fourth axis it is one
 * thick.
 */
export interface OctreeBox {
  readonly box: Box;
  readonly value: number;
}

/** A cube inside that of an octree, given by its corner and edge. */
interface OctreeCube {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly edge: number;
}

/**
 * Yields the leaves of an octree over a cube of voxels with this edge, as boxes, each once. Takes one step
 * per node.
 */
export function* octreeBoxes(octree: Octree, edge: number): Generator<OctreeBox> {
  for (const { node, cube } of leavesBelow(octree, 0, { x: 0, y: 0, z: 0, edge })) {
    yield { box: boxOfCube(cube), value: octree.values[node] as number };
  }
}

/** Returns the value of the voxel at a position in the cube of an octree. */
export function octreeVoxel(octree: Octree, edge: number, x: number, y: number, z: number): number {
  return octree.values[nodeAt(octree, edge, { x, y, z, edge: 1 })] as number;
}

/**
 * Returns the content of an aligned cube inside an octree: one value, or the blocks of all its voxels, x
 * running fastest, built by filling a box for each leaf.
 */
export function octreeCubeContent(octree: Octree, edge: number, cube: OctreeCube): number | Uint16Array {
  const top = nodeAt(octree, edge, cube);
  if (octree.firstChildren[top] === 0) return octree.values[top] as number;
  const voxels = new Uint16Array(cube.edge ** 3);
  for (const leaf of leavesBelow(octree, top, { x: 0, y: 0, z: 0, edge: cube.edge })) {
    fillCube(voxels, cube.edge, leaf.cube, octree.values[leaf.node] as number);
  }
  return voxels;
}

/** Returns the voxels of a cube as a box. */
function boxOfCube({ x, y, z, edge }: OctreeCube): Box {
  return { min: [x, y, z, 0], max: [x + edge, y + edge, z + edge, 1] };
}

/** Returns one of the eight parts of a cube. */
function childCube({ x, y, z, edge }: OctreeCube, child: number): OctreeCube {
  const half = edge / 2;
  return {
    x: x + (child >> 2) * half,
    y: y + ((child >> 1) & 1) * half,
    z: z + (child & 1) * half,
    edge: half,
  };
}

/** Fills a cube inside a cube of voxels, x running fastest. */
function fillCube(voxels: Uint16Array, size: number, { x, y, z, edge }: OctreeCube, value: number): void {
  for (let layer = z; layer < z + edge; layer++)
    for (let line = y; line < y + edge; line++) {
      const row = x + size * (line + size * layer);
      voxels.fill(value, row, row + edge);
    }
}

interface PlacedNode {
  readonly node: number;
  readonly cube: OctreeCube;
}

function* leavesBelow(octree: Octree, top: number, cube: OctreeCube): Generator<PlacedNode> {
  const open: PlacedNode[] = [{ node: top, cube }];
  for (let placed = open.pop(); placed !== undefined; placed = open.pop()) {
    const first = octree.firstChildren[placed.node] as number;
    if (first === 0) {
      yield placed;
      continue;
    }
    for (let child = OCTREE_CHILDREN - 1; child >= 0; child--) {
      open.push({ node: first + child, cube: childCube(placed.cube, child) });
    }
  }
}

/** Returns the node of a cube, or the leaf around it. */
function nodeAt({ firstChildren }: Octree, edge: number, cube: OctreeCube): number {
  let node = 0;
  for (let half = edge / 2; half >= cube.edge; half /= 2) {
    const first = firstChildren[node] as number;
    if (first === 0) return node;
    const bit = (coordinate: number): number => Math.floor(coordinate / half) & 1;
    node = first + bit(cube.x) * 4 + bit(cube.y) * 2 + bit(cube.z);
  }
  return node;
}
