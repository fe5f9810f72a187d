import {
  type ChunkShape,
  floorDivide,
  I32_MAX,
  I32_MIN,
  OrthantError,
  type Place,
  type PlaceSet,
  placeFrom,
  placesEqual,
  regionOf,
} from "@orthant/core";
import type { Being, Vector } from "../message/being.ts";
import { BEINGS_MAX } from "../message/limits.ts";
import type { AllBeings, Beings } from "../message/server-message.ts";
import { hasElapsed } from "./elapsed.ts";
import type { BeingsChange } from "./guest-options.ts";

/** The least time between two requests for all beings. */
export const BEINGS_LOST_WAIT_MS = 500;
/** The most beings that a guest remembers. */
export const BEINGS_HELD_MAX: number = 4 * BEINGS_MAX;

interface Seen {
  readonly being: Being;
  readonly region: Place;
}

/** The beings in sight, which each frame changes from what they were after the frame before. */
export class BeingRegister {
  readonly #shape: ChunkShape;
  readonly #ownPlayerId: bigint;
  readonly #seen = new Map<number, Seen>();
  /** What the beings that changed were when this step began. */
  readonly #before = new Map<number, Being | undefined>();
  #isInStep: boolean;
  #askedMs: number | undefined;

  /** Knows of nobody yet. Who did not see all frames so far is not in step. */
  constructor(shape: ChunkShape, ownPlayerId: bigint, isInStep: boolean) {
    this.#shape = shape;
    this.#ownPlayerId = ownPlayerId;
    this.#isInStep = isInStep;
  }

  /** All that are in sight, without the guest's own player. */
  others(): readonly Being[] {
    return Array.from(this.#seen.values(), ({ being }) => being).filter((being) => !this.#isOwn(being));
  }

  /** The guest's own player as the server sees it. */
  own(): Being | undefined {
    for (const { being } of this.#seen.values()) if (this.#isOwn(being)) return being;
    return undefined;
  }

  /** A frame was missed: what changed in it is unknown, so later changes mean nothing until all beings come. */
  fallBehind(): void {
    this.#isInStep = false;
  }

  /** All beings come anew. */
  replace({ beings }: AllBeings): void {
    for (const number of this.#seen.keys()) this.#note(number);
    this.#seen.clear();
    for (const being of beings) this.#put(being, regionOfPosition(this.#shape, being.position));
    this.#isInStep = true;
  }

  /** The beings of one region change. */
  change({ region, left, entered, moved }: Beings): void {
    if (!this.#isInStep) return;
    for (const number of left) {
      const seen = this.#seen.get(number);
      // One that went to another region in sight has entered there, and perhaps earlier in this very frame.
      if (seen === undefined || !placesEqual(seen.region, region)) continue;
      this.#note(number);
      this.#seen.delete(number);
    }
    for (const being of entered) this.#put(being, region);
    for (const { number, position, orientation } of moved) {
      const seen = this.#seen.get(number);
      if (seen !== undefined) this.#put({ ...seen.being, position, orientation }, region);
    }
  }

  /** Forgets those in regions that are no longer in sight: nobody will tell when they leave. */
  dropIn(regions: PlaceSet): void {
    for (const [number, { region }] of [...this.#seen]) {
      if (!regions.has(...region)) continue;
      this.#note(number);
      this.#seen.delete(number);
    }
  }

  /** Whether it is time to ask for all beings. */
  isDue(nowMs: number): boolean {
    if (this.#isInStep || !hasElapsed(this.#askedMs, nowMs, BEINGS_LOST_WAIT_MS)) return false;
    this.#askedMs = nowMs;
    return true;
  }

  /** Forgets everybody. */
  clear(): void {
    this.replace({ kind: "allBeings", beings: [] });
  }

  /** What changed since this was asked last; `undefined` when nothing did. */
  takeChange(): BeingsChange | undefined {
    const entered: Being[] = [];
    const changed: Being[] = [];
    const left: Being[] = [];
    for (const [number, before] of this.#before) {
      const now = this.#seen.get(number)?.being;
      const isSame = before !== undefined && now !== undefined && before.id === now.id;
      if (isSame) changed.push(now);
      else {
        if (before !== undefined) left.push(before);
        if (now !== undefined) entered.push(now);
      }
    }
    this.#before.clear();
    const isOther = (being: Being): boolean => !this.#isOwn(being);
    const change = {
      entered: entered.filter(isOther),
      changed: changed.filter(isOther),
      left: left.filter(isOther),
    };
    return change.entered.length + change.changed.length + change.left.length > 0 ? change : undefined;
  }

  #put(being: Being, region: Place): void {
    this.#note(being.number);
    this.#seen.set(being.number, { being, region });
    if (this.#seen.size <= BEINGS_HELD_MAX) return;
    throw new OrthantError("ORT_LIMIT", `more than ${BEINGS_HELD_MAX} beings in sight`);
  }

  #note(number: number): void {
    if (!this.#before.has(number)) this.#before.set(number, this.#seen.get(number)?.being);
  }

  #isOwn({ isPlayer, id }: Being): boolean {
    return isPlayer && id === this.#ownPlayerId;
  }
}

/** The region of a position; the outermost one for a position that is off the lattice. */
function regionOfPosition({ extents }: ChunkShape, position: Vector): Place {
  return regionOf(
    placeFrom((axis) => {
      const chunk = floorDivide(Math.floor(position[axis]), extents[axis]);
      return Math.min(Math.max(chunk, I32_MIN), I32_MAX);
    }),
  );
}
