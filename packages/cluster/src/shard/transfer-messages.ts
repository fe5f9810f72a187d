import {
  bool,
  type Codec,
  combined,
  constant,
  list,
  oneOf,
  record,
  variants,
  varUint,
} from "@orthant/core/bytes";
import type { StoredEntity } from "@orthant/save";
import { storedEntityCodec } from "@orthant/save/content";
import { type EditTransfer, editTransferCodec } from "./border-edits.ts";
import { shardNameCodec, type TransferId, transferIdCodec } from "./entity-record.ts";

/** An entity on its way to another shard. */
export interface Transfer extends TransferId {
  readonly entity: StoredEntity;
}

/** An owner's request to another one to apply edits of steps. */
export interface EditTransferRequest {
  readonly kind: "edits";
  /** The shard that sends them. */
  readonly from: string;
  /** The earliest transfer of edits in its outbox. */
  readonly low: TransferId;
  /** In order. */
  readonly transfers: readonly EditTransfer[];
}

/** An owner's request to another one to take entities over. */
export interface EntityTransferRequest {
  readonly kind: "entities";
  /** The shard that sends them. */
  readonly from: string;
  /** The earliest transfer in its outbox. */
  readonly low: TransferId;
  /** The latest stamp of its records. */
  readonly stamp: number;
  readonly transfers: readonly Transfer[];
}

/** A request of one owner to another to take something over. */
export type TransferRequest = EntityTransferRequest | EditTransferRequest;

/** An owner's question to another one which step its shard has made. */
interface StepRequest {
  readonly kind: "step";
  readonly from: string;
}

/** Answer to a request for the last step of a shard. */
export interface StepAnswer {
  readonly step: number;
  /** Whether the owner makes steps. */
  readonly isStepping: boolean;
}

const OUTCOMES = ["stored", "elsewhere", "later"] as const;
/** Outcome of a transfer: it is stored there, belongs to another shard, or is to be sent again later. */
export type TransferOutcome = (typeof OUTCOMES)[number];

/** Maximum number of transfers in one request. */
export const TRANSFERS_MAX = 256;

/** Codec of a transfer. */
export const transferCodec: Codec<Transfer> = combined(
  transferIdCodec,
  record({ entity: storedEntityCodec }),
);

/** Codec of a request of one owner to another. Rules K57, K67 and K68 in docs/formats/cluster.md. */
export const transferRequestCodec: Codec<TransferRequest | StepRequest> = variants<
  TransferRequest | StepRequest
>({
  entities: record({
    kind: constant("entities"),
    from: shardNameCodec,
    low: transferIdCodec,
    stamp: varUint,
    transfers: list(transferCodec, TRANSFERS_MAX),
  }),
  edits: record({
    kind: constant("edits"),
    from: shardNameCodec,
    low: transferIdCodec,
    transfers: list(editTransferCodec, TRANSFERS_MAX),
  }),
  step: record({ kind: constant("step"), from: shardNameCodec }),
});

/** Codec of the answer: one outcome for each transfer, or none if the responder is not the owner now. */
export const transferAnswerCodec: Codec<readonly TransferOutcome[]> = list(oneOf(OUTCOMES), TRANSFERS_MAX);

/** Codec of the answer to a request for the last step of a shard. Rule K68 in docs/formats/cluster.md. */
export const stepAnswerCodec: Codec<StepAnswer> = record({ step: varUint, isStepping: bool });
