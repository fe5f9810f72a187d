import { U32_MAX } from "@orthant/core";

/** A range of pack ids, both ends included. */
export interface PackRange {
  readonly first: number;
  readonly last: number;
}

/** Pack ids as ranges in ascending order, with at least one missing id between two ranges. */
export type PackList = readonly PackRange[];

/** Maximum length of the list in a manifest, which must stay below its own size limit. */
export const PACK_LIST_CHARS_MAX = 32_768;

const PACK_LIST = /^(?:\d{1,10}(?:-\d{1,10})?(?:,\d{1,10}(?:-\d{1,10})?)*)?$/;

/** Returns the list of some ids, given in any order. */
export function packListOf(ids: Iterable<number>): PackList {
  return withPacks([], ids);
}

/** Adds ids to a list. */
export function withPacks(list: PackList, ids: Iterable<number>): PackList {
  const added = Array.from(ids, (id) => ({ first: id, last: id }));
  const merged: PackRange[] = [];
  for (const range of [...list, ...added].sort((a, b) => a.first - b.first)) {
    const last = merged.at(-1);
    if (last === undefined || range.first > last.last + 1) merged.push(range);
    else merged[merged.length - 1] = { first: last.first, last: Math.max(last.last, range.last) };
  }
  return merged;
}

/** Removes ids from a list. A range is never expanded into its ids, however long it is. */
export function withoutPacks(list: PackList, ids: Iterable<number>): PackList {
  const removed = [...new Set(ids)].sort((a, b) => a - b);
  const left: PackRange[] = [];
  let next = 0;
  for (const { first, last } of list) {
    let from = first;
    while ((removed[next] ?? Infinity) < first) next++;
    for (let id = removed[next]; id !== undefined && id <= last; id = removed[++next]) {
      if (id > from) left.push({ first: from, last: id - 1 });
      from = id + 1;
    }
    if (from <= last) left.push({ first: from, last });
  }
  return left;
}

/** Returns whether a list contains an id. */
export function hasPack(list: PackList, id: number): boolean {
  return list.some(({ first, last }) => first <= id && id <= last);
}

/** Formats a list for the manifest, such as `1-17,19`. */
export function packListText(list: PackList): string {
  return list.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join();
}

/** Parses a list. Returns `undefined` for any text that {@link packListText} would not write. Rule S101. */
export function parsePackList(text: string): PackList | undefined {
  if (text.length > PACK_LIST_CHARS_MAX || !PACK_LIST.test(text)) return undefined;
  const list: PackRange[] = [];
  for (const item of text === "" ? [] : text.split(",")) {
    const [first = 0, last = first] = item.split("-").map(Number);
    const before = list.at(-1)?.last ?? -1;
    if (first <= before + 1 || last < first || last > U32_MAX) return undefined;
    list.push({ first, last });
  }
  return packListText(list) === text ? list : undefined;
}
