import { wrongArgument } from "@orthant/core";
import { CLIENT_EDITS_MAX, type ClientEdits } from "@orthant/formats";
import { requireId } from "./checked-arguments.ts";

/** Who made an edit: what tells a repeated one from a new one. */
export interface EditOrigin {
  /** A number that no other client uses; 64 random bits will do. */
  readonly clientId: bigint;
  /** Counts the client's edits, from 1. */
  readonly editId: number;
  /** The player whose client it is. Clients without one share their places in the ledger. */
  readonly playerId?: bigint;
}

/** Clients of one player that the ledger remembers. */
export const PLAYER_CLIENTS_MAX = 16;

/**
 * Remembers the last edit of each client. A player has `PLAYER_CLIENTS_MAX` places, of which the one used longest ago
 * is reused first, so no player can push out another's clients. When there are more than `CLIENT_EDITS_MAX` clients
 * in all, the player with the most of them loses the one used longest ago.
 */
export class EditLedger {
  /** In the order of use: the client that edited longest ago comes first. */
  readonly #clients: Map<bigint, ClientEdits>;
  /** Clients of each player; those without a player are counted together. */
  readonly #counts = new Map<bigint | undefined, number>();

  constructor(stored: readonly ClientEdits[]) {
    this.#clients = new Map(stored.map((edits) => [edits.clientId, edits]));
    for (const { playerId } of stored) this.#count(playerId, 1);
  }

  /** The last edit of a client; 0 when none is remembered. */
  lastEditOf(clientId: bigint): number {
    return this.#clients.get(clientId)?.lastEditId ?? 0;
  }

  /** Whether this edit, or a later one of the same client, was made before. */
  includes({ clientId, editId }: EditOrigin): boolean {
    return editId <= this.lastEditOf(clientId);
  }

  /**
   * Whether clients of a player may have been forgotten. Places that are once used stay in use, so while a place is
   * free none has been forgotten.
   */
  mayHaveForgotten(playerId: bigint | undefined): boolean {
    return this.#clients.size >= CLIENT_EDITS_MAX || this.#isShareFull(playerId, PLAYER_CLIENTS_MAX);
  }

  /** Notes an edit. One that is made again from a log, region by region, may come behind a later one of its client. */
  note(origin: EditOrigin): void {
    const { clientId, editId } = origin;
    const known = this.#clients.get(clientId);
    if (known !== undefined) {
      this.#clients.delete(clientId);
      this.#clients.set(clientId, { ...known, lastEditId: Math.max(editId, known.lastEditId) });
      return;
    }
    this.#clients.set(clientId, clientEditsOf(origin));
    this.#count(origin.playerId, 1);
    if (this.#isShareFull(origin.playerId, PLAYER_CLIENTS_MAX + 1)) {
      this.#forgetFirst(({ playerId }) => playerId === origin.playerId);
    }
    if (this.#clients.size > CLIENT_EDITS_MAX) this.#forgetOne();
  }

  /** All that is remembered, as a description stores it. */
  entries(): readonly ClientEdits[] {
    return [...this.#clients.values()];
  }

  #isShareFull(playerId: bigint | undefined, clients: number): boolean {
    return playerId !== undefined && (this.#counts.get(playerId) ?? 0) >= clients;
  }

  /** Forgets the oldest client among those of the players who have the most. */
  #forgetOne(): void {
    let most = 0;
    for (const count of this.#counts.values()) if (count > most) most = count;
    this.#forgetFirst(({ playerId }) => this.#counts.get(playerId) === most);
  }

  #forgetFirst(matches: (edits: ClientEdits) => boolean): void {
    for (const edits of this.#clients.values()) {
      if (!matches(edits)) continue;
      this.#clients.delete(edits.clientId);
      this.#count(edits.playerId, -1);
      return;
    }
  }

  #count(playerId: bigint | undefined, change: number): void {
    const count = (this.#counts.get(playerId) ?? 0) + change;
    if (count === 0) this.#counts.delete(playerId);
    else this.#counts.set(playerId, count);
  }
}

/** An origin as descriptions and journals store it. */
export function clientEditsOf({ clientId, editId, playerId }: EditOrigin): ClientEdits {
  return { clientId, lastEditId: editId, ...(playerId !== undefined && { playerId }) };
}

/** The origin of an edit that a journal stores. */
export function originOf({ clientId, lastEditId, playerId }: ClientEdits): EditOrigin {
  return { clientId, editId: lastEditId, ...(playerId !== undefined && { playerId }) };
}

/** A copy of an origin; `ORT_ARGUMENT` when a description could not store it. */
export function checkedOrigin({ clientId, editId, playerId }: EditOrigin): EditOrigin {
  requireId("clientId", clientId);
  if (!Number.isSafeInteger(editId) || editId < 1) {
    throw wrongArgument("editId", editId, "edits are whole numbers and count from 1");
  }
  if (playerId === undefined) return { clientId, editId };
  requireId("playerId", playerId);
  return { clientId, editId, playerId };
}
