import { OrthantError, type VoxelPlacement } from "@orthant/core";
import { EDIT_VOXELS_MAX, EDITS_OPEN_MAX, type Verdict } from "@orthant/protocol";
import { type Deferred, deferred } from "./deferred.ts";

/**
 * What became of an edit. `refused` is an answer like the others, with a reason to branch on and a sentence for people.
 * `settled`: the server decided before it was started anew, and no longer knows how; the replica shows what is.
 */
export type EditVerdict = WithoutId<Verdict>;

type WithoutId<Kind> = Kind extends unknown ? Omit<Kind, "editId"> : never;

interface WaitingEdit {
  readonly placements: readonly VoxelPlacement[];
  readonly answer: Deferred<EditVerdict>;
}

/** The edits of a client: those that wait to be sent, because too many are on their way, and those without a verdict. */
export class EditBook {
  readonly #open = new Map<number, Deferred<EditVerdict>>();
  #waiting: WaitingEdit[] = [];
  /** Edits in the hands of `send`, whose listeners may make edits of their own. */
  #sendingCount = 0;

  /** Takes an edit, to be sent by the next `pump`. */
  add(placements: readonly VoxelPlacement[]): Promise<EditVerdict> {
    if (placements.length === 0 || placements.length > EDIT_VOXELS_MAX) {
      const detail = `${placements.length} voxels where 1 to ${EDIT_VOXELS_MAX} may be: make more edits of it`;
      return Promise.reject(new OrthantError("ORT_LIMIT", detail));
    }
    const copied = placements.map(({ voxel: [x, y, z, w], material }) => ({
      voxel: [x, y, z, w] as const,
      material,
    }));
    const answer = deferred<EditVerdict>();
    this.#waiting.push({ placements: copied, answer });
    return answer.promise;
  }

  /** Sends, in order, as many of those that wait as may be on their way at once; `send` gives the id of each. */
  pump(send: (placements: readonly VoxelPlacement[]) => number): void {
    while (this.#open.size + this.#sendingCount < EDITS_OPEN_MAX) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#sendingCount++;
      try {
        this.#open.set(send(next.placements), next.answer);
      } catch (error) {
        // An edit that has no encoding, such as one off the lattice, is its caller's alone.
        next.answer.reject(error);
      } finally {
        this.#sendingCount--;
      }
    }
  }

  /** A verdict came. */
  settle({ editId, ...verdict }: Verdict): void {
    this.#open.get(editId)?.resolve(verdict);
    this.#open.delete(editId);
  }

  /** No more verdicts will come. */
  fail(error: OrthantError): void {
    for (const answer of this.#open.values()) answer.reject(error);
    for (const { answer } of this.#waiting) answer.reject(error);
    this.#open.clear();
    this.#waiting = [];
  }
}
