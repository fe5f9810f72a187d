import type { TimeSource } from "@orthant/core";
import { pointOnAxes } from "@orthant/core/lattice";
import { sleep } from "@orthant/core/time";
import { type Pose, posesEqual, roundPose, sendablePose } from "@orthant/protocol";
import type { WorldEngine } from "@orthant/world/engine";
import type { PlayersAnswer, PlayersRequest, RememberedPose } from "../shard/owner-messages.ts";

interface Report {
  readonly heardMs: number;
  readonly receivedMs: number;
}

/**
 * Time during which an older report may still arrive, from a gateway that has not noticed that it lost the
 * player.
 */
const LATE_MS = 60_000;

/** Time a new owner waits before it answers, while gateways resend what the previous owner had not saved. */
const SETTLE_MS = 1_000;

/** Stores player positions in the world of the first shard. Rules K32 and K33. */
export class PlayerPositions {
  readonly #world: WorldEngine;
  readonly #time: TimeSource;
  readonly #playersMax: number;
  readonly #onUnsaved: () => void;
  readonly #startMs: number;
  /** Recent reports, in order of arrival. */
  readonly #reports = new Map<bigint, Report>();
  #count: number;

  /** `onUnsaved` is called when a player changed, which only a save stores. */
  constructor(world: WorldEngine, time: TimeSource, playersMax: number, onUnsaved: () => void) {
    this.#world = world;
    this.#time = time;
    this.#playersMax = playersMax;
    this.#onUnsaved = onUnsaved;
    this.#startMs = time.nowMs();
    this.#count = world.players.length;
  }

  /** Stores the reported players, then answers. */
  async answer({ updates, lookups }: PlayersRequest): Promise<PlayersAnswer> {
    const nowMs = this.#time.nowMs();
    this.#forgetReports(nowMs);
    for (const player of updates) this.#store(player, nowMs);
    const early = SETTLE_MS - Math.abs(nowMs - this.#startMs);
    if (lookups.length > 0 && early > 0) await sleep(this.#time, early);
    return { kind: "players", poses: lookups.map((playerId) => this.#poseOf(playerId)) };
  }

  #store({ playerId, name, pose, sinceMs }: RememberedPose, nowMs: number): void {
    const heardMs = nowMs - sinceMs;
    const last = this.#reports.get(playerId);
    if (last !== undefined && heardMs < last.heardMs) return;
    const known = this.#world.player(playerId);
    if (known === undefined && this.#count >= this.#playersMax) return;
    if (known === undefined) this.#count++;
    this.#reports.delete(playerId);
    this.#reports.set(playerId, { heardMs, receivedMs: nowMs });
    // A player who joined and left without moving needs no save.
    if (known?.name === name && posesEqual(seen(known), pose)) return;
    const position = pointOnAxes(this.#world.shape, pose.position);
    this.#world.upsertPlayer({ playerId, name, position, orientation: pose.orientation });
    this.#onUnsaved();
  }

  #poseOf(playerId: bigint): Pose | undefined {
    const known = this.#world.player(playerId);
    return known === undefined ? undefined : seen(known);
  }

  #forgetReports(nowMs: number): void {
    for (const [playerId, { receivedMs }] of this.#reports) {
      if (Math.abs(nowMs - receivedMs) < LATE_MS) return;
      this.#reports.delete(playerId);
    }
  }
}

/** Rounds a pose to what gateways can represent; a world may store any number. */
function seen(pose: Pose): Pose {
  return roundPose(sendablePose(pose));
}
