import type { TileChunk } from "@orthant/core";
import type { Wire1Command } from "./wire1-command.ts";

/** The three datagrams that begin and keep up a session. */
export type Wire1Control = "syn" | "ack" | "heartbeat";

/** What one datagram says. */
export type Wire1Message =
  | { readonly kind: "control"; readonly control: Wire1Control }
  | { readonly kind: "command"; readonly playerId: number; readonly command: Wire1Command }
  | { readonly kind: "chunk"; readonly chunk: TileChunk }
  | ChunkBatch;

/** Some chunks, in the order of x, then y, each once. */
export interface ChunkBatch {
  readonly kind: "batch";
  readonly chunks: readonly TileChunk[];
}
