import type { Pose } from "../../message/being.ts";
import type { Account, Player } from "../host-options.ts";
import type { HostParts } from "../host-parts.ts";
import type { LiveBeing } from "./being-grid.ts";
import { playerTraits } from "./player-traits.ts";
import { seenPose } from "./seen-pose.ts";

/** Interval at which the world stores the pose of a moving player. */
const KEEP_MS = 10_000;

/** A connected player: their pose, their entity in the grid, and what the world stores of them. */
export class Presence {
  readonly #host: HostParts;
  readonly #being: LiveBeing;
  #player: Player;
  #wanted: Pose | undefined;
  #isMoved = false;
  /** Whether the world stores the player; otherwise anonymous reconnects would fill it with names. */
  #isRemembered: boolean;
  #keptMs: number;
  #movedMs: number;

  constructor(host: HostParts, account: Account, nowMs: number) {
    this.#host = host;
    this.#keptMs = nowMs;
    this.#movedMs = nowMs;
    const { playerId, role, name } = account;
    this.#isRemembered = account.isAnonymous !== true || host.world.poseOf(playerId) !== undefined;
    const pose = this.#firstPose(playerId);
    this.#player = { playerId, role, name, ...pose };
    this.#being = host.beings.enter(playerTraits(playerId, name), pose);
    this.#tellOthers();
  }

  /** The player in their current state. */
  get player(): Player {
    return this.#player;
  }

  /** Sets the pose that the player wants. Only the latest one counts. */
  want({ position, orientation }: Pose): void {
    this.#wanted = { position, orientation };
  }

  /** Makes the world store the player, because they have changed something in it. */
  remember(): void {
    this.#isRemembered = true;
  }

  /** Applies the latest wanted pose, once per tick. */
  tick(nowMs: number): void {
    this.#moveAsWanted(nowMs);
    if (this.#isMoved && nowMs - this.#keptMs >= KEEP_MS) this.#keep(nowMs);
  }

  /** Removes the player. */
  end(nowMs: number): void {
    this.#moveAsWanted(nowMs);
    this.#host.beings.leave(this.#being);
    this.#host.world.otherHosts?.gone(this.#being.number);
    this.#keep(nowMs);
  }

  #moveAsWanted(nowMs: number): void {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    this.#wanted = undefined;
    this.#move(wanted, nowMs);
  }

  #move(wanted: Pose, nowMs: number): void {
    const { beings, options } = this.#host;
    const allowed = options.rules?.onMove?.(this.#player, wanted) ?? wanted;
    if (!beings.isInside(allowed.position)) return;
    const pose = seenPose(allowed);
    const { playerId, role, name } = this.#player;
    this.#player = { playerId, role, name, position: pose.position, orientation: pose.orientation };
    this.#isMoved = true;
    this.#movedMs = nowMs;
    beings.move(this.#being, pose);
    this.#tellOthers();
  }

  #tellOthers(): void {
    this.#host.world.otherHosts?.present(this.#being.number, this.#player);
  }

  #keep(nowMs: number): void {
    if (!this.#isRemembered) return;
    const { playerId, name, position, orientation } = this.#player;
    const sinceMs = Math.max(0, nowMs - this.#movedMs);
    this.#host.world.keepPlayer(playerId, name, { position, orientation }, sinceMs);
    this.#isMoved = false;
    this.#keptMs = nowMs;
  }

  #firstPose(playerId: bigint): Pose {
    const { beings, world } = this.#host;
    const known = world.poseOf(playerId);
    return seenPose(
      known !== undefined && beings.isInside(known.position)
        ? known
        : { position: world.spawn, orientation: [0, 0, 0, 1] },
    );
  }
}
