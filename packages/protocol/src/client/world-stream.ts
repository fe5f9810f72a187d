import { OrthantError, type Position } from "@orthant/core";
import { comparePositions, PositionMap } from "@orthant/core/lattice";
import { CLOCK_NEVER, RESYNC_REGIONS_MAX, type RegionPatch } from "@orthant/core/tree";
import type { Resync } from "../message/client-message.ts";
import { INTEREST_REGIONS_MAX } from "../message/limits.ts";
import type {
  Blank,
  Forget,
  Heartbeat,
  Hold,
  PatchMessage,
  Release,
  Reset,
} from "../message/server-message.ts";
import { hasElapsed } from "./outgoing.ts";
import type { SharedReplica } from "./shared-replica.ts";

/** How long the end of the stream may be missing before the client requests it. */
const TAIL_LOST_MS = 500;

/** Whether a stream item is taken, is a repetition, or is early because one before it is missing. */
export type Admission = "take" | "old" | "early";

/** Admits the items of one connection's stream in order, and detects missing ones. */
class StreamGate {
  #expected = 1;
  /** The highest early item number received. */
  #newestEarly = 0;
  /** The highest item number that the server says it has sent. */
  #newestSent = 0;
  /** Since when the client has been missing an item without progress. */
  #behindSinceMs: number | undefined;

  /** The number of the next item. All before it were taken, or will be sent again. */
  get expected(): number {
    return this.#expected;
  }

  /** Decides about an item. A taken item counts as taken even if its content is refused. */
  admit(streamNumber: number, nowMs: number): Admission {
    if (streamNumber < this.#expected) return "old";
    if (streamNumber > this.#expected) {
      this.#newestEarly = Math.max(this.#newestEarly, streamNumber);
      return "early";
    }
    this.#advance(streamNumber + 1, nowMs);
    return "take";
  }

  /** Continues the stream at `streamNumber`. Returns true if items were skipped; ignores an old reset. */
  reset(streamNumber: number, nowMs: number): boolean {
    if (streamNumber <= this.#expected) return false;
    this.#advance(streamNumber, nowMs);
    return true;
  }

  /** Records the highest item number that the server has sent. */
  noteSent(streamNumber: number, nowMs: number): void {
    this.#newestSent = Math.max(this.#newestSent, streamNumber);
    if (this.#newestSent >= this.#expected) this.#behindSinceMs ??= nowMs;
  }

  /** Returns true when items are missing that must be requested. */
  lacksItems(nowMs: number): boolean {
    if (this.#newestEarly >= this.#expected) return true;
    return this.#behindSinceMs !== undefined && hasElapsed(this.#behindSinceMs, nowMs, TAIL_LOST_MS);
  }

  #advance(expected: number, nowMs: number): void {
    // A real server never counts this far; following it would make us request an item that has no number.
    if (!Number.isSafeInteger(expected))
      throw new OrthantError("ORT_MESSAGE", "the stream has no numbers left");
    this.#expected = expected;
    this.#behindSinceMs = this.#newestSent >= expected ? nowMs : undefined;
  }
}

/** Minimum time between two requests. */
const RESYNC_WAIT_MS = 250;
/** Maximum time between two requests while requests do not help. */
const RESYNC_WAIT_MS_MAX = 4_000;
/** Maximum number of regions that wait to be requested; a server that keeps the limits cannot cause more. */
const WANTED_REGIONS_MAX: number = 2 * INTEREST_REGIONS_MAX;

/** The regions that must be fetched again, and when to request them. */
class ResyncQueue {
  /** Number of requests for each region. */
  readonly #requests = new PositionMap<number>();
  #requestedMs: number | undefined;
  #waitMs = RESYNC_WAIT_MS;
  #isInTrouble = false;

  /** Number of wanted regions. */
  get size(): number {
    return this.#requests.size;
  }

  /** Wants regions to be sent again, until they are settled. */
  want(regions: Iterable<Position>): void {
    for (const region of regions) {
      if (this.#requests.size >= WANTED_REGIONS_MAX) return;
      if (!this.#requests.has(...region)) this.#requests.set(...region, 0);
    }
  }

  /** Removes a region that has arrived or is no longer needed. */
  settle(region: Position): void {
    this.#requests.delete(...region);
  }

  /**
   * Returns the regions to request now, in order, or `undefined` when no request is due. Missing items
   * justify a request even without regions. While requests do not help, they become less and less frequent.
   */
  due(nowMs: number, lacksItems: boolean): readonly Position[] | undefined {
    if (this.size === 0 && !lacksItems) {
      this.#isInTrouble = false;
      this.#waitMs = RESYNC_WAIT_MS;
      return undefined;
    }
    if (!hasElapsed(this.#requestedMs, nowMs, this.#waitMs)) return undefined;
    if (this.#isInTrouble) this.#waitMs = Math.min(this.#waitMs * 2, RESYNC_WAIT_MS_MAX);
    this.#isInTrouble = true;
    this.#requestedMs = nowMs;
    return this.#choose();
  }

  /** Chooses the regions with the fewest requests, so that regions that keep failing do not block others. */
  #choose(): readonly Position[] {
    const chosen = [...this.#requests]
      .sort(([a, aCount], [b, bCount]) => aCount - bCount || comparePositions(a, b))
      .slice(0, RESYNC_REGIONS_MAX);
    for (const [region, count] of chosen) this.#requests.set(...region, count + 1);
    return chosen.map(([region]) => region).sort(comparePositions);
  }
}

/** A stream item that changes regions. */
type Item = PatchMessage | Blank | Forget;

/** Applies the stream of one connection to a replica, and requests what is missing or did not fit. */
export class WorldStream {
  readonly #replica: SharedReplica;
  readonly #gate = new StreamGate();
  readonly #resync = new ResyncQueue();
  /** The latest heartbeat, unless a reset has invalidated it. */
  #heartbeat: Heartbeat | undefined;
  /** What was taken since the last hold, and is applied all at once; `undefined` if there is none. */
  #held: Item[] | undefined;

  constructor(replica: SharedReplica) {
    this.#replica = replica;
  }

  /** The number up to which every item was taken or will be sent again. */
  get applied(): number {
    return this.#gate.expected - 1;
  }

  /** The interest that is fully sent and applied; `undefined` while anything is missing. */
  get completeInterestId(): number | undefined {
    const heartbeat = this.#heartbeat;
    if (heartbeat === undefined || !heartbeat.complete || this.#resync.size > 0) return undefined;
    if (this.isHolding) return undefined;
    return this.#gate.expected > heartbeat.sent ? heartbeat.interestId : undefined;
  }

  /** True while items are taken and not applied. */
  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** Handles a stream item or a reset. */
  take(message: Item | Hold | Release | Reset, nowMs: number): void {
    switch (message.kind) {
      case "patch":
      case "blank":
      case "forget":
        if (!this.#admit(streamNumberOf(message), regionsOf(message), nowMs)) break;
        if (this.#held === undefined) this.#apply(message);
        else this.#held.push(message);
        break;
      case "hold":
        if (this.#admit(message.streamNumber, [], nowMs)) this.#held ??= [];
        break;
      case "release":
        if (this.#admit(message.streamNumber, [], nowMs)) this.#release();
        break;
      case "reset":
        // The skipped items will be sent again, so an earlier heartbeat no longer means completeness.
        if (this.#gate.reset(message.streamNumber, nowMs)) this.#heartbeat = undefined;
    }
  }

  receivedHeartbeat(heartbeat: Heartbeat, nowMs: number): void {
    this.#heartbeat = heartbeat;
    this.#gate.noteSent(heartbeat.sent, nowMs);
  }

  /** Returns the request to send now, if any. */
  due(nowMs: number): Resync | undefined {
    const wanted = this.#resync.due(nowMs, this.#gate.lacksItems(nowMs));
    if (wanted === undefined) return undefined;
    const regions = wanted.map((region) => ({ region, clock: this.#replica.clockOf(region) ?? CLOCK_NEVER }));
    return { kind: "resync", expected: this.#gate.expected, regions };
  }

  /** Applies what was held, unless some of it does not fit: then it stays held until the server has sent that again. */
  #release(): void {
    const held = this.#held ?? [];
    const fitting = this.#fitting(held);
    if (fitting.length < held.length) {
      this.#held = fitting;
      return;
    }
    this.#held = undefined;
    for (const item of held) this.#apply(item);
  }

  /** Returns the items that can be applied one after the other. The regions of the others are wanted again. */
  #fitting(items: readonly Item[]): Item[] {
    const clocks = new PositionMap<number | undefined>();
    const clockOf = (region: Position): number | undefined =>
      clocks.has(...region) ? clocks.get(...region) : this.#replica.clockOf(region);
    return items.filter((item) => {
      const regions = regionsOf(item);
      const changes = item.kind === "patch" ? item.patch.changes : [];
      if (!changes.every(({ region, base }) => typeof base !== "number" || clockOf(region) === base)) {
        this.#resync.want(regions);
        return false;
      }
      const after = item.kind === "blank" ? CLOCK_NEVER : undefined;
      if (item.kind !== "patch") for (const region of regions) clocks.set(...region, after);
      for (const { region, next } of changes) if (next !== undefined) clocks.set(...region, next);
      return true;
    });
  }

  #apply(item: Item): void {
    if (item.kind === "patch") this.#applyPatch(item.patch);
    else if (item.kind === "blank") this.#applyBlank(item);
    else this.#applyForget(item);
  }

  #applyPatch(patch: RegionPatch): void {
    if (this.#replica.apply(patch) === "rejected") {
      this.#resync.want(patch.changes.map(({ region }) => region));
      return;
    }
    for (const { region, base, next } of patch.changes) {
      if (typeof base !== "number" && next !== undefined) this.#resync.settle(region);
    }
  }

  #applyBlank(blank: Blank): void {
    const { regions } = blank.mask;
    if (this.#replica.blank(blank) === "rejected") this.#resync.want(regions);
    else for (const region of regions) this.#resync.settle(region);
  }

  #applyForget({ mask }: Forget): void {
    this.#replica.forget(mask.regions);
    for (const region of mask.regions) this.#resync.settle(region);
  }

  /** Returns true when an item is the next one. The regions of an early item must be sent again. */
  #admit(streamNumber: number, regions: readonly Position[], nowMs: number): boolean {
    const admission = this.#gate.admit(streamNumber, nowMs);
    if (admission === "early") this.#resync.want(regions);
    return admission === "take";
  }
}

function streamNumberOf(item: Item): number {
  return item.kind === "patch" ? item.patch.patchSeq : item.streamNumber;
}

function regionsOf(item: Item): readonly Position[] {
  return item.kind === "patch" ? item.patch.changes.map(({ region }) => region) : item.mask.regions;
}
