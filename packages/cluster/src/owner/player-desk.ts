import { type Clock, sleep } from "@orthant/core";
import { type Pose, posesEqual, roundPose, sendablePose } from "@orthant/protocol";
import type { World } from "@orthant/world";
import type { KeptPlayer, PlayersAnswer, PlayersQuestion } from "../shard/player-message.ts";

interface Move {
  readonly movedMs: number;
  readonly heardMs: number;
}

/** So long after a move an older one may still come, from a gateway that lost the player and has not noticed. */
const LATE_MS = 60_000;

/** So long after it began an owner hears from gateways what the one before had not saved, and says nothing yet. */
const SETTLE_MS = 1_000;

/** Remembers where players are, in the world of the first shard. Rules K32 and K33. */
export class PlayerDesk {
  readonly #world: World;
  readonly #clock: Clock;
  readonly #playersMax: number;
  readonly #startMs: number;
  /** Those of late, in the order in which they were heard. */
  readonly #moves = new Map<bigint, Move>();
  #count: number;
  /** Whether something is remembered that no save has. */
  isUnsaved = false;

  constructor(world: World, clock: Clock, playersMax: number) {
    this.#world = world;
    this.#clock = clock;
    this.#playersMax = playersMax;
    this.#startMs = clock.nowMs();
    this.#count = world.players.length;
  }

  /** Remembers, then answers. */
  async answer({ kept, asked }: PlayersQuestion): Promise<PlayersAnswer> {
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
    // Nothing to save for who came and went without a step.
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

/** A pose as gateways have it: a world may keep any number. */
function seen(pose: Pose): Pose {
  return roundPose(sendablePose(pose));
}
