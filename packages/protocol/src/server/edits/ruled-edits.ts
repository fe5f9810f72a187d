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
import type { VoxelPlacement, WorldState } from "@orthant/core/tree";
import { changedBox, type RequestedEdit } from "../../message/requested-edit.ts";
import type { Player } from "../account.ts";
import type { RuleAnswer, SyncRules } from "../sync-rules.ts";
import type { SyncWorld, WorldEditResult } from "../sync-world.ts";
import { type EditBounds, findDataRejection, type Rejection, replacementFault } from "./edit-checks.ts";
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

/** One edit of a player. */
interface Turn {
  readonly player: Player;
  readonly edit: RequestedEdit;
  /** Hands the edit to the world in the same step. Resolves when the world has decided; `undefined` if it refused. */
  readonly apply: (
    edit: RequestedEdit,
    onApply: (before: WorldState) => void,
  ) => Promise<WorldEditResult["status"] | undefined>;
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
        track(this.#apply(turn, decided).finally(leave));
      }
    } catch (error) {
      turn.reject({ reason: "world", detail: isOrthantError(error) ? error.code : "it failed" });
      leave();
    }
  }

  /** Returns the edit to make, or why there is none. */
  async #decide(turn: Turn, section: PlaceSection, kept: KeptChunks): Promise<RequestedEdit | Rejection> {
    const { bounds, rules } = this.#context;
    const { player, edit } = turn;
    await kept.load(edit);
    const rejection = findDataRejection(edit, kept.state, bounds);
    if (rejection !== undefined) return rejection;
    const { beforeEdit } = rules;
    if (beforeEdit === undefined) return edit;
    const answer = await this.#ask(() => beforeEdit({ player, edit, before: kept.state }));
    if (answer === undefined) return edit;
    if ("reject" in answer) return vetoed(answer.reject);
    const replacement: RequestedEdit = { kind: "voxels", placements: answer.replace };
    const fault = replacementFault(answer.replace, bounds);
    if (fault !== undefined) {
      this.#context.onFailure(fault);
      return vetoed(FAILED);
    }
    if (!(await section.extend(chunksOf(replacement, bounds)))) return vetoed(BUSY);
    await kept.load(replacement);
    return replacement;
  }

  async #ask(
    ask: () => ReturnType<NonNullable<SyncRules["beforeEdit"]>>,
  ): Promise<RuleAnswer<readonly VoxelPlacement[]>> {
    try {
      const answer = await this.#wait(ask);
      if (answer === TOO_LATE) {
        const text = `the game did not decide within ${this.#context.bounds.limits.ruleMs} ms`;
        this.#context.onFailure(new OrthantError("ORT_TIMEOUT", `${text}: beforeEdit has not answered`));
        return { reject: text };
      }
      return checkedAnswer(answer);
    } catch (error) {
      this.#context.onFailure(error);
      return { reject: FAILED };
    }
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

  async #apply({ player, apply }: Turn, edit: RequestedEdit): Promise<void> {
    let before: WorldState | undefined;
    const status = await apply(edit, (field) => {
      before = field;
    });
    const { afterEdit } = this.#context.rules;
    if (status !== "applied" || before === undefined || afterEdit === undefined) return;
    const made = { player, edit, before };
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
const BUSY = "another edit is being decided there; try again";

function vetoed(detail: string): Rejection {
  return { reason: "vetoed", detail };
}

/** Throws `ORT_ARGUMENT` for an invalid answer. */
function checkedAnswer(answer: RuleAnswer<readonly VoxelPlacement[]>): RuleAnswer<readonly VoxelPlacement[]> {
  if (answer === undefined) return answer;
  const { reject, replace }: { reject?: unknown; replace?: unknown } = Object(answer);
  if (typeof reject === "string" || Array.isArray(replace)) return answer;
  throw wrongArgument(
    "the result of beforeEdit",
    answer,
    'it must return undefined, { reject: "text" } or { replace: placements }',
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
