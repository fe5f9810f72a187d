import { Chunk, emptyChunk } from "../chunk/chunk.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { type Box, positionsMinorToMajor, unionBox } from "../lattice/box.ts";

import { comparePositions, type Position, positionFrom, positionsEqual } from "../lattice/position.ts";
import { PositionMap } from "../lattice/position-map.ts";
import { regionOf } from "../lattice/region.ts";
import { type Content, contentEquals, isSpreadable } from "../tree/content.ts";
import type { RegionTree } from "../tree/region-tree.ts";
import { ChunkArray } from "./chunk-array.ts";
import { cellOfChunk, chunkOfCell, coverRegion, forEachRegionCell, REGION_CELLS } from "./region-cells.ts";

/** Maximum number of nodes in a message or record of a region tree, including its root. */
export const TREE_NODES_MAX = 4096;

/** A box of an encoded tree and its content: one block, one generator, or an array of chunks. */
export interface EncodedNode {
  readonly box: Box;
  readonly content: Content | ChunkArray;
}

type Cells = (Content | undefined)[];

/**
 * Returns the contents of a tree in a box as nodes, ordered by lowest corner. They depend on the content
 * alone: rules T16 to T19 in docs/formats/region-tree.md. Throws `ORT_LIMIT` when there are more than a
 * message may have.
 */
export function canonicalNodes(tree: RegionTree, bounds: Box): readonly EncodedNode[] {
  const nodes: EncodedNode[] = [];
  const regions = new PositionMap<Cells>();
  for (const { box, content } of tree.pieces(bounds)) {
    const region = regionOf(box.min);
    if (positionsEqual(region, regionOf(positionFrom((axis) => box.max[axis] - 1)))) {
      const cells = regions.getOrAdd(...region, () =>
        new Array<Content | undefined>(REGION_CELLS).fill(undefined),
      );
      const target = cells;
      forEachRegionCell(box, (cell) => {
        target[cell] = content;
      });
    } else {
      nodes.push({ box, content });
    }
    if (nodes.length + regions.size >= TREE_NODES_MAX) throw tooManyNodes();
  }
  for (const [region, cells] of regions) {
    nodes.push(...nodesOfRegion(region, cells));
    if (nodes.length >= TREE_NODES_MAX) throw tooManyNodes();
  }
  return nodes.sort((a, b) => comparePositions(a.box.min, b.box.min));
}

function nodesOfRegion(region: Position, cells: Cells): readonly EncodedNode[] {
  const rest = cells.slice();
  const arrays = arrayBoxes(region, cells).map((box) => {
    const chunks: Chunk[] = [];
    const volume = volumeOf(cells);
    for (const position of positionsMinorToMajor(box)) {
      const cell = cellOfChunk(position);
      chunks.push((cells[cell] as Chunk | undefined) ?? emptyChunk(volume));
      rest[cell] = undefined;
    }
    return { box, content: new ChunkArray(box, chunks) };
  });
  const boxes = coverRegion(region, rest, contentEquals);
  return [...arrays, ...boxes.map(({ box, value }) => ({ box, content: value }))];
}

/** Returns boxes of the non-uniform chunks: one around them, or rows if it would contain a generator. */
function arrayBoxes(region: Position, cells: Cells): readonly Box[] {
  const around = boxAround(region, cells);
  if (around === undefined) return [];
  let generated = false;
  forEachRegionCell(around, (cell) => {
    const content = cells[cell];
    generated ||= content !== undefined && !(content instanceof Chunk);
  });
  return generated ? rowsOf(cells, around) : [around];
}

function boxAround(region: Position, cells: Cells): Box | undefined {
  let around: Box | undefined;
  for (let cell = 0; cell < REGION_CELLS; cell++) {
    if (!isRagged(cells[cell])) continue;
    const min = chunkOfCell(region, cell);
    const box = { min, max: positionFrom((axis) => min[axis] + 1) };
    around = unionBox(around, box);
  }
  return around;
}

/** Returns runs of non-uniform chunks along x. */
function rowsOf(cells: Cells, around: Box): readonly Box[] {
  const rows: Box[] = [];
  let row: Box | undefined;
  for (const [x, y, z, w] of positionsMinorToMajor(around)) {
    if (x === around.min[0]) row = undefined;
    if (!isRagged(cells[cellOfChunk([x, y, z, w])])) {
      row = undefined;
      continue;
    }
    if (row !== undefined) rows.pop();
    row = { min: row?.min ?? [x, y, z, w], max: [x + 1, y + 1, z + 1, w + 1] };
    rows.push(row);
  }
  return rows;
}

function isRagged(content: Content | undefined): boolean {
  return content !== undefined && !isSpreadable(content);
}

function volumeOf(cells: Cells): number {
  return (cells.find(isRagged) as Chunk).volume;
}

function tooManyNodes(): OrthantError {
  return new OrthantError("ORT_LIMIT", `a tree of more than ${TREE_NODES_MAX} nodes`);
}
