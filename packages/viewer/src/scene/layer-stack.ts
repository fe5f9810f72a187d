import type { Group } from "three";
import type { WorkerMessage } from "../message/messages.ts";
import { presenceAt, type Slice, sweepTowards } from "../slice/slice.ts";
import { MaterialTexture } from "./material-texture.ts";
import { MeshBlockLayer } from "./mesh-block-layer.ts";

/** Bytes uploaded to the graphics card per frame, so that no frame takes long. */
const UPLOAD_BYTES_MAX: number = 1024 * 1024;
/** Longest wait for the nearby mesh blocks of a new slice before it is shown anyway. */
const WAIT_MS = 700;
/** Fade-out time of a slice that is not part of a sweep, such as after a turn. */
const FADE_SECONDS = 0.35;

interface VisibleSlice {
  readonly sliceId: number;
  readonly slice: Slice;
  readonly layer: MeshBlockLayer;
  presence: number;
}

type MeshBlockMessage = Extract<WorkerMessage, { kind: "meshBlock" | "drop" }>;

/** The visible slice and the previous ones, which fade out while the new one appears. */
export class LayerStack {
  readonly materials: MaterialTexture = new MaterialTexture();
  readonly #parent: Group;
  readonly #isCalm: () => boolean;
  #shown: VisibleSlice[] = [];
  /** By slice and mesh block: a mesh block that is made twice before it is shown is shown only once. */
  readonly #waiting = new Map<string, MeshBlockMessage>();
  #askedMs = 0;
  #isReady = true;
  #at = 0;
  #fog: readonly [number, number] = [60, 120];

  constructor(parent: Group, isCalm: () => boolean) {
    this.#parent = parent;
    this.#isCalm = isCalm;
  }

  /** Switches to another slice. */
  show(sliceId: number, slice: Slice, nowMs: number): void {
    const current = this.#shown.at(-1);
    if (current?.sliceId === sliceId) return;
    // A fast sweep skips slices that never became visible.
    if (current !== undefined && current.presence === 0 && this.#shown.length > 1) this.#remove(current);
    const isSameAxis = current?.slice.hidden === slice.hidden;
    if (!isSameAxis) this.#at = slice.at;
    const layer = new MeshBlockLayer(this.materials);
    layer.materials.setFog(...this.#fog);
    layer.materials.setPresence(0);
    this.#parent.add(layer.group);
    this.#shown.push({ sliceId, slice, layer, presence: 0 });
    this.#askedMs = nowMs;
    this.#isReady = false;
  }

  /** Queues a message from the worker until there is time to show it. */
  take(message: MeshBlockMessage): void {
    const key = `${message.sliceId} ${message.meshBlock}`;
    this.#waiting.delete(key);
    this.#waiting.set(key, message);
  }

  /** Signals that the nearby mesh blocks of a slice have arrived. */
  ready(sliceId: number): void {
    if (this.#shown.at(-1)?.sliceId === sliceId) this.#isReady = true;
  }

  /** Sets the distances where fog begins and ends. */
  setFog(from: number, to: number): void {
    this.#fog = [from, to];
    for (const { layer } of this.#shown) layer.materials.setFog(from, to);
  }

  /** Advances the fades and uploads. Returns whether anything looks different, or soon will. */
  advance(nowMs: number, seconds: number): boolean {
    const isNew = this.#pump();
    const isFading = this.#fade(nowMs, seconds);
    return isNew || isFading || this.#waiting.size > 0;
  }

  /** Whether all mesh blocks are shown and nothing fades. */
  get isSettled(): boolean {
    return this.#waiting.size === 0 && this.#shown.length <= 1 && (this.#shown[0]?.presence ?? 1) === 1;
  }

  /** Number of drawn mesh blocks. */
  get meshBlockCount(): number {
    return this.#shown.reduce((sum, { layer }) => sum + layer.size, 0);
  }

  /** Removes everything. */
  clear(): void {
    for (const shown of [...this.#shown]) this.#remove(shown);
    this.#waiting.clear();
  }

  #pump(): boolean {
    let bytes = 0;
    let count = 0;
    for (const [key, message] of this.#waiting) {
      if (bytes >= UPLOAD_BYTES_MAX) break;
      count++;
      this.#waiting.delete(key);
      const shown = this.#shown.find(({ sliceId }) => sliceId === message.sliceId);
      if (shown === undefined) continue;
      if (message.kind === "drop") shown.layer.drop(message.meshBlock);
      else bytes += shown.layer.put(message);
    }
    return count > 0;
  }

  #fade(nowMs: number, seconds: number): boolean {
    const current = this.#shown.at(-1);
    if (current === undefined) return false;
    if (!this.#isReady && nowMs - this.#askedMs < WAIT_MS && this.#shown.length > 1) return true;
    const before = this.#shown.map(({ presence }) => presence);
    this.#at = this.#isCalm() ? current.slice.at : sweepTowards(this.#at, current.slice.at, seconds);
    const step = this.#isCalm() ? 1 : seconds / FADE_SECONDS;
    for (const shown of [...this.#shown]) {
      shown.presence = this.#presenceOf(shown, current, step);
      shown.layer.materials.setPresence(shown.presence);
      shown.layer.group.visible = shown.presence > 0;
      if (shown.presence <= 0 && shown !== current) this.#remove(shown);
    }
    return (
      this.#shown.length !== before.length ||
      this.#shown.some(({ presence }, index) => presence !== before[index])
    );
  }

  /** A slice on the path of the sweep fades with the sweep; any other fades over time. */
  #presenceOf(shown: VisibleSlice, current: VisibleSlice, step: number): number {
    const isOnWay = shown.slice.hidden === current.slice.hidden;
    const isLeaving = shown !== current && isOnWay && shown.slice.at !== current.slice.at;
    if (isLeaving) return Math.min(shown.presence, presenceAt(shown.slice.at - this.#at));
    const target = shown === current ? presenceAt(shown.slice.at - this.#at) : 0;
    return shown.presence + Math.max(-step, Math.min(step, target - shown.presence));
  }

  #remove(shown: VisibleSlice): void {
    shown.layer.dispose();
    this.#shown = this.#shown.filter((other) => other !== shown);
  }
}
