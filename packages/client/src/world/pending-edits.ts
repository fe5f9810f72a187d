import { type EditResult, OrthantError, type VoxelPlacement } from "@orthant/core";
import { EDIT_VOXELS_MAX, EDITS_OPEN_MAX, type NumberedEditResult } from "@orthant/protocol";
import { type Deferred, deferred } from "./callbacks.ts";

interface WaitingEdit {
  readonly placements: readonly VoxelPlacement[];
  readonly answer: Deferred<EditResult>;
}

/** The edits of a client: those waiting because too many are in flight, and those without a result. */
export class PendingEdits {
  readonly #open = new Map<number, Deferred<EditResult>>();
  #waiting: WaitingEdit[] = [];
  /** Edits being passed to `send`, whose listeners may add further edits. */
  #sendingCount = 0;

  /** Adds an edit, which the next `pump` sends. */
  add(placements: readonly VoxelPlacement[]): Promise<EditResult> {
    if (placements.length === 0 || placements.length > EDIT_VOXELS_MAX) {
      const detail = `${placements.length} voxels where 1 to ${EDIT_VOXELS_MAX} may be: make more edits of it`;
      return Promise.reject(new OrthantError("ORT_LIMIT", detail));
    }
    const copied = placements.map(({ voxel: [x, y, z, w], block }) => ({
      voxel: [x, y, z, w] as const,
      block,
    }));
    const answer = deferred<EditResult>();
    this.#waiting.push({ placements: copied, answer });
    return answer.promise;
  }

  /** Sends waiting edits in order, up to the limit of edits in flight. `send` returns the id of each. */
  pump(send: (placements: readonly VoxelPlacement[]) => number): void {
    while (this.#open.size + this.#sendingCount < EDITS_OPEN_MAX) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#sendingCount++;
      try {
        this.#open.set(send(next.placements), next.answer);
      } catch (error) {
        // An edit that cannot be encoded, such as one off the lattice, concerns only its caller.
        next.answer.reject(error);
      } finally {
        this.#sendingCount--;
      }
    }
  }

  /** Resolves an edit with its result. */
  settle({ editId, ...result }: NumberedEditResult): void {
    this.#open.get(editId)?.resolve(result);
    this.#open.delete(editId);
  }

  /** Rejects all edits, because no more results will arrive. */
  fail(error: OrthantError): void {
    for (const answer of this.#open.values()) answer.reject(error);
    for (const { answer } of this.#waiting) answer.reject(error);
    this.#open.clear();
    this.#waiting = [];
  }
}
