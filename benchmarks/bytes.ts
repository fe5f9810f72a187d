import { crc32 as bareCrc32 } from "node:zlib";
import { ByteReader, ByteWriter, crc32, encode, repeated, string, varUint } from "@orthant/core/bytes";
import { portableCrc32 } from "@orthant/core/internal";
import { Prng } from "@orthant/testkit";
import { type Comparison, compare } from "./compare.ts";
import type { Figure } from "./figure.ts";

const CHUNK_VOXELS = 4_096;
const VARINTS = 4_096;
const STRINGS = 512;

const prng = new Prng(1);
const voxels = Uint16Array.from({ length: CHUNK_VOXELS }, () => prng.below(0x1_0000));
const voxelBytes = new Uint8Array(voxels.buffer);
const words = BigUint64Array.from(
  { length: CHUNK_VOXELS },
  () => (BigInt(prng.u32()) << 32n) | BigInt(prng.u32()),
);
const wordBytes = new Uint8Array(words.buffer);
/** Mostly small, like counts, tags and deltas; some of every length up to 2^53. */
const numbers = Array.from({ length: VARINTS }, () => Math.floor(2 ** (prng.fraction() ** 2 * 53)));
const numberBytes = encode(repeated(varUint, VARINTS), numbers);
const names = Array.from({ length: STRINGS }, (_, index) => `orthant.material.${index}`);
const nameBytes = encode(repeated(string(), STRINGS), names);
const block = prng.bytes(128 * 1024);
const out = new ByteWriter(1 << 20);
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Question: does the base encoding cost more than the bare operation below it?
 * Budgets: bulk u16 at half the speed of a bare copy with its bounds check, so that decoding a chunk is
 * memory-bound; CRC-32 at 0.9 of zlib's, since every record that is read is checked. The others have no
 * budget.
 */
export function* bytesSuite(): Generator<Figure> {
  for (const comparison of comparisons) yield compare(comparison);
}

const comparisons: readonly Comparison[] = [
  {
    name: "bytes/varint-decode",
    baseline: "a bare loop without checks",
    budget: undefined,
    work: [VARINTS, "varints"],
    ours() {
      const input = new ByteReader(numberBytes);
      let sum = 0;
      for (let index = 0; index < VARINTS; index++) sum += input.varUint();
      return sum;
    },
    bare: bareVarintDecode,
  },
  {
    name: "bytes/varint-encode",
    baseline: "a bare loop into a large enough buffer",
    budget: undefined,
    work: [VARINTS, "varints"],
    ours() {
      out.clear();
      for (const value of numbers) out.varUint(value);
      return out.length;
    },
    bare: bareVarintEncode,
  },
  {
    name: "bytes/u16-array-decode",
    baseline: "new Uint16Array(buffer.slice()) with a bounds check",
    budget: 0.5,
    work: [CHUNK_VOXELS, "voxels"],
    ours: () => new ByteReader(voxelBytes).u16Array(CHUNK_VOXELS)[7] ?? 0,
    bare: () => bareCopy(voxelBytes, Uint16Array)[7] ?? 0,
  },
  {
    name: "bytes/u16-array-encode",
    baseline: "Uint8Array.set",
    budget: undefined,
    work: [CHUNK_VOXELS, "voxels"],
    ours() {
      out.clear();
      out.u16Array(voxels);
      return out.length;
    },
    bare() {
      bareBuffer.set(voxelBytes);
      return bareBuffer.length;
    },
  },
  {
    name: "bytes/u64-array-decode",
    baseline: "new BigUint64Array(buffer.slice()) with a bounds check",
    budget: undefined,
    work: [CHUNK_VOXELS, "words"],
    ours: () => Number((new ByteReader(wordBytes).u64Array(CHUNK_VOXELS)[7] ?? 0n) & 1n),
    bare: () => Number((bareCopy(wordBytes, BigUint64Array)[7] ?? 0n) & 1n),
  },
  {
    name: "bytes/string-decode",
    baseline: "a bare TextDecoder a string",
    budget: undefined,
    work: [STRINGS, "strings"],
    ours() {
      const input = new ByteReader(nameBytes);
      let length = 0;
      for (let index = 0; index < STRINGS; index++) length += input.string().length;
      return length;
    },
    bare: bareStringDecode,
  },
  {
    name: "bytes/crc32",
    baseline: "bare zlib.crc32",
    budget: 0.9,
    work: [block.length, "B"],
    ours: () => crc32(block),
    bare: () => bareCrc32(block),
  },
  {
    name: "bytes/crc32-portable",
    baseline: "bare zlib.crc32",
    budget: undefined,
    work: [block.length, "B"],
    ours: () => portableCrc32(block),
    bare: () => bareCrc32(block),
  },
];

const bareBuffer = new Uint8Array(1 << 20);

function bareVarintDecode(): number {
  let sum = 0;
  let offset = 0;
  for (let index = 0; index < VARINTS; index++) {
    let value = 0;
    let scale = 1;
    let byte = 0;
    do {
      byte = numberBytes[offset++] ?? 0;
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80);
    sum += value;
  }
  return sum;
}

function bareVarintEncode(): number {
  let offset = 0;
  for (const value of numbers) {
    let rest = value;
    while (rest >= 0x80) {
      bareBuffer[offset++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    bareBuffer[offset++] = rest;
  }
  return offset;
}

function bareStringDecode(): number {
  let length = 0;
  let offset = 0;
  for (let index = 0; index < STRINGS; index++) {
    const bytes = nameBytes[offset++] ?? 0;
    length += decoder.decode(nameBytes.subarray(offset, offset + bytes)).length;
    offset += bytes;
  }
  return length;
}

function bareCopy<Result>(bytes: Uint8Array, type: new (buffer: ArrayBuffer) => Result): Result {
  const end = bytes.byteOffset + bytes.byteLength;
  if (end > bytes.buffer.byteLength) throw new RangeError("out of bounds");
  return new type(bytes.buffer.slice(bytes.byteOffset, end) as ArrayBuffer);
}
