import type { Dimensions, Vector } from "@orthant/core";
import { requireFunction, requireObject, wrongArgument } from "@orthant/core/arguments";
import type { ClientPose } from "./client-pose.ts";

/** Where a player is and looks, with whatever else a game needs to move it, such as a velocity. */
export interface PlayerState<D extends Dimensions> {
  /** In voxels. */
  readonly position: Vector<D>;
  /** Four numbers with a meaning of the game's own; without them, the player keeps the last ones. */
  readonly orientation?: Vector;
}

/** How a game moves its own player. */
export interface PredictionOptions<D extends Dimensions, State extends PlayerState<D>, Input> {
  /** The player at the start. */
  readonly state: State;
  /**
   * Returns the player after some seconds under an input. It must depend on nothing else but the world: it is called
   * again with earlier inputs after the server has corrected the player.
   */
  readonly step: (state: State, input: Input, seconds: number) => State;
  /**
   * Puts the player where the server has it, when it was not where `state` says. By default only the position and the
   * orientation change. A game may want to stop the player, too.
   */
  readonly correct?: (state: State, pose: ClientPose<D>) => State;
}

/** What a predicted player needs of its client. */
export interface PlayerLink<D extends Dimensions> {
  nowMs(): number;
  /** Returns the pose of a state. Throws `ORT_ARGUMENT` if it cannot be sent. */
  requirePose(name: string, state: PlayerState<D>): ClientPose<D>;
  move(pose: ClientPose<D>): void;
  /** Reports poses that the server sets, and the time of the newest own move that it had taken. */
  onPlaced(listener: (pose: ClientPose<D>, moveMs: number | undefined) => void): () => void;
}

/** A state that the game returned, and its pose, which has been checked. */
interface CheckedState<D extends Dimensions, State> {
  readonly state: State;
  readonly pose: ClientPose<D>;
}

/** A step that the server may not know yet. */
interface Step<D extends Dimensions, State, Input> {
  readonly timeMs: number;
  readonly input: Input;
  readonly seconds: number;
  /** The player after it. */
  after: CheckedState<D, State>;
}

/** Steps kept to be made again: several seconds of them. */
const STEPS_MAX = 600;
/** A pose this near to the player's own, in voxels, differs only by rounding. */
const ROUNDING = 1 / 32;
/** Clocks give whole milliseconds. */
const CLOCK_MS = 1;
/** A correction by more voxels puts the player somewhere else: nothing is made again, and nothing smoothed. */
const JUMP = 8;
/** How fast a correction is made up for on the screen. */
const ERROR_HALF_LIFE_MS = 50;

/**
 * The client's own player. Inputs move it at once. When the server corrects it, the inputs since then are applied again
 * from there, and the rest of the difference fades within a fraction of a second. `client.predictPlayer` creates one.
 */
export class PredictedPlayer<D extends Dimensions, State extends PlayerState<D>, Input> {
  readonly #link: PlayerLink<D>;
  readonly #step: PredictionOptions<D, State, Input>["step"];
  readonly #correction: PredictionOptions<D, State, Input>["correct"];
  readonly #stop: () => void;
  readonly #steps: Step<D, State, Input>[] = [];
  #now: CheckedState<D, State>;
  /** The player before the first of the steps. */
  #first: CheckedState<D, State>;
  /** How far the shown position was from the player's at `sinceMs`. */
  #error: { readonly from: readonly number[]; readonly sinceMs: number } | undefined;

  /** @internal */
  constructor(link: PlayerLink<D>, options: PredictionOptions<D, State, Input>) {
    requireObject("the options", options, "it is { state, step }");
    const { state, step, correct } = options;
    requireFunction("step", step);
    if (correct !== undefined) requireFunction("correct", correct);
    this.#link = link;
    this.#step = step;
    this.#correction = correct;
    this.#now = this.#checked("state", state);
    this.#first = this.#now;
    this.#stop = link.onPlaced((pose, moveMs) => this.#correct(pose, moveMs));
  }

  /** The player as the game's rules have it: use it for collisions and edits. */
  get state(): State {
    return this.#now.state;
  }

  /** Where to show the player now: at `state.position`, apart from a correction that is fading. */
  get position(): Vector<D> {
    const { position } = this.#now.pose;
    const error = this.#error;
    if (error === undefined) return position;
    const share = 0.5 ** ((this.#link.nowMs() - error.sinceMs) / ERROR_HALF_LIFE_MS);
    return position.map(
      (coordinate, axis) => coordinate + (error.from[axis] ?? 0) * share,
    ) as unknown as Vector<D>;
  }

  /**
   * Moves the player under an input for some seconds, and tells the server. Call it for every frame or step of the game.
   * Returns the new state.
   */
  move(input: Input, seconds: number): State {
    if (typeof seconds !== "number" || !(seconds >= 0 && seconds <= 1))
      throw wrongArgument("seconds", seconds, "it is a number from 0 to 1");
    const after = this.#stepped(this.#now, input, seconds);
    this.#now = after;
    this.#link.move(after.pose);
    this.#steps.push({ timeMs: this.#link.nowMs(), input, seconds, after });
    if (this.#steps.length > STEPS_MAX) this.#first = this.#steps.shift()?.after ?? this.#first;
    return after.state;
  }

  /** Stops listening to the server. */
  stop(): void {
    this.#stop();
  }

  #correct(pose: ClientPose<D>, moveMs: number | undefined): void {
    const shown = this.position;
    const known = this.#stepsUntil(moveMs);
    const before = this.#steps[known - 1]?.after ?? this.#first;
    const away = distance(before.pose.position, pose.position);
    if (away > JUMP) {
      this.#steps.length = 0;
      this.#first = this.#corrected(this.#now, pose);
      this.#now = this.#first;
      this.#error = undefined;
    } else {
      this.#steps.splice(0, known);
      this.#first = away <= ROUNDING ? before : this.#corrected(before, pose);
      this.#now = this.#replay(this.#first);
      const { position } = this.#now.pose;
      const from = shown.map((coordinate, axis) => coordinate - (position[axis] as number));
      this.#error = Math.hypot(...from) > JUMP ? undefined : { from, sinceMs: this.#link.nowMs() };
    }
    this.#link.move(this.#now.pose);
  }

  #replay(first: CheckedState<D, State>): CheckedState<D, State> {
    let now = first;
    for (const step of this.#steps) {
      now = this.#stepped(now, step.input, step.seconds);
      step.after = now;
    }
    return now;
  }

  #stepped({ state }: CheckedState<D, State>, input: Input, seconds: number): CheckedState<D, State> {
    const step = this.#step;
    return this.#checked("what step returns", step(state, input, seconds));
  }

  /** Returns the number of steps that the server knew. */
  #stepsUntil(moveMs: number | undefined): number {
    if (moveMs === undefined) return 0;
    const later = this.#steps.findIndex(({ timeMs }) => timeMs > moveMs + CLOCK_MS);
    return later < 0 ? this.#steps.length : later;
  }

  #corrected({ state }: CheckedState<D, State>, pose: ClientPose<D>): CheckedState<D, State> {
    const correct = this.#correction ?? ((): State => ({ ...state, ...pose }));
    return this.#checked("what correct returns", correct(state, pose));
  }

  #checked(name: string, state: State): CheckedState<D, State> {
    return { state, pose: this.#link.requirePose(name, state) };
  }
}

function distance(one: readonly number[], other: readonly number[]): number {
  return Math.hypot(...one.map((coordinate, axis) => coordinate - (other[axis] as number)));
}
