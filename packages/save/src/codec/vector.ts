import { AXES, type Codec } from "@orthant/core";

/** Four 32-bit floats: a position, orientation or velocity. */
export type Vector = readonly [x: number, y: number, z: number, w: number];

/** Codec of four floats without a count. Values are rounded to 32 bits when written. */
export const vectorCodec: Codec<Vector> = {
  write(out, vector) {
    for (const axis of AXES) out.f32(vector[axis]);
  },
  read: (input) => [input.f32(), input.f32(), input.f32(), input.f32()],
};
