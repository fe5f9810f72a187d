import { type Content, contentEquals, isSpreadable } from "./content.ts";
import { Leaf } from "./leaf.ts";
import { type Corner, REGION_CHUNKS, REGION_EDGE, RegionNode, type RegionContents, chunkInRegion } from "./tile.ts";

/** Returns the content of each position of a region that holds only this node. */
export function contentsOf(node: Leaf | RegionNode | undefined): (Content | undefined)[] {
  if (node instanceof RegionNode) return node.all();
  const all = new Array<Content | undefined>(REGION_CHUNKS).fill(undefined);
  if (node !== undefined) forEachChunk(node, (chunk) => (all[chunk] = node.content));
  return all;
}

/** Returns the coordinates of a chunk in its region. */
export function coordinatesOf(chunk: number): readonly [x: number, y: number, z: number, w: number] {
  const mask = REGION_EDGE - 1;
  return [chunk & mask, (chunk >>> 2) & mask, (chunk >>> 4) & mask, chunk >>> 6];
}

/** Returns the node for the contents of a region: none, a leaf for one box of one content, or a region node. */
export function nodeOfContents(corner: Corner, all: RegionContents): Leaf | RegionNode | undefined {
  const first = all.findIndex((content) => content !== undefined);
  const content = all[first];
  if (content === undefined) return undefined;
  // If it is a box, the first chunk is its lowest corner and the last its highest.
  const box = leafBetween(corner, first, lastChunk(all), content);
  return box !== undefined && isAll(box, all) ? box : RegionNode.of(corner, all);
}

function lastChunk(all: RegionContents): number {
  let last = REGION_CHUNKS - 1;
  while (all[last] === undefined) last--;
  return last;
}

function leafBetween(corner: Corner, first: number, last: number, content: Content): Leaf | undefined {
  const [minX, minY, minZ, minW] = coordinatesOf(first);
  const [maxX, maxY, maxZ, maxW] = coordinatesOf(last);
  if (maxX < minX || maxY < minY || maxZ < minZ || (first !== last && !isSpreadable(content)))
    return undefined;
  const { x, y, z, w } = corner;
  return new Leaf(
    x + minX,
    y + minY,
    z + minZ,
    w + minW,
    x + maxX + 1,
    y + maxY + 1,
    z + maxZ + 1,
    w + maxW + 1,
    content,
  );
}

/** Whether a leaf's content is in each of its chunks, and nothing is in the others. */
function isAll(leaf: Leaf, all: RegionContents): boolean {
  let covered = 0;
  forEachChunk(leaf, (chunk) => {
    const content = all[chunk];
    if (content !== undefined && contentEquals(content, leaf.content)) covered++;
  });
  const volume =
    (leaf.maxX - leaf.minX) * (leaf.maxY - leaf.minY) * (leaf.maxZ - leaf.minZ) * (leaf.maxW - leaf.minW);
  return (
    covered === volume &&
    covered === all.reduce((count, content) => (content === undefined ? count : count + 1), 0)
  );
}

/** Calls `visit` for the chunks that a leaf covers, in a region that contains all of it. */
function forEachChunk(leaf: Leaf, visit: (chunk: number) => void): void {
  for (let w = leaf.minW; w < leaf.maxW; w++) {
    for (let z = leaf.minZ; z < leaf.maxZ; z++) {
      for (let y = leaf.minY; y < leaf.maxY; y++) {
        for (let x = leaf.minX; x < leaf.maxX; x++) visit(chunkInRegion(x, y, z, w));
      }
    }
  }
}
