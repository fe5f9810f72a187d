import { bool, type Codec, list, record, varUint } from "@orthant/core/bytes";
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
export interface StepRequest {
  readonly kind: "step";
  readonly from: string;
}

/** Answer to a request for the last step of a shard. */
export interface StepAnswer {
  readonly step: number;
  /** Whether the owner makes steps. */
  readonly isStepping: boolean;
}

/** Outcome of a transfer: it is stored there, belongs to another shard, or is to be sent again later. */
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

const KINDS: readonly (TransferRequest | StepRequest)["kind"][] = ["entities", "edits", "step"];
const transfersCodec = list(transferCodec, TRANSFERS_MAX);
const editTransfersCodec = list(editTransferCodec, TRANSFERS_MAX);

/** Codec of a request of one owner to another. Rules K57, K67 and K68 in docs/formats/cluster.md. */
export const transferRequestCodec: Codec<TransferRequest | StepRequest> = {
  write(out, request) {
    out.tag(KINDS.indexOf(request.kind), KINDS.length);
    shardNameCodec.write(out, request.from);
    if (request.kind === "step") return;
    transferIdCodec.write(out, request.low);
    if (request.kind === "edits") return editTransfersCodec.write(out, request.transfers);
    out.varUint(request.stamp);
    transfersCodec.write(out, request.transfers);
  },
  read(input) {
    const kind = KINDS[input.tag(KINDS.length)];
    const from = shardNameCodec.read(input);
    if (kind === "step") return { kind, from };
    const low = transferIdCodec.read(input);
    if (kind === "edits") return { kind, from, low, transfers: editTransfersCodec.read(input) };
    return { kind: "entities", from, low, stamp: input.varUint(), transfers: transfersCodec.read(input) };
  },
};

/** Codec of the answer: one outcome for each transfer, or none if the responder is not the owner now. */
export const transferAnswerCodec: Codec<readonly TransferOutcome[]> = list<TransferOutcome>(
  {
    write: (out, outcome) => out.tag(OUTCOMES.indexOf(outcome), OUTCOMES.length),
    read: (input) => OUTCOMES[input.tag(OUTCOMES.length)] ?? "later",
  },
  TRANSFERS_MAX,
);

/** Codec of the answer to a request for the last step of a shard. Rule K68 in docs/formats/cluster.md. */
export const stepAnswerCodec: Codec<StepAnswer> = record({ step: varUint, isStepping: bool });
