import { OrthantError, requireInteger, type VoxelPlacement } from "@orthant/core";
import { EDITS_OPEN_MAX } from "../message/limits.ts";
import { hasElapsed } from "./elapsed.ts";
import { encodeClientMessage } from "./outgoing.ts";

/** After so long without a verdict, edits are sent again. */
const EDIT_REPEAT_MS = 1_000;
/** How many bytes of edits leave in a second, the repeated ones too: half of what a host grants for everything. */
const EDIT_BYTES_PER_SECOND = 131_072;

/** An edit without a verdict. */
export interface OpenEdit {
  readonly editId: number;
  readonly placements: readonly VoxelPlacement[];
}

interface Outbound extends OpenEdit {
  readonly message: Uint8Array;
  sentMs: number | undefined;
}

/** A guest's own edits until their verdicts come. They outlive connections. */
export class OpenEdits {
  readonly #open = new Map<number, Outbound>();
  #nextId: number;
  /** Edits from this one on have not been sent, or have to be sent again. */
  #unsentId: number;
  #allowanceBytes = EDIT_BYTES_PER_SECOND;
  #allowedMs: number | undefined;

  constructor(firstId: number) {
    requireInteger(firstId, 1, Number.MAX_SAFE_INTEGER);
    this.#nextId = firstId;
    this.#unsentId = firstId;
  }

  /** How many edits are open. */
  get size(): number {
    return this.#open.size;
  }

  /** The lowest id without a verdict; the next one to be used when there is none. */
  get lowestId(): number {
    for (const editId of this.#open.keys()) return editId;
    return this.#nextId;
  }

  /** Whether an edit has no verdict yet. */
  has(editId: number): boolean {
    return this.#open.has(editId);
  }

  /** All of them, in their order. */
  all(): readonly OpenEdit[] {
    return [...this.#open.values()];
  }

  /** Opens an edit; `ORT_LIMIT` when too many are open, and the codec's errors for one that cannot be sent. */
  add(placements: readonly VoxelPlacement[]): OpenEdit {
    if (this.#open.size >= EDITS_OPEN_MAX) {
      throw new OrthantError("ORT_LIMIT", `${this.#open.size} edits wait for their verdicts`);
    }
    const editId = this.#nextId;
    const copy = placements.map(({ voxel, material }) => ({ voxel, material }));
    const message = encodeClientMessage({ kind: "setVoxels", editId, placements: copy });
    const edit: Outbound = { editId, placements: copy, message, sentMs: undefined };
    this.#open.set(editId, edit);
    this.#nextId++;
    return edit;
  }

  /** Closes an edit and tells whether it was open. */
  settle(editId: number): boolean {
    return this.#open.delete(editId);
  }

  /** Takes the newest edit back before it was sent: its id is given to the next one. */
  withdraw({ editId }: OpenEdit): void {
    this.#open.delete(editId);
    this.#nextId = editId;
  }

  /** Everything has to be sent again: there is a new connection. */
  rewind(): void {
    this.#unsentId = this.lowestId;
  }

  /** The messages to send now. When the oldest edit waits too long, all are sent again: a host takes them in order. */
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
