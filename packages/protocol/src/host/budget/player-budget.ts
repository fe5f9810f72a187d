import { TokenBucket } from "@orthant/core";
import type { HostLimits } from "../host-limits.ts";
import { RegionPace } from "./region-pace.ts";

/**
 * What all clients of one player may ask for together. Anonymous players also share the budget of their network: who
 * has no account could be a new player with every connection.
 */
export class PlayerBudget {
  /** The budget of the network, for anonymous players. */
  readonly #network: PlayerBudget | undefined;
  readonly #regionsMax: number;
  readonly #edits: TokenBucket;
  readonly #editChunks: TokenBucket;
  readonly #resyncRegions: TokenBucket;
  readonly #pace: RegionPace;
  #clients = 0;
  #regions = 0;

  /** `share` is how many players' budgets this one stands for. */
  constructor(limits: HostLimits, share: number, nowMs: number, network?: PlayerBudget) {
    this.#network = network;
    this.#regionsMax = share * limits.regionsPerPlayer;
    this.#edits = new TokenBucket(share * limits.editsPerSecond, share * limits.editsBurst, nowMs);
    // One edit must fit, however few chunks a second there may be.
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

  /** The budget that counts where players have to share: the network's for anonymous players. */
  get shared(): PlayerBudget {
    return this.#network ?? this;
  }

  /** Clients that are connected. */
  get clients(): number {
    return this.#clients;
  }

  /** Regions that the clients hold, each as often as one of them does. */
  get regions(): number {
    return this.#regions;
  }

  /** A client connected. */
  enter(): void {
    this.#clients++;
    this.#network?.enter();
  }

  /** A client is gone. */
  leave(): void {
    this.#clients--;
    this.#network?.leave();
  }

  /** Takes one edit; false when it is too early for it. */
  takeEdit(nowMs: number): boolean {
    return this.#edits.take(1, nowMs) && this.#network?.takeEdit(nowMs) !== false;
  }

  /** Takes the chunks of an edit; false when it is too early for them. */
  takeEditChunks(count: number, nowMs: number): boolean {
    return this.#editChunks.take(count, nowMs) && this.#network?.takeEditChunks(count, nowMs) !== false;
  }

  /** Takes at most `count` regions that a client asked for again, and returns how many it may get now. */
  takeResyncRegions(count: number, nowMs: number): number {
    const taken = this.#resyncRegions.takeUpTo(count, nowMs);
    return this.#network === undefined ? taken : this.#network.takeResyncRegions(taken, nowMs);
  }

  /** True when a client may come to other regions now. */
  mayLookElsewhere(nowMs: number): boolean {
    return this.#pace.isInTime(nowMs) && this.#network?.mayLookElsewhere(nowMs) !== false;
  }

  /** Charges for regions that a client came to. */
  chargeRegions(count: number, nowMs: number): void {
    this.#pace.charge(count, nowMs);
    this.#network?.chargeRegions(count, nowMs);
  }

  /** Counts a region that a client holds from now on; the name of the limit that this breaks, if it does. */
  holdRegion(): keyof HostLimits | undefined {
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

  /** True when nothing would be lost if a new budget took the place of this one. */
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
