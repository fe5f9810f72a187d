import { pointOnAxes } from "@orthant/core";
import type { Pose } from "../../message/entity.ts";
import { seenPose } from "../../message/sendable.ts";
import type { Account, Player } from "../account.ts";
import type { ServerContext } from "../server-context.ts";
import { type GridEntity, playerTraits } from "./entity-grid.ts";

/** Interval at which the world stores the pose of a moving player. */
const KEEP_MS = 10_000;

/** A connected player: their pose, their entity in the grid, and what the world stores of them. */
export class SessionPlayer {
  readonly #context: ServerContext;
  readonly #entity: GridEntity;
  #player: Player;
  #requested: Pose | undefined;
  #isMoved = false;
  /** Whether the world stores the player; otherwise anonymous reconnects would fill it with names. */
  #isRemembered: boolean;
  #keptMs: number;
  #movedMs: number;

  constructor(context: ServerContext, account: Account, nowMs: number) {
    this.#context = context;
    this.#keptMs = nowMs;
    this.#movedMs = nowMs;
    const { playerId, role, name } = account;
    this.#isRemembered = account.isAnonymous !== true || context.world.poseOf(playerId) !== undefined;
    const pose = this.#firstPose(playerId);
    this.#player = { playerId, role, name, ...pose };
    this.#entity = context.entities.enter(playerTraits(playerId, name), pose);
    this.#sendToPeers();
  }

  /** The player in their current state. */
  get player(): Player {
    return this.#player;
  }

  /** Sets the pose that the player wants. Only the latest one counts. */
  requestPose({ position, orientation }: Pose): void {
    this.#requested = { position, orientation };
  }

  /** Makes the world store the player, because they have changed something in it. */
  remember(): void {
    this.#isRemembered = true;
  }

  /** Applies the latest requested pose, once per tick. */
  tick(nowMs: number): void {
    this.#moveAsRequested(nowMs);
    if (this.#isMoved && nowMs - this.#keptMs >= KEEP_MS) this.#keep(nowMs);
  }

  leave(nowMs: number): void {
    this.#moveAsRequested(nowMs);
    this.#context.entities.leave(this.#entity);
    this.#context.world.peers?.gone(this.#entity.number);
    this.#keep(nowMs);
  }

  #moveAsRequested(nowMs: number): void {
    const requested = this.#requested;
    if (requested === undefined) return;
    this.#requested = undefined;
    this.#move(requested, nowMs);
  }

  #move(requested: Pose, nowMs: number): void {
    const { entities, options } = this.#context;
    const answer = options.rules?.beforeMove?.({ player: this.#player, to: requested });
    if (answer !== undefined && "reject" in answer) return;
    const allowed = answer?.replace ?? requested;
    if (!entities.isInside(allowed.position)) return;
    const pose = seenPose(allowed);
    const { playerId, role, name } = this.#player;
    this.#player = { playerId, role, name, position: pose.position, orientation: pose.orientation };
    this.#isMoved = true;
    this.#movedMs = nowMs;
    entities.move(this.#entity, pose);
    this.#sendToPeers();
  }

  #sendToPeers(): void {
    this.#context.world.peers?.present(this.#entity.number, this.#player);
  }

  #keep(nowMs: number): void {
    if (!this.#isRemembered) return;
    const { playerId, name, position, orientation } = this.#player;
    const sinceMs = Math.max(0, nowMs - this.#movedMs);
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
