import { type ClockStep, isOrthantError } from "@orthant/core";
import type { SetVoxels } from "../../message/client-message.ts";
import { DETAIL_BYTES_MAX, EDIT_RUN_IDS, EDITS_OPEN_MAX } from "../../message/limits.ts";
import type { Verdict } from "../../message/server-message.ts";
import type { PlayerBudget } from "../budget/player-budget.ts";
import { clipText } from "../connection/clip-text.ts";
import type { Account, HostEvents, Player } from "../host-options.ts";
import type { HostWorld } from "../host-world.ts";
import type { Durability } from "./durability.ts";
import { type EditBounds, findChunkFault, findFault, type Refusal } from "./edit-checks.ts";

/** So many verdicts of one client are remembered, for the case that it asks again: more than it may have open. */
const VERDICTS_KEPT_MAX: number = 4 * EDITS_OPEN_MAX;

/** What became of an edit, and what a client must have seen before it is told. */
export interface Decision {
  readonly verdict: Verdict;
  readonly steps: readonly ClockStep[];
}

/** What desks need to do their work. */
export interface DeskParts {
  readonly world: HostWorld;
  readonly bounds: EditBounds;
  readonly events: HostEvents | undefined;
  /** `undefined` where an edit is acknowledged as soon as it is made. */
  readonly durability: Durability | undefined;
  /** Keeps track of work that goes on by itself. */
  readonly track: (work: Promise<void>) => void;
  /** The world could not make edits durable: nobody can be told that theirs are. */
  readonly onFailure: (error: unknown) => void;
}

const NO_STEPS: readonly ClockStep[] = [];
/** Why an edit is refused that may have been made before. */
const FORGOTTEN =
  "this server has forgotten the client: the edit may have been made; look, and make it again if it was not";

/** Takes the edits of one client, in their order and each once, over all of its connections. */
export class EditDesk {
  readonly #clientId: bigint;
  readonly #parts: DeskParts;
  readonly #decisions = new Map<number, Decision>();
  readonly #open = new Set<number>();
  /** Whose client it is; `undefined` for an anonymous player, who chose the id that there is. */
  #playerId: bigint | undefined;
  #last = 0;
  /** Edits below this id may have been made before the world forgot the client. */
  #doubtfulBelow = 0;
  /** The game is asked about one edit at a time. */
  #vetoes: Promise<void> = Promise.resolve();
  #listener: ((decision: Decision) => void) | undefined;

  constructor(clientId: bigint, parts: DeskParts) {
    this.#clientId = clientId;
    this.#parts = parts;
  }

  /** Whether nothing is in work and nobody listens. */
  get isIdle(): boolean {
    return this.#open.size === 0 && this.#listener === undefined;
  }

  /** Goes on with a connection whose client has verdicts for everything below an id. */
  attach(openEditId: number, account: Account, listener: (decision: Decision) => void): void {
    const { world } = this.#parts;
    const known = Math.max(this.#last, world.lastEditOf(this.#clientId));
    this.#playerId = account.isAnonymous ? undefined : account.playerId;
    // A client in the middle of its run that nothing is known of: what it sends again may have been made. Rule N29.
    const isNewRun = openEditId % EDIT_RUN_IDS === 1;
    if (known === 0 && !isNewRun && world.mayHaveForgotten?.(this.#playerId)) {
      this.#doubtfulBelow = openEditId + EDITS_OPEN_MAX;
    }
    this.#last = Math.max(known, openEditId - 1);
    this.#listener = listener;
  }

  /** The connection with this listener has ended. */
  detach(listener: (decision: Decision) => void): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  /** Takes an edit, or tells again what became of it. */
  submit(edit: SetVoxels, player: Player, budget: PlayerBudget, nowMs: number): void {
    const { editId, placements } = edit;
    if (editId <= this.#last) {
      if (this.#open.has(editId)) return;
      this.#listener?.(
        this.#decisions.get(editId) ?? { verdict: { editId, outcome: "settled" }, steps: NO_STEPS },
      );
      return;
    }
    // One before it was lost on the way. The client sends all again, in order.
    if (editId > this.#last + 1) return;
    this.#last = editId;
    const fault = this.#findFault(edit, player, budget, nowMs);
    if (fault !== undefined) this.#refuse(editId, fault);
    else this.#begin(editId, placements, player);
  }

  #findFault(
    { editId, placements }: SetVoxels,
    player: Player,
    budget: PlayerBudget,
    nowMs: number,
  ): Refusal | undefined {
    if (editId < this.#doubtfulBelow) return { reason: "world", detail: FORGOTTEN };
    if (this.#open.size >= EDITS_OPEN_MAX) {
      return { reason: "tooMany", detail: `${EDITS_OPEN_MAX} edits wait for their verdicts` };
    }
    if (!budget.takeEdit(nowMs)) return { reason: "rate", detail: "too many edits a second" };
    const { bounds } = this.#parts;
    return findFault(placements, player, bounds) ?? findChunkFault(placements, bounds, budget, nowMs);
  }

  #begin(editId: number, placements: SetVoxels["placements"], player: Player): void {
    this.#open.add(editId);
    const onEdit = this.#parts.bounds.rules?.onEdit;
    if (onEdit === undefined) {
      this.#parts.track(this.#make(editId, placements));
      return;
    }
    this.#vetoes = this.#vetoes.then(async () => {
      const objection = await objectionTo(async () => onEdit(player, placements));
      if (objection === undefined) this.#parts.track(this.#make(editId, placements));
      else this.#refuse(editId, { reason: "vetoed", detail: objection });
    });
    this.#parts.track(this.#vetoes);
  }

  async #make(editId: number, placements: SetVoxels["placements"]): Promise<void> {
    const { world, durability } = this.#parts;
    const playerId = this.#playerId;
    const origin = { clientId: this.#clientId, editId, ...(playerId !== undefined && { playerId }) };
    let made: Awaited<ReturnType<HostWorld["edit"]>>;
    try {
      made = await world.edit(placements, origin);
    } catch (error) {
      // Only the code: what failed beneath may name files of the server.
      this.#refuse(editId, { reason: "world", detail: isOrthantError(error) ? error.code : "it failed" });
      return;
    }
    try {
      await durability?.wait();
    } catch (error) {
      // Neither yes nor no would be true. The client asks again when it is back.
      this.#open.delete(editId);
      this.#parts.onFailure(error);
      return;
    }
    const outcome = made.outcome === "repeated" ? "settled" : made.outcome;
    this.#parts.events?.onVerdict?.(outcome);
    this.#decide({ verdict: { editId, outcome }, steps: made.clocks });
  }

  #refuse(editId: number, { reason, detail }: Refusal): void {
    this.#parts.events?.onVerdict?.(reason);
    const verdict = {
      editId,
      outcome: "refused",
      reason,
      detail: clipText(detail, DETAIL_BYTES_MAX),
    } as const;
    this.#decide({ verdict, steps: NO_STEPS });
  }

  #decide(decision: Decision): void {
    const { editId } = decision.verdict;
    this.#open.delete(editId);
    this.#decisions.set(editId, decision);
    if (this.#decisions.size > VERDICTS_KEPT_MAX) {
      for (const oldest of this.#decisions.keys()) {
        this.#decisions.delete(oldest);
        break;
      }
    }
    this.#listener?.(decision);
  }
}

/** What a client may know of a failure: nothing of what only our own programs say. */
function whatHappened(error: unknown): string {
  return isOrthantError(error) ? `${error.code}: ${error.detail}` : "it failed";
}

/** What the game objects to; a game that fails objects to everything. */
async function objectionTo(ask: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    const objection: unknown = await ask();
    // Whatever else a game may return that it calls an objection, it is none to fail on.
    return objection === undefined ? undefined : String(objection);
  } catch (error) {
    return whatHappened(error);
  }
}
