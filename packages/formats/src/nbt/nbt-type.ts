import { OrthantError } from "@orthant/core";

/** Numbers of the tag types of NBT. */
export const NBT: {
  readonly end: 0;
  readonly byte: 1;
  readonly short: 2;
  readonly int: 3;
  readonly long: 4;
  readonly float: 5;
  readonly double: 6;
  readonly byteArray: 7;
  readonly string: 8;
  readonly list: 9;
  readonly compound: 10;
  readonly intArray: 11;
  readonly longArray: 12;
} = {
  end: 0,
  byte: 1,
  short: 2,
  int: 3,
  long: 4,
  float: 5,
  double: 6,
  byteArray: 7,
  string: 8,
  list: 9,
  compound: 10,
  intArray: 11,
  longArray: 12,
};

/** Minimum bytes of a value of each type, by its number. */
export const NBT_BYTES_MIN: readonly number[] = [0, 1, 2, 4, 8, 4, 8, 4, 2, 5, 1, 4, 4];

/** Maximum depth of lists and compounds, as in the game. */
export const NBT_DEPTH_MAX = 512;

/** Returns `ORT_NBT`. */
export function nbtError(detail: string, offset: number): OrthantError {
  return new OrthantError("ORT_NBT", detail, { offset });
}
