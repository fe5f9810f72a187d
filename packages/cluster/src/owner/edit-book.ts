import type { Position } from "@orthant/core";
import { type Codec, decode, encode, list } from "@orthant/core/bytes";
import { getOrAdd, PositionMap, positionCodec } from "@orthant/core/lattice";
import {
  type EditTransfer,
  editTransferBytes,
  editTransferCodec,
  type TakenEdits,
} from "../shard/border-edits.ts";
import {
  compareTransfers,
  shardNameCodec,
  type TransferId,
  transferIdCodec,
  transferKey,
} from "../shard/entity-record.ts";
import type { StepRecord } from "../shard/step-record.ts";

/** What a shard has applied of the edits of another. */
interface EditInbox {
  /** Everything before this was applied here or elsewhere: the sender no longer has it. */
  low: TransferId;
  /** The last transfer applied in each region, if it is not before `low`. Those of a region arrive in their order. */
  readonly last: PositionMap<TransferId>;
}

interface SavedEditInbox {
  readonly from: string;
  readonly low: TransferId;
  readonly last: readonly (readonly [region: Position, transfer: TransferId])[];
}

interface SavedEditBook {
  readonly outbox: readonly EditTransfer[];
  readonly inboxes: readonly SavedEditInbox[];
}

/** Edits on their way that a shard has for others, and their size. */
export interface WaitingEdits {
  readonly transfer: EditTransfer;
  readonly bytes: number;
}

const OUTBOX_MAX = 1_048_576;
const REGIONS_MAX = 1_048_576;
const SHARDS_MAX = 4_096;

const inboxCodec: Codec<SavedEditInbox> = {
  write(out, { from, low, last }) {
    shardNameCodec.write(out, from);
    transferIdCodec.write(out, low);
    lastCodec.write(out, last);
  },
  read: (input) => ({
    from: shardNameCodec.read(input),
    low: transferIdCodec.read(input),
    last: lastCodec.read(input),
  }),
};
const lastCodec = list<SavedEditInbox["last"][number]>(
  {
    write(out, [region, transfer]) {
      positionCodec.write(out, region);
      transferIdCodec.write(out, transfer);
    },
    read: (input) => [positionCodec.read(input), transferIdCodec.read(input)],
  },
  REGIONS_MAX,
);
const outboxCodec = list(editTransferCodec, OUTBOX_MAX);
const inboxesCodec = list(inboxCodec, SHARDS_MAX);
const bookCodec: Codec<SavedEditBook> = {
  write(out, { outbox, inboxes }) {
    outboxCodec.write(out, outbox);
    inboxesCodec.write(out, inboxes);
  },
  read: (input) => ({ outbox: outboxCodec.read(input), inboxes: inboxesCodec.read(input) }),
};

/**
 * What a shard knows about edits of steps that cross its border: those of its own that are not known to be applied, and
 * which ones of others it applied. Saves and records of the journal contain all of it. Rules K66 and K67.
 */
export class EditBook {
  readonly #outbox = new Map<string, WaitingEdits>();
  readonly #inboxes = new Map<string, EditInbox>();

  /** Takes over the state in a save. */
  load(bytes: Uint8Array): void {
    const { outbox, inboxes } = decode(bookCodec, bytes);
    for (const transfer of outbox) this.send(transfer);
    for (const { from, low, last } of inboxes)
      for (const [region, transfer] of last) this.take({ from, region, transfer, low });
    for (const { from, low } of inboxes) this.#inbox(from, low);
  }

  /** Returns the state for a save; `undefined` if there is none. */
  toBytes(): Uint8Array | undefined {
    if (this.#outbox.size + this.#inboxes.size === 0) return undefined;
    return encode(bookCodec, {
      outbox: this.outbox.map(({ transfer }) => transfer),
      inboxes: Array.from(this.#inboxes, ([from, { low, last }]) => ({ from, low, last: [...last] })),
    });
  }

  /** Applies a record of the journal. */
  replay({ term, sent, taken }: StepRecord): void {
    for (const { number, region, edits } of sent) this.send({ term, number, region, edits });
    for (const one of taken) this.take(one);
  }

  /** Adds edits that a step sends. */
  send(transfer: EditTransfer): void {
    this.#outbox.set(transferKey(transfer), { transfer, bytes: editTransferBytes(transfer) });
  }

  /** Forgets edits that were applied where they belong. */
  delivered(transfer: TransferId): void {
    this.#outbox.delete(transferKey(transfer));
  }

  /** Notes that a step applied edits of another shard. */
  take({ from, region, transfer, low }: TakenEdits): void {
    const { low: floor, last } = this.#inbox(from, low);
    const known = last.get(...region);
    if (compareTransfers(transfer, floor) < 0) return;
    if (known === undefined || compareTransfers(known, transfer) < 0) last.set(...region, transfer);
  }

  /** Forgets the outbox, which stays with the shard that this one was split from. */
  clearOutbox(): void {
    this.#outbox.clear();
  }

  /** The edits that are not known to be applied, in order. */
  get outbox(): readonly WaitingEdits[] {
    return [...this.#outbox.values()].sort((one, other) => compareTransfers(one.transfer, other.transfer));
  }

  /** The earliest of them. */
  get earliest(): TransferId | undefined {
    let earliest: EditTransfer | undefined;
    for (const { transfer } of this.#outbox.values())
      if (earliest === undefined || compareTransfers(transfer, earliest) < 0) earliest = transfer;
    return earliest;
  }

  get outboxSize(): number {
    return this.#outbox.size;
  }

  /** Returns true if edits of another shard were applied before. */
  has(from: string, { region, term, number }: Omit<EditTransfer, "edits">): boolean {
    const inbox = this.#inboxes.get(from);
    if (inbox === undefined) return false;
    const last = inbox.last.get(...region);
    const id = { term, number };
    return compareTransfers(id, inbox.low) < 0 || (last !== undefined && compareTransfers(id, last) <= 0);
  }

  /** Returns what was applied of a shard's edits, after it said which ones it no longer has. */
  #inbox(from: string, low: TransferId): EditInbox {
    const inbox = getOrAdd(this.#inboxes, from, () => ({ low, last: new PositionMap<TransferId>() }));
    if (compareTransfers(inbox.low, low) >= 0) return inbox;
    inbox.low = low;
    for (const [region, transfer] of [...inbox.last])
      if (compareTransfers(transfer, low) < 0) inbox.last.delete(...region);
    return inbox;
  }
}
