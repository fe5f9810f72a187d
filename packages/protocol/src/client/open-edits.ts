import type { EditResult } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import { EDITS_OPEN_MAX } from "../message/limits.ts";
import { copyOfEdit, type RequestedEdit } from "../message/requested-edit.ts";
import type { NumberedEditResult, Welcome } from "../message/server-message.ts";
import { EditPace } from "./edit-pace.ts";
import { joinedEdit, jointEdits, type OpenEdit } from "./joint-edits.ts";
import { encodeClientMessage, hasElapsed } from "./outgoing.ts";

/** Time to wait for a result before sending edits again. */
const EDIT_REPEAT_MS = 1_000;
/** Maximum bytes of edits sent per second, resends included, and the part of a server's limit that they may take. */
const EDIT_BYTES_PER_SECOND = 131_072;
const EDIT_BYTES_SHARE = 0.5;

/** Why a group of edits may be rejected because of one of them. Other reasons hold for each of them. */
const REASONS_OF_ONE: ReadonlySet<string> = new Set(["tooLarge", "reach", "vetoed", "block", "data"]);

/** The result of an own edit. */
export interface OwnEditResult {
  readonly number: number;
  /** The id of the message that the server answered; several edits may have travelled in it. */
  readonly editId: number | undefined;
  readonly result: EditResult;
}

/** Edits that travel under one id. */
interface SentGroup {
  readonly editId: number;
  readonly edits: readonly OpenEdit[];
  readonly message: Uint8Array;
  sentMs: number;
}

/**
 * A client's own edits until their results arrive. They outlive connections. Edits leave in order and as fast as the
 * server's limits allow. Those that would have to wait longer travel together, and separately when the server rejects
 * them together.
 */
export class OpenEdits {
  /** Edits under way, by the id that the server knows. */
  readonly #sent = new Map<number, SentGroup>();
  /** Groups to send next as they are: the halves of one that was rejected. */
  #halves: (readonly OpenEdit[])[] = [];
  /** Edits that were never sent, from `#firstWaiting` on. */
  #waiting: OpenEdit[] = [];
  #firstWaiting = 0;
  #nextNumber = 1;
  #nextId: number;
  /** The first group under way that must be sent again. */
  #unsentId: number;
  #pace: EditPace | undefined;
  #welcome: Welcome | undefined;
  #allowanceBytes = EDIT_BYTES_PER_SECOND;
  #allowedMs: number | undefined;

  constructor(firstId: number) {
    requireInteger(firstId, 1, Number.MAX_SAFE_INTEGER);
    this.#nextId = firstId;
    this.#unsentId = firstId;
  }

  /** Number of open edits. */
  get size(): number {
    let size = this.#waiting.length - this.#firstWaiting;
    for (const { edits } of this.#sent.values()) size += edits.length;
    for (const edits of this.#halves) size += edits.length;
    return size;
  }

  /** The lowest id without a result, or the next id when none is under way. */
  get lowestId(): number {
    for (const editId of this.#sent.keys()) return editId;
    return this.#nextId;
  }

  /** True if edits without a result were sent before, perhaps over another connection. */
  get hasSent(): boolean {
    return this.#sent.size > 0;
  }

  /** The id that the next message with edits will have. */
  get nextId(): number {
    return this.#nextId;
  }

  /** Returns true when an id has no result yet. */
  has(editId: number): boolean {
    return this.#sent.has(editId);
  }

  /** Returns all open edits, in order. */
  all(): readonly OpenEdit[] {
    const sent = Array.from(this.#sent.values(), ({ edits }) => edits);
    return [...sent.flat(), ...this.#halves.flat(), ...this.#waiting.slice(this.#firstWaiting)];
  }

  /** Adds an edit. Throws codec errors if it cannot be sent. */
  add(edit: RequestedEdit): OpenEdit {
    const own = copyOfEdit(edit);
    const { length } = encodeClientMessage({ ...own, editId: Number.MAX_SAFE_INTEGER });
    const open = { number: this.#nextNumber, edit: own, bytes: length };
    this.#nextNumber++;
    this.#waiting.push(open);
    return open;
  }

  /** Withdraws the newest edit before it was sent. The next edit reuses its number. */
  withdraw({ number }: OpenEdit): void {
    this.#waiting.pop();
    this.#nextNumber = number;
  }

  /** Keeps to the limits of a server from now on. */
  welcomed(welcome: Welcome, nowMs: number): void {
    this.#welcome = welcome;
    // The budget belongs to the player: it does not fill up because the client connects again.
    if (this.#pace?.isFor(welcome) !== true) this.#pace = new EditPace(welcome, nowMs);
  }

  /** Marks all edits under way to be sent again, for a new connection. */
  rewind(): void {
    this.#unsentId = this.lowestId;
  }

  /** Closes the edits of an id. Returns their results: none yet if they are sent again, separately. */
  settle({ editId, ...result }: NumberedEditResult): readonly OwnEditResult[] {
    const group = this.#sent.get(editId);
    if (group === undefined) return [];
    this.#sent.delete(editId);
    const { edits } = group;
    if (edits.length > 1 && result.status === "rejected" && REASONS_OF_ONE.has(result.reason)) {
      const middle = Math.ceil(edits.length / 2);
      this.#halves.unshift(edits.slice(0, middle), edits.slice(middle));
      return [];
    }
    return edits.map(({ number }) => ({ number, editId, result }));
  }

  /** Closes all edits with the same result. */
  settleAll(result: EditResult): readonly OwnEditResult[] {
    const results = this.all().map(({ number }) => ({ number, editId: undefined, result }));
    this.#sent.clear();
    this.#halves = [];
    this.#waiting = [];
    this.#firstWaiting = 0;
    return results;
  }

  /** Returns the messages to send now: those under way again, in order, when the oldest has waited too long. */
  due(nowMs: number): readonly Uint8Array[] {
    this.#refill(nowMs);
    const oldest = this.#sent.get(this.lowestId);
    if (oldest !== undefined && oldest.editId < this.#unsentId) {
      if (hasElapsed(oldest.sentMs, nowMs, EDIT_REPEAT_MS)) this.rewind();
    }
    const messages: Uint8Array[] = [];
    for (const group of this.#sent.values()) {
      if (group.editId < this.#unsentId) continue;
      if (this.#allowanceBytes <= 0) return messages;
      this.#markSent(group, nowMs);
      messages.push(group.message);
    }
    while (this.#mayStartNext()) {
      const group = this.#startNext(nowMs);
      if (group === undefined) break;
      this.#markSent(group, nowMs);
      messages.push(group.message);
    }
    return messages;
  }

  #markSent(group: SentGroup, nowMs: number): void {
    this.#allowanceBytes -= group.message.length;
    this.#unsentId = group.editId + 1;
    group.sentMs = nowMs;
  }

  /** Nothing follows a group, because its edits come before all others even if it has to be sent in halves. */
  #mayStartNext(): boolean {
    if (this.#allowanceBytes <= 0 || this.#sent.size >= EDITS_OPEN_MAX) return false;
    for (const { edits } of this.#sent.values()) if (edits.length > 1) return false;
    return true;
  }

  /** Gives the next edits an id. Returns `undefined` if there are none, or they have to wait. */
  #startNext(nowMs: number): SentGroup | undefined {
    const half = this.#halves[0];
    const edits = half ?? this.#nextGroup(nowMs);
    if (edits.length === 0) return undefined;
    const edit = joinedEdit(edits);
    if (this.#pace?.take(edit, nowMs) === false) return undefined;
    if (half === undefined) this.#removeWaiting(edits.length);
    else this.#halves.shift();
    const editId = this.#nextId++;
    const message = encodeClientMessage({ ...edit, editId });
    const group: SentGroup = { editId, edits, message, sentMs: nowMs };
    this.#sent.set(editId, group);
    return group;
  }

  /** Returns the next waiting edit, or as many as can travel together if there are more than may be sent now. */
  #nextGroup(nowMs: number): readonly OpenEdit[] {
    const first = this.#waiting[this.#firstWaiting];
    if (first === undefined) return [];
    const count = this.#waiting.length - this.#firstWaiting;
    const pace = this.#pace;
    const welcome = this.#welcome;
    if (pace === undefined || welcome === undefined || count <= this.#capacityNow(pace, nowMs))
      return [first];
    const joint = jointEdits(this.#unstarted(), pace.limits, pace.capacityNow(nowMs), welcome.shape);
    return joint.length === 0 ? [first] : joint;
  }

  *#unstarted(): Generator<OpenEdit, void, undefined> {
    for (let index = this.#firstWaiting; index < this.#waiting.length; index++)
      yield this.#waiting[index] as OpenEdit;
  }

  #capacityNow(pace: EditPace, nowMs: number): number {
    return Math.min(pace.editsNow(nowMs), EDITS_OPEN_MAX - this.#sent.size);
  }

  #removeWaiting(count: number): void {
    this.#firstWaiting += count;
    // Removing from the front of a long array copies the rest, so it is done rarely.
    if (this.#firstWaiting * 2 < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#firstWaiting);
    this.#firstWaiting = 0;
  }

  #refill(nowMs: number): void {
    const granted = (this.#pace?.limits.bytesPerSecond ?? EDIT_BYTES_PER_SECOND) * EDIT_BYTES_SHARE;
    const perSecond = Math.min(EDIT_BYTES_PER_SECOND, granted);
    const passedMs = Math.max(0, nowMs - (this.#allowedMs ?? nowMs));
    this.#allowanceBytes = Math.min(perSecond, this.#allowanceBytes + (passedMs * perSecond) / 1_000);
    this.#allowedMs = nowMs;
  }
}
