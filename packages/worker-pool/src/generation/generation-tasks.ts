import type { Box, Position } from "@orthant/core";

/** A generator that workers open. */
export interface GenerationDescription {
  readonly kind: "generation";
  /** The generator's reference, encoded with `generatorRefCodec`. */
  readonly ref: Uint8Array;
  readonly extents: Position;
  readonly module: string | undefined;
}

/** What a worker can do with an open generator. The result is a list of bytes: the chunks of a box, encoded with `describedBoxCodec`, or the patches of a region. */
export type GenerationTask =
  | { readonly kind: "describe"; readonly box: Box }
  | { readonly kind: "encode"; readonly region: Position; readonly pieceBytesMax: number };
