import { deepEqual, equal } from "node:assert/strict";
import { type Chunk, chunkFromVoxels, isOrthantError } from "@orthant/core";
import { ByteWriter, crc32, decode, decodeForeign, encode } from "@orthant/core/bytes";
import { chunkCodec, foreignChunkCodec } from "@orthant/core/chunk";
import { type GoldenRow, type GoldenSuite, parseJson, row } from "./suite.ts";

interface PayloadCase {
  readonly name: string;
  /** Pairs of run length and block, with x varying fastest. */
  readonly voxels_rle: readonly (readonly [length: number, block: number])[];
  /** Output of the original's compact builder: Empty, Uniform or PalettePacked. */
  readonly compact_postcard_hex: string;
  /** Length and checksum of the same voxels as Dense16. */
  readonly dense16_postcard_bytes: number;
  readonly dense16_postcard_crc32: number;
}

const VOLUME = 4096;
const DENSE16_TAG = 3;
const strictCodec = chunkCodec(VOLUME);
const foreignCodec = foreignChunkCodec(VOLUME);

/** Chunk payloads of the original, each in its compact form and as Dense16, which makes two rows per case. */
export const chunkPayloadSuites: readonly GoldenSuite[] = [
  {
    file: "polychora-v3/vectors/chunk-payload.json",
    check: async (file) => parseJson<{ cases: PayloadCase[] }>(file).cases.flatMap(checkCase),
  },
];

function checkCase(payload: PayloadCase): readonly GoldenRow[] {
  const voxels = expand(payload);
  const compact = new Uint8Array(Buffer.from(payload.compact_postcard_hex, "hex"));
  const dense = writeDense16(voxels);
  return [
    row(`${payload.name}, compact`, () => {
      checkForm(voxels, compact, compact.length <= dense.length);
    }),
    row(`${payload.name}, Dense16`, () => {
      equal(dense.length, payload.dense16_postcard_bytes);
      equal(crc32(dense), payload.dense16_postcard_crc32);
      checkForm(voxels, dense, dense.length < compact.length);
    }),
  ];
}

function checkForm(voxels: Uint16Array, payload: Uint8Array, isCanonical: boolean): void {
  const foreign = decodeForeign(foreignCodec, payload);
  deepEqual(foreign.voxels(), voxels);
  deepEqual(decode(strictCodec, encode(strictCodec, foreign)).voxels(), voxels);
  const chunk = chunkFromVoxels(voxels);
  if (isCanonical) {
    deepEqual(encode(strictCodec, chunk), payload);
    equal(chunk.byteLength, payload.length);
    deepEqual(decode(strictCodec, payload).voxels(), voxels);
  } else {
    equal(refusalOf(payload), "ORT_CHUNK_FORM");
  }
}

function refusalOf(payload: Uint8Array): string | Chunk {
  try {
    return decode(strictCodec, payload);
  } catch (error) {
    if (isOrthantError(error)) return error.code;
    throw error;
  }
}

function expand({ voxels_rle: runs }: PayloadCase): Uint16Array {
  return Uint16Array.from(runs.flatMap(([length, block]) => new Array<number>(length).fill(block)));
}

function writeDense16(voxels: Uint16Array): Uint8Array {
  const out = new ByteWriter();
  out.varU32(DENSE16_TAG);
  out.varUint(voxels.length);
  for (const block of voxels) out.varU16(block);
  return out.copy();
}
