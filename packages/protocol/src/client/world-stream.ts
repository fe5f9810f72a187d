import { CLOCK_NEVER, type Position, type RegionPatch } from "@orthant/core";
import type { Resync } from "../message/client-message.ts";
import type { Blank, Forget, Heartbeat, PatchMessage, Reset } from "../message/server-message.ts";
import { ResyncQueue } from "./resync-queue.ts";
import type { SharedReplica } from "./shared-replica.ts";
import { StreamGate } from "./stream-gate.ts";

/** Applies the stream of one connection to a replica, and requests what is missing or did not fit. */
export class WorldStream {
  readonly #replica: SharedReplica;
  readonly #gate = new StreamGate();
  readonly #resync = new ResyncQueue();
  /** The latest heartbeat, unless a reset has invalidated it. */
  #heartbeat: Heartbeat | undefined;

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
    return this.#gate.expected > heartbeat.sent ? heartbeat.interestId : undefined;
  }

  /** Handles a stream item or a reset. */
  take(message: PatchMessage | Blank | Forget | Reset, nowMs: number): void {
    switch (message.kind) {
      case "patch":
        this.#takePatch(message.patch, nowMs);
        break;
      case "blank":
        this.#takeBlank(message, nowMs);
        break;
      case "forget":
        this.#takeForget(message, nowMs);
        break;
      case "reset":
        // The skipped items will be sent again, so an earlier heartbeat no longer means completeness.
        if (this.#gate.reset(message.streamNumber, nowMs)) this.#heartbeat = undefined;
    }
  }

  /** Records a heartbeat. */
  heard(heartbeat: Heartbeat, nowMs: number): void {
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

  #takePatch(patch: RegionPatch, nowMs: number): void {
    const regions = patch.changes.map(({ region }) => region);
    if (!this.#admit(patch.patchSeq, regions, nowMs)) return;
    if (this.#replica.apply(patch) === "rejected") {
      this.#resync.want(regions);
      return;
    }
    for (const { region, base, next } of patch.changes) {
      if (typeof base !== "number" && next !== undefined) this.#resync.settle(region);
    }
  }

  #takeBlank(blank: Blank, nowMs: number): void {
    const { regions } = blank.mask;
    if (!this.#admit(blank.streamNumber, regions, nowMs)) return;
    if (this.#replica.blank(blank) === "rejected") this.#resync.want(regions);
    else for (const region of regions) this.#resync.settle(region);
  }

  #takeForget({ streamNumber, mask }: Forget, nowMs: number): void {
    if (!this.#admit(streamNumber, mask.regions, nowMs)) return;
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
