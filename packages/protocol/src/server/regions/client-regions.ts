import type { Box, Position } from "@orthant/core";
import { boxEquals, PositionMap, PositionSet, positionsLexicographic } from "@orthant/core/lattice";
import { CLOCK_NEVER, type ClockChange, RESYNC_REGIONS_MAX } from "@orthant/core/tree";
import type { InterestMessage } from "../../message/client-message.ts";
import type { Player } from "../account.ts";
import { type PlayerBudget, RegionPace } from "../budget/player-budget.ts";
import type { ServerContext } from "../server-context.ts";
import type { SyncLimits } from "../sync-limits.ts";
import { Audience, type Member } from "./audience.ts";
import type { ClientEncoding } from "./client-encoding.ts";
import { focusOf, interestBoxes, SendQueue } from "./send-queue.ts";
import { type Holding, UNSENT, UNSURE } from "./watched-regions.ts";

/** Regions examined in one piece of work. */
const SLICE_REGIONS = 256;
/** Pace cost of a region that the client keeps; a new one costs 1. */
const KEPT_COST = 1 / 16;

/**
 * The record of one client: the regions it wants, the clocks it holds them at, and what is left to send. Clients with
 * the same regions and clocks share the first two, as an {@link Audience}.
 */
export class ClientRegions {
  /** The regions to send completely. */
  readonly queue: SendQueue;
  readonly #context: ServerContext;
  readonly #member: Member;
  readonly budget: PlayerBudget;
  #audience: Audience;
  #forgets: Position[] = [];
  /** Regions to send again that wait for their turn. */
  #resyncs: Position[] = [];
  readonly #resyncSet = new PositionSet();
  /** How fast the client may add regions. */
  readonly #pace: RegionPace;
  /** Whether the client may offer, with its first interest, regions that it kept. */
  readonly #isResumed: boolean;
  /** The latest interest, which waits until the pace allows it. */
  #waiting: InterestMessage | undefined;
  #interestId = 0;
  /** The regions of the latest interest, from when it is applied. */
  #boxes: readonly Box[] = [];
  #areaVersion = 0;
  /** The interest being applied. */
  #change: Generator<void, keyof SyncLimits | undefined> | undefined;
  /** New regions that are not queued yet. */
  #added: Holding[] = [];
  #isAreaChanged = false;
  /** Regions that entered or left the interest since `reportInterest`: true for those that entered. */
  readonly #moved = new PositionMap<boolean>();
  #examined = 0;
  /** Pace cost of regions that were added or kept, and not charged yet. */
  #cost = 0;

  constructor(
    context: ServerContext,
    member: Member,
    { encoding, isResumed }: { readonly encoding: ClientEncoding; readonly isResumed: boolean },
    budget: PlayerBudget,
  ) {
    this.#context = context;
    this.#member = member;
    this.#audience = new Audience(context.sharedTick, context.limits, encoding, member);
    this.#isResumed = isResumed;
    this.#pace = new RegionPace(context.limits.interestRegionsPerSecond);
    this.budget = budget;
    this.queue = new SendQueue(context.world.shape);
  }

  /** Who holds the same: this client alone while it is sent something of its own. */
  get audience(): Audience {
    return this.#audience;
  }

  /**
   * Shares one record with other clients whose players are in the same region, if they hold the same. The client must
   * hold all of its interest, as it is now.
   */
  joinAudience(home: Position): void {
    if (this.#audience.size > 1 || this.isMissingSome || this.isWaiting || this.#waiting !== undefined)
      return;
    const boxes = this.#boxes.map(({ min, max }) => `${min},${max}`).join(";");
    const key = `${this.#audience.encoding.key}|${home}|${boxes}`;
    const { audiences, regions } = this.#context;
    this.#audience = audiences.join(this.#audience, key, home, regions);
  }

  /** Gives the client a record of its own, before it is sent something that others are not. */
  leaveAudience(): void {
    const { audiences, regions, limits } = this.#context;
    if (this.#audience.size > 1) this.#audience = this.#audience.split(this.#member, regions, limits);
    else audiences.close(this.#audience);
    this.#audience.forgetInterests();
  }

  /** Records that the client is not sent what is new for its audience in this tick. */
  missTick(): void {
    const audience = this.#audience;
    this.leaveAudience();
    this.#audience.miss(audience);
  }

  /** The newest interest received; 0 before the first. */
  get interestId(): number {
    return this.#interestId;
  }

  /** Increases whenever the client wants different regions. */
  get areaVersion(): number {
    return this.#areaVersion;
  }

  /** Number of regions that the client holds or will hold. */
  get size(): number {
    return this.#audience.holdings.size;
  }

  /** Memory of these regions in bytes. Clients that hold the same region share it. */
  get bytes(): number {
    const { world } = this.#context;
    let bytes = 0;
    this.#audience.holdings.forEach(({ region }) => {
      const clients = region.holdings.reduce((sum, { watcher }) => sum + watcher.size, 0);
      bytes += (world.loadedBytes?.(region.position) ?? 0) / clients;
    });
    return bytes;
  }

  /** True when regions remain to be sent completely. */
  get isMissingSome(): boolean {
    return this.queue.size + this.#resyncs.length > 0 || this.isChanging;
  }

  /** Number of regions to send again that wait for the rate limit. */
  get resyncs(): number {
    return this.#resyncs.length;
  }

  /** True when something waits to be sent. */
  get isWaiting(): boolean {
    return this.queue.size > 0 || this.#audience.isBehind || this.#forgets.length > 0;
  }

  /** True when an interest waits until the pace allows it. */
  get hasInterestWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Sets the interest, and applies it at once as time permits. Returns the limit that it exceeds, if any. */
  setInterest(interest: InterestMessage, nowMs: number): keyof SyncLimits | undefined {
    this.#waiting = interest;
    let exceeded = this.startInterest(nowMs);
    while (exceeded === undefined && this.isChanging && this.#context.interestWork.hasTime()) {
      exceeded = this.applyInterest(nowMs);
    }
    return exceeded;
  }

  /** Switches to the latest interest when it is due. Returns the limit that it exceeds, if any. */
  startInterest(nowMs: number): keyof SyncLimits | undefined {
    const interest = this.#waiting;
    if (interest === undefined) return undefined;
    if (!this.#pace.mayAddMore(nowMs) || !this.budget.mayAddRegions(nowMs)) return undefined;
    this.#waiting = undefined;
    if (interest.interestId <= this.#interestId) return undefined;
    const boxes = interestBoxes(interest, this.#context.world.shape, this.#context.limits);
    if (typeof boxes === "string") return boxes;
    this.#interestId = interest.interestId;
    // Most interests only report that the client has moved a little.
    if (!this.isChanging && areEqual(boxes, this.#boxes)) {
      this.queue.aim(focusOf(interest, this.#context.world.shape));
      return undefined;
    }
    this.leaveAudience();
    this.#boxes = [];
    this.#change = this.#changeTo(interest, boxes, this.#isResumed && interest.interestId === 1);
    return undefined;
  }

  /** True until the current interest is fully applied. */
  get isChanging(): boolean {
    return this.#change !== undefined;
  }

  /** Applies another part of the interest. Returns the name of the limit that it exceeds, if any. */
  applyInterest(nowMs: number): keyof SyncLimits | undefined {
    const exceeded = this.#context.interestWork.run(() => this.#applyNext());
    this.#pace.charge(this.#cost, nowMs);
    this.budget.chargeRegions(this.#cost, nowMs);
    this.#cost = 0;
    return exceeded;
  }

  #applyNext(): keyof SyncLimits | undefined {
    const change = this.#change;
    const step = change?.next();
    if (step?.done !== true) return undefined;
    if (this.#change === change) this.#change = undefined;
    return step.value;
  }

  /** Tells the game's rule which regions entered and left the player's interest since the last call. */
  reportInterest(player: Player): void {
    if (this.#moved.size === 0) return;
    const entered: Position[] = [];
    const left: Position[] = [];
    for (const [position, hasEntered] of this.#moved) (hasEntered ? entered : left).push(position);
    this.#moved.clear();
    this.#context.options.rules?.onInterest?.({ player, entered, left });
  }

  /** Marks what the client holds of some or all regions as unknown. They are sent or forgotten again. */
  resync(positions: readonly Position[] | "all"): void {
    this.leaveAudience();
    if (positions === "all") {
      const all: Position[] = [];
      this.#audience.holdings.forEach((holding) => {
        if (holding.clock !== UNSENT) all.push(holding.region.position);
      });
      this.resync(all);
      return;
    }
    for (const position of positions) {
      const holding = this.#audience.holdings.get(...position);
      if (holding?.clock === UNSENT || this.#resyncSet.has(...position)) continue;
      const isTooMany = this.#resyncs.length >= this.#context.limits.interestRegionsMax + RESYNC_REGIONS_MAX;
      if (holding === undefined && isTooMany) continue;
      if (holding !== undefined) {
        holding.clock = UNSURE;
        holding.isBehind = false;
        if (holding.isQueued) continue;
      }
      this.#resyncs.push(position);
      this.#resyncSet.add(...position);
    }
  }

  /** Allows `count` of the regions that wait to be sent again. */
  releaseResyncs(count: number): void {
    for (const position of this.#resyncs.splice(0, count)) {
      this.#resyncSet.delete(...position);
      const holding = this.#audience.holdings.get(...position);
      if (holding === undefined) this.#forgets.push(position);
      else this.queue.add(holding);
    }
  }

  /** Returns the regions that the client must forget. */
  takeForgets(): readonly Position[] {
    const forgets = this.#forgets;
    if (forgets.length > 0) this.#forgets = [];
    return forgets;
  }

  /** Returns true when the client was sent all these changes, as far as it holds the regions. */
  hasSeen(clocks: readonly ClockChange[]): boolean {
    // Until the client is sent what it must forget, it holds those regions at old clocks.
    if (this.#forgets.length > 0) return false;
    return clocks.every(({ region, after }) => {
      const holding = this.#audience.holdings.get(...region);
      return holding === undefined || holding.clock === UNSENT || holding.clock >= after;
    });
  }

  /**
   * Returns true when the client's offered state of a loaded region is usable, so that the region need not be
   * sent. Called once, at the first opportunity.
   */
  settle(holding: Holding): boolean {
    const { feed, wholeRegions, world } = this.#context;
    const { offered, region } = holding;
    holding.offered = undefined;
    if (offered === undefined) return false;
    const isCurrent =
      offered === CLOCK_NEVER
        ? wholeRegions.isBlank(region, this.#audience.encoding.of(region.position))
        : world.clockOf(region.position) === offered;
    if (!isCurrent && !feed.knowsState(region, offered)) return false;
    holding.clock = offered;
    if (!isCurrent) this.#audience.fallBehind(holding);
    return true;
  }

  /** Calls `act` for every region that the client wants. */
  forEach(act: (holding: Holding) => void): void {
    this.#audience.holdings.forEach((holding) => {
      act(holding);
    });
  }

  /** Returns what the client holds of a region. */
  at([x, y, z, w]: Position): Holding | undefined {
    return this.#audience.holdings.get(x, y, z, w);
  }

  /** Whether the client wants a region. */
  includes(x: number, y: number, z: number, w: number): boolean {
    return this.#audience.holdings.has(x, y, z, w);
  }

  /** Releases all regions, because the client is gone. */
  clear(): void {
    const { audiences, regions } = this.#context;
    const audience = this.#audience;
    this.#change = undefined;
    audience.leave(this.#member, regions);
    if (audience.size > 0) {
      this.budget.releaseRegions(audience.holdings.size);
      return;
    }
    audiences.close(audience);
    const holdings = [...audience.holdings.values()];
    audience.holdings.clear();
    regions.leaveLater(holdings, this.budget);
  }

  /**
   * Applies an interest in pieces: drops regions that the client no longer wants, adds new ones, and finally
   * queues those. Another interest may replace it in between.
   */
  *#changeTo(
    interest: InterestMessage,
    boxes: readonly Box[],
    mayOffer: boolean,
  ): Generator<void, keyof SyncLimits | undefined> {
    // Some may have been dropped by an interest that was itself replaced.
    this.#added = this.#added.filter(({ slot }) => slot >= 0);
    const kept = yield* this.#markWanted(boxes);
    if (kept < this.#audience.holdings.size) yield* this.#leaveOthers();
    const broken = yield* this.#addMissing(boxes, kept);
    if (broken !== undefined) return broken;
    if (this.#isAreaChanged) this.#areaVersion++;
    this.#isAreaChanged = false;
    const added = this.#added;
    this.#added = [];
    if (mayOffer) this.#believe(interest);
    for (const holding of added) if (holding.slot >= 0 && holding.clock < 0) this.queue.add(holding);
    this.queue.aim(focusOf(interest, this.#context.world.shape));
    this.#boxes = boxes;
    return undefined;
  }

  /** Marks the held regions that the client still wants. Returns their number. */
  *#markWanted(boxes: readonly Box[]): Generator<void, number> {
    if (this.#audience.holdings.size === 0) return 0;
    const interestId = this.#interestId;
    let count = 0;
    for (const box of boxes) {
      for (const position of positionsLexicographic(box)) {
        if (this.#isSliceOver()) yield;
        const holding = this.#audience.holdings.get(...position);
        if (holding === undefined || holding.interestId === interestId) continue;
        holding.interestId = interestId;
        this.#cost += KEPT_COST;
        count++;
      }
    }
    return count;
  }

  *#leaveOthers(): Generator<void, void> {
    const left: Holding[] = [];
    this.#audience.holdings.forEach((holding) => {
      if (holding.interestId !== this.#interestId) left.push(holding);
    });
    this.#isAreaChanged = true;
    for (const holding of left) {
      if (this.#isSliceOver()) yield;
      const { position } = holding.region;
      this.#audience.holdings.delete(...position);
      this.#noteMoved(position, false);
      this.#context.regions.leave(holding);
      this.budget.releaseRegions(1);
      if (holding.clock !== UNSENT) this.#forgets.push(position);
    }
  }

  /** Adds wanted regions that are not held. Returns the name of the limit that this exceeds, if any. */
  *#addMissing(boxes: readonly Box[], kept: number): Generator<void, keyof SyncLimits | undefined> {
    const interestId = this.#interestId;
    let count = kept;
    for (const box of boxes) {
      for (const position of positionsLexicographic(box)) {
        if (this.#isSliceOver()) yield;
        if (this.#audience.holdings.has(...position)) continue;
        if (++count > this.#context.limits.interestRegionsMax) return "interestRegionsMax";
        const broken = this.budget.holdRegion();
        const holding = this.#context.regions.watch(position, this.#audience);
        holding.interestId = interestId;
        this.#audience.holdings.set(...position, holding);
        this.#noteMoved(position, true);
        this.#added.push(holding);
        this.#isAreaChanged = true;
        this.#cost++;
        if (broken !== undefined) return broken;
      }
    }
    return undefined;
  }

  /** Notes a region for the game's rule. One that returns before the rule is called has not moved. */
  #noteMoved(position: Position, hasEntered: boolean): void {
    if (this.#context.options.rules?.onInterest === undefined) return;
    if (!this.#moved.delete(...position)) this.#moved.set(...position, hasEntered);
  }

  /** Counts an examined region. Returns true when it is time to yield. */
  #isSliceOver(): boolean {
    return ++this.#examined % SLICE_REGIONS === 0;
  }

  /** Records the regions that the client kept. Those of loaded regions are settled at once. */
  #believe({ held, heldBlank }: InterestMessage): void {
    for (const { region, clock } of held) this.#offer(region, clock);
    for (const { regions } of heldBlank) for (const region of regions) this.#offer(region, CLOCK_NEVER);
  }

  #offer(region: Position, clock: number): void {
    const holding = this.#audience.holdings.get(...region);
    if (holding?.clock !== UNSENT) return;
    holding.clock = UNSURE;
    holding.offered = clock;
    if (this.#context.feed.isLoaded(holding.region)) this.settle(holding);
  }
}

function areEqual(one: readonly Box[], other: readonly Box[]): boolean {
  return one.length === other.length && one.every((box, index) => boxEquals(box, other[index] as Box));
}
