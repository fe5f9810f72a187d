import { pointOnAxes } from "@orthant/core/lattice";
import type { Move } from "../../message/client-message.ts";
import type { Pose } from "../../message/entity.ts";
import { DETAIL_BYTES_MAX } from "../../message/limits.ts";
import { clipText, seenPose } from "../../message/sendable.ts";
import type { Account, Player } from "../account.ts";
import type { Outbox } from "../outbox.ts";
import type { ServerContext } from "../server-context.ts";
import { playerTraits } from "./entity-grid.ts";
import type { GridEntity } from "./grid-entity.ts";
import { MoveCheck } from "./move-check.ts";
import type { Placement } from "./placements.ts";

/** Interval at which the world stores the pose of a moving player. */
const KEEP_MS = 10_000;
/** Time to wait for a confirmation before a pose is sent again. */
const PLACED_REPEAT_MS = 1_000;

/** A connected player: their pose, their entity in the grid, and what the world stores of them. */
export class SessionPlayer {
  readonly #context: ServerContext;
  readonly #entity: GridEntity;
  readonly #check: MoveCheck | undefined;
  #player: Player;
  #requested: Move | undefined;
  /** The client's time at the newest move that was taken; 0 before the first. */
  #moveMs = 0;
  /** The pose that the server has set and the client has not confirmed. */
  #placement: Placement | undefined;
  #placedMs: number | undefined;
  #isRefused = false;
  #isMoved = false;
  /** Whether the world stores the player; otherwise anonymous reconnects would fill it with names. */
  #isRemembered: boolean;
  #keptMs: number;
  /** When a frame of the client last arrived. */
  #heardMs: number;

  constructor(context: ServerContext, account: Account, nowMs: number) {
    this.#context = context;
    const { movement, readOnly = false } = context.options;
    this.#check = movement && new MoveCheck(movement, nowMs);
    this.#keptMs = nowMs;
    this.#heardMs = nowMs;
    const { playerId, name } = account;
    const role = readOnly ? "viewer" : account.role;
    this.#isRemembered = account.isAnonymous !== true || context.world.poseOf(playerId) !== undefined;
    this.#placement = context.placements.of(playerId);
    const pose = this.#placement?.pose ?? this.#firstPose(playerId);
    this.#player = { playerId, role, name, ...pose };
    this.#entity = context.entities.enter(playerTraits(playerId, name), pose);
    this.#sendToPeers();
  }

  /** The player in their current state. */
  get player(): Player {
    return this.#player;
  }

  /** True when a move was refused and the client has not been sent the player's pose. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** True while the client has not confirmed a pose that the server has set. */
  get isPlaced(): boolean {
    return this.#placement !== undefined;
  }

  /** True while a pose waits for the tick. */
  get isMoving(): boolean {
    return this.#requested !== undefined;
  }

  /** Notes that a frame of the client has arrived. */
  heard(nowMs: number): void {
    this.#heardMs = nowMs;
  }

  /** Sets the pose that the player wants. Only the latest one counts, but each must be possible after the one before. */
  requestPose(move: Move, nowMs: number): void {
    // The client sent it before it knew the pose that the server has set.
    if (this.#placement !== undefined) return;
    const check = this.#context.entities.isInside(move.position) ? this.#check : undefined;
    const { position } = this.#requested ?? this.#player;
    const refusal = check?.refusal(position, move, nowMs);
    if (refusal === undefined) this.#requested = move;
    else this.#refuse(refusal);
  }

  /**
   * Sets the pose, whose position must be inside, whatever the client wants. Without an orientation, the player keeps
   * theirs. A reconnect does not undo it.
   */
  moveTo(number: number, pose: Pick<Pose, "position"> & Partial<Pose>, reason: string): void {
    const { orientation } = this.#player;
    const placement = this.#place({ number, pose: { orientation, ...pose }, reason });
    this.#context.placements.add(this.#player.playerId, placement);
  }

  /** The client has taken the pose with this number. */
  confirm(number: number): void {
    if (this.#placement?.number !== number) return;
    this.#placement = undefined;
    this.#context.placements.confirm(this.#player.playerId, number);
  }

  /** Writes the pose that the server has set, again each second until the client confirms it. */
  writePlaced(out: Outbox, nowMs: number): void {
    if (this.#placement === undefined) return;
    if (this.#placedMs !== undefined && nowMs - this.#placedMs < PLACED_REPEAT_MS) return;
    this.#placedMs = nowMs;
    this.#isRefused = false;
    const { number, pose, reason } = this.#placement;
    out.write({ kind: "placed", number, ...pose, moveMs: this.#moveMs, reason });
  }

  /** Makes the world store the player, because they have changed something in it. */
  remember(): void {
    this.#isRemembered = true;
  }

  /** Applies the latest requested pose, once per tick. */
  tick(nowMs: number): void {
    this.#check?.startTick();
    this.#moveAsRequested();
    if (this.#isMoved && nowMs - this.#keptMs >= KEEP_MS) this.#keep(nowMs);
  }

  leave(nowMs: number): void {
    this.#moveAsRequested();
    this.#context.entities.leave(this.#entity);
    this.#context.world.peers?.gone(this.#entity.number);
    this.#keep(nowMs);
  }

  #moveAsRequested(): void {
    const requested = this.#requested;
    if (requested === undefined) return;
    this.#requested = undefined;
    this.#moveMs = requested.timeMs;
    this.#move(requested);
  }

  /** Keeps the player at the last pose that was possible. */
  #refuse(reason: string): void {
    const { placements } = this.#context;
    this.#moveAsRequested();
    // A rule of the game may have set another pose.
    if (this.#placement === undefined) {
      const { position, orientation } = this.#player;
      this.#place({ number: placements.nextNumber(), pose: { position, orientation }, reason });
    }
    this.#isRefused = true;
  }

  #move(requested: Pose): void {
    const { entities, options, placements } = this.#context;
    const answer = options.rules?.beforeMove?.({ player: this.#player, to: requested });
    // The rule itself has moved the player, who must not leave that place by the move that led there.
    if (this.#placement !== undefined) return;
    if (answer === undefined) {
      // As decoded from a message, so it is rounded already.
      if (entities.isInside(requested.position)) this.#take(requested);
      return;
    }
    const { position, orientation } = this.#player;
    const pose = "replace" in answer ? answer.replace : { position, orientation };
    const reason = "reject" in answer ? clipText(answer.reject, DETAIL_BYTES_MAX) : "";
    // The client must learn where its player is.
    if (entities.isInside(pose.position)) this.#place({ number: placements.nextNumber(), pose, reason });
  }

  #place({ number, pose, reason }: Placement): Placement {
    this.#requested = undefined;
    this.#take(seenPose(pose));
    const { position, orientation } = this.#player;
    this.#placement = { number, pose: { position, orientation }, reason };
    this.#placedMs = undefined;
    return this.#placement;
  }

  /** Takes a pose that is rounded as clients see it. */
  #take(pose: Pose): void {
    const { playerId, role, name } = this.#player;
    this.#player = { playerId, role, name, position: pose.position, orientation: pose.orientation };
    this.#isMoved = true;
    this.#context.entities.move(this.#entity, pose);
    this.#sendToPeers();
  }

  #sendToPeers(): void {
    this.#context.world.peers?.present(this.#entity.number, this.#player);
  }

  #keep(nowMs: number): void {
    if (!this.#isRemembered) return;
    const { playerId, name, position, orientation } = this.#player;
    const sinceMs = Math.max(0, nowMs - this.#heardMs);
    this.#context.world.storePlayer(playerId, name, { position, orientation }, sinceMs);
    this.#isMoved = false;
    this.#keptMs = nowMs;
  }

  #firstPose(playerId: bigint): Pose {
    const { entities, world } = this.#context;
    const known = world.poseOf(playerId);
    return seenPose(
      known !== undefined && entities.isInside(known.position)
        ? known
        : { position: pointOnAxes(world.shape, world.spawn), orientation: [0, 0, 0, 1] },
    );
  }
}
