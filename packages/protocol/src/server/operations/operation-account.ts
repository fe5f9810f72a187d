import type { Clipboard } from "@orthant/core/operations";
import { TokenBucket } from "@orthant/core/time";
import type { OperationLimits } from "../../message/operation-limits.ts";
import { exceeding } from "./limit-guard.ts";
import type { RunningCount } from "./operation-queue.ts";
import { RefusedOperation } from "./refused-operation.ts";

const MINUTE_S = 60;

interface HeldClipboard {
  readonly clipboard: Clipboard;
  readonly bytes: number;
}

/** What the operations of one account share, over all of its clients: counts, clipboards, and voxels a minute. */
export class OperationAccount implements RunningCount {
  running = 0;
  /** Operations that run or wait. */
  open = 0;
  /** Clients that are connected. */
  clients = 0;
  goneMs = 0;
  readonly #clipboards = new Map<number, HeldClipboard>();
  #lastClipboardId = 0;
  #clipboardBytes = 0;
  #voxels: TokenBucket | undefined;
  #voxelsPerMinute = 0;

  /** Bytes of all clipboards. */
  get clipboardBytes(): number {
    return this.#clipboardBytes;
  }

  /** Counts voxels that an operation changes. Throws if they are too many for this minute. */
  takeVoxels(count: number, { voxelsPerMinute }: OperationLimits, nowMs: number): void {
    if (this.#voxels === undefined || voxelsPerMinute !== this.#voxelsPerMinute) {
      this.#voxels = new TokenBucket(voxelsPerMinute / MINUTE_S, voxelsPerMinute, nowMs);
      this.#voxelsPerMinute = voxelsPerMinute;
    }
    if (this.#voxels.take(count, nowMs)) return;
    const spent = voxelsPerMinute - this.#voxels.available(nowMs);
    throw exceeding(
      { limit: "voxelsPerMinute", value: spent + count, max: voxelsPerMinute },
      "voxels in a minute, of which this operation has too many",
    );
  }

  /** Returns the bytes that another clipboard may take. Throws if there may be no other one. */
  roomForClipboard({ clipboardsMax, clipboardBytesMax }: OperationLimits): number {
    const count = this.#clipboards.size + 1;
    if (count > clipboardsMax)
      throw exceeding(
        { limit: "clipboardsMax", value: count, max: clipboardsMax },
        "clipboards; release some",
      );
    return Math.max(0, clipboardBytesMax - this.#clipboardBytes);
  }

  /** Keeps a clipboard. Returns its number. */
  addClipboard(clipboard: Clipboard, bytes: number): number {
    this.#lastClipboardId++;
    this.#clipboards.set(this.#lastClipboardId, { clipboard, bytes });
    this.#clipboardBytes += bytes;
    return this.#lastClipboardId;
  }

  clipboard(clipboardId: number): Clipboard {
    const held = this.#clipboards.get(clipboardId);
    if (held !== undefined) return held.clipboard;
    throw new RefusedOperation("unknown", "the server does not have the clipboard any more: copy again");
  }

  release(clipboardId: number): void {
    this.#clipboardBytes -= this.#clipboards.get(clipboardId)?.bytes ?? 0;
    this.#clipboards.delete(clipboardId);
  }

  releaseAll(): void {
    this.#clipboards.clear();
    this.#clipboardBytes = 0;
  }

  /** Whether it may be forgotten: it is as good as new. */
  isUnused(nowMs: number): boolean {
    const hasState = this.clients + this.open + this.#clipboards.size > 0;
    return !hasState && this.#voxels?.isFull(nowMs) !== false;
  }
}
