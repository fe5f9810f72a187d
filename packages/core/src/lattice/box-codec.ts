import type { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../bytes/codec.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { type Box, isBox } from "./box.ts";
import { AXES, type Position, positionFrom } from "./position.ts";

/** A position as four signed 32-bit varints. */
export const positionCodec: Codec<Position> = {
  write(out, position) {
    for (const axis of AXES) out.varI32(position[axis]);
  },
  read: (input) => [input.varI32(), input.varI32(), input.varI32(), input.varI32()],
};

/** A box of chunk positions: the lowest position, then the highest, which in encoded form is inclusive. */
export const boxCodec: Codec<Box> = {
  write(out: ByteWriter, { min, max }: Box): void {
    if (!isBox(min, max)) throw new OrthantError("ORT_ARGUMENT", `[${min}] to [${max}] is not a box`);
    positionCodec.write(out, min);
    positionCodec.write(
      out,
      positionFrom((axis) => max[axis] - 1),
    );
  },

  read(input: ByteReader): Box {
    const min = positionCodec.read(input);
    const last = positionCodec.read(input);
    if (AXES.some((axis) => last[axis] < min[axis])) {
      throw input.fail("ORT_BOX", `a box from [${min}] to [${last}]`);
    }
    return { min, max: positionFrom((axis) => last[axis] + 1) };
  },
};
