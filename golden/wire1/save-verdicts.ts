import type { ErrorCode } from "@orthant/core";

/** Saves that the original loads and we reject, with our error. The page on tile saves has the same list. */
export const SAVE_DIFFERENCES: Readonly<Record<string, ErrorCode>> = {
  unknown_keys_ignored: "ORT_TILE_SAVE",
  duplicate_scalar_last_wins: "ORT_TILE_SAVE",
  negative_u64: "ORT_TILE_SAVE",
  negative_wrapping_u32: "ORT_TILE_SAVE",
  leading_space_number: "ORT_TILE_SAVE",
  chunk_index_alias_00: "ORT_TILE_SAVE",
  chunk_empty_base64: "ORT_TRUNCATED",
  chunk_garbage_payload: "ORT_TRUNCATED",
  base64_noncanonical_bits: "ORT_TILE_SAVE",
  truncated_in_debug: "ORT_TILE_SAVE",
  truncated_in_last_chunk_aligned: "ORT_TILE_SAVE",
  newline_injection_in_fingerprint: "ORT_TILE_SAVE",
};
