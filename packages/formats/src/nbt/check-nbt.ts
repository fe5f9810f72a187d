import { NBT, NBT_BYTES_MIN, NBT_DEPTH_MAX, nbtError } from "./nbt-type.ts";

/**
 * Checks a value of `type` at `start`, with everything in it: types, lengths against the bytes that are left, and
 * depth. Returns the offset after it. Allocates nothing, and takes time in proportion to the bytes.
 */
export function checkNbt(view: DataView, type: number, start: number, depth = 0): number {
  switch (type) {
    case NBT.byte:
    case NBT.short:
    case NBT.int:
    case NBT.long:
    case NBT.float:
    case NBT.double:
      return advance(view, start, NBT_BYTES_MIN[type] as number);
    case NBT.byteArray:
      return checkArray(view, start, 1);
    case NBT.intArray:
      return checkArray(view, start, 4);
    case NBT.longArray:
      return checkArray(view, start, 8);
    case NBT.string:
      return checkString(view, start);
    case NBT.list:
      return checkList(view, start, depth + 1);
    case NBT.compound:
      return checkCompound(view, start, depth + 1);
    default:
      throw nbtError(`a tag of type ${type}, which does not exist`, start);
  }
}

/** Returns the offset after a value that {@link checkNbt} has found whole. */
export function skipNbt(view: DataView, type: number, start: number): number {
  switch (type) {
    case NBT.byteArray:
      return start + 4 + view.getInt32(start);
    case NBT.intArray:
      return start + 4 + view.getInt32(start) * 4;
    case NBT.longArray:
      return start + 4 + view.getInt32(start) * 8;
    case NBT.string:
      return start + 2 + view.getUint16(start);
    case NBT.list:
      return skipList(view, start);
    case NBT.compound:
      for (let offset = start; ; ) {
        const next = view.getUint8(offset++);
        if (next === NBT.end) return offset;
        offset = skipNbt(view, next, offset + 2 + view.getUint16(offset));
      }
    default:
      return start + (NBT_BYTES_MIN[type] as number);
  }
}

function skipList(view: DataView, start: number): number {
  const type = view.getUint8(start);
  const count = view.getInt32(start + 1);
  let offset = start + 5;
  if (count <= 0) return offset;
  if (type <= NBT.double) return offset + count * (NBT_BYTES_MIN[type] as number);
  for (let index = 0; index < count; index++) offset = skipNbt(view, type, offset);
  return offset;
}

function checkCompound(view: DataView, start: number, depth: number): number {
  requireDepth(depth, start);
  let offset = start;
  for (;;) {
    const type = view.getUint8(advance(view, offset, 1) - 1);
    offset++;
    if (type === NBT.end) return offset;
    offset = checkNbt(view, type, checkString(view, offset), depth);
  }
}

function checkList(view: DataView, start: number, depth: number): number {
  requireDepth(depth, start);
  let offset = advance(view, start, 5);
  const type = view.getUint8(start);
  const count = view.getInt32(start + 1);
  if (count <= 0) return offset;
  const bytesMin = NBT_BYTES_MIN[type];
  if (bytesMin === undefined) throw nbtError(`a list of type ${type}, which does not exist`, start);
  if (type === NBT.end) throw nbtError(`a list of ${count} end tags, which cannot be elements`, start);
  if (count > (view.byteLength - offset) / bytesMin) throw tooMany(view, count, start);
  if (type <= NBT.double) return offset + count * bytesMin;
  for (let index = 0; index < count; index++) offset = checkNbt(view, type, offset, depth);
  return offset;
}

function checkArray(view: DataView, start: number, elementBytes: number): number {
  const offset = advance(view, start, 4);
  const count = view.getInt32(start);
  if (count < 0) throw nbtError(`an array of ${count} elements`, start);
  if (count > (view.byteLength - offset) / elementBytes) throw tooMany(view, count, start);
  return offset + count * elementBytes;
}

function checkString(view: DataView, start: number): number {
  const offset = advance(view, start, 2);
  return advance(view, offset, view.getUint16(start));
}

function advance(view: DataView, start: number, bytes: number): number {
  if (bytes <= view.byteLength - start) return start + bytes;
  throw nbtError(`${bytes} bytes of a tag, ${view.byteLength - start} are left`, start);
}

function requireDepth(depth: number, offset: number): void {
  if (depth > NBT_DEPTH_MAX) throw nbtError(`tags nested deeper than ${NBT_DEPTH_MAX}`, offset);
}

function tooMany(view: DataView, count: number, start: number): Error {
  return nbtError(`${count} elements, which do not fit the ${view.byteLength - start} bytes left`, start);
}
