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

/** Writes the stream of one client: what it is sent about regions, and in which order. */
export class RegionSender {
  readonly #context: ServerContext;
  readonly #regions: ClientRegions;
  #unfinished: Unfinished | undefined;
  #isResetWanted = false;
  /** The number of the frame with the latest reset. */
  #resetFrame = 0;
  #heartbeatMs: number;
  #heartbeatInterestId = 0;
  #heartbeatComplete = false;

  constructor(context: ServerContext, regions: ClientRegions, nowMs: number) {
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
    return this.#regions.isWaiting || this.#unfinished !== undefined || this.#isResetWanted;
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
    return this.#regions.resyncs - before;
  }

  /** Writes the client's items for this tick. */
  write(out: Outbox): void {
    const { audience } = this.#regions;
    if (!audience.hasPatches && !this.isWaiting) return;
    if (this.#isResetWanted) {
      out.write({ kind: "reset", streamNumber: out.stream.next });
      this.#isResetWanted = false;
      this.#resetFrame = out.frameNumber;
    }
    this.#writePieces(out);
    if (this.#unfinished !== undefined) return;
    for (const mask of coverRegions(this.#regions.takeForgets())) {
      out.write({ kind: "forget", streamNumber: out.stream.add(mask.regions), mask });
    }
    for (const patch of audience.patches(this.#context.world.shape.volume)) out.patch(patch);
    audience.patchesSent();
    if (!this.#regions.isWaiting) return;
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
    for (const patch of joinChanges(changes, world.shape.volume)) out.patch(patch);
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
      out.patch(patch);
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
