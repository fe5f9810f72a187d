import { type ClockStep, type Position, regionChange, type WorldField } from "@orthant/core";
import { type EncodedChange, encodeChange, type RegionEncoding } from "./encoded-change.ts";

/** The step of one region from one clock to a later one, encoded once per encoding for all clients. */
export class RegionStep implements ClockStep {
  readonly region: Position;
  readonly before: number;
  readonly after: number;
  /** `undefined` if the earlier state is unknown. */
  readonly #from: WorldField | undefined;
  readonly #to: WorldField;
  readonly #changes: (EncodedChange | undefined)[] = [];

  constructor({ region, before, after }: ClockStep, from: WorldField | undefined, to: WorldField) {
    this.region = region;
    this.before = before;
    this.after = after;
    this.#from = from;
    this.#to = to;
  }

  /** Returns the change in one encoding, or `undefined` if it is unknown and a snapshot must be sent. */
  encoded(encoding: RegionEncoding): EncodedChange | undefined {
    if (this.#from === undefined) return undefined;
    let encoded = this.#changes[encoding.index];
    if (encoded === undefined) {
      encoded = encodeChange(regionChange(this.#from, this.#to, this, encoding), this.#to.shape.volume);
      this.#changes[encoding.index] = encoded;
    }
    return encoded;
  }
}
