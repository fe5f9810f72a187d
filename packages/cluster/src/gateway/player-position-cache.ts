import { type Pose, posesEqual, roundPose } from "@orthant/protocol";
import { REQUEST_PLAYERS_MAX } from "../shard/owner-messages.ts";
import { OwnerQueue, type OwnerQueueContext, type SendRequest } from "./owner-queue.ts";

/** A player whose pose the owner must remember. */
interface PoseUpdate {
  readonly kind: "update";
  readonly playerId: bigint;
  name: string;
  pose: Pose;
  heardMs: number;
  storedMs: number;
  /** The last pose that an owner has confirmed. */
  sent: Pose | undefined;
}

/** A player who waits to join. */
interface Lookup {
  readonly kind: "lookup";
  readonly playerId: bigint;
  readonly resolve: (pose: Pose | undefined) => void;
}

/** Players whose last poses are cached here, for when no owner answers. */
const POSES_MAX = 65_536;
/** Time during which a pose is sent again to a new owner, because the previous one may not have saved it. */
const RESEND_MS = 60_000;
/** Timeout for looking up a player's last pose; longer than a failover takes. */
const LOOKUP_MS = 8_000;
/** Time for which a closing gateway waits until an owner has its players' poses. */
const CLOSE_MS = 2_000;

/** The last poses of players, which the owner of the first shard remembers across gateways. Rule K32. */
export class PlayerPositionCache {
  readonly #options: OwnerQueueContext;
  readonly #queue: OwnerQueue<PoseUpdate | Lookup>;
  readonly #poses = new Map<bigint, Pose>();
  readonly #recent = new Map<bigint, PoseUpdate>();
  #whenSent: (() => void)[] = [];

  constructor(options: OwnerQueueContext) {
    this.#options = options;
    this.#queue = new OwnerQueue<PoseUpdate | Lookup>({
      ...options,
      batchMax: REQUEST_PLAYERS_MAX,
      shardOf: () => options.directory.map.first,
      send: (items, request) => this.#send(items, request),
    });
  }

  /** Returns the cached pose of a player. */
  poseOf(playerId: bigint): Pose | undefined {
    return this.#poses.get(playerId);
  }

  /** Looks up where a player was. Also resolves if no owner answers in time. */
  lookUp(playerId: bigint): Promise<void> {
    return new Promise((resolve) => {
      const lookup: Lookup = {
        kind: "lookup",
        playerId,
        resolve: (pose) => {
          timer.cancel();
          if (pose !== undefined) this.#remember(playerId, pose);
          resolve();
        },
      };
      const timer = this.#options.time.wait(LOOKUP_MS, () => {
        this.#queue.remove(lookup);
        resolve();
      });
      this.#queue.add(lookup);
    });
  }

  /** Has the owner remember where a player is. */
  store(playerId: bigint, name: string, pose: Pose, sinceMs: number): void {
    // A player at the spawn may have been elsewhere before, at a time when no owner could be asked.
    if (!this.#poses.has(playerId) && posesEqual(pose, this.#spawnPose())) return;
    const storedMs = this.#options.time.nowMs();
    this.#remember(playerId, pose);
    const news = { name, pose, heardMs: storedMs - sinceMs, storedMs };
    const known = this.#recent.get(playerId);
    const update: PoseUpdate = Object.assign(
      known ?? { kind: "update" as const, playerId, sent: undefined },
      news,
    );
    this.#recent.set(playerId, update);
    this.#queue.add(update);
  }

  /** Sends recent poses again, because the new owner may not have them. */
  ownerChanged(): void {
    for (const update of this.#recent.values()) this.#queue.add(update);
  }

  /** Forgets poses that an owner must have saved by now. */
  tick(nowMs: number): void {
    for (const update of [...this.#recent.values()]) {
      if (isSent(update) && Math.abs(nowMs - update.storedMs) >= RESEND_MS)
        this.#recent.delete(update.playerId);
    }
  }

  /** Resolves when an owner has all poses, or after two seconds. */
  whenSent(): Promise<void> {
    if (this.#isAllSent()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#options.time.wait(CLOSE_MS, resolve);
      this.#whenSent.push(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  /** Stops sending, and resolves pending lookups without a pose. */
  close(): void {
    for (const item of [...this.#queue.waiting()]) if (item.kind === "lookup") item.resolve(undefined);
    this.#queue.close();
  }

  async #send(
    items: readonly (PoseUpdate | Lookup)[],
    request: SendRequest,
  ): Promise<readonly (PoseUpdate | Lookup)[]> {
    const nowMs = this.#options.time.nowMs();
    const updates = items.filter((item) => item.kind === "update").map((item) => ({ item, ...item }));
    const lookups = items.filter((item) => item.kind === "lookup");
    const answer = await request({
      kind: "players",
      updates: updates.map(({ playerId, name, pose, heardMs }) => {
        return { playerId, name, pose, sinceMs: Math.max(0, Math.round(nowMs - heardMs)) };
      }),
      lookups: lookups.map(({ playerId }) => playerId),
    });
    if (answer.kind !== "players" || answer.poses.length !== lookups.length) return items;
    // If the player has moved since, the next request sends the new pose.
    for (const { item, pose } of updates) item.sent = pose;
    for (const [index, { resolve }] of lookups.entries()) resolve(answer.poses[index]);
    if (this.#isAllSent()) for (const resolve of this.#whenSent.splice(0)) resolve();
    return [];
  }

  #spawnPose(): Pose {
    return roundPose({ position: this.#options.directory.map.world.spawn, orientation: [0, 0, 0, 1] });
  }

  #isAllSent(): boolean {
    for (const update of this.#recent.values()) if (!isSent(update)) return false;
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
    const update = this.#recent.get(playerId);
    if (update === undefined) return;
    this.#recent.delete(playerId);
    this.#queue.remove(update);
  }
}

function isSent({ sent, pose }: PoseUpdate): boolean {
  return sent === pose;
}
