import {
  bytes,
  type Codec,
  checked,
  encodeUtf8,
  list,
  option,
  record,
  string,
  varUint,
} from "@orthant/core/bytes";
import { PLAIN_VALUE_HEAD_BYTES } from "@orthant/core/world";
import { type RecordRef, recordRefCodec } from "./blob.ts";
import { STORE_LIST_BLOB, STORE_PAGE_BLOB, WORLD_BLOB_VERSION } from "./layout.ts";

/** Maximum bytes of a key of the store, as UTF-8. A key has at least one. */
export const STORE_KEY_BYTES_MAX = 256;
/** Maximum bytes of one value of the store: what a game gives. */
export const STORE_VALUE_BYTES_MAX = 1_048_576;
/** Maximum bytes of one value as it is stored: JSON and bytes have one before them that says which they are. */
const STORED_VALUE_BYTES_MAX: number = STORE_VALUE_BYTES_MAX + PLAIN_VALUE_HEAD_BYTES;
/** Maximum bytes of all keys and values of a store, with their lengths. */
export const STORE_BYTES_MAX = 67_108_864;
/** Size above which a page is cut. Only a page with a single entry is larger. */
export const STORE_PAGE_TARGET_BYTES = 32_768;
/** Maximum content of a page: one entry of the largest size. */
export const STORE_PAGE_BYTES_MAX: number = STORED_VALUE_BYTES_MAX + STORE_KEY_BYTES_MAX + 16;
/** Maximum number of pages. A writer joins small ones, so that a full store has about 4,096. */
const STORE_PAGES_MAX = 16_384;
/** Maximum bytes of a list of pages. */
export const STORE_LIST_BYTES_MAX: number = STORE_PAGES_MAX * (STORE_KEY_BYTES_MAX + 48);

/** A key of the store with the bytes of its value. */
export interface StoreEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

/** A change of the store. Without a value, the key is removed. */
export interface StoreChange {
  readonly key: string;
  readonly value: Uint8Array | undefined;
}

/** Where some entries of the store are. */
export interface StorePage {
  readonly firstKey: string;
  /** Number of entries. */
  readonly keys: number;
  /** Bytes of its content before compression. */
  readonly bytes: number;
  readonly ref: RecordRef;
}

/** The store of a world: its size, and its pages or the record that lists them. Rule S131. */
export interface StoreList {
  readonly keys: number;
  /** Bytes of all pages before compression. */
  readonly bytes: number;
  /** Bytes of the records of all pages. */
  readonly recordBytes: number;
  readonly pages: readonly StorePage[] | RecordRef;
}

/** Returns the bytes that an entry takes in a page. */
export function storeEntryBytes(key: string, value: Uint8Array): number {
  const keyBytes = encodeUtf8(key).length;
  return lengthBytes(keyBytes) + keyBytes + lengthBytes(value.length) + value.length;
}

function lengthBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : 4;
}

/** Codec of a page: its entries up to the end, in order of their keys. Rule S133. */
export const storePageCodec: Codec<readonly StoreEntry[]> = checked(
  {
    write(out, entries) {
      for (const { key, value } of entries) {
        out.string(key, STORE_KEY_BYTES_MAX);
        out.bytes(value, STORED_VALUE_BYTES_MAX);
      }
    },
    read(input) {
      const entries: StoreEntry[] = [];
      while (input.remaining > 0) {
        entries.push({ key: input.string(STORE_KEY_BYTES_MAX), value: input.bytes(STORED_VALUE_BYTES_MAX) });
      }
      return entries;
    },
  },
  "ORT_BLOB",
  disorderOf,
);

function disorderOf(entries: readonly StoreEntry[]): string | undefined {
  const [first] = entries;
  if (first === undefined) return "a page of the store without entries";
  if (first.key === "") return "an empty key of the store";
  const isOrdered = entries.every(
    ({ key }, index) => index === 0 || (entries[index - 1] as StoreEntry).key < key,
  );
  return isOrdered ? undefined : "keys of the store out of order";
}

/** Codec of a change in a journal. Rule J37. */
export const storeChangeCodec: Codec<StoreChange> = checked(
  record({ key: string(STORE_KEY_BYTES_MAX), value: option(bytes(STORED_VALUE_BYTES_MAX)) }),
  "ORT_BLOB",
  ({ key }) => (key === "" ? "an empty key of the store" : undefined),
);

/** Returns the codec of the reference of a record that must have this type. Rule S130. */
export function refCodecOf(blobType: number): Codec<RecordRef> {
  return {
    write: recordRefCodec.write,
    read(input) {
      const ref = recordRefCodec.read(input);
      if (ref.blobType === blobType && ref.blobVersion === WORLD_BLOB_VERSION) return ref;
      const { blobType: type, blobVersion: version } = ref;
      const detail = `a record of type ${type}, version ${version}, where one of type ${blobType} must be`;
      throw input.fail("ORT_BLOB", detail);
    },
  };
}

const pageCodec = record<StorePage>({
  firstKey: string(STORE_KEY_BYTES_MAX),
  keys: varUint,
  bytes: varUint,
  ref: refCodecOf(STORE_PAGE_BLOB),
});

/** Codec of the pages of a store, in order of their first keys. Rule S132. */
export const storePagesCodec: Codec<readonly StorePage[]> = checked(
  list(pageCodec, STORE_PAGES_MAX),
  "ORT_BLOB",
  faultOfPages,
);

function faultOfPages(pages: readonly StorePage[]): string | undefined {
  const [first] = pages;
  if (first === undefined) return "a store without pages";
  if (first.firstKey === "") return "an empty key of the store";
  for (const [index, { firstKey, keys, bytes }] of pages.entries()) {
    if (index > 0 && (pages[index - 1] as StorePage).firstKey >= firstKey)
      return "pages of the store out of order";
    // An entry takes at least a key of one byte and two lengths.
    if (keys < 1 || bytes < keys * 3 || bytes > STORE_PAGE_BYTES_MAX)
      return `a page of the store with ${keys} keys in ${bytes} bytes`;
  }
  return undefined;
}

/** Returns the sizes of a store with these pages. */
export function storeTotals(pages: readonly StorePage[]): Omit<StoreList, "pages"> {
  return pages.reduce(
    (sum, { keys, bytes, ref }) => ({
      keys: sum.keys + keys,
      bytes: sum.bytes + bytes,
      recordBytes: sum.recordBytes + ref.recordBytes,
    }),
    { keys: 0, bytes: 0, recordBytes: 0 },
  );
}

/** Returns a message if a store has other sizes than its list says, or too large ones. */
export function faultOfTotals(stated: StoreList, pages: readonly StorePage[]): string | undefined {
  const { keys, bytes, recordBytes } = storeTotals(pages);
  if (bytes > STORE_BYTES_MAX) return `a store of ${bytes} bytes, the limit is ${STORE_BYTES_MAX}`;
  if (stated.keys === keys && stated.bytes === bytes && stated.recordBytes === recordBytes) return undefined;
  return `a store of ${keys} keys in ${bytes} bytes that is said to have ${stated.keys} in ${stated.bytes}`;
}

const listRefCodec = refCodecOf(STORE_LIST_BLOB);
const INLINE = 0;
const IN_RECORD = 1;
const LIST_KINDS = 2;

/** Codec of a store in the description. Rule S131. */
export const storeListCodec: Codec<StoreList> = {
  write(out, store) {
    out.varUint(store.keys);
    out.varUint(store.bytes);
    out.varUint(store.recordBytes);
    out.tag(hasPages(store) ? INLINE : IN_RECORD, LIST_KINDS);
    if (hasPages(store)) storePagesCodec.write(out, store.pages);
    else listRefCodec.write(out, store.pages as RecordRef);
  },
  read(input) {
    const totals = { keys: input.varUint(), bytes: input.varUint(), recordBytes: input.varUint() };
    const isInline = input.tag(LIST_KINDS) === INLINE;
    const pages = isInline ? storePagesCodec.read(input) : listRefCodec.read(input);
    const store: StoreList = { ...totals, pages };
    const fault = hasPages(store) ? faultOfTotals(store, store.pages) : undefined;
    if (fault !== undefined) throw input.fail("ORT_BLOB", fault);
    return store;
  },
};

/** Returns whether the pages of a store are known without reading a record. */
export function hasPages(store: StoreList): store is StoreList & { readonly pages: readonly StorePage[] } {
  return Array.isArray(store.pages);
}
