import type { Position } from "@orthant/core";
import { CLOCK_NEVER } from "@orthant/core/tree";
import { coverRegions } from "../../message/regions.ts";
import type { Outbox } from "../outbox.ts";
import type { ServerContext } from "../server-context.ts";
import type { ClientRegions } from "./client-regions.ts";
import { type EncodedChange, fitsOnePatch, joinChanges, type SharedPatch } from "./region-changes.ts";
import type { SendOutcome } from "./send-queue.ts";
import { type Holding, UNSURE } from "./watched-regions.ts";

/** Time between two heartbeats. */
const HEARTBEAT_MS = 1_000;

/** Regions that were never edited, by what they are. */
type Blanks = Readonly<Record<"air" | "generated", Position[]>>;

/** A region too large for one patch, and the number of pieces sent. */
interface Unfinished {
  readonly holding: Holding;
  readonly clock: number;
  readonly patches: readonly SharedPatch[];
  sent: number;
}

/** How long a client shows nothing new at most, and for how many bytes of patches. */
const HOLD_MS_MAX = 10_000;
const HOLD_BYTES_MAX = 16_777_216;

/** What a client is sent before it shows any of it. */
interface Held {
  readonly startedMs: number;
  /** The regions that it has to be sent before. */
  readonly awaited: Set<Holding>;
  /** Bytes of patches so far. */
  bytes: number;
}

/** Writes the stream of one client: what it is sent about regions, and in which order. */
export class RegionSender {
  readonly #context: ServerContext;
  readonly #regions: ClientRegions;
  readonly #knowsHolds: boolean;
  #unfinished: Unfinished | undefined;
  #held: Held | undefined;
  /** Regions that are sent again after the next reset. */
  #lost: readonly Holding[] = [];
  #isResetWanted = false;
  /** The number of the frame with the latest reset. */
  #resetFrame = 0;
  #heartbeatMs: number;
  #heartbeatInterestId = 0;
  #heartbeatComplete = false;

  constructor(context: ServerContext, regions: ClientRegions, knowsHolds: boolean, nowMs: number) {
    this.#knowsHolds = knowsHolds;
    this.#heartbeatMs = nowMs;
    this.#context = context;
    this.#regions = regions;
  }

  /** True when everything the client wants was sent, although it may have changed since. */
  get isComplete(): boolean {
    return !this.#regions.isMissingSome && this.#unfinished === undefined;
  }

  /** True when something waits to be sent. */
  get isWaiting(): boolean {
    return this.#regions.isWaiting || this.#unfinished !== undefined || this.#isResetWanted || this.isHolding;
  }

  /** True when the client does not show yet what it was sent last. */
  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** Begins a tick. `maySend` is false when the client gets nothing in it. */
  startTick(maySend: boolean): void {
    // Nothing else may come between the pieces of a region.
    this.#regions.audience.startTick(maySend, this.#unfinished === undefined, this.isWaiting);
  }

  /** Schedules regions that the client missed or requests to be sent again. Returns how many. */
  resync(out: Outbox, expected: number, regions: readonly Position[]): number {
    // The answer to the previous request is pending or on its way. If it is lost, the client asks again.
    if (this.#isResetWanted || out.acknowledged < this.#resetFrame) return 0;
    const before = this.#regions.resyncs;
    this.#abandonPieces();
    const since = out.stream.takeBack(expected);
    this.#regions.resync(since === undefined ? "all" : [...since, ...regions]);
    this.#isResetWanted = true;
    const lost: Holding[] = [];
    this.#regions.forEach((holding) => {
      if (holding.clock === UNSURE) lost.push(holding);
    });
    this.#lost = lost;
    return this.#regions.resyncs - before;
  }

  /** Writes the client's items for this tick. */
  write(out: Outbox, nowMs: number): void {
    const { audience } = this.#regions;
    const { volume } = this.#context.world.shape;
    if (!audience.hasPatches && !this.isWaiting) return;
    if (this.#isResetWanted) {
      out.write({ kind: "reset", streamNumber: out.stream.next });
      this.#isResetWanted = false;
      this.#resetFrame = out.frameNumber;
      // What was lost may have been a part of what was to be shown at once, or the release.
      if (this.#knowsHolds) this.#hold(out, this.#lost, nowMs);
    } else if (this.#knowsHolds && !this.isHolding && audience.isInParts(audience.patches(volume)))
      this.#hold(out, [], nowMs);
    // The next tick sends what others of an audience are behind with, too, from a record of its own.
    if (this.#held !== undefined && audience.size === 1)
      for (const holding of audience.behind) this.#held.awaited.add(holding);
    this.#writeItems(out);
    this.#releaseIfWhole(out, nowMs);
  }

  /** Sends what the client's audience gets in this tick, where an edit of several regions is in parts. */
  writeParts(out: Outbox, patches: readonly SharedPatch[], nowMs: number): void {
    if (this.#knowsHolds) this.#hold(out, [], nowMs);
    for (const patch of patches) this.#patch(out, patch);
    // What it is behind with is sent in the next tick.
    if (!this.#regions.audience.isBehind) this.#releaseIfWhole(out, nowMs);
  }

  #hold(out: Outbox, lost: readonly Holding[], nowMs: number): void {
    out.write({ kind: "hold", streamNumber: out.stream.add([]) });
    const awaited = new Set([...(this.#held?.awaited ?? []), ...lost]);
    this.#held = { startedMs: this.#held?.startedMs ?? nowMs, awaited, bytes: this.#held?.bytes ?? 0 };
  }

  #releaseIfWhole(out: Outbox, nowMs: number): void {
    const held = this.#held;
    const { audience } = this.#regions;
    if (held === undefined) return;
    for (const holding of held.awaited) if (isSent(holding)) held.awaited.delete(holding);
    const isOwn = audience.size === 1 || !audience.isBehind;
    const isWhole = isOwn && held.awaited.size === 0 && this.#unfinished === undefined;
    if (!isWhole && nowMs - held.startedMs < HOLD_MS_MAX && held.bytes < HOLD_BYTES_MAX) return;
    out.write({ kind: "release", streamNumber: out.stream.add([]) });
    this.#held = undefined;
    if (audience.size === 1) audience.isTorn = false;
  }

  #patch(out: Outbox, patch: SharedPatch): void {
    if (this.#held !== undefined) this.#held.bytes += patch.body.length;
    out.patch(patch);
  }

  #writeItems(out: Outbox): void {
    const { audience } = this.#regions;
    this.#writePieces(out);
    if (this.#unfinished !== undefined) return;
    for (const mask of coverRegions(this.#regions.takeForgets())) {
      out.write({ kind: "forget", streamNumber: out.stream.add(mask.regions), mask });
    }
    for (const patch of audience.patches(this.#context.world.shape.volume)) this.#patch(out, patch);
    audience.patchesSent();
    // A client that is not alone gets what it is behind with in the next tick.
    if (!this.#regions.isWaiting || audience.size > 1) return;
    this.#writeOwn(out);
    this.#writePieces(out);
  }

  /** Writes a heartbeat when one is due, or early when there is news and the client may get it. Returns whether it did. */
  writeHeartbeat(out: Outbox, nowMs: number, maySend: boolean): boolean {
    const { interestId } = this.#regions;
    const complete = interestId > 0 && this.isComplete;
    const isNews = interestId !== this.#heartbeatInterestId || complete !== this.#heartbeatComplete;
    // All clients have work of their own once in this time, but not to the millisecond.
    const isDue = nowMs - this.#heartbeatMs >= HEARTBEAT_MS - this.#context.options.tickMs;
    if (!isDue && !(isNews && maySend)) return false;
    out.write({ kind: "heartbeat", interestId, complete, sent: out.stream.sent });
    this.#heartbeatMs = nowMs;
    this.#heartbeatInterestId = interestId;
    this.#heartbeatComplete = complete;
    return true;
  }

  /** Writes what only this client gets: regions to catch up with, and complete regions. */
  #writeOwn(out: Outbox): void {
    const { world } = this.#context;
    const changes: EncodedChange[] = [];
    const blanks: Blanks = { air: [], generated: [] };
    for (const holding of this.#regions.audience.takeBehind()) this.#catchUp(holding, changes);
    this.#regions.queue.take(this.#context.sharedTick, (holding) => this.#send(holding, changes, blanks));
    for (const content of ["air", "generated"] as const) {
      for (const mask of coverRegions(blanks[content])) {
        out.write({ kind: "blank", streamNumber: out.stream.add(mask.regions), content, mask });
      }
    }
    for (const patch of joinChanges(changes, world.shape.volume)) this.#patch(out, patch);
    this.#regions.audience.allowance.written();
  }

  #catchUp(holding: Holding, changes: EncodedChange[]): void {
    const { feed } = this.#context;
    const { region } = holding;
    const last = feed.lastState(region);
    if (last !== undefined && holding.clock >= last.clock) return;
    if (last === undefined || this.#regions.audience.allowance.isUsedUp) {
      this.#regions.audience.fallBehind(holding);
      return;
    }
    const change = feed.changeFrom(region, holding.clock, last);
    const encoded = change?.encoded(this.#regions.audience.encoding.of(region.position));
    if (change === undefined || encoded === undefined || !fitsOnePatch(encoded)) {
      this.#regions.queue.add(holding);
      return;
    }
    if (!this.#regions.audience.allowance.takeOwn(encoded)) {
      this.#regions.audience.fallBehind(holding);
      return;
    }
    changes.push(encoded);
    holding.clock = change.after;
  }

  #send(holding: Holding, changes: EncodedChange[], blanks: Blanks): SendOutcome {
    const { feed, loader, wholeRegions } = this.#context;
    const { region } = holding;
    if (!feed.isLoaded(region)) {
      loader.want(region, this.#regions.budget.shared);
      return "later";
    }
    if (this.#regions.settle(holding)) return "sent";
    if (this.#regions.audience.allowance.isUsedUp || this.#unfinished !== undefined) return "full";
    const found = wholeRegions.of(region, this.#regions.audience.encoding.of(region.position));
    if (found === undefined) return "later";
    const { clock, whole } = found;
    if (typeof whole === "string") {
      blanks[whole].push(region.position);
      holding.clock = CLOCK_NEVER;
    } else if (this.#regions.audience.allowance.takeOwn(whole)) {
      changes.push(whole);
      holding.clock = clock;
    } else if (fitsOnePatch(whole)) {
      return "full";
    } else {
      this.#unfinished = { holding, clock, patches: whole.patches, sent: 0 };
      holding.clock = UNSURE;
    }
    return "sent";
  }

  #writePieces(out: Outbox): void {
    const unfinished = this.#unfinished;
    if (unfinished === undefined) return;
    const { holding, clock, patches } = unfinished;
    if (holding.slot < 0) {
      this.#unfinished = undefined;
      return;
    }
    while (unfinished.sent < patches.length && !this.#regions.audience.allowance.isUsedUp) {
      const patch = patches[unfinished.sent++] as SharedPatch;
      this.#regions.audience.allowance.takePiece(patch.body.length);
      this.#patch(out, patch);
    }
    if (unfinished.sent < patches.length) return;
    this.#unfinished = undefined;
    holding.clock = clock;
    // It may have changed while the pieces were sent.
    this.#regions.audience.fallBehind(holding);
  }

  /** Drops the remaining pieces, which would build on some that the client may not have. */
  #abandonPieces(): void {
    const holding = this.#unfinished?.holding;
    this.#unfinished = undefined;
    if (holding !== undefined && holding.slot >= 0) this.#regions.resync([holding.region.position]);
  }
}

/** Whether the client was sent the present state of a region, or does not want it any more. */
function isSent({ slot, clock, isBehind, isQueued }: Holding): boolean {
  return slot < 0 || (clock >= 0 && !isBehind && !isQueued);
}
