import type { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../bytes/codec.ts";
import { requireInteger } from "../bytes/integers.ts";
import { u8, u16, u32 } from "../bytes/primitives.ts";
import { struct } from "../bytes/struct.ts";
import type { Position } from "../lattice/position.ts";

/** Cells along each edge of a page. */
const PAGE_EDGE_CELLS = 4;

/** What the encoding of a chunk array's indices depends on, besides the indices. */
export interface PagedIndexShape {
  /** Cells on each axis. */
  readonly extents: Position;
  readonly paletteLength: number;
  /** The index of every cell in pages that are not encoded. */
  readonly defaultIndex: number | undefined;
}

const VERSION = 1;
const PAGE_HEADER_BYTES = 10;
const RUN_BYTES = 4;
const NONE = 0xffff_ffff;

const header = struct({
  version: u8,
  pageEdge: u8,
  reserved: u16,
  extentX: u32,
  extentY: u32,
  extentZ: u32,
  extentW: u32,
  pageCount: u32,
});

/**
 * Returns a codec for the indices of a chunk array, x running fastest, as pages of runs. Rules T11 to T15,
 * docs/formats/region-tree.md.
 */
export function pagedSparseRleCodec(shape: PagedIndexShape): Codec<Uint16Array> {
  return {
    write: (out, indices) => writePages(out, shape, indices),
    read: (input) => readPages(input, shape),
  };
}

/** Returns the number of cells. */
export function cellCount([x, y, z, w]: Position): number {
  return x * y * z * w;
}

/** Returns the number of pages. */
export function pageCount(extents: Position): number {
  return cellCount(pageGrid(extents));
}

/** Returns the cells of a page as indices into all cells, both x fastest. Pages at the end are smaller. */
export function pageCells(extents: Position, page: number): Uint32Array {
  const grid = pageGrid(extents);
  const row = Math.floor(page / grid[0]);
  const layer = Math.floor(row / grid[1]);
  const [minX, maxX] = pageSpan(page % grid[0], extents[0]);
  const [minY, maxY] = pageSpan(row % grid[1], extents[1]);
  const [minZ, maxZ] = pageSpan(layer % grid[2], extents[2]);
  const [minW, maxW] = pageSpan(Math.floor(layer / grid[2]), extents[3]);
  const cells = new Uint32Array((maxX - minX) * (maxY - minY) * (maxZ - minZ) * (maxW - minW));
  let position = 0;
  for (let w = minW; w < maxW; w++)
    for (let z = minZ; z < maxZ; z++)
      for (let y = minY; y < maxY; y++)
        for (let x = minX; x < maxX; x++)
          cells[position++] = x + extents[0] * (y + extents[1] * (z + extents[2] * w));
  return cells;
}

/** Whether every cell of a page has this index. */
export function pageIsAll(cells: Uint32Array, indices: Uint16Array, index: number): boolean {
  return cells.every((cell) => indices[cell] === index);
}

/** Returns the maximum encoded length of the indices of an array with these extents. */
export function pagedIndexBytesMax(extents: Position): number {
  return header.bytes + pageCount(extents) * PAGE_HEADER_BYTES + cellCount(extents) * RUN_BYTES;
}

function writePages(out: ByteWriter, { extents, defaultIndex }: PagedIndexShape, indices: Uint16Array): void {
  requireInteger(indices.length, cellCount(extents), cellCount(extents));
  const pages: { readonly page: number; readonly runs: readonly number[] }[] = [];
  for (let page = 0; page < pageCount(extents); page++) {
    const cells = pageCells(extents, page);
    if (defaultIndex !== undefined && pageIsAll(cells, indices, defaultIndex)) continue;
    pages.push({ page, runs: runsOf(cells, indices) });
  }
  header.write(out, {
    version: VERSION,
    pageEdge: PAGE_EDGE_CELLS,
    reserved: 0,
    extentX: extents[0],
    extentY: extents[1],
    extentZ: extents[2],
    extentW: extents[3],
    pageCount: pages.length,
  });
  for (const { page, runs } of pages) {
    out.u64Number(page);
    out.u16(runs.length / 2);
    for (const value of runs) out.u16(value);
  }
}

/** Returns lengths and indices in turn. */
function runsOf(cells: Uint32Array, indices: Uint16Array): readonly number[] {
  const runs: number[] = [];
  let length = 0;
  for (let position = 0; position < cells.length; position++) {
    length++;
    const index = indices[cells[position] as number] as number;
    if (position + 1 < cells.length && indices[cells[position + 1] as number] === index) continue;
    runs.push(length, index);
    length = 0;
  }
  return runs;
}

function readPages(input: ByteReader, shape: PagedIndexShape): Uint16Array {
  const { extents, defaultIndex, paletteLength } = shape;
  const { count, reserved } = readIndexHeader(input, extents);
  if (reserved !== 0) throw input.fail("ORT_ARRAY_HEADER", `${reserved} in the reserved field`);
  const total = pageCount(extents);
  if (count > total) throw input.fail("ORT_ARRAY_PAGE", `${count} pages where ${total} can be`);
  const indices = new Uint16Array(cellCount(extents));
  if (defaultIndex !== undefined) indices.fill(defaultIndex);
  let previous = -1;
  for (let position = 0; position < count; position++) {
    const page = input.u64Number();
    if (page >= total) throw input.fail("ORT_ARRAY_PAGE", `page ${page} of ${total}`);
    if (page <= previous) throw input.fail("ORT_ARRAY_PAGE", `page ${page} behind page ${previous}`);
    previous = page;
    const cells = pageCells(extents, page);
    readIndexRuns(input, paletteLength, cells, indices, "joined");
    if (defaultIndex !== undefined && pageIsAll(cells, indices, defaultIndex)) {
      throw input.fail("ORT_ARRAY_PAGE", `page ${page} says no more than the default does`);
    }
  }
  if (defaultIndex === undefined && count < total) {
    throw input.fail("ORT_ARRAY_PAGE", `${count} of ${total} pages, and no default`);
  }
  return indices;
}

/** Reads the header of indices, and checks all of it but the number of pages and the reserved field. */
export function readIndexHeader(
  input: ByteReader,
  extents: Position,
): { readonly count: number; readonly reserved: number } {
  const { version, pageEdge, reserved, extentX, extentY, extentZ, extentW, pageCount } = header.read(input);
  if (version !== VERSION) throw input.fail("ORT_VERSION", `index data of version ${version}`);
  if (pageEdge !== PAGE_EDGE_CELLS) throw input.fail("ORT_ARRAY_HEADER", `pages with an edge of ${pageEdge}`);
  const found: Position = [extentX, extentY, extentZ, extentW];
  if (found.some((extent, axis) => extent !== extents[axis])) {
    throw input.fail("ORT_ARRAY_HEADER", `extents [${found}] in an array of [${extents}]`);
  }
  return { count: pageCount, reserved };
}

/** Reads the runs of a page into the indices of its cells. Joined runs never have the index of the run before. */
export function readIndexRuns(
  input: ByteReader,
  paletteLength: number,
  cells: Uint32Array,
  indices: Uint16Array,
  runs: "joined" | "any",
): void {
  const runCount = input.u16();
  let filled = 0;
  let previous = NONE;
  for (let run = 0; run < runCount; run++) {
    const length = input.u16();
    const index = input.u16();
    if (length === 0) throw input.fail("ORT_ARRAY_RUN", "a run of no cells");
    if (filled + length > cells.length) {
      throw input.fail("ORT_ARRAY_RUN", `runs of ${filled + length} cells in a page of ${cells.length}`);
    }
    if (index >= paletteLength) {
      throw input.fail("ORT_ARRAY_PALETTE", `index ${index} into a palette of ${paletteLength}`);
    }
    if (runs === "joined" && index === previous) {
      throw input.fail("ORT_ARRAY_RUN", `two runs of index ${index} side by side`);
    }
    for (const end = filled + length; filled < end; filled++) indices[cells[filled] as number] = index;
    previous = index;
  }
  if (filled < cells.length) {
    throw input.fail("ORT_ARRAY_RUN", `runs of ${filled} cells in a page of ${cells.length}`);
  }
}

function pageGrid([x, y, z, w]: Position): Position {
  return [pagesAlong(x), pagesAlong(y), pagesAlong(z), pagesAlong(w)];
}

function pagesAlong(extent: number): number {
  return Math.ceil(extent / PAGE_EDGE_CELLS);
}

function pageSpan(page: number, extent: number): readonly [min: number, max: number] {
  const min = page * PAGE_EDGE_CELLS;
  return [min, Math.min(min + PAGE_EDGE_CELLS, extent)];
}
