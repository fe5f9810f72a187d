import { getOrAdd } from "@orthant/core/lattice";
import { TokenBucket } from "@orthant/core/time";
import type { Account } from "../account.ts";
import type { SyncLimits } from "../sync-limits.ts";

/** Each new region costs time. A client may owe this much, which allows two jumps to other positions in a row. */
const AHEAD_MS = 1_000;

/** Limits how many new regions per second a client, a player or a network adds. */
export class RegionPace {
  readonly #regionsPerSecond: number;
  /** The time at which the debt is paid off. */
  #paidMs = 0;
  #seenMs = 0;

  constructor(regionsPerSecond: number) {
    this.#regionsPerSecond = regionsPerSecond;
  }

  /** Returns true when new regions may be added now. */
  mayAddMore(nowMs: number): boolean {
    this.#notice(nowMs);
    return this.#paidMs - nowMs <= AHEAD_MS;
  }

  /** Returns true when no debt is left. */
  isPaid(nowMs: number): boolean {
    this.#notice(nowMs);
    return this.#paidMs <= nowMs;
  }

  charge(regions: number, nowMs: number): void {
    this.#paidMs = Math.max(this.#paidMs, nowMs) + (regions * 1_000) / this.#regionsPerSecond;
  }

  /** Handles a clock that was set back, so that clients do not wait for it. */
  #notice(nowMs: number): void {
    if (nowMs < this.#seenMs) this.#paidMs = nowMs;
    this.#seenMs = nowMs;
  }
}

/** Answers per second that do not wait for the next tick. */
const ANSWERS_PER_SECOND = 16;

/**
 * What a budget limits per second: edits, their chunks and bytes of data, voxels that rules look at, requests about
 * operations, repeated regions, and answers between ticks.
 */
type BudgetRate =
  | "operations"
  | "edits"
  | "editChunks"
  | "editData"
  | "ruleVoxels"
  | "resyncRegions"
  | "answers";

/**
 * The shared budget of all clients of one player. Anonymous players also share the budget of their network,
 * because without accounts they could be new players with every connection.
 */
export class PlayerBudget {
  /** The budget of the network; only for anonymous players. */
  readonly #network: PlayerBudget | undefined;
  readonly #regionsMax: number;
  readonly #limits: SyncLimits;
  readonly #share: number;
  /** Those that something was taken from. */
  #rates: Partial<Record<BudgetRate, TokenBucket>> = NO_RATES;
  readonly #pace: RegionPace;
  #clients = 0;
  #regions = 0;

  /** `share` multiplies all limits: 1 for a player, `budgetsPerNetwork` for a network. */
  constructor(limits: SyncLimits, share: number, network?: PlayerBudget) {
    this.#network = network;
    this.#regionsMax = share * limits.regionsPerPlayer;
    this.#limits = limits;
    this.#share = share;
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

  enter(): void {
    this.#clients++;
    this.#network?.enter();
  }

  leave(): void {
    this.#clients--;
    this.#network?.leave();
  }

  /** Takes `count` of what a rate limits. Returns false, if not all of it may be taken now. */
  take(rate: BudgetRate, count: number, nowMs: number): boolean {
    return this.#bucket(rate, nowMs).take(count, nowMs) && this.#network?.take(rate, count, nowMs) !== false;
  }

  /** Takes up to `count` regions that a client requested again. Returns how many it may get now. */
  takeResyncRegions(count: number, nowMs: number): number {
    const taken = this.#bucket("resyncRegions", nowMs).takeUpTo(count, nowMs);
    return this.#network === undefined ? taken : this.#network.takeResyncRegions(taken, nowMs);
  }

  /** Returns true when a client may add regions now. */
  mayAddRegions(nowMs: number): boolean {
    return this.#pace.mayAddMore(nowMs) && this.#network?.mayAddRegions(nowMs) !== false;
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

  /** Counts regions that a client no longer holds. */
  releaseRegions(count: number): void {
    this.#regions -= count;
    this.#network?.releaseRegions(count);
  }

  /** Returns true when this budget is indistinguishable from a new one. */
  isUnused(nowMs: number): boolean {
    return (
      this.#clients === 0 &&
      this.#regions === 0 &&
      Object.values(this.#rates).every((rate) => rate.isFull(nowMs)) &&
      this.#pace.isPaid(nowMs)
    );
  }

  #bucket(rate: BudgetRate, nowMs: number): TokenBucket {
    const known = this.#rates[rate];
    if (known !== undefined) return known;
    const [perSecond, burst] = budgetRate(rate, this.#limits, this.#share);
    const bucket = new TokenBucket(this.#share * perSecond, burst, nowMs);
    this.#rates = { ...this.#rates, [rate]: bucket };
    return bucket;
  }
}

const NO_RATES: Partial<Record<BudgetRate, TokenBucket>> = {};

/** Returns how much of something one player may take in a second, and how much a budget of `share` players at once. */
function budgetRate(rate: BudgetRate, limits: SyncLimits, share: number): readonly [number, number] {
  // One edit must fit, however low the rate is.
  const burstShare = Math.max(1, share);
  switch (rate) {
    case "edits":
      return [limits.editsPerSecond, share * limits.editsBurst];
    case "editChunks":
      return [limits.editChunksPerSecond, burstShare * limits.editChunksMax];
    case "editData":
      return [limits.editDataBytesPerSecond, burstShare * limits.editDataBytesMax];
    case "ruleVoxels":
      return [limits.ruleVoxelsPerSecond, burstShare * limits.ruleVoxelsMax];
    case "operations":
      return [limits.operationsPerSecond, share * limits.operationsBurst];
    case "resyncRegions":
      return [limits.resyncRegionsPerSecond, share * limits.resyncRegionsBurst];
    case "answers":
      return [ANSWERS_PER_SECOND, burstShare * ANSWERS_PER_SECOND];
  }
}

/**
 * The budgets of all connected players, and of those who left until their budgets are full again. A player
 * who reconnects, or connects with other clients, continues with the same budget.
 */
export class PlayerBudgets {
  readonly #limits: SyncLimits;
  readonly #players = new Map<bigint, PlayerBudget>();
  readonly #networks = new Map<string, PlayerBudget>();

  constructor(limits: SyncLimits) {
    this.#limits = limits;
  }

  /** Returns the budget of a player whose clients come from `network`, if that is known. */
  of({ playerId, isAnonymous }: Account, network: string | undefined): PlayerBudget {
    const known = this.#players.get(playerId);
    if (known !== undefined) return known;
    const shared = isAnonymous === true && network !== undefined ? this.#networkOf(network) : undefined;
    const budget = new PlayerBudget(this.#limits, 1, shared);
    this.#players.set(playerId, budget);
    return budget;
  }

  /** Counts a client of a player, or returns the name of the limit that this would exceed. */
  enter(budget: PlayerBudget): keyof SyncLimits | undefined {
    const { clientsPerPlayer, budgetsPerNetwork } = this.#limits;
    if (budget.clients >= clientsPerPlayer) return "clientsPerPlayer";
    const { shared } = budget;
    if (shared !== budget && shared.clients >= budgetsPerNetwork * clientsPerPlayer)
      return "budgetsPerNetwork";
    budget.enter();
    return undefined;
  }

  /** Drops budgets that are as good as new. */
  clean(nowMs: number): void {
    const networksInUse = new Set<PlayerBudget>();
    for (const [playerId, budget] of this.#players) {
      if (budget.isUnused(nowMs)) this.#players.delete(playerId);
      else networksInUse.add(budget.shared);
    }
    for (const [network, budget] of this.#networks) {
      if (!networksInUse.has(budget) && budget.isUnused(nowMs)) this.#networks.delete(network);
    }
  }

  #networkOf(network: string): PlayerBudget {
    return getOrAdd(
      this.#networks,
      network,
      () => new PlayerBudget(this.#limits, this.#limits.budgetsPerNetwork),
    );
  }
}
