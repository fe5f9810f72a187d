import { type Content, contentEquals, isSpreadable } from "./content.ts";
import { Leaf } from "./leaf.ts";
import { type Corner, TILE_CELLS, TILE_EDGE, Tile, type TileCells, tileCell } from "./tile.ts";

/** Returns the content of each position of a tile that holds only this leaf or tile. */
export function cellsOf(node: Leaf | Tile | undefined): (Content | undefined)[] {
  if (node instanceof Tile) return node.cells();
  const cells = new Array<Content | undefined>(TILE_CELLS).fill(undefined);
  if (node !== undefined) forEachCell(node, (cell) => (cells[cell] = node.content));
  return cells;
}

/** Returns the coordinates of a cell in its tile. */
export function coordinatesOf(cell: number): readonly [x: number, y: number, z: number, w: number] {
  const mask = TILE_EDGE - 1;
  return [cell & mask, (cell >>> 2) & mask, (cell >>> 4) & mask, cell >>> 6];
}

/** Returns the node for the contents of a tile: none, a leaf for one box of one content, or a tile. */
export function nodeOfCells(corner: Corner, cells: TileCells): Leaf | Tile | undefined {
  const first = cells.findIndex((content) => content !== undefined);
  const content = cells[first];
  if (content === undefined) return undefined;
  // If it is a box, the first cell is its lowest corner and the last its highest.
  const box = leafBetween(corner, first, lastCell(cells), content);
  return box !== undefined && isAll(box, cells) ? box : Tile.of(corner, cells);
}

function lastCell(cells: TileCells): number {
  let last = TILE_CELLS - 1;
  while (cells[last] === undefined) last--;
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

/** Whether a leaf's content is in each of its cells, and nothing is in the others. */
function isAll(leaf: Leaf, cells: TileCells): boolean {
  let covered = 0;
  forEachCell(leaf, (cell) => {
    const content = cells[cell];
    if (content !== undefined && contentEquals(content, leaf.content)) covered++;
  });
  const volume =
    (leaf.maxX - leaf.minX) * (leaf.maxY - leaf.minY) * (leaf.maxZ - leaf.minZ) * (leaf.maxW - leaf.minW);
  return (
    covered === volume &&
    covered === cells.reduce((count, content) => (content === undefined ? count : count + 1), 0)
  );
}

/** Calls `visit` for the cells that a leaf covers, in a tile that contains all of it. */
function forEachCell(leaf: Leaf, visit: (cell: number) => void): void {
  for (let w = leaf.minW; w < leaf.maxW; w++) {
    for (let z = leaf.minZ; z < leaf.maxZ; z++) {
      for (let y = leaf.minY; y < leaf.maxY; y++) {
        for (let x = leaf.minX; x < leaf.maxX; x++) visit(tileCell(x, y, z, w));
      }
    }
  }
}
