import type { Position } from "@orthant/core";
import { type ByteReader, type Codec, struct, u8, u16, u32 } from "@orthant/core/bytes";
import { type PagedIndexShape, pageCells, pagedSparseRleCodec } from "@orthant/core/internal";

const VERSION = 1;
const PAGE_EDGE_CELLS = 4;
const PAGE_HEADER_BYTES = 10;
const RUN_BYTES = 4;

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

/** Like `pagedSparseRleCodec`, but reads pages in any order and unjoined runs. Writes canonically. */
export function foreignPagedSparseRleCodec(shape: PagedIndexShape): Codec<Uint16Array> {
  return { ...pagedSparseRleCodec(shape), read: (input) => readPages(input, shape) };
}

/** Returns the maximum encoded length of the indices of an array with these extents. */
export function foreignIndexBytesMax(extents: Position): number {
  return header.bytes + pageCount(extents) * PAGE_HEADER_BYTES + cellCount(extents) * RUN_BYTES;
}

function readPages(input: ByteReader, shape: PagedIndexShape): Uint16Array {
  const { extents, defaultIndex } = shape;
  const count = readHeader(input, extents);
  const total = pageCount(extents);
  if (count > total) throw input.fail("ORT_ARRAY_PAGE", `${count} pages where ${total} can be`);
  const indices = new Uint16Array(cellCount(extents)).fill(defaultIndex ?? 0);
  const seen = new Set<number>();
  for (let position = 0; position < count; position++) {
    const page = input.u64Number();
    if (page >= total) throw input.fail("ORT_ARRAY_PAGE", `page ${page} of ${total}`);
    if (seen.has(page)) throw input.fail("ORT_ARRAY_PAGE", `page ${page} a second time`);
    seen.add(page);
    readRuns(input, shape.paletteLength, pageCells(extents, page), indices);
  }
  if (defaultIndex === undefined && count < total) {
    throw input.fail("ORT_ARRAY_PAGE", `${count} of ${total} pages, and no default`);
  }
  return indices;
}

function readHeader(input: ByteReader, extents: Position): number {
  const { version, pageEdge, extentX, extentY, extentZ, extentW, pageCount } = header.read(input);
  if (version !== VERSION) throw input.fail("ORT_VERSION", `index data of version ${version}`);
  if (pageEdge !== PAGE_EDGE_CELLS) throw input.fail("ORT_ARRAY_HEADER", `pages with an edge of ${pageEdge}`);
  const found: Position = [extentX, extentY, extentZ, extentW];
  if (found.some((extent, axis) => extent !== extents[axis])) {
    throw input.fail("ORT_ARRAY_HEADER", `extents [${found}] in an array of [${extents}]`);
  }
  return pageCount;
}

function readRuns(input: ByteReader, paletteLength: number, cells: Uint32Array, indices: Uint16Array): void {
  const runCount = input.u16();
  let filled = 0;
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
    for (const end = filled + length; filled < end; filled++) indices[cells[filled] as number] = index;
  }
  if (filled < cells.length) {
    throw input.fail("ORT_ARRAY_RUN", `runs of ${filled} cells in a page of ${cells.length}`);
  }
}

function cellCount([x, y, z, w]: Position): number {
  return x * y * z * w;
}

function pageCount([x, y, z, w]: Position): number {
  const along = (extent: number): number => Math.ceil(extent / PAGE_EDGE_CELLS);
  return along(x) * along(y) * along(z) * along(w);
}
