import type { Dimensions, Vector } from "@orthant/core";
import { requireFunction, requireObject, wrongArgument } from "@orthant/core/engine";

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
  readonly correct?: (state: State, pose: { position: Vector<D>; orientation: Vector }) => State;
}

/** What a predicted player needs of its client. */
export interface PlayerLink<D extends Dimensions> {
  nowMs(): number;
  move(pose: PlayerState<D>): void;
  /** Reports poses that the server sets, and the time of the newest own move that it had taken. */
  onPlaced(
    listener: (pose: { position: Vector<D>; orientation: Vector }, moveMs: number | undefined) => void,
  ): () => void;
}

/** A step that the server may not know yet. */
interface Step<State, Input> {
  readonly timeMs: number;
  readonly input: Input;
  readonly seconds: number;
  /** The player after it. */
  state: State;
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
  readonly #options: PredictionOptions<D, State, Input>;
  readonly #stop: () => void;
  readonly #steps: Step<State, Input>[] = [];
  #state: State;
  /** The player before the first of the steps. */
  #first: State;
  /** How far the shown position was from the player's at `sinceMs`. */
  #error: { readonly from: readonly number[]; readonly sinceMs: number } | undefined;

  /** @internal */
  constructor(link: PlayerLink<D>, options: PredictionOptions<D, State, Input>) {
    requireObject("the options", options, "it is { state, step }");
    requireObject("state", options.state, "it is a state of the player, such as { position: [0, 64, 0] }");
    requireFunction("step", options.step);
    if (options.correct !== undefined) requireFunction("correct", options.correct);
    this.#link = link;
    this.#options = options;
    this.#state = options.state;
    this.#first = options.state;
    this.#stop = link.onPlaced((pose, moveMs) => this.#correct(pose, moveMs));
  }

  /** The player as the game's rules have it: use it for collisions and edits. */
  get state(): State {
    return this.#state;
  }

  /** Where to show the player now: at `state.position`, apart from a correction that is fading. */
  get position(): Vector<D> {
    const { position } = this.#state;
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
    this.#state = this.#options.step(this.#state, input, seconds);
    // Sent first: a pose that cannot be sent throws, and is then not a step.
    this.#link.move(this.#state);
    this.#steps.push({ timeMs: this.#link.nowMs(), input, seconds, state: this.#state });
    if (this.#steps.length > STEPS_MAX) this.#first = this.#steps.shift()?.state ?? this.#first;
    return this.#state;
  }

  /** Stops listening to the server. */
  stop(): void {
    this.#stop();
  }

  #correct(pose: { position: Vector<D>; orientation: Vector }, moveMs: number | undefined): void {
    const shown = this.position;
    const known = this.#stepsUntil(moveMs);
    const before = this.#steps[known - 1]?.state ?? this.#first;
    const away = distance(before.position, pose.position);
    if (away > JUMP) {
      this.#steps.length = 0;
      this.#first = this.#corrected(this.#state, pose);
      this.#state = this.#first;
      this.#error = undefined;
    } else {
      this.#steps.splice(0, known);
      this.#first = away <= ROUNDING ? before : this.#corrected(before, pose);
      this.#state = this.#replay(this.#first);
      const { position } = this.#state;
      const from = shown.map((coordinate, axis) => coordinate - (position[axis] as number));
      this.#error = Math.hypot(...from) > JUMP ? undefined : { from, sinceMs: this.#link.nowMs() };
    }
    this.#link.move(this.#state);
  }

  #replay(first: State): State {
    let state = first;
    for (const step of this.#steps) {
      state = this.#options.step(state, step.input, step.seconds);
      step.state = state;
    }
    return state;
  }

  /** Returns the number of steps that the server knew. */
  #stepsUntil(moveMs: number | undefined): number {
    if (moveMs === undefined) return 0;
    const later = this.#steps.findIndex(({ timeMs }) => timeMs > moveMs + CLOCK_MS);
    return later < 0 ? this.#steps.length : later;
  }

  #corrected(state: State, pose: { position: Vector<D>; orientation: Vector }): State {
    const { correct } = this.#options;
    return correct === undefined ? { ...state, ...pose } : correct(state, pose);
  }
}

function distance(one: readonly number[], other: readonly number[]): number {
  return Math.hypot(...one.map((coordinate, axis) => coordinate - (other[axis] as number)));
}
