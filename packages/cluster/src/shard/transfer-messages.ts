import { type Codec, list } from "@orthant/core/bytes";
import type { StoredEntity } from "@orthant/save";
import { storedEntityCodec } from "@orthant/save/content";
import { shardNameCodec, type TransferId, transferIdCodec } from "./entity-record.ts";

/** An entity on its way to another shard. */
export interface Transfer extends TransferId {
  readonly entity: StoredEntity;
}

/** An owner's request to another one to take entities over. */
export interface TransferRequest {
  /** The shard that sends them. */
  readonly from: string;
  /** The earliest transfer in its outbox. */
  readonly low: TransferId;
  /** The latest stamp of its records. */
  readonly stamp: number;
  readonly transfers: readonly Transfer[];
}

/** Outcome of a transfer: the entity is stored there, belongs to another shard, or is to be sent again later. */
export type TransferOutcome = "stored" | "elsewhere" | "later";

/** Maximum number of transfers in one request. */
export const TRANSFERS_MAX = 256;
const OUTCOMES: readonly TransferOutcome[] = ["stored", "elsewhere", "later"];

/** Codec of a transfer. */
export const transferCodec: Codec<Transfer> = {
  write(out, transfer) {
    transferIdCodec.write(out, transfer);
    storedEntityCodec.write(out, transfer.entity);
  },
  read: (input) => ({ ...transferIdCodec.read(input), entity: storedEntityCodec.read(input) }),
};

const transfersCodec = list(transferCodec, TRANSFERS_MAX);

/** Codec of a request to take entities over. Rule K57 in docs/formats/cluster.md. */
export const transferRequestCodec: Codec<TransferRequest> = {
  write(out, { from, low, stamp, transfers }) {
    shardNameCodec.write(out, from);
    transferIdCodec.write(out, low);
    out.varUint(stamp);
    transfersCodec.write(out, transfers);
  },
  read: (input) => ({
    from: shardNameCodec.read(input),
    low: transferIdCodec.read(input),
    stamp: input.varUint(),
    transfers: transfersCodec.read(input),
  }),
};

/** Codec of the answer: one outcome for each transfer, or none if the responder is not the owner now. */
export const transferAnswerCodec: Codec<readonly TransferOutcome[]> = list<TransferOutcome>(
  {
    write: (out, outcome) => out.tag(OUTCOMES.indexOf(outcome), OUTCOMES.length),
    read: (input) => OUTCOMES[input.tag(OUTCOMES.length)] ?? "later",
  },
  TRANSFERS_MAX,
);
