/** First bytes of a database. */
export const SQLITE_MAGIC = "SQLite format 3\0";

/** Bytes before the cells of the first page. */
export const SQLITE_HEADER_BYTES = 100;

/** Type of a page with rows of a table. */
export const LEAF_PAGE = 0x0d;

/** Type of a page that points to the pages below it. */
export const INTERIOR_PAGE = 0x05;

/** Returns how many bytes of a row lie in its page; the others lie in pages of their own. */
export function localBytesOf(length: number, usableBytes: number): number {
  const longest = usableBytes - 35;
  if (length <= longest) return length;
  const least = Math.floor(((usableBytes - 12) * 32) / 255) - 23;
  const local = least + ((length - least) % (usableBytes - 4));
  return local <= longest ? local : least;
}
