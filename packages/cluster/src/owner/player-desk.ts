import type { Clock } from "@orthant/core";
import { type Pose, roundPose, sendablePose } from "@orthant/protocol";
import type { World } from "@orthant/world";
import type { KeptPlayer, PlayersAnswer, PlayersQuestion } from "../shard/player-message.ts";

interface Move {
  readonly movedMs: number;
  readonly heardMs: number;
}

/** So long after a move an older one may still come, from a gateway that lost the player and has not noticed. */
const LATE_MS = 60_000;

/** Remembers where players are, in the world of the first shard. Rules K32 and K33. */
export class PlayerDesk {
  readonly #world: World;
  readonly #clock: Clock;
  readonly #playersMax: number;
  /** Those of late, in the order in which they were heard. */
  readonly #moves = new Map<bigint, Move>();
  #count: number;
  /** Whether something is remembered that no save has. */
  isUnsaved = false;

  constructor(world: World, clock: Clock, playersMax: number) {
    this.#world = world;
    this.#clock = clock;
    this.#playersMax = playersMax;
    this.#count = world.players.length;
  }

  /** Remembers, then answers. */
  answer({ kept, asked }: PlayersQuestion): PlayersAnswer {
    const nowMs = this.#clock.nowMs();
    this.#forgetMoves(nowMs);
    for (const player of kept) this.#keep(player, nowMs);
    return { kind: "players", poses: asked.map((playerId) => this.#poseOf(playerId)) };
  }

  #keep({ playerId, name, pose, sinceMs }: KeptPlayer, nowMs: number): void {
    const movedMs = nowMs - sinceMs;
    const last = this.#moves.get(playerId);
    if (last !== undefined && movedMs < last.movedMs) return;
    const known = this.#world.player(playerId);
    if (known === undefined && this.#count >= this.#playersMax) return;
    if (known === undefined) this.#count++;
    this.#moves.delete(playerId);
    this.#moves.set(playerId, { movedMs, heardMs: nowMs });
    if (known?.name === name && isSame(this.#poseOf(playerId), pose)) return;
    const { position, orientation } = pose;
    this.#world.upsertPlayer({ playerId, name, position, orientation });
    this.isUnsaved = true;
  }

  #poseOf(playerId: bigint): Pose | undefined {
    const known = this.#world.player(playerId);
    return known === undefined ? undefined : roundPose(sendablePose(known));
  }

  #forgetMoves(nowMs: number): void {
    for (const [playerId, { heardMs }] of this.#moves) {
      if (Math.abs(nowMs - heardMs) < LATE_MS) return;
      this.#moves.delete(playerId);
    }
  }
}

function isSame(known: Pose | undefined, { position, orientation }: Pose): boolean {
  return (
    known !== undefined &&
    position.every((coordinate, axis) => coordinate === known.position[axis]) &&
    orientation.every((component, axis) => component === known.orientation[axis])
  );
}
