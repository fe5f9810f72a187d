import { type Box, uniformChunk } from "@orthant/core";
import type { ByteReader, Codec } from "@orthant/core/bytes";
import type { ChunkArray, EncodedNode } from "@orthant/core/internal";
import { boxCodec, boxContainsBox, boxEquals, boxVolume } from "@orthant/core/lattice";
import { generatorRefCodec } from "@orthant/core/tree";
import { foreignChunkArrayCodec } from "./chunk-array-codec.ts";
import { type BoundedTree, NODE_KIND, NODE_KINDS, regionTreeCodec } from "./region-tree-codec.ts";
import { treeOfNodes } from "./tree-of-nodes.ts";

/** Maximum nesting of branches in another program's tree. */
const FOREIGN_TREE_DEPTH_MAX = 32;

/** Maximum number of nodes in another program's tree. */
const FOREIGN_TREE_NODES_MAX = 65_536;

/** Maximum total number of cells in the arrays of another program's tree. */
const FOREIGN_TREE_CELLS_MAX = 1_048_576;

/** For `decodeForeign`: reads any partition of another program and writes the canonical form. */
export function foreignRegionTreeCodec(volume: number): Codec<BoundedTree> {
  return {
    write: regionTreeCodec(volume).write,
    read(input) {
      const nodes: EncodedNode[] = [];
      const bounds = new ForeignTreeReader(input, volume, nodes).read(0);
      return { bounds, tree: treeOfNodes(input, nodes, volume) };
    },
  };
}

/** Reads the nodes of an input and collects those that hold something. */
class ForeignTreeReader {
  readonly #input: ByteReader;
  readonly #volume: number;
  readonly #leaves: EncodedNode[];
  #nodeCount = 0;
  #cellCount = 0;

  constructor(input: ByteReader, volume: number, leaves: EncodedNode[]) {
    this.#input = input;
    this.#volume = volume;
    this.#leaves = leaves;
  }

  /** Reads one node with its descendants and returns its bounds. */
  read(depth: number): Box {
    const input = this.#input;
    this.#nodeCount++;
    if (depth > FOREIGN_TREE_DEPTH_MAX || this.#nodeCount > FOREIGN_TREE_NODES_MAX) {
      throw input.fail("ORT_LIMIT", `node ${this.#nodeCount} at depth ${depth}`);
    }
    const box = boxCodec.read(input);
    const kind = input.tag(NODE_KINDS);
    if (kind === NODE_KIND.procedural) {
      this.#leaves.push({ box, content: generatorRefCodec.read(input) });
      return box;
    }
    if (kind === NODE_KIND.uniform) {
      this.#leaves.push({ box, content: uniformChunk(this.#volume, input.varU16()) });
    } else if (kind === NODE_KIND.chunkArray) {
      const content = this.#readArray(box);
      this.#leaves.push({ box, content });
    } else if (kind === NODE_KIND.branch) {
      this.#readChildren(box, depth);
    }
    input.varU64(); // a version hash, which has no meaning here
    return box;
  }

  #readArray(box: Box): ChunkArray {
    const input = this.#input;
    this.#cellCount += boxVolume(box);
    if (this.#cellCount > FOREIGN_TREE_CELLS_MAX) {
      throw input.fail("ORT_LIMIT", `${this.#cellCount} cells, the limit is ${FOREIGN_TREE_CELLS_MAX}`);
    }
    const array = foreignChunkArrayCodec(this.#volume).read(input);
    if (boxEquals(array.bounds, box)) return array;
    throw input.fail("ORT_TREE_BOUNDS", "an array whose bounds are not those of its node");
  }

  #readChildren(parent: Box, depth: number): void {
    const count = this.#input.count(FOREIGN_TREE_NODES_MAX);
    for (let index = 0; index < count; index++) {
      const child = this.read(depth + 1);
      if (!boxContainsBox(parent, child)) {
        throw this.#input.fail(
          "ORT_TREE_BOUNDS",
          `[${child.min}] to [${child.max}] reaches out of its parent`,
        );
      }
    }
  }
}
