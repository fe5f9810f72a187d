import { OPERATIONS_OPEN_MAX } from "../message/limits.ts";
import type { OperationMessage, OperationOutcome, OperationRequest } from "../message/operation-message.ts";
import { encodeClientMessage, hasElapsed } from "./outgoing.ts";

/** Time to wait for a word of the server before a request is sent again, and between two questions for its answer. */
const REQUEST_REPEAT_MS = 1_000;
const ANSWER_REPEAT_MS = 5_000;

/** A client makes fewer requests than this in a millisecond, on average. */
const REQUESTS_PER_MS = 512;

/** An own request about operations that has no answer. */
interface OpenRequest {
  readonly requestId: number;
  readonly request: OperationRequest;
  /** When it was sent over this connection. */
  sentMs: number | undefined;
  /** Whether it was sent over an earlier connection. */
  isRepeat: boolean;
  /** Whether the server has said over this connection that it has it. */
  isTaken: boolean;
  /** Whether it is to be cancelled, and whether the server knows. */
  cancelling: "no" | "wanted" | "sent";
}

/** An answer to an own request about operations. */
export interface OwnOperationAnswer {
  readonly requestId: number;
  readonly outcome: OperationOutcome;
}

/** A client's own requests about operations until they are answered. They outlive connections, and leave in order. */
export class OpenOperations {
  readonly #open = new Map<number, OpenRequest>();
  #nextId: number;

  /** `nowMs` keeps the numbers above those of earlier programs with the same client id. */
  constructor(nowMs: number) {
    this.#nextId = Math.max(0, Math.floor(nowMs)) * REQUESTS_PER_MS + 1;
  }

  /** Number of requests without an answer. */
  get size(): number {
    return this.#open.size;
  }

  /** Adds a request. Returns its number. Throws codec errors if it cannot be sent. */
  add(request: OperationRequest): number {
    const requestId = this.#nextId;
    encodeClientMessage(messageOf({ requestId, request, isRepeat: false }, requestId));
    this.#nextId++;
    this.#open.set(requestId, {
      requestId,
      request,
      sentMs: undefined,
      isRepeat: false,
      isTaken: false,
      cancelling: "no",
    });
    return requestId;
  }

  /** Cancels a request. It gets an answer nevertheless. */
  cancel(requestId: number): void {
    const open = this.#open.get(requestId);
    if (open?.cancelling === "no") open.cancelling = "wanted";
  }

  /** Has everything sent again, over a new connection. */
  rewind(): void {
    for (const open of this.#open.values()) {
      open.isRepeat ||= open.sentMs !== undefined;
      open.sentMs = undefined;
      open.isTaken = false;
      if (open.cancelling === "sent") open.cancelling = "wanted";
    }
  }

  /** Takes a word about a request. Returns whether it is open. */
  taken(requestId: number): boolean {
    const open = this.#open.get(requestId);
    if (open !== undefined) open.isTaken = true;
    return open !== undefined;
  }

  /** Closes a request. Returns false if it was answered before. */
  settle(requestId: number): boolean {
    return this.#open.delete(requestId);
  }

  /** Returns the messages to send now. */
  due(nowMs: number): readonly Uint8Array[] {
    const messages: Uint8Array[] = [];
    let lowestId: number | undefined;
    let count = 0;
    for (const open of this.#open.values()) {
      const { requestId } = open;
      lowestId ??= requestId;
      // Answers may come in another order than requests, so the numbers of open ones may have gaps.
      if (++count > OPERATIONS_OPEN_MAX || requestId - lowestId >= OPERATIONS_OPEN_MAX) break;
      const repeatMs = open.isTaken ? ANSWER_REPEAT_MS : REQUEST_REPEAT_MS;
      if (hasElapsed(open.sentMs, nowMs, repeatMs)) {
        open.sentMs = nowMs;
        messages.push(encodeClientMessage(messageOf(open, lowestId)));
      }
      if (open.cancelling !== "wanted") continue;
      open.cancelling = "sent";
      messages.push(encodeClientMessage({ kind: "cancelOperation", requestId }));
    }
    return messages;
  }
}

function messageOf(
  { requestId, request, isRepeat }: Pick<OpenRequest, "requestId" | "request" | "isRepeat">,
  openRequestId: number,
): OperationMessage {
  return { kind: "operation", requestId, openRequestId, isRepeat, request };
}
