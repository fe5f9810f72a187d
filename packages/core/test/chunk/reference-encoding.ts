/** Encodes the canonical payload straight from the rules, regardless of speed: bits in a string. */
export function referenceEncoding(voxels: readonly number[]): string {
  const palette = [...new Set(voxels)];
  const [block = 0] = palette;
  if (palette.length === 1) return block === 0 ? "00" : `01${varint(BigInt(block))}`;
  const bitWidth = (palette.length - 1).toString(2).length;
  const bits = voxels
    .map((voxel) => palette.indexOf(voxel).toString(2).padStart(bitWidth, "0"))
    .reverse()
    .join("");
  const words = (bits.padStart(Math.ceil(bits.length / 64) * 64, "0").match(/.{64}/g) ?? [])
    .reverse()
    .map((word) => BigInt(`0b${word}`));
  const packed = `02${u16List(palette)}${bitWidth.toString(16).padStart(2, "0")}${list(words)}`;
  const dense = `03${u16List(voxels)}`;
  return packed.length <= dense.length ? packed : dense;
}

function u16List(values: readonly number[]): string {
  return list(values.map(BigInt));
}

function list(values: readonly bigint[]): string {
  return [BigInt(values.length), ...values].map(varint).join("");
}

function varint(value: bigint): string {
  const group = Number(value & 0x7fn);
  const rest = value >> 7n;
  const byte = (rest === 0n ? group : group | 0x80).toString(16).padStart(2, "0");
  return rest === 0n ? byte : byte + varint(rest);
}
