import { requireInteger } from "@orthant/core/arguments";
import { type FixedCodec, I32_MAX } from "@orthant/core/bytes";

/**
 * A pointer as stored: null, an address in the same blob, a record of the file `pointers`, or an address in a
 * named blob.
 */
export type StoredPointer =
  | { readonly kind: "null" }
  | { readonly kind: "local"; readonly address: number }
  | { readonly kind: "record"; readonly index: number }
  | { readonly kind: "global"; readonly blob: number; readonly address: number };

/** Location of a block: its blob, and its offset there. */
export interface BlockAddress {
  readonly blob: number;
  readonly offset: number;
}

/** The null pointer. */
export const NULL_POINTER: StoredPointer = { kind: "null" };

const RECORD_FLAG = 0x8000_0000;

/** Returns the pointer codec of dialects with or without a file of pointers. Rules M6 and M7. */
export function pointerCodec(hasPointerFile: boolean): FixedCodec<StoredPointer> {
  return hasPointerFile ? shortPointer : globalPointer;
}

/** Formats an address: `0:8`. */
export function describeAddress({ blob, offset }: BlockAddress): string {
  return `${blob}:${offset}`;
}

/** Four bytes: bit 31 distinguishes a record from an address. */
const shortPointer: FixedCodec<StoredPointer> = {
  bytes: 4,
  write(out, pointer) {
    if (pointer.kind === "null") return out.u32(0);
    if (pointer.kind === "local") {
      requireInteger(pointer.address, 1, I32_MAX);
      return out.u32(pointer.address);
    }
    const { index } = pointer as StoredPointer & { kind: "record" };
    requireInteger(index, 0, I32_MAX);
    out.u32(RECORD_FLAG + index);
  },
  read(input) {
    const value = input.u32();
    if (value >= RECORD_FLAG) return { kind: "record", index: value - RECORD_FLAG };
    return value === 0 ? NULL_POINTER : { kind: "local", address: value };
  },
};

/** Eight bytes: a blob and an address in it. */
const globalPointer: FixedCodec<StoredPointer> = {
  bytes: 8,
  write(out, pointer) {
    const { blob, address } = pointer.kind === "global" ? pointer : { blob: 0, address: 0 };
    out.i32(blob);
    out.u32(address);
  },
  read(input) {
    const blob = input.i32();
    const address = input.u32();
    return blob === 0 && address === 0 ? NULL_POINTER : { kind: "global", blob, address };
  },
};
