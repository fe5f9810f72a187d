import { OrthantError } from "@orthant/core";
import { requireId, wrongArgument } from "@orthant/core/arguments";
import type { EditOrigin } from "@orthant/core/tree";
import type { LastClientEdit } from "@orthant/save";
import { CLIENT_EDITS_MAX } from "@orthant/save/content";

/** Clients remembered per player. */
export const PLAYER_CLIENTS_MAX = 16;

/**
 * Remembers the last edit of each client. Each player has `PLAYER_CLIENTS_MAX` entries and reuses the least
 * recently used one, so no player can evict another player's clients. When there are more clients than the limit in
 * total, the player with the most clients loses the least recently used one.
 */
export class LastEdits {
  /** Least recently used first. */
  readonly #clients: Map<bigint, LastClientEdit>;
  /** Number of clients per player; clients without a player share one count. */
  readonly #counts = new Map<bigint | undefined, number>();

  readonly #clientsMax: number;

  constructor(stored: readonly LastClientEdit[], clientsMax: number = CLIENT_EDITS_MAX) {
    this.#clientsMax = clientsMax;
    this.#clients = new Map(stored.map((edits) => [edits.clientId, edits]));
    for (const { playerId } of stored) this.#count(playerId, 1);
  }

  /** Returns the id of the client's last edit, or 0 when none is remembered. */
  lastEditOf(clientId: bigint): number {
    return this.#clients.get(clientId)?.lastEditId ?? 0;
  }

  /** Whether this edit, or a later one by the same client, was already applied. */
  includes({ clientId, editId }: EditOrigin): boolean {
    return editId <= this.lastEditOf(clientId);
  }

  /** Throws `ORT_EDIT_REPEAT` for an edit that may have been sent, and applied, before, by a client that is forgotten. */
  requireRemembered({ clientId, editId, playerId, isRepeat = false }: EditOrigin): void {
    if (!isRepeat || this.#clients.has(clientId) || !this.mayHaveForgotten(playerId)) return;
    const detail = `edit ${editId} of client ${clientId} may have been made before, and the world has forgotten the client`;
    throw new OrthantError("ORT_EDIT_REPEAT", detail);
  }

  /**
   * Whether clients of this player may have been forgotten. Entries are never freed, so while one is unused, no
   * client has been.
   */
  mayHaveForgotten(playerId: bigint | undefined): boolean {
    return this.#clients.size >= this.#clientsMax || this.#isShareFull(playerId, PLAYER_CLIENTS_MAX);
  }

  /** Records an edit. A replay region by region may deliver it after a later one of the same client. */
  add(origin: EditOrigin): void {
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
    while (this.#clients.size > this.#clientsMax) this.#forgetOne();
  }

  /** Returns all entries in the form that a description stores. */
  entries(): readonly LastClientEdit[] {
    return [...this.#clients.values()];
  }

  #isShareFull(playerId: bigint | undefined, clients: number): boolean {
    return playerId !== undefined && (this.#counts.get(playerId) ?? 0) >= clients;
  }

  /** Forgets the least recently used client among the players with the most clients. */
  #forgetOne(): void {
    let most = 0;
    for (const count of this.#counts.values()) if (count > most) most = count;
    this.#forgetFirst(({ playerId }) => this.#counts.get(playerId) === most);
  }

  #forgetFirst(matches: (edits: LastClientEdit) => boolean): void {
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

/** Converts an origin to the form that descriptions and journals store. */
export function clientEditsOf({ clientId, editId, playerId }: EditOrigin): LastClientEdit {
  return { clientId, lastEditId: editId, ...(playerId !== undefined && { playerId }) };
}

/** Returns the origin of an edit stored in a journal. */
export function originOf({ clientId, lastEditId, playerId }: LastClientEdit): EditOrigin {
  return { clientId, editId: lastEditId, ...(playerId !== undefined && { playerId }) };
}

/** Returns a copy of an origin. Throws `ORT_ARGUMENT` when a description cannot store it. */
export function checkedOrigin({ clientId, editId, playerId, isRepeat = false }: EditOrigin): EditOrigin {
  requireId("clientId", clientId);
  if (!Number.isSafeInteger(editId) || editId < 1) {
    throw wrongArgument("editId", editId, "edits are whole numbers and count from 1");
  }
  if (playerId === undefined) return { clientId, editId, isRepeat };
  requireId("playerId", playerId);
  return { clientId, editId, playerId, isRepeat };
}
