import {
  type Box,
  CLOCK_NEVER,
  type ClockStep,
  type Place,
  PlaceMap,
  PlaceSet,
  RESYNC_REGIONS_MAX,
} from "@orthant/core";
import type { Interest } from "../../message/client-message.ts";
import type { HostLimits } from "../host-limits.ts";
import type { HostParts } from "../host-parts.ts";
import type { Telling } from "./change-block.ts";
import { type Holding, UNSENT, UNSURE, type Watcher } from "./holding.ts";
import { focusOf, interestBoxes } from "./interest-area.ts";
import { SendQueue } from "./send-queue.ts";

/** The record of one client: which regions it wants, at which clocks it holds them, and what it has yet to get. */
export class ClientRegions {
  /** The regions that have to come whole. */
  readonly queue: SendQueue;
  readonly #host: HostParts;
  readonly #watcher: Watcher;
  readonly #telling: Telling;
  readonly #holdings = new PlaceMap<Holding>();
  #behind: Holding[] = [];
  #forgets: Place[] = [];
  /** Regions that the client asked for anew, until it is their turn. */
  #repairs: Place[] = [];
  readonly #repairSet = new PlaceSet();
  #interestId = 0;
  #areaNumber = 0;
  #addedCount = 0;

  constructor(host: HostParts, watcher: Watcher, telling: Telling) {
    this.#host = host;
    this.#watcher = watcher;
    this.#telling = telling;
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

  /** How many regions the client came to, each as often as it did. */
  get addedCount(): number {
    return this.#addedCount;
  }

  /** Regions that have yet to be sent whole. */
  get missing(): number {
    return this.queue.size + this.#repairs.length;
  }

  /** How many regions wait until the client may ask for so many anew. */
  get repairs(): number {
    return this.#repairs.length;
  }

  /** Whether something waits to be sent. */
  get isWaiting(): boolean {
    return this.queue.size > 0 || this.#behind.length > 0 || this.#forgets.length > 0;
  }

  /** Takes over what the client wants now; the name of the limit that it breaks, if it does. */
  want(interest: Interest, mayOffer: boolean): keyof HostLimits | undefined {
    const { limits, world } = this.#host;
    const boxes = interestBoxes(interest, limits);
    if (typeof boxes === "string") return boxes;
    this.#interestId = interest.interestId;
    const before = this.#holdings.size;
    const added: Holding[] = [];
    let count = 0;
    for (const box of boxes) {
      count += this.#wantBox(box, added);
      if (count > limits.interestRegionsMax) return "interestRegionsMax";
    }
    // Most interests only say that the client has moved a little.
    if (count - added.length < before) this.#leaveOthers();
    if (count - added.length < before || added.length > 0) this.#areaNumber++;
    this.#addedCount += added.length;
    if (mayOffer) this.#believe(interest);
    for (const holding of added) if (!holding.isHeld) this.queue.add(holding);
    this.queue.aim(focusOf(interest, world.shape));
    return undefined;
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
    for (const holding of this.#holdings.values()) this.#host.regions.leave(holding);
    this.#holdings.clear();
  }

  /** Marks the regions of a box as wanted; gives how many were not, and adds those that are new. */
  #wantBox({ min, max }: Box, added: Holding[]): number {
    const interestId = this.#interestId;
    let count = 0;
    for (let x = min[0]; x < max[0]; x++)
      for (let y = min[1]; y < max[1]; y++)
        for (let z = min[2]; z < max[2]; z++)
          for (let w = min[3]; w < max[3]; w++) {
            let holding = this.#holdings.get(x, y, z, w);
            if (holding?.interestId === interestId) continue;
            count++;
            if (holding === undefined) {
              holding = this.#host.regions.watch([x, y, z, w], this.#watcher);
              this.#holdings.set(x, y, z, w, holding);
              added.push(holding);
            }
            holding.interestId = interestId;
          }
    return count;
  }

  #leaveOthers(): void {
    const left: Holding[] = [];
    this.#holdings.forEach((holding) => {
      if (holding.interestId !== this.#interestId) left.push(holding);
    });
    for (const holding of left) {
      const { place } = holding.region;
      this.#holdings.delete(...place);
      this.#host.regions.leave(holding);
      if (holding.clock !== UNSENT) this.#forgets.push(place);
    }
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
