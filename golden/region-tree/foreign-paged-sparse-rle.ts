import type { ByteReader, Codec } from "@orthant/core/bytes";
import {
  cellCount,
  type PagedIndexShape,
  pageCells,
  pageCount,
  pagedSparseRleCodec,
  readIndexHeader,
  readIndexRuns,
} from "@orthant/core/internal";

/** Like `pagedSparseRleCodec`, but reads pages in any order and unjoined runs. Writes canonically. */
export function foreignPagedSparseRleCodec(shape: PagedIndexShape): Codec<Uint16Array> {
  return { ...pagedSparseRleCodec(shape), read: (input) => readPages(input, shape) };
}

function readPages(input: ByteReader, shape: PagedIndexShape): Uint16Array {
  const { extents, defaultIndex, paletteLength } = shape;
  const { count } = readIndexHeader(input, extents);
  const total = pageCount(extents);
  if (count > total) throw input.fail("ORT_ARRAY_PAGE", `${count} pages where ${total} can be`);
  const indices = new Uint16Array(cellCount(extents)).fill(defaultIndex ?? 0);
  const seen = new Set<number>();
  for (let position = 0; position < count; position++) {
    const page = input.u64Number();
    if (page >= total) throw input.fail("ORT_ARRAY_PAGE", `page ${page} of ${total}`);
    if (seen.has(page)) throw input.fail("ORT_ARRAY_PAGE", `page ${page} a second time`);
    seen.add(page);
    readIndexRuns(input, paletteLength, pageCells(extents, page), indices, "any");
  }
  if (defaultIndex === undefined && count < total) {
    throw input.fail("ORT_ARRAY_PAGE", `${count} of ${total} pages, and no default`);
  }
  return indices;
}
