import { TokenBucket } from "@orthant/core";
import type { SyncLimits } from "../sync-limits.ts";
import { RegionPace } from "./region-pace.ts";

/**
 * The shared budget of all clients of one player. Anonymous players also share the budget of their network,
 * because without accounts they could be new players with every connection.
 */
export class PlayerBudget {
  /** The budget of the network; only for anonymous players. */
  readonly #network: PlayerBudget | undefined;
  readonly #regionsMax: number;
  readonly #edits: TokenBucket;
  readonly #editChunks: TokenBucket;
  readonly #resyncRegions: TokenBucket;
  readonly #pace: RegionPace;
  #clients = 0;
  #regions = 0;

  /** `share` is the number of player budgets that this one represents. */
  constructor(limits: SyncLimits, share: number, nowMs: number, network?: PlayerBudget) {
    this.#network = network;
    this.#regionsMax = share * limits.regionsPerPlayer;
    this.#edits = new TokenBucket(share * limits.editsPerSecond, share * limits.editsBurst, nowMs);
    // One edit must fit, however low the rate is.
    this.#editChunks = new TokenBucket(
      share * limits.editChunksPerSecond,
      Math.max(1, share) * limits.editChunksMax,
      nowMs,
    );
    this.#resyncRegions = new TokenBucket(
      share * limits.resyncRegionsPerSecond,
      share * limits.resyncRegionsBurst,
      nowMs,
    );
    this.#pace = new RegionPace(share * limits.playerInterestRegionsPerSecond);
  }

  /** The budget by which players take turns: the network's for anonymous players. */
  get shared(): PlayerBudget {
    return this.#network ?? this;
  }

  /** Number of connected clients. */
  get clients(): number {
    return this.#clients;
  }

  /** Number of regions that the clients hold, counted once per client. */
  get regions(): number {
    return this.#regions;
  }

  /** Counts a connected client. */
  enter(): void {
    this.#clients++;
    this.#network?.enter();
  }

  /** Counts a disconnected client. */
  leave(): void {
    this.#clients--;
    this.#network?.leave();
  }

  /** Takes one edit. Returns false when the rate is exceeded. */
  takeEdit(nowMs: number): boolean {
    return this.#edits.take(1, nowMs) && this.#network?.takeEdit(nowMs) !== false;
  }

  /** Takes the chunks of an edit. Returns false when the rate is exceeded. */
  takeEditChunks(count: number, nowMs: number): boolean {
    return this.#editChunks.take(count, nowMs) && this.#network?.takeEditChunks(count, nowMs) !== false;
  }

  /** Takes up to `count` regions that a client requested again. Returns how many it may get now. */
  takeResyncRegions(count: number, nowMs: number): number {
    const taken = this.#resyncRegions.takeUpTo(count, nowMs);
    return this.#network === undefined ? taken : this.#network.takeResyncRegions(taken, nowMs);
  }

  /** Returns true when a client may add regions now. */
  mayAddRegions(nowMs: number): boolean {
    return this.#pace.isInTime(nowMs) && this.#network?.mayAddRegions(nowMs) !== false;
  }

  /** Charges for regions that a client added. */
  chargeRegions(count: number, nowMs: number): void {
    this.#pace.charge(count, nowMs);
    this.#network?.chargeRegions(count, nowMs);
  }

  /** Counts a region that a client starts to hold. Returns the name of the limit this exceeds, if any. */
  holdRegion(): keyof SyncLimits | undefined {
    this.#regions++;
    const broken = this.#network?.holdRegion();
    if (this.#regions > this.#regionsMax) return "regionsPerPlayer";
    return broken === undefined ? undefined : "budgetsPerNetwork";
  }

  /** Counts a region that a client no longer holds. */
  releaseRegion(): void {
    this.#regions--;
    this.#network?.releaseRegion();
  }

  /** Returns true when this budget is indistinguishable from a new one. */
  isUnused(nowMs: number): boolean {
    return (
      this.#clients === 0 &&
      this.#regions === 0 &&
      this.#edits.isFull(nowMs) &&
      this.#editChunks.isFull(nowMs) &&
      this.#resyncRegions.isFull(nowMs) &&
      this.#pace.isPaid(nowMs)
    );
  }
}
