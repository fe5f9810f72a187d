import { type Codec, decode, encode } from "@orthant/core";
import type { Attachment, WorldDescription } from "@orthant/save";

/** The journal record up to which a generation contains everything. Rule K24. */
export interface FoldMark {
  readonly epoch: number;
  readonly sequence: number;
}

const KEY = "orthant.cluster.fold";

const foldMarkCodec: Codec<FoldMark> = {
  write(out, { epoch, sequence }) {
    out.varUint(epoch);
    out.varUint(sequence);
  },
  read: (input) => ({ epoch: input.varUint(), sequence: input.varUint() }),
};

/** Returns the mark in a world's description; `undefined` if the world was never part of a cluster. */
export function foldMarkOf({ attachments }: WorldDescription): FoldMark | undefined {
  const value = attachments.find(({ key }) => key === KEY)?.value;
  return value === undefined ? undefined : decode(foldMarkCodec, value);
}

/** Returns the description with a new mark. */
export function withFoldMark(description: WorldDescription, mark: FoldMark): WorldDescription {
  const own: Attachment = { key: KEY, value: encode(foldMarkCodec, mark) };
  const others = description.attachments.filter(({ key }) => key !== KEY);
  const attachments = [...others, own].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { ...description, attachments };
}
