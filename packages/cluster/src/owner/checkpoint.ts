import { type Codec, decode, encode } from "@orthant/core/bytes";
import type { Attachment, WorldDescription } from "@orthant/save";

/** The journal record up to which a generation contains everything. Rule K24. */
export interface Checkpoint {
  readonly term: number;
  readonly sequence: number;
}

const ATTACHMENT = "orthant.cluster.fold";
const TRANSFERS = "orthant.cluster.transfers";

const checkpointCodec: Codec<Checkpoint> = {
  write(out, { term, sequence }) {
    out.varUint(term);
    out.varUint(sequence);
  },
  read: (input) => ({ term: input.varUint(), sequence: input.varUint() }),
};

/** Returns the mark in a world's description; `undefined` if the world was never part of a cluster. */
export function checkpointOf({ attachments }: WorldDescription): Checkpoint | undefined {
  const value = attachments.find(({ key }) => key === ATTACHMENT)?.value;
  return value === undefined ? undefined : decode(checkpointCodec, value);
}

/** Returns what a world's description has of the transfers of entities; `undefined` if there were none. */
export function transfersOf({ attachments }: WorldDescription): Uint8Array | undefined {
  return attachments.find(({ key }) => key === TRANSFERS)?.value;
}

/** Returns the description with a new mark, and with the transfers of entities. */
export function withCheckpoint(
  description: WorldDescription,
  mark: Checkpoint,
  transfers: Uint8Array | undefined = transfersOf(description),
): WorldDescription {
  const own: readonly Attachment[] = [
    { key: ATTACHMENT, value: encode(checkpointCodec, mark) },
    ...(transfers === undefined ? [] : [{ key: TRANSFERS, value: transfers }]),
  ];
  const others = withoutCheckpoint(description).attachments;
  const attachments = [...others, ...own].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { ...description, attachments };
}

/** Returns the description without a mark, for a world outside a cluster. */
export function withoutCheckpoint(description: WorldDescription): WorldDescription {
  const attachments = description.attachments.filter(({ key }) => key !== ATTACHMENT && key !== TRANSFERS);
  return { ...description, attachments };
}
