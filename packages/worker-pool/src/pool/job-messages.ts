import type { Box, ErrorCode, Position } from "@orthant/core";

/** A message to a worker: a generator to open under a number, or a box of it to generate. */
export type WorkerRequest =
  | {
      readonly kind: "open";
      readonly space: number;
      /** The generator's reference, encoded with `generatorRefCodec`. */
      readonly ref: Uint8Array;
      readonly extents: Position;
      readonly module: string | undefined;
    }
  | ({ readonly job: number; readonly space: number } & GenerationTask);

/** What a worker can do with an open generator. */
export type GenerationTask =
  | { readonly kind: "describe"; readonly box: Box }
  | { readonly kind: "encode"; readonly region: Position; readonly pieceBytesMax: number };

/** A worker's answer to a task. */
export type WorkerAnswer =
  | {
      readonly job: number;
      /** The chunks of a box, encoded with `describedBoxCodec`, or the patches of a region. */
      readonly parts: readonly Uint8Array[];
    }
  | {
      readonly job: number;
      readonly code: ErrorCode;
      readonly detail: string;
    };

/** Returns the buffers of an answer, which move to the other thread instead of being copied. */
export function transferOf(answer: WorkerAnswer): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  // A view of a larger buffer is copied, because others may use the rest.
  for (const { buffer, byteLength } of "parts" in answer ? answer.parts : []) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffers.add(buffer);
  }
  return [...buffers];
}
