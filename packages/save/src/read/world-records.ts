import { isOrthantError, OrthantError } from "@orthant/core";
import { type Codec, decode } from "@orthant/core/bytes";
import { BLOCK_CATALOG_BYTES_MAX, blockCatalogCodec } from "@orthant/core/chunk";
import { atFileAsync } from "@orthant/disk/files";
import { openBlob, type RecordRef } from "../codec/blob.ts";
import { packFile } from "../codec/files.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import { recordHeader } from "../codec/layout.ts";
import {
  faultOfTotals,
  hasPages,
  STORE_LIST_BYTES_MAX,
  STORE_PAGE_BYTES_MAX,
  type StoreEntry,
  type StoreList,
  type StorePage,
  storePageCodec,
  storePagesCodec,
} from "../codec/store-page.ts";
import type { PackReader } from "../pack/pack-reader.ts";

/** Bytes that a payload may have beyond its content, when it is not compressed. */
const SEAL_BYTES_MAX = 16;

/** A page of the store, and the first key after it. */
export interface BoundedPage {
  readonly page: StorePage;
  readonly before: string | undefined;
}

type WithRecords = { readonly records?: GlobalRecord["records"] };

/** Returns the global record with its block catalog, which is read from the packs if it is there. Rule S130. */
export async function withCatalog(packReader: PackReader, global: GlobalRecord): Promise<GlobalRecord> {
  const ref = global.records?.blocks;
  if (ref === undefined) return global;
  return { ...global, description: { ...global.description, blocks: await readCatalog(packReader, ref) } };
}

/** Reads the bytes of a block catalog, and checks only their checksum. */
async function readCatalog(packReader: PackReader, ref: RecordRef): Promise<Uint8Array> {
  return (await readContent(packReader, ref, BLOCK_CATALOG_BYTES_MAX)).slice();
}

/** Reads and decodes a block catalog. Returns its bytes. */
export async function readCheckedCatalog(packReader: PackReader, ref: RecordRef): Promise<Uint8Array> {
  const bytes = await readCatalog(packReader, ref);
  decodeIn(ref, "the block catalog", blockCatalogCodec, bytes);
  return bytes;
}

/** Pages of stores whose list is in a record, once they are known. A record never changes. */
const knownPages = new WeakMap<StoreList, readonly StorePage[]>();

/** Remembers the pages of a store for as long as its list lives. */
export function rememberPages(store: StoreList, pages: readonly StorePage[]): void {
  knownPages.set(store, pages);
}

/** Returns the pages of a store in order; none without a store. Rules S131 and S132. */
export async function readStorePages(
  packReader: PackReader,
  store: StoreList | undefined,
): Promise<readonly StorePage[]> {
  if (store === undefined) return [];
  if (hasPages(store)) return store.pages;
  const known = knownPages.get(store);
  if (known !== undefined) return known;
  const ref = store.pages as RecordRef;
  const content = await readContent(packReader, ref, STORE_LIST_BYTES_MAX);
  const pages = decodeIn(ref, "the list of the store", storePagesCodec, content);
  const fault = faultOfTotals(store, pages);
  if (fault !== undefined) throw new OrthantError("ORT_BLOB", fault, placeOf(ref));
  rememberPages(store, pages);
  return pages;
}

/** Reads the entries of a page. Rules S133 and S134. */
export async function readStoreEntries(
  packReader: PackReader,
  { page, before }: BoundedPage,
): Promise<readonly StoreEntry[]> {
  const { ref } = page;
  const content = await readContent(packReader, ref, STORE_PAGE_BYTES_MAX);
  const entries = decodeIn(ref, "a page of the store", storePageCodec, content);
  const isAsListed =
    entries.length === page.keys && content.length === page.bytes && entries[0]?.key === page.firstKey;
  const isBounded = before === undefined || (entries.at(-1)?.key ?? "") < before;
  if (isAsListed && isBounded) return entries;
  const detail = `a page of the store with ${entries.length} keys from ${JSON.stringify(entries[0]?.key)} on, other than listed`;
  throw new OrthantError("ORT_BLOB", detail, placeOf(ref));
}

/** Returns the pages with the first key after each. */
export function boundedPages(pages: readonly StorePage[]): readonly BoundedPage[] {
  return pages.map((page, index) => ({ page, before: pages[index + 1]?.firstKey }));
}

/** Returns the index of the page that has a key if any page does; -1 if the key is before all pages. */
export function pageIndexOf(pages: readonly StorePage[], key: string): number {
  let [low, high] = [0, pages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pages[middle] as StorePage).firstKey <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns all records that the description of a generation refers to, the list of the store included. */
export async function recordsOf(
  packReader: PackReader,
  { records }: WithRecords,
): Promise<readonly RecordRef[]> {
  const pages = await readStorePages(packReader, records?.store);
  return [...knownRecordsOf({ records }), ...pages.map(({ ref }) => ref)];
}

/** Returns the records that the description names itself: the catalog, and the list of the store. */
export function knownRecordsOf({ records }: WithRecords): readonly RecordRef[] {
  const { blocks, store } = records ?? {};
  const list = store === undefined || hasPages(store) ? undefined : (store.pages as RecordRef);
  return [blocks, list].filter((ref) => ref !== undefined);
}

/** Returns the bytes of all records of the world as a whole, without reading any. */
export function worldRecordBytes({ records }: WithRecords): number {
  const named = knownRecordsOf({ records }).reduce((sum, { recordBytes }) => sum + recordBytes, 0);
  return named + (records?.store?.recordBytes ?? 0);
}

/** Reads the content of a record. */
async function readContent(packReader: PackReader, ref: RecordRef, bytesMax: number): Promise<Uint8Array> {
  const payload = await packReader.readPayload(ref, bytesMax + SEAL_BYTES_MAX);
  const origin = ref.recordOffset + recordHeader.bytes;
  return atFileAsync({ path: packFile(ref.packId) }, async () => openBlob(payload, bytesMax, origin));
}

/** Decodes the content of a record. An error names the record's place, because content has no place in the file. */
function decodeIn<Value>(ref: RecordRef, what: string, codec: Codec<Value>, content: Uint8Array): Value {
  try {
    return decode(codec, content);
  } catch (cause) {
    if (!isOrthantError(cause)) throw cause;
    throw new OrthantError(cause.code, `${what}: ${cause.detail}`, placeOf(ref), { cause });
  }
}

function placeOf({ packId, recordOffset: offset }: RecordRef): {
  readonly path: string;
  readonly offset: number;
} {
  return { path: packFile(packId), offset };
}
