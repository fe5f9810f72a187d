import type { GlobalRecord, RecordRef, StorePage } from "@orthant/save";
import { storePageCodec, storePagesCodec } from "@orthant/save/internal";
import type { JournalEntry } from "@orthant/save/journal";
import { strict, type Target } from "../fuzz/decoders.ts";

const refOf = (blobType: number, recordOffset = 12): RecordRef => ({
  packId: 1,
  recordOffset,
  recordBytes: 40,
  recordCrc32: 0xdead_beef,
  blobType,
  blobVersion: 1,
});

const pages: readonly StorePage[] = [
  { firstKey: "a", keys: 2, bytes: 30, ref: refOf(4) },
  { firstKey: "quest/ü", keys: 1, bytes: 40_000, ref: refOf(4, 900) },
];
const totals = { keys: 3, bytes: 40_030, recordBytes: 80 };

/** Returns a global record with a store and its pages, and one with a store and a catalog that are elsewhere. */
export function withRecords(global: GlobalRecord): readonly GlobalRecord[] {
  return [
    { ...global, records: { store: { ...totals, pages } } },
    { ...global, records: { blocks: refOf(3), store: { ...totals, pages: refOf(5) } } },
  ];
}

/** Changes of the store in a journal. */
export const storeJournalEntries: readonly JournalEntry[] = [
  { kind: "store", key: "quest/ü", value: Uint8Array.of(1, 2, 3) },
  { kind: "store", key: "a", value: undefined },
];

/** Decoders of the store. */
export const storeTargets: readonly Target[] = [
  strict("store page", storePageCodec, [
    [
      { key: "a", value: Uint8Array.of(1, 2) },
      { key: "quest/ü", value: new Uint8Array(0) },
    ],
  ]),
  strict("list of store pages", storePagesCodec, [pages]),
];
