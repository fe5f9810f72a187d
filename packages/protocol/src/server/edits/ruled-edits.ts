import { type Box, isOrthantError, OrthantError, type Position } from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";
import {
  boxAt,
  chunkOfVoxel,
  chunksOfVoxels,
  PositionMap,
  PositionSet,
  positionsLexicographic,
} from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import { changedBox, type RequestedEdit } from "../../message/requested-edit.ts";
import type { Player } from "../account.ts";
import type { Companion, EditAnswer, PlayerEdit, PlayerOperation, SyncRules } from "../sync-rules.ts";
import type { SyncWorld, WorldEditResult } from "../sync-world.ts";
import {
  type EditBounds,
  findDataRejection,
  RefusedEdit,
  type Rejection,
  replacementFault,
} from "./edit-checks.ts";
import { type PlaceQueues, PlaceSection } from "./place-section.ts";

/** The result of a rule that did not answer in time. */
const TOO_LATE: unique symbol = Symbol("too late");

/** A call of a rule that has not answered. */
interface RuleCall {
  readonly startedMs: number;
  readonly giveUp: () => void;
}

/** What ruled edits need of their server. */
interface RuledEditsContext {
  readonly world: SyncWorld;
  readonly bounds: EditBounds;
  readonly rules: SyncRules;
  readonly nowMs: () => number;
  /** Tracks background work. */
  readonly track: (work: Promise<void>) => void;
  /** A rule failed, or did not answer. */
  readonly onFailure: (error: unknown) => void;
}

/** What happens with an edit in the world. */
export interface EditHooks {
  /** Gets the world to which the edit is applied. */
  readonly onApply?: (before: WorldState) => void;
  /** Changes other things together with the edit. What it throws refuses both. */
  readonly companion?: (transaction: never, before: WorldState) => Promise<void>;
}

/** An edit that the rules allow. */
interface AllowedEdit {
  readonly edit: RequestedEdit;
  readonly companion?: Companion;
}

/** An edit that the rules allow, and that is made elsewhere. One of both has to be called. */
export interface AdmittedEdit {
  /** Tells the rules that it was made. */
  made(): Promise<void>;
  /** Gives it up. */
  leave(): void;
}

/** One edit of a player. */
interface Turn {
  readonly player: Player;
  readonly edit: RequestedEdit;
  /** Hands the edit to the world in the same step. Resolves when the world has decided; `undefined` if it refused. */
  readonly apply: (edit: RequestedEdit, hooks: EditHooks) => Promise<WorldEditResult["status"] | undefined>;
  readonly reject: (rejection: Rejection) => void;
}

/**
 * Asks a game's rules about edits. For each chunk of an edit, `beforeEdit`, the change of the world and `afterEdit` run
 * without those of any other edit between them. Edits that share no chunk do not wait for each other.
 */
export class RuledEdits {
  readonly #context: RuledEditsContext;
  readonly #queues: PlaceQueues = new PositionMap();
  readonly #calls = new Set<RuleCall>();

  constructor(context: RuledEditsContext) {
    this.#context = context;
  }

  /** Gives up rules that have taken too long. There is no timer for them. */
  tick(): void {
    const { bounds, nowMs } = this.#context;
    for (const call of this.#calls) {
      if (nowMs() - call.startedMs < bounds.limits.ruleMs) continue;
      this.#calls.delete(call);
      call.giveUp();
    }
  }

  /** Resolves when the edit is rejected or the world has it, so that the next edit of the same client may begin. */
  async run(turn: Turn): Promise<void> {
    const { world, bounds, track } = this.#context;
    const section = await PlaceSection.enter(this.#queues, chunksOf(turn.edit, bounds));
    const kept = new KeptChunks(world, bounds);
    const leave = (): void => {
      kept.release();
      section.leave();
    };
    try {
      const decided = await this.#decide(turn, section, kept);
      if ("reason" in decided) {
        turn.reject(decided);
        leave();
      } else {
        const applying = this.#apply(turn, decided).finally(leave);
        track(applying);
        // Only then does the world have it: the next edit of this client must not come before it.
        if (decided.companion !== undefined) await applying;
      }
    } catch (error) {
      turn.reject({ reason: "world", detail: isOrthantError(error) ? error.code : "it failed" });
      leave();
    }
  }

  /** Asks the rule about operations. Returns why the operation is refused, if so. */
  async refusalOf(operation: PlayerOperation): Promise<string | undefined> {
    const { beforeOperation } = this.#context.rules;
    const answer = await this.#wait(() => beforeOperation?.(operation));
    return (answer === TOO_LATE ? this.#late("beforeOperation") : answer)?.reject;
  }

  /**
   * Asks about an edit that is made elsewhere, and keeps its chunks for it until it is made or given up. Throws `RefusedEdit` if
   * the rules refuse it, or want something else instead.
   */
  async admit(player: Player, edit: RequestedEdit): Promise<AdmittedEdit> {
    const { world, bounds } = this.#context;
    const section = await PlaceSection.enter(this.#queues, chunksOf(edit, bounds));
    const kept = new KeptChunks(world, bounds);
    const leave = (): void => {
      kept.release();
      section.leave();
    };
    try {
      const decided = await this.#decide({ player, edit }, section, kept);
      if ("reason" in decided) throw new RefusedEdit(decided);
      if (decided.edit !== edit || decided.companion !== undefined)
        throw new RefusedEdit(vetoed(WANTS_OTHERS));
      const before = kept.state;
      return {
        leave,
        made: () => this.#tellMade({ player, edit, before }).finally(leave),
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Returns the edit to make, or why there is none. */
  async #decide(
    turn: Pick<Turn, "player" | "edit">,
    section: PlaceSection,
    kept: KeptChunks,
  ): Promise<AllowedEdit | Rejection> {
    const { bounds, rules } = this.#context;
    const { player, edit } = turn;
    await kept.load(edit);
    const rejection = findDataRejection(edit, kept.state, bounds);
    if (rejection !== undefined) return rejection;
    const { beforeEdit } = rules;
    if (beforeEdit === undefined) return { edit };
    const answer = await this.#ask(() => beforeEdit({ player, edit, before: kept.state }));
    if (answer === undefined) return { edit };
    if ("reject" in answer) return vetoed(answer.reject);
    if ("with" in answer) return { edit, companion: answer.with };
    const replacement: RequestedEdit = { kind: "voxels", placements: answer.replace };
    const fault = replacementFault(answer.replace, bounds);
    if (fault !== undefined) {
      this.#context.onFailure(fault);
      return vetoed(FAILED);
    }
    if (!(await section.extend(chunksOf(replacement, bounds)))) return vetoed(BUSY);
    await kept.load(replacement);
    return { edit: replacement };
  }

  async #ask(ask: () => ReturnType<NonNullable<SyncRules["beforeEdit"]>>): Promise<EditAnswer> {
    try {
      const answer = await this.#wait(ask);
      return answer === TOO_LATE ? this.#late("beforeEdit") : checkedAnswer(answer);
    } catch (error) {
      this.#context.onFailure(error);
      return { reject: FAILED };
    }
  }

  #late(rule: string): { readonly reject: string } {
    const text = `the game did not decide within ${this.#context.bounds.limits.ruleMs} ms`;
    this.#context.onFailure(new OrthantError("ORT_TIMEOUT", `${text}: ${rule} has not answered`));
    return { reject: text };
  }

  /** Resolves with the result of a rule, or with `TOO_LATE` after the limit. Rejects if the rule throws before it. */
  async #wait<Value>(ask: () => Value | Promise<Value>): Promise<Value | typeof TOO_LATE> {
    const answer = Promise.resolve(ask());
    return new Promise((resolve, reject) => {
      const call = { startedMs: this.#context.nowMs(), giveUp: () => resolve(TOO_LATE) };
      this.#calls.add(call);
      // A late answer, or a late error, has no effect.
      void answer.then(resolve, reject).finally(() => this.#calls.delete(call));
    });
  }

  async #apply({ player, apply }: Turn, { edit, companion }: AllowedEdit): Promise<void> {
    let before: WorldState | undefined;
    const status = await apply(edit, {
      onApply: (field) => {
        before = field;
      },
      ...(companion && {
        companion: async (transaction, field) => {
          const answer = await this.#wait(() => companion(transaction, field));
          const refused = answer === TOO_LATE ? this.#late("the function of beforeEdit") : answer;
          if (refused !== undefined) throw new RefusedEdit(vetoed(refused.reject));
        },
      }),
    });
    if (status === "applied" && before !== undefined) await this.#tellMade({ player, edit, before });
  }

  async #tellMade(made: PlayerEdit): Promise<void> {
    const { afterEdit } = this.#context.rules;
    if (afterEdit === undefined) return;
    try {
      if ((await this.#wait(() => afterEdit(made))) !== TOO_LATE) return;
      const detail = `afterEdit has not ended within ${this.#context.bounds.limits.ruleMs} ms; others no longer wait for it`;
      this.#context.onFailure(new OrthantError("ORT_TIMEOUT", detail));
    } catch (error) {
      this.#context.onFailure(error);
    }
  }
}

/** The chunks of an edit, held in memory so that rules can read them. */
class KeptChunks {
  readonly #world: SyncWorld;
  readonly #bounds: EditBounds;
  readonly #releases: (() => void)[] = [];

  constructor(world: SyncWorld, bounds: EditBounds) {
    this.#world = world;
    this.#bounds = bounds;
  }

  /** The world with all chunks loaded so far. */
  get state(): WorldState {
    return this.#world.state;
  }

  /** Loads the chunks of an edit, and keeps them. */
  async load(edit: RequestedEdit): Promise<void> {
    const boxes = boxesOf(edit, this.#bounds);
    for (const box of boxes) this.#releases.push(this.#world.keep(box));
    const missing = boxes.filter((box) => !this.#world.isLoaded(box));
    await Promise.all(missing.map((box) => this.#world.load(box)));
  }

  release(): void {
    for (const release of this.#releases) release();
  }
}

const FAILED = "the rules of the game failed";
const WANTS_OTHERS = "the rules of the game allow this only as single edits";
const BUSY = "another edit is being decided there; try again";

function vetoed(detail: string): Rejection {
  return { reason: "vetoed", detail };
}

/** Throws `ORT_ARGUMENT` for an invalid answer. */
function checkedAnswer(answer: EditAnswer): EditAnswer {
  if (answer === undefined) return answer;
  const given: { reject?: unknown; replace?: unknown; with?: unknown } = Object(answer);
  if (typeof given.reject === "string" || Array.isArray(given.replace) || typeof given.with === "function")
    return answer;
  throw wrongArgument(
    "the result of beforeEdit",
    answer,
    'it must return undefined, { reject: "text" }, { replace: placements } or { with: a function }',
  );
}

/** Returns the chunks that an edit reads or changes, as boxes. */
function boxesOf(edit: RequestedEdit, { world: { shape } }: EditBounds): readonly Box[] {
  if (edit.kind === "voxels") {
    const chunks = new PositionSet();
    for (const { voxel } of edit.placements) chunks.add(...chunkOfVoxel(shape, voxel));
    return Array.from(chunks, boxAt);
  }
  const changed = chunksOfVoxels(shape, changedBox(edit));
  return edit.kind === "fill" ? [changed] : [changed, chunksOfVoxels(shape, edit.box)];
}

function* chunksOf(edit: RequestedEdit, bounds: EditBounds): Generator<Position, void, undefined> {
  for (const box of boxesOf(edit, bounds)) yield* positionsLexicographic(box);
}
