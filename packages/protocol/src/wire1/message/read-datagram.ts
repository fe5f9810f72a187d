import { ByteReader, isOrthantError } from "@orthant/core";
import { type ReadingStage, readDatagramIn } from "./datagram-codec.ts";
import type { Wire1Message } from "./wire1-message.ts";

/** An invalid datagram: the part in which reading failed, and a human-readable detail. */
export interface Unreadable {
  readonly stage: ReadingStage;
  readonly detail: string;
}

/** Reads a datagram, or returns why it is invalid. Never throws, whatever the bytes are. */
export function readDatagram(datagram: Uint8Array): Wire1Message | Unreadable {
  let stage: ReadingStage = "version";
  try {
    return readDatagramIn(new ByteReader(datagram), (next) => {
      stage = next;
    });
  } catch (error) {
    if (isOrthantError(error)) return { stage, detail: error.message };
    throw error;
  }
}
