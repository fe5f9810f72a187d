import type { ErrorCode } from "@orthant/core";

/** Expected handling of a damaged file. */
export interface DamagedPixelWorld {
  /** Error of strict reading; `undefined` for damage that the format cannot detect. */
  readonly strict: ErrorCode | undefined;
  /** Whether salvage rejects it as well. */
  readonly hopeless?: true;
  /** Bodies found without an index. */
  readonly carved?: readonly string[];
  /** Chunks found without a table. */
  readonly unplaced?: number;
  /** What salvage keeps where the description leaves it open: no less than the original's reader. */
  readonly chunks?: readonly string[];
  readonly bodies?: readonly string[];
  /** The content of a chunk after repair, over the rule `seedbase`, when the description has it. */
  readonly repairedSha256?: string;
}

const ALL_BODIES = ["7", "18446744073709551615", "9", "81985529216486895", "8"];
const BOTH_CHUNKS = ["0,0", "0,1"];

/** All damaged files. */
export const DAMAGED: Readonly<Record<string, DamagedPixelWorld>> = {
  "20-torn-before-flush": {
    strict: "ORT_CHECKSUM",
    chunks: [],
    bodies: [],
    carved: ["81985529216486895"],
    unplaced: 3,
  },
  "20b-torn-before-flush-no-bodies": { strict: "ORT_CHECKSUM", chunks: [], bodies: [], unplaced: 3 },
  "21-truncated-in-page-table": { strict: "ORT_TRUNCATED", carved: ALL_BODIES, unplaced: 1 },
  "22-truncated-in-data": {
    strict: "ORT_TRUNCATED",
    chunks: [],
    bodies: [],
    carved: ["81985529216486895", "7"],
    unplaced: 1,
  },
  "23-truncated-header": { strict: "ORT_TRUNCATED", hopeless: true },
  "24-truncated-in-body-index": { strict: "ORT_TRUNCATED", carved: ALL_BODIES.filter((id) => id !== "7") },
  "25-truncated-last-byte": { strict: "ORT_TRUNCATED", carved: ["8"] },
  "30-flip-page-entry": { strict: "ORT_CHECKSUM", unplaced: 1 },
  "31-flip-payload-literal": { strict: undefined, chunks: BOTH_CHUNKS, bodies: ALL_BODIES },
  "31b-payload-match-offset-zero": { strict: "ORT_LZ4" },
  "32-flip-payload-token": { strict: "ORT_LZ4" },
  "33-flip-uncompressed-size": { strict: "ORT_LZ4", chunks: BOTH_CHUNKS, bodies: ALL_BODIES },
  "33b-small-uncompressed-size": { strict: "ORT_LZ4" },
  "34-flip-entry-size-prefix": { strict: "ORT_RECORD" },
  "35-flip-body-checked": { strict: "ORT_CHECKSUM" },
  "36-flip-body-unchecked": { strict: undefined, chunks: BOTH_CHUNKS, bodies: ALL_BODIES },
  "37-flip-magic": { strict: "ORT_MAGIC", hopeless: true },
  "38-version-2": { strict: "ORT_VERSION", hopeless: true },
  "39-version-0": { strict: "ORT_VERSION", chunks: BOTH_CHUNKS, bodies: ALL_BODIES },
  "40-chunk-size-256": { strict: "ORT_VERSION", hopeless: true },
  "41-zeroed-page-table": { strict: "ORT_INDEX", unplaced: 2 },
  "42-storage-type-7": { strict: "ORT_INDEX", unplaced: 1 },
  "43-delta-position-out-of-range": { strict: "ORT_BLOB", chunks: [], bodies: [] },
  "44-delta-duplicate-unsorted": {
    strict: "ORT_BLOB",
    chunks: ["0,0"],
    bodies: [],
    repairedSha256: "e9b185e5b71a13b18511fe0a9f97b8c93856fb43c3efb12558c61c2801d8af84",
  },
  "45-delta-count-ffffff": { strict: "ORT_BLOB", chunks: [], bodies: [] },
  "46-duplicate-page-entry": { strict: "ORT_INDEX", unplaced: 1 },
  "47-chunk-count-plus-one": { strict: "ORT_INDEX" },
  "48-page-table-size-wrong": { strict: "ORT_INDEX" },
  // A file from a browser is not damaged: its first bytes reveal the dialect.
  "49-web-file-in-native-reader": {
    strict: undefined,
    chunks: ["0,0", "1,0"],
    bodies: ["7", "81985529216486895"],
  },
};
