import { decode, encode, record, varUint } from "@orthant/core/bytes";
import type { Attachment, WorldDescription } from "@orthant/save";

/** The journal record up to which a generation contains everything. Rule K24. */
interface Checkpoint {
  readonly term: number;
  readonly sequence: number;
}

const ATTACHMENT = "orthant.cluster.fold";
const TRANSFERS = "orthant.cluster.transfers";
const EDITS = "orthant.cluster.edits";
const OWN: readonly string[] = [ATTACHMENT, TRANSFERS, EDITS];

const checkpointCodec = record<Checkpoint>({ term: varUint, sequence: varUint });

/** Returns the mark in a world's description; `undefined` if the world was never part of a cluster. */
export function checkpointOf({ attachments }: WorldDescription): Checkpoint | undefined {
  const value = attachments.find(({ key }) => key === ATTACHMENT)?.value;
  return value === undefined ? undefined : decode(checkpointCodec, value);
}

/** What a save has of what crosses the border of its shard, encoded. */
export interface SavedBorder {
  /** Entities that cross the border; `undefined` in a save from outside of a cluster. */
  readonly transfers: Uint8Array | undefined;
  /** Edits of steps that cross the border; `undefined` if there were none. */
  readonly edits: Uint8Array | undefined;
}

/** Returns what a world's description has of what crosses the border. */
export function savedBorderOf({ attachments }: WorldDescription): SavedBorder {
  const attached = (wanted: string): Uint8Array | undefined =>
    attachments.find(({ key }) => key === wanted)?.value;
  return { transfers: attached(TRANSFERS), edits: attached(EDITS) };
}

/** Returns the description with a new mark, and with what crosses the border of the shard. */
export function withCheckpoint(
  description: WorldDescription,
  mark: Checkpoint,
  { transfers, edits }: SavedBorder = savedBorderOf(description),
): WorldDescription {
  const own: readonly Attachment[] = [
    { key: ATTACHMENT, value: encode(checkpointCodec, mark) },
    ...(transfers === undefined ? [] : [{ key: TRANSFERS, value: transfers }]),
    ...(edits === undefined ? [] : [{ key: EDITS, value: edits }]),
  ];
  const others = withoutCheckpoint(description).attachments;
  const attachments = [...others, ...own].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { ...description, attachments };
}

/** Returns the description without a mark, for a world outside a cluster. */
export function withoutCheckpoint(description: WorldDescription): WorldDescription {
  const attachments = description.attachments.filter(({ key }) => !OWN.includes(key));
  return { ...description, attachments };
}
