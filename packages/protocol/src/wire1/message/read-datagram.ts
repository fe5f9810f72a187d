import { ByteReader, isOrthantError } from "@orthant/core";
import { type ReadingStage, readDatagramIn } from "./datagram-codec.ts";
import type { Wire1Message } from "./wire1-message.ts";

/** A datagram that is wrong: what was being read, and what is wrong with it, for people. */
export interface Unreadable {
  readonly stage: ReadingStage;
  readonly detail: string;
}

/** What a datagram says, or why it says nothing. It never throws, whatever the bytes are. */
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
