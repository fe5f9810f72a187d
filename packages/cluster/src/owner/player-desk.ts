import { type Clock, sleep } from "@orthant/core";
import { type Pose, posesEqual, roundPose, sendablePose } from "@orthant/protocol";
import type { World } from "@orthant/world";
import type { KeptPlayer, PlayersAnswer, PlayersRequest } from "../shard/player-message.ts";

interface Move {
  readonly movedMs: number;
  readonly heardMs: number;
}

/**
 * Time during which an older move may still arrive, from a gateway that has not noticed that it lost the
 * player.
 */
const LATE_MS = 60_000;

/** Time a new owner waits before it answers, while gateways resend what the previous owner had not saved. */
const SETTLE_MS = 1_000;

/** Stores player positions in the world of the first shard. Rules K32 and K33. */
export class PlayerPositionStore {
  readonly #world: World;
  readonly #clock: Clock;
  readonly #playersMax: number;
  readonly #startMs: number;
  /** Recent moves, in order of arrival. */
  readonly #moves = new Map<bigint, Move>();
  #count: number;
  /** True if some players are not saved yet. */
  isUnsaved = false;

  constructor(world: World, clock: Clock, playersMax: number) {
    this.#world = world;
    this.#clock = clock;
    this.#playersMax = playersMax;
    this.#startMs = clock.nowMs();
    this.#count = world.players.length;
  }

  /** Stores the reported players, then answers. */
  async answer({ kept, asked }: PlayersRequest): Promise<PlayersAnswer> {
    const nowMs = this.#clock.nowMs();
    this.#forgetMoves(nowMs);
    for (const player of kept) this.#keep(player, nowMs);
    const early = SETTLE_MS - Math.abs(nowMs - this.#startMs);
    if (asked.length > 0 && early > 0) await sleep(this.#clock, early);
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
    // A player who joined and left without moving needs no save.
    if (known?.name === name && posesEqual(seen(known), pose)) return;
    const { position, orientation } = pose;
    this.#world.upsertPlayer({ playerId, name, position, orientation });
    this.isUnsaved = true;
  }

  #poseOf(playerId: bigint): Pose | undefined {
    const known = this.#world.player(playerId);
    return known === undefined ? undefined : seen(known);
  }

  #forgetMoves(nowMs: number): void {
    for (const [playerId, { heardMs }] of this.#moves) {
      if (Math.abs(nowMs - heardMs) < LATE_MS) return;
      this.#moves.delete(playerId);
    }
  }
}

/** Rounds a pose to what gateways can represent; a world may store any number. */
function seen(pose: Pose): Pose {
  return roundPose(sendablePose(pose));
}
