/** Bytes with a tag that says what they are. A program keeps parts whose tag it doesn't know. */
export interface TaggedPart {
  /** From 1 on. The parts of one thing have ascending tags. */
  readonly tag: number;
  /** At least one byte. */
  readonly bytes: Uint8Array;
}

/** The parts of most things. */
export const NO_PARTS: readonly TaggedPart[] = [];
