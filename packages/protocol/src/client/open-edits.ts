import { OrthantError, requireInteger, type VoxelPlacement } from "@orthant/core";
import { EDITS_OPEN_MAX } from "../message/limits.ts";
import { encodeClientMessage, hasElapsed } from "./outgoing.ts";

/** Time to wait for a result before sending edits again. */
const EDIT_REPEAT_MS = 1_000;
/** Maximum bytes of edits sent per second, resends included: half of what a server grants in all. */
const EDIT_BYTES_PER_SECOND = 131_072;

/** An edit without a result. */
export interface OpenEdit {
  readonly editId: number;
  readonly placements: readonly VoxelPlacement[];
}

interface Outbound extends OpenEdit {
  readonly message: Uint8Array;
  sentMs: number | undefined;
}

/** A client's own edits until their results arrive. They outlive connections. */
export class OpenEdits {
  readonly #open = new Map<number, Outbound>();
  #nextId: number;
  /** The first edit that has not been sent, or that must be sent again. */
  #unsentId: number;
  #allowanceBytes = EDIT_BYTES_PER_SECOND;
  #allowedMs: number | undefined;

  constructor(firstId: number) {
    requireInteger(firstId, 1, Number.MAX_SAFE_INTEGER);
    this.#nextId = firstId;
    this.#unsentId = firstId;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The lowest id without a result, or the next id when no edit is open. */
  get lowestId(): number {
    for (const editId of this.#open.keys()) return editId;
    return this.#nextId;
  }

  /** Returns true when an edit has no result yet. */
  has(editId: number): boolean {
    return this.#open.has(editId);
  }

  /** Returns all open edits, in order. */
  all(): readonly OpenEdit[] {
    return [...this.#open.values()];
  }

  /** Opens an edit. Throws `ORT_LIMIT` when too many are open, and codec errors if it cannot be sent. */
  add(placements: readonly VoxelPlacement[]): OpenEdit {
    if (this.#open.size >= EDITS_OPEN_MAX) {
      throw new OrthantError("ORT_LIMIT", `${this.#open.size} edits wait for their results`);
    }
    const editId = this.#nextId;
    const copy = placements.map(({ voxel, block }) => ({ voxel, block }));
    const message = encodeClientMessage({ kind: "setVoxels", editId, placements: copy });
    const edit: Outbound = { editId, placements: copy, message, sentMs: undefined };
    this.#open.set(editId, edit);
    this.#nextId++;
    return edit;
  }

  /** Closes an edit. Returns true if it was open. */
  settle(editId: number): boolean {
    return this.#open.delete(editId);
  }

  /** Withdraws the newest edit before it was sent. The next edit reuses its id. */
  withdraw({ editId }: OpenEdit): void {
    this.#open.delete(editId);
    this.#nextId = editId;
  }

  /** Marks all edits to be sent again, for a new connection. */
  rewind(): void {
    this.#unsentId = this.lowestId;
  }

  /** Returns the messages to send now: all of them again, in order, when the oldest has waited too long. */
  due(nowMs: number): readonly Uint8Array[] {
    this.#refill(nowMs);
    const oldest = this.#open.get(this.lowestId);
    if (oldest === undefined) return [];
    if (oldest.editId < this.#unsentId && hasElapsed(oldest.sentMs, nowMs, EDIT_REPEAT_MS)) this.rewind();
    const messages: Uint8Array[] = [];
    for (const edit of this.#open.values()) {
      if (edit.editId < this.#unsentId) continue;
      if (this.#allowanceBytes <= 0) break;
      this.#allowanceBytes -= edit.message.length;
      this.#unsentId = edit.editId + 1;
      edit.sentMs = nowMs;
      messages.push(edit.message);
    }
    return messages;
  }

  #refill(nowMs: number): void {
    const passedMs = Math.max(0, nowMs - (this.#allowedMs ?? nowMs));
    const gained = (passedMs * EDIT_BYTES_PER_SECOND) / 1_000;
    this.#allowanceBytes = Math.min(EDIT_BYTES_PER_SECOND, this.#allowanceBytes + gained);
    this.#allowedMs = nowMs;
  }
}
