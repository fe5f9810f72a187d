import { OrthantError, U64_MAX } from "@orthant/core";
import { CLIENT_EDITS_MAX, type ClientEdits } from "@orthant/formats";

/** Who made an edit: what tells a repeated one from a new one. */
export interface EditOrigin {
  /** A number that no other client uses; 64 random bits will do. */
  readonly clientId: bigint;
  /** Counts the client's edits, from 1. */
  readonly editId: number;
}

/** Which edit of each client was made last. Of many clients, those that edited last are remembered. */
export class EditLedger {
  /** In the order of use, so that the first one is the one to forget. */
  readonly #lastEdits: Map<bigint, number>;
  /** The clients in the order in which they are stored; `undefined` after one came or went. */
  #sorted: readonly bigint[] | undefined;

  /** Begins with what is stored. In which order that was used is not known any more. */
  constructor(stored: readonly ClientEdits[]) {
    this.#lastEdits = new Map(stored.map(({ clientId, lastEditId }) => [clientId, lastEditId]));
  }

  /** The last edit of a client; 0 when none is remembered. */
  lastEditOf(clientId: bigint): number {
    return this.#lastEdits.get(clientId) ?? 0;
  }

  /** Whether this edit, or a later one of the same client, was made before. */
  includes({ clientId, editId }: EditOrigin): boolean {
    return editId <= this.lastEditOf(clientId);
  }

  /** Notes an edit. One that is made again from a log, region by region, may come behind a later one of its client. */
  note({ clientId, editId }: EditOrigin): void {
    const lastEditId = Math.max(editId, this.lastEditOf(clientId));
    const isKnown = this.#lastEdits.delete(clientId);
    this.#lastEdits.set(clientId, lastEditId);
    if (isKnown) return;
    this.#sorted = undefined;
    if (this.#lastEdits.size <= CLIENT_EDITS_MAX) return;
    for (const oldest of this.#lastEdits.keys()) {
      this.#lastEdits.delete(oldest);
      break;
    }
  }

  /** All that is remembered, as a description stores it. */
  entries(): readonly ClientEdits[] {
    this.#sorted ??= [...this.#lastEdits.keys()].sort((a, b) => (a < b ? -1 : 1));
    return this.#sorted.map((clientId) => ({ clientId, lastEditId: this.lastEditOf(clientId) }));
  }
}

/** A copy of an origin; `ORT_ARGUMENT` when a description could not store it. */
export function checkedOrigin({ clientId, editId }: EditOrigin): EditOrigin {
  if (typeof clientId !== "bigint" || clientId < 0n || clientId > U64_MAX) {
    throw new OrthantError("ORT_ARGUMENT", `${clientId} is no id of a client: it has 64 bits`);
  }
  if (!Number.isSafeInteger(editId) || editId < 1) {
    throw new OrthantError("ORT_ARGUMENT", `${editId} is no id of an edit: they count from 1`);
  }
  return { clientId, editId };
}
