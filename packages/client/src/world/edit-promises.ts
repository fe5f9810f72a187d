import { type EditResult, OrthantError } from "@orthant/core";
import { copyOfEdit, EDIT_VOXELS_MAX, type RequestedEdit } from "@orthant/protocol";
import type { OwnEditResult } from "@orthant/protocol/client";
import { type Deferred, deferred } from "./callbacks.ts";

interface WaitingEdit {
  readonly edit: RequestedEdit;
  readonly answer: Deferred<EditResult>;
}

/** The promises of a client's edits. Edits made before the client joined wait here to be sent. */
export class EditPromises {
  readonly #open = new Map<number, Deferred<EditResult>>();
  #waiting: WaitingEdit[] = [];

  /** Adds an edit, which the next `pump` sends. */
  add(edit: RequestedEdit): Promise<EditResult> {
    if (
      edit.kind === "voxels" &&
      (edit.placements.length === 0 || edit.placements.length > EDIT_VOXELS_MAX)
    ) {
      const detail = `${edit.placements.length} voxels, expected 1 to ${EDIT_VOXELS_MAX}: split it into several edits`;
      return Promise.reject(new OrthantError("ORT_LIMIT", detail));
    }
    const answer = deferred<EditResult>();
    this.#waiting.push({ edit: copyOfEdit(edit), answer });
    return answer.promise;
  }

  /** Sends waiting edits in order. `send` returns the number of each; its listeners may add further edits. */
  pump(send: (edit: RequestedEdit) => number): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        this.#open.set(send(next.edit), next.answer);
      } catch (error) {
        // An edit that cannot be encoded, such as one off the lattice, concerns only its caller.
        next.answer.reject(error);
      }
    }
  }

  /** Resolves an edit with its result. */
  settle({ number, result }: OwnEditResult): void {
    this.#open.get(number)?.resolve(result);
    this.#open.delete(number);
  }

  /** Rejects all edits, because no more results will arrive. */
  fail(error: OrthantError): void {
    for (const answer of this.#open.values()) answer.reject(error);
    for (const { answer } of this.#waiting) answer.reject(error);
    this.#open.clear();
    this.#waiting = [];
  }
}
