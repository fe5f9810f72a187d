import type { ByteReader } from "../bytes/byte-reader.ts";
import { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../bytes/codec.ts";
import { requireInteger } from "../bytes/integers.ts";
import { Chunk, uniformChunk } from "../chunk/chunk.ts";
import { chunkCodec } from "../chunk/chunk-codec.ts";
import { voxelDataEditsCodec } from "../chunk/voxel-data-codec.ts";
import { OrthantError } from "../error/orthant-error.ts";
import type { Box } from "../lattice/box.ts";
import { type Position, positionFrom } from "../lattice/position.ts";
import { GeneratorRef } from "../tree/content.ts";
import { ChunkArray } from "./chunk-array.ts";
import { readChunkArrayBody, writeChunkArrayBody } from "./chunk-array-codec.ts";
import { generatorRefCodec } from "./generator-ref-codec.ts";
import { packEdits, readPackedEdits, requireUnpacked, writePackedEdits } from "./packed-edits.ts";
import { boxOfCells, cellOfChunk, chunkOfCell, REGION_CELLS } from "./region-cells.ts";
import {
  CLOCK_NEVER,
  newestEpoch,
  readClock,
  readEpoch,
  readRegionAfter,
  requireNewestEpoch,
  writeClock,
  writeRegionAfter,
} from "./region-clock.ts";
import {
  type ChangeBase,
  PATCH_BYTES_MAX,
  PATCH_REGIONS_MAX,
  type PatchLeaf,
  type RegionChange,
  type RegionPatch,
  requirePatchForm,
  voxelEditsCodec,
} from "./region-patch.ts";

/** Maximum number of generators in one patch. */
export const PATCH_GENERATORS_MAX = 256;

/** Flags of a change, in one byte. */
const REPLACED = 1;
const LATER_PIECE = 2;
const UNFINISHED = 4;
const OVER_GENERATED = 8;
const HAS_DATA = 16;
const PACKED = 32;
const ALL_FLAGS = REPLACED | LATER_PIECE | UNFINISHED | OVER_GENERATED | HAS_DATA | PACKED;

/** Bytes of the largest sequence number. */
export const PATCH_SEQ_BYTES_MAX = 8;

/** Patches of a world whose chunks have this volume. Rules P8 to P16 in docs/formats/region-patch.md. */
export function regionPatchCodec(volume: number): Codec<RegionPatch> {
  const leafCodec = patchLeafCodec(volume);
  const editsCodec = voxelEditsCodec(volume);
  const dataCodec = voxelDataEditsCodec(volume);
  return {
    write(out, patch) {
      const start = out.length;
      writePatch(out, patch, volume);
      if (out.length - start > PATCH_BYTES_MAX) {
        throw new OrthantError("ORT_LIMIT", `a patch of ${out.length - start} bytes`);
      }
    },

    read(input) {
      const start = input.offset;
      const patchSeq = input.varUint();
      const epoch = readEpoch(input);
      const generators: GeneratorRef[] = [];
      const generatorCount = input.count(PATCH_GENERATORS_MAX);
      for (let index = 0; index < generatorCount; index++) generators.push(generatorRefCodec.read(input));
      const changes: RegionChange[] = [];
      const changeCount = input.count(PATCH_REGIONS_MAX);
      for (let index = 0; index < changeCount; index++) {
        const region = readRegionAfter(input, changes.at(-1)?.region);
        const { hasData, isPacked, ...progress } = readProgress(input, epoch);
        const leaves = readLeaves(input, region, generators, leafCodec);
        const edits = isPacked
          ? readPackedEdits(input, region, volume)
          : readEdits(input, region, editsCodec);
        if (!isPacked) requireUnpacked(input, edits, volume);
        const data = hasData ? readEdits(input, region, dataCodec) : [];
        if (hasData && data.length === 0) throw input.fail("ORT_PATCH_FORM", "a list of no chunks with data");
        changes.push({ region, ...progress, leaves, edits, data });
      }
      const patch = { patchSeq, changes };
      requirePatchForm(patch, volume);
      requireNewestEpoch(input, epoch, clocksOf(patch));
      requireSameGenerators(input, generators, generatorsIn(changes));
      if (input.offset - start > PATCH_BYTES_MAX) {
        throw input.fail("ORT_LIMIT", `a patch of ${input.offset - start} bytes`);
      }
      return patch;
    },
  };
}

/**
 * Encodes a patch without its `patchSeq`. These bytes are the same in every stream: write the number as a
 * varint, then these. Throws `ORT_LIMIT` if they would be too many after some number.
 */
export function patchBodyBytes(patch: RegionPatch, volume: number): Uint8Array {
  const body = encodePatchBody(patch, volume);
  if (body.length + PATCH_SEQ_BYTES_MAX > PATCH_BYTES_MAX) {
    throw new OrthantError("ORT_LIMIT", `a patch of ${body.length} bytes behind its number`);
  }
  return body;
}

/** Encodes a patch without its number, even above the limit. */
export function encodePatchBody(patch: RegionPatch, volume: number): Uint8Array {
  const out = new ByteWriter();
  requirePatchForm(patch, volume);
  writeBody(out, patch, volume);
  return out.copy();
}

function writePatch(out: ByteWriter, patch: RegionPatch, volume: number): void {
  requirePatchForm(patch, volume);
  out.varUint(patch.patchSeq);
  writeBody(out, patch, volume);
}

function writeBody(out: ByteWriter, patch: RegionPatch, volume: number): void {
  const leafCodec = patchLeafCodec(volume);
  const editsCodec = voxelEditsCodec(volume);
  const dataCodec = voxelDataEditsCodec(volume);
  const epoch = newestEpoch(clocksOf(patch));
  const generators = generatorsIn(patch.changes);
  requireInteger(generators.length, 0, PATCH_GENERATORS_MAX);
  out.varUint(epoch);
  out.varUint(generators.length);
  for (const generator of generators) generatorRefCodec.write(out, generator);
  out.varUint(patch.changes.length);
  let previous: Position | undefined;
  for (const change of patch.changes) {
    writeRegionAfter(out, change.region, previous);
    const packed = packEdits(change.edits, volume);
    writeProgress(out, change, epoch, packed !== undefined);
    out.varUint(change.leaves.length);
    for (const leaf of change.leaves) leafCodec.write(out, leaf, generators);
    if (packed !== undefined) writePackedEdits(out, packed);
    else {
      out.varUint(change.edits.length);
      for (const { chunk, edits } of change.edits) {
        out.u8(cellOfChunk(chunk));
        editsCodec.write(out, edits);
      }
    }
    if (change.data.length > 0) out.varUint(change.data.length);
    for (const { chunk, edits } of change.data) {
      out.u8(cellOfChunk(chunk));
      dataCodec.write(out, edits);
    }
    previous = change.region;
  }
}

function writeProgress(
  out: ByteWriter,
  { base, next, piece, data }: RegionChange,
  epoch: number,
  isPacked: boolean,
): void {
  out.u8(
    (typeof base === "number" ? 0 : REPLACED) |
      (piece > 0 ? LATER_PIECE : 0) |
      (next === undefined ? UNFINISHED : 0) |
      (base === "generated" ? OVER_GENERATED : 0) |
      (data.length > 0 ? HAS_DATA : 0) |
      (isPacked ? PACKED : 0),
  );
  if (piece > 0) out.varUint(piece);
  if (typeof base === "number") writeClock(out, base, epoch);
  if (next !== undefined) writeClock(out, next, epoch);
}

/** What is known of a change before its contents. */
interface Progress extends Pick<RegionChange, "base" | "next" | "piece"> {
  readonly hasData: boolean;
  readonly isPacked: boolean;
}

function readProgress(input: ByteReader, epoch: number): Progress {
  const bits = input.u8();
  if (bits > ALL_FLAGS || (bits & OVER_GENERATED && !(bits & REPLACED))) {
    throw input.fail("ORT_TAG", `bits of ${bits} that do not go together`);
  }
  const piece = bits & LATER_PIECE ? input.varUint() : 0;
  if (piece === 0 && bits & LATER_PIECE) throw input.fail("ORT_PATCH_FORM", "piece 0 as a later piece");
  const base = readBase(input, bits, epoch);
  const next = bits & UNFINISHED ? undefined : readClock(input, epoch);
  return { base, next, piece, hasData: (bits & HAS_DATA) !== 0, isPacked: (bits & PACKED) !== 0 };
}

function readBase(input: ByteReader, bits: number, epoch: number): ChangeBase {
  if (bits & OVER_GENERATED) return "generated";
  return bits & REPLACED ? "air" : readClock(input, epoch);
}

function readLeaves(
  input: ByteReader,
  region: Position,
  generators: GeneratorTable,
  leafCodec: PatchLeafCodec,
): readonly PatchLeaf[] {
  const leaves: PatchLeaf[] = [];
  const count = input.count(REGION_CELLS);
  for (let index = 0; index < count; index++) leaves.push(leafCodec.read(input, region, generators));
  return leaves;
}

function readEdits<Edits>(
  input: ByteReader,
  region: Position,
  editsCodec: Codec<Edits>,
): readonly { readonly chunk: Position; readonly edits: Edits }[] {
  const edits: { readonly chunk: Position; readonly edits: Edits }[] = [];
  const count = input.count(REGION_CELLS);
  for (let index = 0; index < count; index++) {
    edits.push({ chunk: chunkOfCell(region, input.u8()), edits: editsCodec.read(input) });
  }
  return edits;
}

function clocksOf({ changes }: RegionPatch): readonly number[] {
  return changes.flatMap(({ base, next }) => [
    typeof base === "number" ? base : CLOCK_NEVER,
    next ?? CLOCK_NEVER,
  ]);
}

/** Returns `known` plus the other generators that the changes name, each once, in the order of the leaves. */
export function generatorsIn(changes: readonly RegionChange[], known: GeneratorTable = []): GeneratorTable {
  const generators = [...known];
  // Leaves share their generators. Comparing each with all of them, byte by byte, would let a small patch
  // take minutes.
  const seen = new Set<GeneratorRef>(known);
  for (const { leaves } of changes) {
    for (const { content } of leaves) {
      if (!(content instanceof GeneratorRef) || seen.has(content)) continue;
      seen.add(content);
      if (!generators.some((generator) => generator.equals(content))) generators.push(content);
    }
  }
  return generators;
}

function requireSameGenerators(input: ByteReader, found: GeneratorTable, named: GeneratorTable): void {
  const same = found.length === named.length && found.every((generator, index) => named[index] === generator);
  if (!same) throw input.fail("ORT_PATCH_FORM", "generators that are not each named once, in order");
}

/** The generators of a patch, to which leaves refer by index. */
export type GeneratorTable = readonly GeneratorRef[];

/** Writes and reads leaves. Both need the patch's generators; reading also needs the region. */
interface PatchLeafCodec {
  write(out: ByteWriter, leaf: PatchLeaf, generators: GeneratorTable): void;
  read(input: ByteReader, region: Position, generators: GeneratorTable): PatchLeaf;
}

/** The kinds of content, by tag. */
const KIND = { empty: 0, uniform: 1, generator: 2, chunk: 3, chunkArray: 4 } as const;
const KINDS = 5;

/**
 * Leaves of patches: the first and last cell of a box, then its content. Rules P11 to P13, region-patch.md.
 */
function patchLeafCodec(volume: number): PatchLeafCodec {
  const chunks = chunkCodec(volume);
  return {
    write(out, { box, content }, generators) {
      out.u8(cellOfChunk(box.min));
      out.u8(cellOfChunk(positionFrom((axis) => box.max[axis] - 1)));
      if (content === undefined) {
        out.tag(KIND.empty, KINDS);
      } else if (content instanceof ChunkArray) {
        out.tag(KIND.chunkArray, KINDS);
        writeChunkArrayBody(out, content, chunks);
      } else if (!(content instanceof Chunk)) {
        out.tag(KIND.generator, KINDS);
        out.varUint(generators.findIndex((generator) => generator.equals(content)));
      } else if (content.uniformBlock !== undefined) {
        out.tag(KIND.uniform, KINDS);
        out.varU16(content.uniformBlock);
      } else {
        out.tag(KIND.chunk, KINDS);
        chunks.write(out, content);
      }
    },

    read(input, region, generators) {
      const first = input.u8();
      const last = input.u8();
      const box = boxOfCells(region, first, last);
      if (box === undefined) throw input.fail("ORT_BOX", `a box from cell ${first} to ${last}`);
      return { box, content: readContent(input, box, generators) };
    },
  };

  function readContent(input: ByteReader, box: Box, generators: GeneratorTable): PatchLeaf["content"] {
    switch (input.tag(KINDS)) {
      case KIND.empty:
        return undefined;
      case KIND.uniform:
        return uniformChunk(volume, input.varU16());
      case KIND.generator:
        return readGenerator(input, generators);
      case KIND.chunk:
        return readChunk(input);
      default:
        return readChunkArrayBody(input, box, chunks);
    }
  }

  function readChunk(input: ByteReader): Chunk {
    const chunk = chunks.read(input);
    if (chunk.uniformBlock !== undefined) {
      throw input.fail("ORT_PATCH_FORM", "a uniform chunk written out as one that is not");
    }
    return chunk;
  }
}

function readGenerator(input: ByteReader, generators: GeneratorTable): GeneratorRef {
  const index = input.varUint();
  const generator = generators[index];
  if (generator === undefined) {
    throw input.fail("ORT_PATCH_FORM", `generator ${index} of ${generators.length}`);
  }
  return generator;
}
