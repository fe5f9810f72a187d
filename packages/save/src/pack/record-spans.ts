import { compareAge, type RecordRef } from "../codec/blob.ts";
import type { PackReader } from "./pack-reader.ts";

/** Number of bytes read at once. */
const SPAN_BYTES = 4 * 1024 * 1024;
/** Gap between two records up to which it is read rather than skipped. */
const GAP_BYTES_MAX = 64 * 1024;

/** An item and a view of its record's bytes; `undefined` if the record must be read separately. */
type WithRecord<Item> = readonly [item: Item, record: Uint8Array | undefined];

/** Reads the records of items in disk order, in large pieces, prefetching the next piece. Checks nothing. */
export async function* readInOrder<Item extends { readonly ref: RecordRef }>(
  packReader: PackReader,
  items: readonly Item[],
): AsyncGenerator<readonly WithRecord<Item>[]> {
  const spans = recordSpans(items, GAP_BYTES_MAX);
  const read = (span: RecordSpan<Item> | undefined): Promise<Uint8Array | undefined> | undefined =>
    span && packReader.readSpan(span.packId, span.start, span.end - span.start);
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

/** Adjacent records of a pack. */
interface RecordSpan<Item> {
  readonly packId: number;
  readonly start: number;
  end: number;
  readonly items: Item[];
}

/** Sorts records by where they are, and joins those of a pack between which there are few other bytes. */
export function recordSpans<Item extends { readonly ref: RecordRef }>(
  items: readonly Item[],
  gapBytesMax: number,
): readonly RecordSpan<Item>[] {
  const sorted = [...items].sort((a, b) => compareAge(a.ref, b.ref));
  const spans: RecordSpan<Item>[] = [];
  for (const item of sorted) {
    const { packId, recordOffset: start, recordBytes } = item.ref;
    const end = start + recordBytes;
    const last = spans.at(-1);
    const joins =
      last?.packId === packId && start - last.end <= gapBytesMax && end - last.start <= SPAN_BYTES;
    if (last !== undefined && joins) {
      last.end = Math.max(last.end, end);
      last.items.push(item);
    } else spans.push({ packId, start, end, items: [item] });
  }
  return spans;
}
