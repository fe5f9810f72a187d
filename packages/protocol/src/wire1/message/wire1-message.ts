import type { TileChunk } from "@orthant/core";
import type { Wire1Command } from "./wire1-command.ts";

/** The three datagrams that start and maintain a session. */
export type Wire1Control = "syn" | "ack" | "heartbeat";

/** The content of one datagram. */
export type Wire1Message =
  | { readonly kind: "control"; readonly control: Wire1Control }
  | { readonly kind: "command"; readonly playerId: number; readonly command: Wire1Command }
  | { readonly kind: "chunk"; readonly chunk: TileChunk }
  | ChunkBatch;

/** Unique chunks, ordered by x, then y. */
export interface ChunkBatch {
  readonly kind: "batch";
  readonly chunks: readonly TileChunk[];
}
