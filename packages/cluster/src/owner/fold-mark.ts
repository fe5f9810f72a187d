import { type Codec, decode, encode } from "@orthant/core";
import type { Attachment, WorldDescription } from "@orthant/save";

/** The journal record up to which a generation contains everything. Rule K24. */
export interface Checkpoint {
  readonly term: number;
  readonly sequence: number;
}

const KEY = "orthant.cluster.fold";

const checkpointCodec: Codec<Checkpoint> = {
  write(out, { term, sequence }) {
    out.varUint(term);
    out.varUint(sequence);
  },
  read: (input) => ({ term: input.varUint(), sequence: input.varUint() }),
};

/** Returns the mark in a world's description; `undefined` if the world was never part of a cluster. */
export function checkpointOf({ attachments }: WorldDescription): Checkpoint | undefined {
  const value = attachments.find(({ key }) => key === KEY)?.value;
  return value === undefined ? undefined : decode(checkpointCodec, value);
}

/** Returns the description with a new mark. */
export function withCheckpoint(description: WorldDescription, mark: Checkpoint): WorldDescription {
  const own: Attachment = { key: KEY, value: encode(checkpointCodec, mark) };
  const others = description.attachments.filter(({ key }) => key !== KEY);
  const attachments = [...others, own].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { ...description, attachments };
}
