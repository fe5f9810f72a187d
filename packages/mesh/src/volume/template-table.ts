import { OrthantError } from "@orthant/core";
import { U16_MAX } from "@orthant/core/bytes";
import { TEMPLATE_NUMBERS } from "./quads.ts";

/** Numbers the faces of models. Equal ones have one number, and a number keeps its meaning. */
export class TemplateTable {
  #numbers = new Float32Array(TEMPLATE_NUMBERS * 16);
  readonly #ids = new Map<string, number>();

  /** The templates so far, {@link TEMPLATE_NUMBERS} each. */
  get numbers(): Float32Array<ArrayBuffer> {
    return this.#numbers.subarray(0, this.#ids.size * TEMPLATE_NUMBERS);
  }

  /** Returns the number of a template: four corners of x, y, z, u, v and the direction it looks in. */
  idOf(template: ArrayLike<number>): number {
    const numbers = Float32Array.from(template);
    const key = String(numbers);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    if (id > U16_MAX)
      throw new OrthantError(
        "ORT_LIMIT",
        `the looks have more than ${U16_MAX + 1} different faces of models`,
      );
    const at = id * TEMPLATE_NUMBERS;
    if (at === this.#numbers.length) {
      const larger = new Float32Array(at * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers.set(numbers, at);
    this.#ids.set(key, id);
    return id;
  }
}
