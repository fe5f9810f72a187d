import { OrthantError } from "@orthant/core";
import { bytesEqual, encode } from "@orthant/core/bytes";
import { BLOCK_CATALOG_BYTES_MAX } from "@orthant/core/chunk";
import { getOrAdd } from "@orthant/core/lattice";
import { attempt } from "@orthant/disk/files";
import { type RecordRef, sealBlob } from "../codec/blob.ts";
import type { GlobalRecord, GlobalState } from "../codec/global-record.ts";
import { CATALOG_BLOB, STORE_LIST_BLOB, STORE_PAGE_BLOB, WORLD_BLOB_VERSION } from "../codec/layout.ts";
import {
  STORE_BYTES_MAX,
  STORE_PAGE_TARGET_BYTES,
  type StoreChange,
  type StoreEntry,
  type StoreList,
  type StorePage,
  storeEntryBytes,
  storePageCodec,
  storePagesCodec,
  storeTotals,
} from "../codec/store-page.ts";
import type { DescriptionRecords } from "../codec/world-description.ts";
import type { SaveFormat } from "../leaves/save-format.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import type { NewRecord, PackWriter } from "../pack/pack-writer.ts";
import {
  type BoundedPage,
  boundedPages,
  pageIndexOf,
  readStoreEntries,
  readStorePages,
  rememberPages,
} from "../read/world-records.ts";

/** A part of the description with more bytes than this is a record of its own. */
const INLINE_BYTES_MAX = 1_024;
/** A changed page below this size is joined with a neighbour, if both fit into one page. */
const SMALL_PAGE_BYTES = STORE_PAGE_TARGET_BYTES / 4;
/** Pages that are written together. */
const PAGES_AT_ONCE = 64;
/** Bytes of entries of a new store that are cut and written together. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** What the next generation has. */
interface NextRecords {
  readonly global: GlobalState;
  readonly store: readonly StoreChange[] | undefined;
  readonly format: SaveFormat;
}

/** Writes the records of the world as a whole, only those that change. */
export class WorldRecordWriter {
  /** Packs that got records. */
  readonly packIds: Set<number> = new Set<number>();
  readonly #packs: PackWriter;
  readonly #packReader: PackReader | undefined;

  /** Without a reader there is no earlier generation. */
  constructor(packs: PackWriter, packReader?: PackReader) {
    this.#packs = packs;
    this.#packReader = packReader;
  }

  /** Writes what differs from the generation before. The next sync of the packs makes it durable. */
  async write(
    { description, records }: GlobalRecord,
    { global, store = [], format }: NextRecords,
  ): Promise<DescriptionRecords | undefined> {
    // A world of Orthant 0.1 stays readable for the program that made it.
    const before = { blocks: description.blocks, ref: records?.blocks };
    const blocks = format.hasRecords ? await this.#catalog(global, before) : undefined;
    if (store.length === 0) return descriptionRecords(blocks, records?.store);
    return descriptionRecords(blocks, await this.#changedStore(records?.store, store));
  }

  /** Writes the records of a new save, whose entries of the store are in order of their keys. */
  async writeNew(
    global: GlobalState,
    store: AsyncIterable<StoreEntry> | undefined,
    format: SaveFormat,
  ): Promise<DescriptionRecords | undefined> {
    const blocks = format.hasRecords ? await this.#catalog(global) : undefined;
    return descriptionRecords(blocks, store && (await this.#newStore(store)));
  }

  /**
   * Returns the record of a catalog, which is that of `before` if the bytes are the same; `undefined` for a catalog that
   * belongs into the description. Rule S130.
   */
  async #catalog(
    { description: { blocks, worldId } }: GlobalState,
    before?: { readonly blocks: Uint8Array; readonly ref: RecordRef | undefined },
  ): Promise<RecordRef | undefined> {
    const isLarge = blocks.length > INLINE_BYTES_MAX && blocks.length <= BLOCK_CATALOG_BYTES_MAX;
    if (!isLarge || worldId === 0n) return undefined;
    if (before?.ref !== undefined && bytesEqual(before.blocks, blocks)) return before.ref;
    return this.#appendOne(CATALOG_BLOB, blocks);
  }

  /** Writes the pages that changes touch, and the list of all. Rules S131 to S135. */
  async #changedStore(
    before: StoreList | undefined,
    changes: readonly StoreChange[],
  ): Promise<StoreList | undefined> {
    const packReader = this.#packReader as PackReader;
    const pages = await readStorePages(packReader, before);
    const read = (page: BoundedPage) => readStoreEntries(packReader, page);
    return this.#list(await this.#pages(await changePages(pages, changes, read)));
  }

  async #newStore(entries: AsyncIterable<StoreEntry>): Promise<StoreList | undefined> {
    const pages: StorePage[] = [];
    let waiting: StoreEntry[] = [];
    let bytes = 0;
    for await (const entry of entries) {
      waiting.push(entry);
      bytes += storeEntryBytes(entry.key, entry.value);
      if (bytes < BATCH_BYTES) continue;
      pages.push(...(await this.#pages([waiting])));
      [waiting, bytes] = [[], 0];
    }
    if (waiting.length > 0) pages.push(...(await this.#pages([waiting])));
    return this.#list(pages);
  }

  async #list(pages: readonly StorePage[]): Promise<StoreList | undefined> {
    if (pages.length === 0) return undefined;
    const totals = storeTotals(pages);
    if (totals.bytes > STORE_BYTES_MAX) {
      const detail = `a store of ${totals.bytes} bytes, the limit is ${STORE_BYTES_MAX}`;
      throw new OrthantError("ORT_LIMIT", detail);
    }
    const encoded = encode(storePagesCodec, pages);
    const isInline = encoded.length <= INLINE_BYTES_MAX;
    if (isInline) return { ...totals, pages };
    const list: StoreList = { ...totals, pages: await this.#appendOne(STORE_LIST_BLOB, encoded) };
    rememberPages(list, pages);
    return list;
  }

  /** Writes the parts that are entries, and returns the pages of all parts. */
  async #pages(parts: readonly StorePart[]): Promise<readonly StorePage[]> {
    const pages: StorePage[] = [];
    for (const part of parts) {
      if (isDraft(part)) pages.push(...(await this.#write([...cut(part)])));
      else pages.push(part);
    }
    return pages;
  }

  /** Writes pages, some MiB at a time. */
  async #write(pieces: readonly (readonly StoreEntry[])[]): Promise<readonly StorePage[]> {
    const pages: StorePage[] = [];
    for (let start = 0; start < pieces.length; start += PAGES_AT_ONCE) {
      const some = pieces.slice(start, start + PAGES_AT_ONCE);
      const contents = some.map((entries) => encode(storePageCodec, entries));
      const refs = await this.#append(STORE_PAGE_BLOB, contents);
      for (const [index, ref] of refs.entries()) {
        const [entries, content] = [some[index] as readonly StoreEntry[], contents[index] as Uint8Array];
        const firstKey = (entries[0] as StoreEntry).key;
        pages.push({ firstKey, keys: entries.length, bytes: content.length, ref });
      }
    }
    return pages;
  }

  async #append(blobType: number, contents: readonly Uint8Array[]): Promise<readonly RecordRef[]> {
    const records: NewRecord[] = [];
    for (const content of contents) {
      records.push({ blobType, blobVersion: WORLD_BLOB_VERSION, payload: await sealBlob(content) });
    }
    const refs = await this.#packs.append(records);
    for (const { packId } of refs) this.packIds.add(packId);
    return refs;
  }

  async #appendOne(blobType: number, content: Uint8Array): Promise<RecordRef> {
    const [ref] = await this.#append(blobType, [content]);
    return ref as RecordRef;
  }
}

/** Returns the records of the description of a generation. */
function descriptionRecords(
  blocks: RecordRef | undefined,
  store: StoreList | undefined,
): DescriptionRecords | undefined {
  if (blocks === undefined && store === undefined) return undefined;
  return { ...(blocks && { blocks }), ...(store && { store }) };
}

/** A page that stays as it is, or entries to be written. */
type StorePart = StorePage | readonly StoreEntry[];

function isDraft(part: StorePart): part is readonly StoreEntry[] {
  return Array.isArray(part);
}

/** Returns the parts of a store after changes, which are in order of their keys. Reads only pages that change or join. */
async function changePages(
  pages: readonly StorePage[],
  changes: readonly StoreChange[],
  read: (page: BoundedPage) => Promise<readonly StoreEntry[]>,
): Promise<readonly StorePart[]> {
  const byPage = new Map<number, StoreChange[]>();
  for (const change of changes) {
    const index = Math.max(0, pageIndexOf(pages, change.key));
    getOrAdd(byPage, index, () => []).push(change);
  }
  if (pages.length === 0) return [merge([], byPage.get(0) ?? [])];
  const parts: StorePart[] = [];
  for (const [index, bounded] of boundedPages(pages).entries()) {
    const own = byPage.get(index);
    const part = own === undefined ? bounded.page : merge(await read(bounded), own);
    await addPart(parts, part, bounded, read);
  }
  return parts;
}

/** Adds a part, joined with the one before it if one of them has changed and is small. */
async function addPart(
  parts: StorePart[],
  part: StorePart,
  bounded: BoundedPage,
  read: (page: BoundedPage) => Promise<readonly StoreEntry[]>,
): Promise<void> {
  const last = parts.at(-1);
  if (isDraft(part) && part.length === 0) return;
  if (last === undefined || !areJoined(last, part)) {
    parts.push(part);
    return;
  }
  // A neighbour need not be read for the change, so damage there must not prevent it.
  const [before] = await attempt(async () =>
    isDraft(last) ? last : read({ page: last, before: bounded.page.firstKey }),
  );
  const [after] = await attempt(async () => (isDraft(part) ? part : read(bounded)));
  if (before === undefined || after === undefined) parts.push(part);
  else parts[parts.length - 1] = [...before, ...after];
}

function areJoined(before: StorePart, after: StorePart): boolean {
  if (isDraft(before) && isDraft(after)) return true;
  const [one, other] = [bytesOf(before), bytesOf(after)];
  const isSmall = (isDraft(before) && one < SMALL_PAGE_BYTES) || (isDraft(after) && other < SMALL_PAGE_BYTES);
  return isSmall && one + other <= STORE_PAGE_TARGET_BYTES;
}

function bytesOf(part: StorePart): number {
  if (!isDraft(part)) return part.bytes;
  return part.reduce((sum, { key, value }) => sum + storeEntryBytes(key, value), 0);
}

/** Returns entries with changes, both in order of their keys. */
function merge(entries: readonly StoreEntry[], changes: readonly StoreChange[]): readonly StoreEntry[] {
  const merged: StoreEntry[] = [];
  let next = 0;
  for (const { key, value } of changes) {
    for (; next < entries.length && (entries[next] as StoreEntry).key <= key; next++) {
      const entry = entries[next] as StoreEntry;
      if (entry.key < key) merged.push(entry);
    }
    if (value !== undefined) merged.push({ key, value });
  }
  return [...merged, ...entries.slice(next)];
}

/** Cuts entries into pages of about equal size. A page above the target has a single entry. */
function* cut(entries: readonly StoreEntry[]): Generator<readonly StoreEntry[]> {
  const sizes = entries.map(({ key, value }) => storeEntryBytes(key, value));
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const aim = total / Math.ceil(total / STORE_PAGE_TARGET_BYTES);
  let start = 0;
  let bytes = 0;
  for (const [index, size] of sizes.entries()) {
    if (index > start && (bytes >= aim || bytes + size > STORE_PAGE_TARGET_BYTES)) {
      yield entries.slice(start, index);
      [start, bytes] = [index, 0];
    }
    bytes += size;
  }
  if (start < entries.length) yield entries.slice(start);
}
