import type { ErrorCode } from "@orthant/core";

/** A message to a worker: a space to open under a number or to close, or a task in one. Messages are trusted. */
export type WorkerRequest =
  | { readonly kind: "open"; readonly space: number; readonly description: unknown }
  | { readonly kind: "close"; readonly space: number }
  | { readonly kind: "job"; readonly job: number; readonly space: number; readonly task: unknown };

/** A worker's answer to a task. */
export type WorkerAnswer =
  | { readonly job: number; readonly result: unknown }
  | { readonly job: number; readonly code: ErrorCode; readonly detail: string };

/** Something that is posted to another thread. */
export interface Posted<Message> {
  readonly message: Message;
  /** Buffers that move to the other thread instead of being copied. */
  readonly transfer: ArrayBuffer[];
}

/** Returns the buffers of arrays that move to another thread. A view of a larger buffer is copied, because others may use the rest. */
export function wholeBuffers(views: Iterable<ArrayBufferView>): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { buffer, byteLength } of views)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffers.add(buffer);
  return [...buffers];
}
