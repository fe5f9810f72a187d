import { deepEqual, equal } from "node:assert/strict";
import {
  type Box,
  type Chunk,
  type ErrorCode,
  emptyChunk,
  isOrthantError,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { ByteWriter, decode, decodeForeign, encode, option, varU16 } from "@orthant/core/bytes";
import { chunkCodec } from "@orthant/core/chunk";
import { pagedSparseRleCodec } from "@orthant/core/internal";
import { boxCodec } from "@orthant/core/lattice";
import { fromHex, toHex } from "@orthant/testkit";
import { chunkArrayCodec, foreignChunkArrayCodec } from "./region-tree/chunk-array-codec.ts";
import { type GoldenRow, type GoldenSuite, parseJson, row } from "./suite.ts";

/** A box of the original, which includes its greatest position. */
interface InclusiveBox {
  readonly min: Position;
  readonly max: Position;
}

interface ArrayCase {
  readonly name: string;
  readonly bounds: InclusiveBox;
  readonly palette: readonly ("Empty" | { readonly Uniform: number })[];
  readonly default: number | null;
  readonly indices_xyzw: readonly number[];
  readonly index_data_hex: string;
  readonly chunk_array_postcard_hex: string;
}

interface MalformedCase {
  readonly name: string;
  readonly bounds: InclusiveBox;
  readonly palette_len: number;
  readonly default: number | null;
  readonly index_data_hex: string;
  /** The original's result: `ok [0, 1]` with the indices, or `err` and a reason. */
  readonly result: string;
}

type Verdict = ErrorCode | "accepted";

const VOLUME = 4096;
const strict = chunkArrayCodec(VOLUME);
const foreign = foreignChunkArrayCodec(VOLUME);

/** The strict decoder's result for arrays from the original, which was free to choose any default. */
const ARRAY_VERDICTS: Readonly<Record<string, Verdict>> = {
  "1 cell no default": "ORT_ARRAY_DEFAULT",
  "1 cell default only": "accepted",
  "row of 5 crossing a page": "accepted",
  "row of 5 with default 1": "ORT_ARRAY_PALETTE", // its first chunk is in no cell
  "2x2x2x2 checker": "accepted",
  "full 4^4 page one run": "ORT_ARRAY_DEFAULT",
  "full 4^4 alternating": "ORT_ARRAY_DEFAULT", // the default omits nothing
  "5x3x6x2 partial pages, default 0": "accepted",
  "5x3x6x2 partial pages, no default": "ORT_ARRAY_DEFAULT",
};

/** The same for malformed index data, including data that the original accepted against its own rules. */
const MALFORMED_VERDICTS: Readonly<Record<string, Verdict>> = {
  valid: "ORT_ARRAY_DEFAULT", // its second page equals the default
  "version 2": "ORT_VERSION",
  "page edge 8": "ORT_ARRAY_HEADER",
  "reserved non-zero is accepted": "ORT_ARRAY_HEADER",
  "dims differ": "ORT_ARRAY_HEADER",
  short: "ORT_TRUNCATED",
  "cut in run": "ORT_TRUNCATED",
  trailing: "ORT_TRAILING_BYTES",
  "page out of range": "ORT_ARRAY_PAGE",
  "zero run": "ORT_ARRAY_RUN",
  "run too long": "ORT_ARRAY_RUN",
  "run too short": "ORT_ARRAY_RUN",
  "palette idx out of range": "ORT_ARRAY_PALETTE",
  "duplicate page": "ORT_ARRAY_PAGE",
  "missing page without default": "ORT_ARRAY_PAGE",
  "missing page with default": "accepted",
  "default out of range": "ORT_ARRAY_DEFAULT",
  "adjacent equal runs are accepted by the decoder": "ORT_ARRAY_RUN",
  "pages out of canonical order are accepted by the decoder": "ORT_ARRAY_PAGE",
};

/** Chunk arrays of the original: their indices, their bytes, and those that it rejected. */
export const pagedSparseRleSuites: readonly GoldenSuite[] = [
  {
    file: "polychora-v3/vectors/paged-sparse-rle.json",
    check: async (file) => parseJson<{ cases: ArrayCase[] }>(file).cases.map(checkArray),
  },
  {
    file: "polychora-v3/vectors/paged-sparse-rle-malformed.json",
    check: async (file) => parseJson<MalformedCase[]>(file).map(checkMalformed),
  },
];

function checkArray(vector: ArrayCase): GoldenRow {
  return row(vector.name, () => {
    const bounds = halfOpen(vector.bounds);
    const extents = bounds.max.map((end, axis) => end - (bounds.min[axis] ?? 0)) as unknown as Position;
    const shape = {
      extents,
      paletteLength: vector.palette.length,
      defaultIndex: vector.default ?? undefined,
    };
    const indices = Uint16Array.from(vector.indices_xyzw);
    equal(toHex(encode(pagedSparseRleCodec(shape), indices)), vector.index_data_hex);

    const bytes = fromHex(vector.chunk_array_postcard_hex);
    const array = decodeForeign(foreign, bytes);
    deepEqual(array.bounds, bounds);
    const palette = vector.palette.map(chunkOf);
    const differing = array
      .chunks()
      .filter((chunk, cell) => !chunk.equals(palette[indices[cell] ?? -1] as Chunk));
    equal(differing.length, 0);
    equal(array.chunks().length, indices.length);

    equal(verdictOf(bytes), ARRAY_VERDICTS[vector.name]);
    const isCanonical = toHex(encode(strict, array)) === vector.chunk_array_postcard_hex;
    equal(isCanonical, ARRAY_VERDICTS[vector.name] === "accepted");
  });
}

function checkMalformed(vector: MalformedCase): GoldenRow {
  return row(vector.name, () => {
    const palette = Array.from({ length: vector.palette_len }, (_, index) => uniformChunk(VOLUME, index + 1));
    const bytes = arrayBytes(halfOpen(vector.bounds), palette, vector);
    equal(verdictOf(bytes), MALFORMED_VERDICTS[vector.name]);
    equal(foreignResult(bytes, palette), vector.result.startsWith("ok ") ? vector.result : "err");
  });
}

/** Writes an array around possibly invalid index data, field by field. */
function arrayBytes(bounds: Box, palette: readonly Chunk[], vector: MalformedCase): Uint8Array {
  const out = new ByteWriter();
  boxCodec.write(out, bounds);
  out.varUint(palette.length);
  for (const chunk of palette) chunkCodec(VOLUME).write(out, chunk);
  out.tag(1, 2);
  out.bytes(fromHex(vector.index_data_hex));
  option(varU16).write(out, vector.default ?? undefined);
  return out.copy();
}

function foreignResult(bytes: Uint8Array, palette: readonly Chunk[]): string {
  try {
    const indices = decodeForeign(foreign, bytes)
      .chunks()
      .map((chunk) => palette.findIndex((known) => known.equals(chunk)));
    return `ok [${indices.join(", ")}]`;
  } catch (error) {
    if (isOrthantError(error)) return "err";
    throw error;
  }
}

function verdictOf(bytes: Uint8Array): Verdict {
  try {
    const found = decode(strict, bytes);
    equal(toHex(encode(strict, found)), toHex(bytes));
    return "accepted";
  } catch (error) {
    if (isOrthantError(error)) return error.code;
    throw error;
  }
}

function chunkOf(payload: "Empty" | { readonly Uniform: number }): Chunk {
  return payload === "Empty" ? emptyChunk(VOLUME) : uniformChunk(VOLUME, payload.Uniform);
}

function halfOpen({ min, max }: InclusiveBox): Box {
  return { min, max: [max[0] + 1, max[1] + 1, max[2] + 1, max[3] + 1] };
}
