import { bytesEqual } from "@orthant/core/bytes";
import type { StoreEntry, StorePage } from "../codec/store-page.ts";
import type { Save } from "../read/save.ts";
import { boundedPages } from "../read/world-records.ts";

/** How something with an id differs. */
export type Change = "added" | "removed" | "changed";

/** Yields the keys whose values differ, in order. Holds a page of each store at a time. */
export async function* compareStores(
  before: Save,
  after: Save,
  samePacks: boolean,
): AsyncGenerator<readonly [key: string, change: Change]> {
  const [ours, theirs] = [await before.storePages(), await after.storePages()];
  const shared = samePacks ? sharedRecords(ours, theirs) : new Set<string>();
  const old = entriesOf(before, ours, shared);
  const now = entriesOf(after, theirs, shared);
  let [one, other] = [await next(old), await next(now)];
  while (one !== undefined || other !== undefined) {
    if (other === undefined || (one !== undefined && one.key < other.key)) {
      yield [(one as StoreEntry).key, "removed"];
      one = await next(old);
    } else if (one === undefined || other.key < one.key) {
      yield [other.key, "added"];
      other = await next(now);
    } else {
      if (!bytesEqual(one.value, other.value)) yield [one.key, "changed"];
      [one, other] = [await next(old), await next(now)];
    }
  }
}

/** Returns the records that both have, which are equal and need not be read. */
function sharedRecords(ours: readonly StorePage[], theirs: readonly StorePage[]): ReadonlySet<string> {
  const own = new Set(ours.map(keyOf));
  return new Set(theirs.map(keyOf).filter((key) => own.has(key)));
}

async function* entriesOf(
  save: Save,
  pages: readonly StorePage[],
  without: ReadonlySet<string>,
): AsyncGenerator<StoreEntry> {
  for (const bounded of boundedPages(pages)) {
    if (!without.has(keyOf(bounded.page))) yield* await save.readStorePage(bounded);
  }
}

async function next(entries: AsyncGenerator<StoreEntry>): Promise<StoreEntry | undefined> {
  const { value, done } = await entries.next();
  return done === true ? undefined : value;
}

function keyOf({ ref }: StorePage): string {
  return `${ref.packId} ${ref.recordOffset}`;
}
