import type { Codec, FixedCodec } from "./codec.ts";

/** One byte, unsigned. */
export const u8: FixedCodec<number> = {
  bytes: 1,
  write: (out, value) => out.u8(value),
  read: (input) => input.u8(),
};

/** One byte, signed. */
export const i8: FixedCodec<number> = {
  bytes: 1,
  write: (out, value) => out.i8(value),
  read: (input) => input.i8(),
};

/** One byte, 0 or 1. */
export const bool: FixedCodec<boolean> = {
  bytes: 1,
  write: (out, value) => out.bool(value),
  read: (input) => input.bool(),
};

/** Two bytes, unsigned. */
export const u16: FixedCodec<number> = {
  bytes: 2,
  write: (out, value) => out.u16(value),
  read: (input) => input.u16(),
};

/** Four bytes, unsigned. */
export const u32: FixedCodec<number> = {
  bytes: 4,
  write: (out, value) => out.u32(value),
  read: (input) => input.u32(),
};

/** Four bytes, signed. */
export const i32: FixedCodec<number> = {
  bytes: 4,
  write: (out, value) => out.i32(value),
  read: (input) => input.i32(),
};

/** Eight bytes, unsigned. */
export const u64: FixedCodec<bigint> = {
  bytes: 8,
  write: (out, value) => out.u64(value),
  read: (input) => input.u64(),
};

/** Eight bytes, unsigned, as a safe integer. */
export const u64Number: FixedCodec<number> = {
  bytes: 8,
  write: (out, value) => out.u64Number(value),
  read: (input) => input.u64Number(),
};

/** A 32-bit float. */
export const f32: FixedCodec<number> = {
  bytes: 4,
  write: (out, value) => out.f32(value),
  read: (input) => input.f32(),
};

/** A 64-bit float. */
export const f64: FixedCodec<number> = {
  bytes: 8,
  write: (out, value) => out.f64(value),
  read: (input) => input.f64(),
};

/** An unsigned 16-bit varint. */
export const varU16: Codec<number> = {
  write: (out, value) => out.varU16(value),
  read: (input) => input.varU16(),
};

/** An unsigned 32-bit varint. */
export const varU32: Codec<number> = {
  write: (out, value) => out.varU32(value),
  read: (input) => input.varU32(),
};

/** An unsigned 64-bit varint as a safe integer. */
export const varUint: Codec<number> = {
  write: (out, value) => out.varUint(value),
  read: (input) => input.varUint(),
};

/** An unsigned 64-bit varint. */
export const varU64: Codec<bigint> = {
  write: (out, value) => out.varU64(value),
  read: (input) => input.varU64(),
};

/** A signed 16-bit varint. */
export const varI16: Codec<number> = {
  write: (out, value) => out.varI16(value),
  read: (input) => input.varI16(),
};

/** A signed 32-bit varint. */
export const varI32: Codec<number> = {
  write: (out, value) => out.varI32(value),
  read: (input) => input.varI32(),
};

/** A signed 64-bit varint as a safe integer. */
export const varInt: Codec<number> = {
  write: (out, value) => out.varInt(value),
  read: (input) => input.varInt(),
};

/** A signed 64-bit varint. */
export const varI64: Codec<bigint> = {
  write: (out, value) => out.varI64(value),
  read: (input) => input.varI64(),
};
