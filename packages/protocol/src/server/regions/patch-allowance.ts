import { type EncodedChange, isLarge, sharedPatchesMax } from "./encoded-change.ts";

/** Upper bound on the number of patches that a growing set of changes takes when it is joined. */
class PatchCount {
  #large = 0;
  #small = 0;
  #smallBytes = 0;

  get patches(): number {
    return this.#large + sharedPatchesMax(this.#small, this.#smallBytes);
  }

  /** Returns the number of patches with one more change. */
  patchesWith(encoded: EncodedChange): number {
    if (isLarge(encoded)) return this.patches + 1;
    return this.#large + sharedPatchesMax(this.#small + 1, this.#smallBytes + encoded.bytes);
  }

  add(encoded: EncodedChange): void {
    if (isLarge(encoded)) this.#large++;
    else {
      this.#small++;
      this.#smallBytes += encoded.bytes;
    }
  }
}

/** What one client may still get in one tick: live changes, its own changes and pieces of regions. */
export class PatchAllowance {
  readonly #patchesMax: number;
  readonly #livePatchesMax: number;
  readonly #live = new PatchCount();
  readonly #own = new PatchCount();
  #pieces = 0;
  #bytes: number;

  /**
   * Live changes take at most half of the patches while something else waits for the client. Otherwise busy
   * regions would keep it from ever getting the rest.
   */
  constructor(patchesMax: number, bytes: number, isWaiting: boolean) {
    this.#patchesMax = Math.max(1, patchesMax);
    this.#livePatchesMax = isWaiting ? Math.floor(patchesMax / 2) : this.#patchesMax;
    this.#bytes = bytes;
  }

  /** True when the client gets no more regions in this tick. */
  get isUsedUp(): boolean {
    return this.#bytes <= 0 || this.#patches >= this.#patchesMax;
  }

  /** Takes a change that many clients get. Returns false, without taking it, beyond the patch limit. */
  takeLive(encoded: EncodedChange): boolean {
    if (this.#live.patchesWith(encoded) > this.#livePatchesMax) return false;
    this.#live.add(encoded);
    return true;
  }

  /** Takes a change that only this client gets. Returns false, without taking it, beyond the patch limit. */
  takeOwn(encoded: EncodedChange): boolean {
    if (this.#pieces + this.#live.patches + this.#own.patchesWith(encoded) > this.#patchesMax) return false;
    this.#own.add(encoded);
    this.#bytes -= encoded.bytes;
    return true;
  }

  /** Takes one piece of a region. */
  takePiece(bytes: number): void {
    this.#pieces++;
    this.#bytes -= bytes;
  }

  get #patches(): number {
    return this.#pieces + this.#live.patches + this.#own.patches;
  }
}
