import { type ClockStep, type Place, regionChange, type WorldField } from "@orthant/core";
import { type ChangeBlock, changeBlock, type Telling } from "./change-block.ts";

/** One region from one clock to a later one: told in each way once, however many clients hear it. */
export class RegionStep implements ClockStep {
  readonly region: Place;
  readonly before: number;
  readonly after: number;
  /** `undefined` where nobody knows what the region was like. */
  readonly #from: WorldField | undefined;
  readonly #to: WorldField;
  readonly #blocks: (ChangeBlock | undefined)[] = [];

  constructor({ region, before, after }: ClockStep, from: WorldField | undefined, to: WorldField) {
    this.region = region;
    this.before = before;
    this.after = after;
    this.#from = from;
    this.#to = to;
  }

  /** The change in one way of telling; `undefined` where it is not known, and the region must come anew. */
  block(telling: Telling): ChangeBlock | undefined {
    if (this.#from === undefined) return undefined;
    let block = this.#blocks[telling.index];
    if (block === undefined) {
      block = changeBlock(regionChange(this.#from, this.#to, this, telling), this.#to.shape.volume);
      this.#blocks[telling.index] = block;
    }
    return block;
  }
}
