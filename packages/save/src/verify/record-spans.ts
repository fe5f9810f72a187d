import { type BlobRef, compareAge } from "../codec/blob-ref.ts";
import type { PackShelf } from "../pack/pack-shelf.ts";

/** Number of bytes read at once. */
const SPAN_BYTES = 4 * 1024 * 1024;
/** Gap between two records up to which it is read rather than skipped. */
const GAP_BYTES_MAX = 64 * 1024;

/** An item and a view of its record's bytes; `undefined` if the record must be read separately. */
export type WithRecord<Item> = readonly [item: Item, record: Uint8Array | undefined];

/** Reads the records of items in disk order, in large pieces, prefetching the next piece. Checks nothing. */
export async function* readInOrder<Item extends { readonly ref: BlobRef }>(
  shelf: PackShelf,
  items: readonly Item[],
): AsyncGenerator<readonly WithRecord<Item>[]> {
  const spans = spansOf(items);
  const read = (span: Span<Item> | undefined): Promise<Uint8Array | undefined> | undefined =>
    span && shelf.readSpan(span.packId, span.start, span.end - span.start);
  let reading = read(spans[0]);
  for (const [index, { start, items: inside }] of spans.entries()) {
    const bytes = await reading;
    reading = read(spans[index + 1]);
    yield inside.map((item) => {
      const from = item.ref.recordOffset - start;
      return [item, bytes?.subarray(from, from + item.ref.recordBytes)] as const;
    });
  }
}

interface Span<Item> {
  readonly packId: number;
  readonly start: number;
  end: number;
  readonly items: Item[];
}

function spansOf<Item extends { readonly ref: BlobRef }>(items: readonly Item[]): readonly Span<Item>[] {
  const sorted = [...items].sort((a, b) => compareAge(a.ref, b.ref));
  const spans: Span<Item>[] = [];
  for (const item of sorted) {
    const { dataFileId: packId, recordOffset: start, recordBytes } = item.ref;
    const end = start + recordBytes;
    const last = spans.at(-1);
    const joins =
      last?.packId === packId && start - last.end <= GAP_BYTES_MAX && end - last.start <= SPAN_BYTES;
    if (last !== undefined && joins) {
      last.end = Math.max(last.end, end);
      last.items.push(item);
    } else spans.push({ packId, start, end, items: [item] });
  }
  return spans;
}
