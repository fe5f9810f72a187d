import type { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../bytes/codec.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { type Box, isBox } from "./box.ts";
import { AXES, type Place, placeFrom } from "./place.ts";

/** A position as four signed 32-bit varints. */
export const placeCodec: Codec<Place> = {
  write(out, place) {
    for (const axis of AXES) out.varI32(place[axis]);
  },
  read: (input) => [input.varI32(), input.varI32(), input.varI32(), input.varI32()],
};

/** A box of chunk positions: the lowest position, then the highest, which in encoded form is inclusive. */
export const boxCodec: Codec<Box> = {
  write(out: ByteWriter, { min, max }: Box): void {
    if (!isBox(min, max)) throw new OrthantError("ORT_ARGUMENT", `[${min}] to [${max}] is not a box`);
    placeCodec.write(out, min);
    placeCodec.write(
      out,
      placeFrom((axis) => max[axis] - 1),
    );
  },

  read(input: ByteReader): Box {
    const min = placeCodec.read(input);
    const last = placeCodec.read(input);
    if (AXES.some((axis) => last[axis] < min[axis])) {
      throw input.fail("ORT_BOX", `a box from [${min}] to [${last}]`);
    }
    return { min, max: placeFrom((axis) => last[axis] + 1) };
  },
};
