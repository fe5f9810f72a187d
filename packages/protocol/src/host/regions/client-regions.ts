import {
  type Box,
  CLOCK_NEVER,
  type ClockStep,
  type Place,
  PlaceMap,
  PlaceSet,
  placesLexicographic,
  RESYNC_REGIONS_MAX,
} from "@orthant/core";
import type { Interest } from "../../message/client-message.ts";
import type { PlayerBudget } from "../budget/player-budget.ts";
import type { HostLimits } from "../host-limits.ts";
import type { HostParts } from "../host-parts.ts";
import type { Telling } from "./change-block.ts";
import { type Holding, UNSENT, UNSURE, type Watcher } from "./holding.ts";
import { focusOf, interestBoxes } from "./interest-area.ts";
import { SendQueue } from "./send-queue.ts";

/** Regions that are looked at in one piece of work. */
const SLICE_REGIONS = 256;
/** What a region that the client keeps costs of its pace, where one that it comes to costs 1. */
const KEPT_COST = 1 / 16;

/** The record of one client: which regions it wants, at which clocks it holds them, and what it has yet to get. */
export class ClientRegions {
  /** The regions that have to come whole. */
  readonly queue: SendQueue;
  readonly #host: HostParts;
  readonly #watcher: Watcher;
  readonly #telling: Telling;
  readonly budget: PlayerBudget;
  readonly #holdings = new PlaceMap<Holding>();
  #behind: Holding[] = [];
  #forgets: Place[] = [];
  /** Regions that the client asked for anew, until it is their turn. */
  #repairs: Place[] = [];
  readonly #repairSet = new PlaceSet();
  #interestId = 0;
  #areaNumber = 0;
  /** The interest that is being taken over. */
  #change: Generator<void, keyof HostLimits | undefined> | undefined;
  /** Regions that the client came to and that are not in the queue yet. */
  #added: Holding[] = [];
  #isAreaChanged = false;
  #looks = 0;
  #cost = 0;

  constructor(host: HostParts, watcher: Watcher, telling: Telling, budget: PlayerBudget) {
    this.#host = host;
    this.#watcher = watcher;
    this.#telling = telling;
    this.budget = budget;
    this.queue = new SendQueue(host.world.shape);
  }

  /** The newest interest that came; 0 before the first. */
  get interestId(): number {
    return this.#interestId;
  }

  /** Rises whenever the client wants other regions than before. */
  get areaNumber(): number {
    return this.#areaNumber;
  }

  /** How many regions the client holds or is to hold. */
  get size(): number {
    return this.#holdings.size;
  }

  /** True when regions have yet to be sent whole. */
  get isMissingSome(): boolean {
    return this.queue.size + this.#repairs.length > 0 || this.isChanging;
  }

  /** How many regions wait until the client may ask for so many anew. */
  get repairs(): number {
    return this.#repairs.length;
  }

  /** Whether something waits to be sent. */
  get isWaiting(): boolean {
    return this.queue.size > 0 || this.#behind.length > 0 || this.#forgets.length > 0;
  }

  /** Begins to take over what the client wants now; the name of the limit that it breaks, if it does. */
  want(interest: Interest, mayOffer: boolean): keyof HostLimits | undefined {
    const boxes = interestBoxes(interest, this.#host.limits);
    if (typeof boxes === "string") return boxes;
    this.#interestId = interest.interestId;
    this.#change = this.#changeTo(interest, boxes, mayOffer);
    return undefined;
  }

  /** True until all that the client wants now has been taken over. */
  get isChanging(): boolean {
    return this.#change !== undefined;
  }

  /** Takes over some more of what the client wants; the name of the limit that it breaks, if it does. */
  proceed(): keyof HostLimits | undefined {
    const change = this.#change;
    const step = change?.next();
    if (step?.done !== true) return undefined;
    if (this.#change === change) this.#change = undefined;
    return step.value;
  }

  /** What the regions cost of the client's pace that it came to, or kept, since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  /** What the client holds of these regions, or of all, is no longer known: they come anew, or are forgotten again. */
  repair(places: readonly Place[] | "all"): void {
    if (places === "all") {
      const all: Place[] = [];
      this.#holdings.forEach((holding) => {
        if (holding.clock !== UNSENT) all.push(holding.region.place);
      });
      this.repair(all);
      return;
    }
    for (const place of places) {
      const holding = this.#holdings.get(...place);
      if (holding?.clock === UNSENT || this.#repairSet.has(...place)) continue;
      const isTooMany = this.#repairs.length >= this.#host.limits.interestRegionsMax + RESYNC_REGIONS_MAX;
      if (holding === undefined && isTooMany) continue;
      if (holding !== undefined) {
        holding.clock = UNSURE;
        holding.isBehind = false;
        if (holding.isQueued) continue;
      }
      this.#repairs.push(place);
      this.#repairSet.add(...place);
    }
  }

  /** Lets so many of the regions that the client asked for be sent. */
  releaseRepairs(count: number): void {
    for (const place of this.#repairs.splice(0, count)) {
      this.#repairSet.delete(...place);
      const holding = this.#holdings.get(...place);
      if (holding === undefined) this.#forgets.push(place);
      else this.queue.add(holding);
    }
  }

  /** Notes that a region that is held changed, and that the client was not told. */
  fallBehind(holding: Holding): void {
    if (holding.isBehind || holding.slot < 0) return;
    holding.isBehind = true;
    this.#behind.push(holding);
  }

  /** The regions that are behind; who takes them brings them up, or lets them fall behind again. */
  takeBehind(): readonly Holding[] {
    const behind = this.#behind.filter((holding) => holding.isBehind && holding.slot >= 0);
    this.#behind = [];
    for (const holding of behind) holding.isBehind = false;
    return behind;
  }

  /** The regions that the client has to forget. */
  takeForgets(): readonly Place[] {
    const forgets = this.#forgets;
    if (forgets.length > 0) this.#forgets = [];
    return forgets;
  }

  /** Whether the client was sent all of these steps, as far as it holds the regions at all. */
  hasSeen(steps: readonly ClockStep[]): boolean {
    return steps.every(({ region, after }) => {
      const holding = this.#holdings.get(...region);
      return holding === undefined || holding.clock === UNSENT || holding.clock >= after;
    });
  }

  /**
   * Whether what the client says it holds of a region, which is loaded, is of use: then it need not come again. Asked
   * once, at the first chance.
   */
  settle(holding: Holding): boolean {
    const { feed, snapshots, world } = this.#host;
    const { offered, region } = holding;
    holding.offered = undefined;
    if (offered === undefined) return false;
    const isCurrent =
      offered === CLOCK_NEVER
        ? snapshots.isBlank(region, this.#telling)
        : world.clockOf(region.place) === offered;
    if (!isCurrent && !feed.remembers(region, offered)) return false;
    holding.clock = offered;
    if (!isCurrent) this.fallBehind(holding);
    return true;
  }

  /** Calls back with every region that the client wants. */
  forEachPlace(visit: (x: number, y: number, z: number, w: number) => void): void {
    this.#holdings.forEach((_holding, x, y, z, w) => {
      visit(x, y, z, w);
    });
  }

  /** Lets go of all regions: the client is gone. */
  clear(): void {
    const holdings = [...this.#holdings.values()];
    this.#change = undefined;
    this.#holdings.clear();
    this.#host.departures.add(holdings, this.budget);
  }

  /**
   * Takes over an interest, piece by piece: leaves what the client no longer wants, adds what is new, and puts that into
   * the queue at the end. Another interest may take its place in between.
   */
  *#changeTo(
    interest: Interest,
    boxes: readonly Box[],
    mayOffer: boolean,
  ): Generator<void, keyof HostLimits | undefined> {
    // Some may have been left by an interest that was itself replaced.
    this.#added = this.#added.filter(({ slot }) => slot >= 0);
    const kept = yield* this.#markWanted(boxes);
    // Most interests only say that the client has moved a little.
    if (kept < this.#holdings.size) yield* this.#leaveOthers();
    const broken = yield* this.#addMissing(boxes, kept);
    if (broken !== undefined) return broken;
    if (this.#isAreaChanged) this.#areaNumber++;
    this.#isAreaChanged = false;
    const added = this.#added;
    this.#added = [];
    if (mayOffer) this.#believe(interest);
    for (const holding of added) if (holding.slot >= 0 && !holding.isHeld) this.queue.add(holding);
    this.queue.aim(focusOf(interest, this.#host.world.shape));
    return undefined;
  }

  /** Marks what the client holds and still wants, and returns how many regions that are. */
  *#markWanted(boxes: readonly Box[]): Generator<void, number> {
    if (this.#holdings.size === 0) return 0;
    const interestId = this.#interestId;
    let count = 0;
    for (const box of boxes) {
      for (const place of placesLexicographic(box)) {
        if (this.#isSliceOver()) yield;
        const holding = this.#holdings.get(...place);
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
    this.#holdings.forEach((holding) => {
      if (holding.interestId !== this.#interestId) left.push(holding);
    });
    this.#isAreaChanged = true;
    for (const holding of left) {
      if (this.#isSliceOver()) yield;
      const { place } = holding.region;
      this.#holdings.delete(...place);
      this.#host.regions.leave(holding);
      this.budget.releaseRegion();
      if (holding.clock !== UNSENT) this.#forgets.push(place);
    }
  }

  /** Adds what the client wants and does not hold; the name of the limit that this breaks, if it does. */
  *#addMissing(boxes: readonly Box[], kept: number): Generator<void, keyof HostLimits | undefined> {
    const interestId = this.#interestId;
    let count = kept;
    for (const box of boxes) {
      for (const place of placesLexicographic(box)) {
        if (this.#isSliceOver()) yield;
        if (this.#holdings.has(...place)) continue;
        if (++count > this.#host.limits.interestRegionsMax) return "interestRegionsMax";
        const broken = this.budget.holdRegion();
        const holding = this.#host.regions.watch(place, this.#watcher);
        holding.interestId = interestId;
        this.#holdings.set(...place, holding);
        this.#added.push(holding);
        this.#isAreaChanged = true;
        this.#cost++;
        if (broken !== undefined) return broken;
      }
    }
    return undefined;
  }

  /** Counts a region that is looked at; true when it is time to let others work. */
  #isSliceOver(): boolean {
    return ++this.#looks % SLICE_REGIONS === 0;
  }

  /** Notes what the client kept from an earlier connection; of a region that is loaded it is settled at once. */
  #believe({ held, heldBlank }: Interest): void {
    for (const { region, clock } of held) this.#offer(region, clock);
    for (const { regions } of heldBlank) for (const region of regions) this.#offer(region, CLOCK_NEVER);
  }

  #offer(region: Place, clock: number): void {
    const holding = this.#holdings.get(...region);
    if (holding?.clock !== UNSENT) return;
    holding.clock = UNSURE;
    holding.offered = clock;
    if (this.#host.feed.isLoaded(holding.region)) this.settle(holding);
  }
}
