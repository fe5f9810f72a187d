// For tests, campaigns and benchmarks of this repository; not published.
export {
  bodyHeader as pixelBodyHeader,
  bodyIndexEntry as pixelBodyIndexEntry,
  browserHeader as pixelBrowserHeader,
  entryHeader as pixelEntryHeader,
  nativeHeader as pixelNativeHeader,
  pageEntry as pixelPageEntry,
  slotHeader as pixelSlotHeader,
  tableBody as pixelTableBody,
  tableChunk as pixelTableChunk,
} from "./format/layout.ts";
export { AUTOSAVE_MS as PIXEL_AUTOSAVE_MS, PENDING_MAX as PIXEL_PENDING_MAX } from "./format/limits.ts";
export { lz4Compress, lz4Decompress } from "./format/lz4.ts";
export { decodeVersion1Chunk as decodePixelChunkVersion1 } from "./version1/chunk-payload.ts";
export {
  decodeChunk as decodePixelChunk,
  type EncodedChunk as EncodedPixelChunk,
  encodeChunk as encodePixelChunk,
} from "./version2/chunk-payload.ts";
export { decodeSlot as decodePixelHeader, encodeSlot as encodePixelHeader } from "./version2/header.ts";
export {
  applyTable as applyPixelTable,
  BodyIndex as PixelBodyIndex,
  ChunkIndex as PixelChunkIndex,
  encodeTable as encodePixelTable,
  wholeTable as wholePixelTable,
} from "./version2/table.ts";
