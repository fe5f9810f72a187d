import type { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import { list } from "../bytes/combinators.ts";
import {
  BLOCK_BOXES_MAX,
  BLOCK_SHAPE_PARTS_MAX,
  type BlockBox,
  type BlockShapePart,
  BOX_AXES,
  BOX_STEPS,
  shapeKey,
} from "./block-shape.ts";
import { BLOCK_NAME_LENGTH_MAX, BLOCK_PROPERTIES_MAX } from "./block-type.ts";

const TEXT_BYTES_MAX = BLOCK_NAME_LENGTH_MAX * 3;

const valuesCodec = list<readonly [name: string, value: string]>(
  {
    write(out, [name, value]) {
      out.string(name, TEXT_BYTES_MAX);
      out.string(value, TEXT_BYTES_MAX);
    },
    read: (input) => [input.string(TEXT_BYTES_MAX), input.string(TEXT_BYTES_MAX)],
  },
  BLOCK_PROPERTIES_MAX,
);

/** A byte for each axis: where the box begins in its upper four bits, and one less than where it ends in the others. */
const boxesCodec = list<BlockBox>(
  {
    write(out, [min, max]) {
      for (let axis = 0; axis < BOX_AXES; axis++)
        out.u8((min[axis] as number) * BOX_STEPS * BOX_STEPS + (max[axis] as number) * BOX_STEPS - 1);
    },
    read(input) {
      const [min, max]: [number[], number[]] = [[], []];
      for (let axis = 0; axis < BOX_AXES; axis++) {
        const byte = input.u8();
        const [low, high] = [Math.floor(byte / BOX_STEPS), (byte % BOX_STEPS) + 1];
        if (low >= high) throw input.fail("ORT_BLOCKS", `a box from ${low} to ${high} sixteenths`);
        min.push(low / BOX_STEPS);
        max.push(high / BOX_STEPS);
      }
      return [min, max];
    },
  },
  BLOCK_BOXES_MAX,
);

const partsCodec = list<BlockShapePart>(
  {
    write(out, { when = {}, boxes }) {
      valuesCodec.write(out, Object.entries(when));
      boxesCodec.write(out, boxes);
    },
    read(input) {
      const values = valuesCodec.read(input);
      if (values.some(([name], index) => index > 0 && (values[index - 1]?.[0] as string) >= name))
        throw input.fail("ORT_BLOCKS", "a shape with properties out of order");
      return { when: Object.fromEntries(values), boxes: boxesCodec.read(input) };
    },
  },
  BLOCK_SHAPE_PARTS_MAX,
);

/** Writes the shapes of a list of types. One that an earlier type has is only its number. */
export class ShapeWriter {
  readonly #numbers = new Map<string, number>();

  write(out: ByteWriter, shape: readonly BlockShapePart[]): void {
    const key = shapeKey(shape);
    const known = this.#numbers.get(key);
    out.varUint(known ?? this.#numbers.size);
    if (known !== undefined) return;
    this.#numbers.set(key, this.#numbers.size);
    partsCodec.write(out, shape);
  }
}

/** Reads the shapes of a list of types. Rules C30 to C32 in docs/formats/chunk-payload.md. */
export class ShapeReader {
  readonly #shapes: (readonly BlockShapePart[])[] = [];
  readonly #keys = new Set<string>();

  read(input: ByteReader): readonly BlockShapePart[] {
    const number = input.varUint();
    if (number > this.#shapes.length)
      throw input.fail("ORT_BLOCKS", `shape ${number}, next is ${this.#shapes.length}`);
    const known = this.#shapes[number];
    if (known !== undefined) return known;
    const shape = partsCodec.read(input);
    if (shape.length === 0) throw input.fail("ORT_BLOCKS", "a shape without parts");
    this.#shapes.push(shape);
    if (this.#keys.size === this.#keys.add(shapeKey(shape)).size)
      throw input.fail("ORT_BLOCKS", `shape ${number}, which an earlier type has`);
    return shape;
  }
}
