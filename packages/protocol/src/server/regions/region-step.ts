import { type ClockStep, type Position, regionChange, type WorldField } from "@orthant/core";
import { type ChangeBlock, changeBlock, type RegionEncoding } from "./change-block.ts";

/** The step of one region from one clock to a later one, encoded once per encoding for all clients. */
export class RegionStep implements ClockStep {
  readonly region: Position;
  readonly before: number;
  readonly after: number;
  /** `undefined` if the earlier state is unknown. */
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

  /** Returns the change in one encoding, or `undefined` if it is unknown and a snapshot must be sent. */
  block(encoding: RegionEncoding): ChangeBlock | undefined {
    if (this.#from === undefined) return undefined;
    let block = this.#blocks[encoding.index];
    if (block === undefined) {
      block = changeBlock(regionChange(this.#from, this.#to, this, encoding), this.#to.shape.volume);
      this.#blocks[encoding.index] = block;
    }
    return block;
  }
}
