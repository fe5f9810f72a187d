import { type Pose, posesEqual, roundPose } from "@orthant/protocol";
import { PLAYERS_ASKED_MAX } from "../shard/player-message.ts";
import { type Ask, OwnerLine, type OwnerLineSetting } from "./owner-line.ts";

/** A player whose pose is to be remembered. */
interface Kept {
  readonly kind: "kept";
  readonly playerId: bigint;
  name: string;
  pose: Pose;
  movedMs: number;
  keptMs: number;
  /** The last pose that an owner has. */
  told: Pose | undefined;
}

/** A player who waits to come in. */
interface Asked {
  readonly kind: "asked";
  readonly playerId: bigint;
  readonly resolve: (pose: Pose | undefined) => void;
}

/** So many players' last poses are known here, for when no owner answers. */
const POSES_MAX = 65_536;
/** A pose is told again to an owner who is new within this time: the one before may not have saved it. */
const TOLD_AGAIN_MS = 60_000;
/** A player waits for so long to hear where they were: longer than another owner needs to take over. */
const RECALL_MS = 8_000;
/** So long a gateway that closes waits for an owner to hear where its players were. */
const LAST_MS = 2_000;

/** Where players were seen last: the owner of the first shard remembers it, whichever gateway they were at. Rule K32. */
export class PlayerPoses {
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

  /** The pose of a player that is known here. */
  poseOf(playerId: bigint): Pose | undefined {
    return this.#poses.get(playerId);
  }

  /** Asks where a player was; resolves also when nobody says so in time. */
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

  /** Has an owner remember where a player is. */
  keep(playerId: bigint, name: string, pose: Pose, sinceMs: number): void {
    // Who only stands where everybody begins may have been elsewhere before, when nobody could say so.
    if (!this.#poses.has(playerId) && posesEqual(pose, this.#beginning())) return;
    const keptMs = this.#options.clock.nowMs();
    this.#remember(playerId, pose);
    const news = { name, pose, movedMs: keptMs - sinceMs, keptMs };
    const known = this.#kept.get(playerId);
    const kept: Kept = Object.assign(known ?? { kind: "kept" as const, playerId, told: undefined }, news);
    this.#kept.set(playerId, kept);
    this.#line.add(kept);
  }

  /** Another owner remembers from now on, and may not know what came last. */
  ownerChanged(): void {
    for (const kept of this.#kept.values()) this.#line.add(kept);
  }

  /** Forgets what an owner must have saved by now. */
  tick(nowMs: number): void {
    for (const kept of [...this.#kept.values()]) {
      if (isTold(kept) && Math.abs(nowMs - kept.keptMs) >= TOLD_AGAIN_MS) this.#kept.delete(kept.playerId);
    }
  }

  /** Resolves when an owner knows all poses, or after two seconds. */
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

  /** Asks and tells nothing more. */
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
    // The player may be elsewhere by now: then that is told next.
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
