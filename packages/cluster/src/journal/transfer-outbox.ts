import { compareTransfers, type TransferId, transferKey } from "../shard/entity-record.ts";

/** A transfer that waits to arrive, and its size. */
export interface WaitingTransfer<Transfer> {
  readonly transfer: Transfer;
  readonly bytes: number;
}

/** The transfers that a shard sends to others and that are not known to have arrived. Rules K56 and K66. */
export class TransferOutbox<Transfer extends TransferId> {
  readonly #waiting = new Map<string, WaitingTransfer<Transfer>>();
  readonly #bytesOf: (transfer: Transfer) => number;

  /** `bytesOf` returns the size of a transfer in a request, about. */
  constructor(bytesOf: (transfer: Transfer) => number) {
    this.#bytesOf = bytesOf;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Adds a transfer, or replaces the one with its id. */
  add(transfer: Transfer): void {
    this.#waiting.set(transferKey(transfer), { transfer, bytes: this.#bytesOf(transfer) });
  }

  /** Forgets a transfer that arrived. */
  delivered(id: TransferId): void {
    this.#waiting.delete(transferKey(id));
  }

  clear(): void {
    this.#waiting.clear();
  }

  /** Returns the transfers in the order of their ids. */
  inOrder(): readonly WaitingTransfer<Transfer>[] {
    return [...this.#waiting.values()].sort((one, other) => compareTransfers(one.transfer, other.transfer));
  }

  /** The lowest id; `undefined` if the outbox is empty. */
  get earliest(): TransferId | undefined {
    let earliest: TransferId | undefined;
    for (const { transfer } of this.#waiting.values())
      if (earliest === undefined || compareTransfers(transfer, earliest) < 0) earliest = transfer;
    return earliest;
  }
}
