import { type Pose, posesEqual, roundPose } from "@orthant/protocol";
import { PLAYERS_ASKED_MAX } from "../shard/player-message.ts";
import { type Ask, OwnerLine, type OwnerLineSetting } from "./owner-line.ts";

/** A player whose pose the owner must remember. */
interface Kept {
  readonly kind: "kept";
  readonly playerId: bigint;
  name: string;
  pose: Pose;
  movedMs: number;
  keptMs: number;
  /** The last pose that an owner has confirmed. */
  told: Pose | undefined;
}

/** A player who waits to join. */
interface Asked {
  readonly kind: "asked";
  readonly playerId: bigint;
  readonly resolve: (pose: Pose | undefined) => void;
}

/** Players whose last poses are cached here, for when no owner answers. */
const POSES_MAX = 65_536;
/** Time during which a pose is sent again to a new owner, because the previous one may not have saved it. */
const TOLD_AGAIN_MS = 60_000;
/** Timeout for looking up a player's last pose; longer than another owner needs to take over. */
const RECALL_MS = 8_000;
/** Time for which a closing gateway waits until an owner has its players' poses. */
const LAST_MS = 2_000;

/** The last poses of players, which the owner of the first shard remembers across gateways. Rule K32. */
export class PlayerPositionCache {
  readonly #options: OwnerLineSetting;
  readonly #line: OwnerLine<Kept | Asked>;
  readonly #poses = new Map<bigint, Pose>();
  readonly #kept = new Map<bigint, Kept>();
  #whenTold: (() => void)[] = [];

  constructor(options: OwnerLineSetting) {
    this.#options = options;
    this.#line = new OwnerLine<Kept | Asked>({
      ...options,
      batchMax: PLAYERS_ASKED_MAX,
      shardOf: () => options.directory.map.first,
      send: (items, ask) => this.#send(items, ask),
    });
  }

  /** Returns the cached pose of a player. */
  poseOf(playerId: bigint): Pose | undefined {
    return this.#poses.get(playerId);
  }

  /** Looks up where a player was. Also resolves if no owner answers in time. */
  recall(playerId: bigint): Promise<void> {
    return new Promise((resolve) => {
      const asked: Asked = {
        ...{ kind: "asked", playerId },
        resolve: (pose) => {
          timer.cancel();
          if (pose !== undefined) this.#remember(playerId, pose);
          resolve();
        },
      };
      const timer = this.#options.clock.wait(RECALL_MS, () => {
        this.#line.remove(asked);
        resolve();
      });
      this.#line.add(asked);
    });
  }

  /** Has the owner remember where a player is. */
  keep(playerId: bigint, name: string, pose: Pose, sinceMs: number): void {
    // A player at the spawn may have been elsewhere before, at a time when no owner could be asked.
    if (!this.#poses.has(playerId) && posesEqual(pose, this.#beginning())) return;
    const keptMs = this.#options.clock.nowMs();
    this.#remember(playerId, pose);
    const news = { name, pose, movedMs: keptMs - sinceMs, keptMs };
    const known = this.#kept.get(playerId);
    const kept: Kept = Object.assign(known ?? { kind: "kept" as const, playerId, told: undefined }, news);
    this.#kept.set(playerId, kept);
    this.#line.add(kept);
  }

  /** Sends recent poses again, because the new owner may not have them. */
  ownerChanged(): void {
    for (const kept of this.#kept.values()) this.#line.add(kept);
  }

  /** Forgets poses that an owner must have saved by now. */
  tick(nowMs: number): void {
    for (const kept of [...this.#kept.values()]) {
      if (isTold(kept) && Math.abs(nowMs - kept.keptMs) >= TOLD_AGAIN_MS) this.#kept.delete(kept.playerId);
    }
  }

  /** Resolves when an owner has all poses, or after two seconds. */
  whenTold(): Promise<void> {
    if (this.#isAllTold()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#options.clock.wait(LAST_MS, resolve);
      this.#whenTold.push(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  /** Stops sending, and resolves pending lookups without a pose. */
  close(): void {
    for (const item of [...this.#line.waiting()]) if (item.kind === "asked") item.resolve(undefined);
    this.#line.close();
  }

  async #send(items: readonly (Kept | Asked)[], ask: Ask): Promise<readonly (Kept | Asked)[]> {
    const nowMs = this.#options.clock.nowMs();
    const kept = items.filter((item) => item.kind === "kept").map((item) => ({ item, ...item }));
    const asked = items.filter((item) => item.kind === "asked");
    const answer = await ask({
      kind: "players",
      kept: kept.map(({ playerId, name, pose, movedMs }) => ({
        ...{ playerId, name, pose, sinceMs: Math.max(0, Math.round(nowMs - movedMs)) },
      })),
      asked: asked.map(({ playerId }) => playerId),
    });
    if (answer.kind !== "players" || answer.poses.length !== asked.length) return items;
    // If the player has moved since, the next question sends the new pose.
    for (const { item, pose } of kept) item.told = pose;
    for (const [index, { resolve }] of asked.entries()) resolve(answer.poses[index]);
    if (this.#isAllTold()) for (const resolve of this.#whenTold.splice(0)) resolve();
    return [];
  }

  #beginning(): Pose {
    return roundPose({ position: this.#options.directory.map.world.spawn, orientation: [0, 0, 0, 1] });
  }

  #isAllTold(): boolean {
    for (const kept of this.#kept.values()) if (!isTold(kept)) return false;
    return true;
  }

  #remember(playerId: bigint, pose: Pose): void {
    this.#poses.delete(playerId);
    this.#poses.set(playerId, pose);
    if (this.#poses.size <= POSES_MAX) return;
    for (const oldest of this.#poses.keys()) {
      this.#forget(oldest);
      break;
    }
  }

  #forget(playerId: bigint): void {
    this.#poses.delete(playerId);
    const kept = this.#kept.get(playerId);
    if (kept === undefined) return;
    this.#kept.delete(playerId);
    this.#line.remove(kept);
  }
}

function isTold({ told, pose }: Kept): boolean {
  return told === pose;
}
