import type { Unreadable } from "@orthant/protocol/internal";

/** The reason why our decoder rejects a datagram, or "accepted". */
export type OurVerdict = "accepted" | Unreadable["stage"];

/** Messages that the original's codec reads and its world then rejects: a chunk must have 1,024 tiles. */
export const REFUSED_MESSAGES: readonly string[] = [
  "chunk_snapshot/one_tile (codec accepts, world rejects)",
  "chunk_snapshot/four_tiles from upstream unit test",
  "chunk_snapshot_batch/two_small",
];

/**
 * Datagrams that we reject and the original accepts, in whole or in part: a second encoding of a value that
 * already has one. The page about the format has the same list.
 */
export const DIFFERENCES: Readonly<Record<string, OurVerdict>> = {
  payload_len_overlong: "length",
  payload_len_overlong_10: "length",
  command_player_overlong: "command",
  command_id_overlong: "command",
  command_inner_len_overlong: "command",
  motion_overlong_axis: "payload",
  set_tile_overlong_material: "payload",
  snapshot_x_overlong: "chunks",
  snapshot_tile_count_overlong: "chunks",
  batch_count_overlong: "chunks",
  batch_duplicate_coords: "chunks",
  batch_second_x_out_of_int32: "chunks",
  batch_second_one_tile: "chunks",
};

/** The stage at which the original rejected a datagram, and our names for it. */
export const STAGES: Readonly<Record<string, readonly OurVerdict[]>> = {
  "datagram missing wire_version": ["version"],
  "unsupported wire_version": ["version", "legacy"],
  "datagram missing kind": ["kind"],
  "unknown kind": ["kind"],
  "datagram missing payload_len": ["length"],
  "payload_len does not match datagram size": ["length"],
  "payload must be exactly 1 byte with control_type 1..3": ["control"],
  "invalid command datagram (varint/bytes/trailing/u32 range)": ["command"],
  "unknown command_id": ["unknownCommand"],
  "payload of known command_id failed validation": ["payload"],
};
