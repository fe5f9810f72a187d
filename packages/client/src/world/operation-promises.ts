import { type ErrorCode, OrthantError } from "@orthant/core";
import type { CancelSignal, OperationProgress } from "@orthant/core/operations";
import type { OperationRefusal, OperationRequest } from "@orthant/protocol";
import type { OwnOperationAnswer } from "@orthant/protocol/client";
import type { MadeOutcome, RequestOptions } from "../operation/client-operations.ts";
import { type Deferred, deferred } from "./callbacks.ts";

/** What a client asks the server for operations with. */
interface OperationLink {
  requestOperation(request: OperationRequest): number;
  cancelOperation(requestId: number): void;
}

interface OpenRequest extends RequestOptions {
  readonly answer: Deferred<MadeOutcome>;
}

/** An `AbortSignal`, as far as it is needed. */
interface ListenableSignal extends CancelSignal {
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

const CODES: Readonly<Record<OperationRefusal, ErrorCode>> = {
  role: "ORT_REFUSED",
  limit: "ORT_LIMIT",
  confirm: "ORT_CONFIRM",
  cancelled: "ORT_REFUSED",
  vetoed: "ORT_REFUSED",
  operation: "ORT_ARGUMENT",
  unknown: "ORT_ARGUMENT",
  forgotten: "ORT_EDIT_REPEAT",
  world: "ORT_REFUSED",
};

/** The promises of a client's requests about operations. */
export class OperationPromises {
  readonly #open = new Map<number, OpenRequest>();

  /** Asks for something. Resolves when it is answered, however often the connection is lost meanwhile. */
  async request(
    link: OperationLink,
    request: OperationRequest,
    { signal, onProgress }: RequestOptions,
  ): Promise<MadeOutcome> {
    signal?.throwIfAborted();
    const answer = deferred<MadeOutcome>();
    const requestId = link.requestOperation(request);
    this.#open.set(requestId, { signal, onProgress, answer });
    const cancel = (): void => link.cancelOperation(requestId);
    const listenable = isListenable(signal) ? signal : undefined;
    listenable?.addEventListener("abort", cancel);
    try {
      return await answer.promise;
    } finally {
      listenable?.removeEventListener("abort", cancel);
    }
  }

  progress(requestId: number, progress: OperationProgress): void {
    // The first word only says that the server has the request.
    if (progress.total > 0) this.#open.get(requestId)?.onProgress?.(progress);
  }

  settle({ requestId, outcome }: OwnOperationAnswer): void {
    const open = this.#open.get(requestId);
    if (open === undefined) return;
    this.#open.delete(requestId);
    if (outcome.kind !== "refused") {
      open.answer.resolve(outcome);
      return;
    }
    try {
      if (outcome.reason === "cancelled") open.signal?.throwIfAborted();
      throw new OrthantError(CODES[outcome.reason], outcome.detail);
    } catch (error) {
      open.answer.reject(error);
    }
  }

  /** Rejects all requests, because no more answers will arrive. */
  fail(error: OrthantError): void {
    for (const { answer } of this.#open.values()) answer.reject(error);
    this.#open.clear();
  }
}

function isListenable(signal: CancelSignal | undefined): signal is ListenableSignal {
  return signal !== undefined && "addEventListener" in signal;
}
