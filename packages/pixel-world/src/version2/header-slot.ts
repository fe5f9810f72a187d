import {
  ByteReader,
  ByteWriter,
  type Codec,
  crc32,
  encode,
  generatorRefCodec,
  isOrthantError,
  OrthantError,
  option,
  requireInteger,
} from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { HEADER_SLOT_BYTES, type SlotHeader, slotHeader, VERSION2_MAGIC } from "../layout.ts";
import { CHUNK_EDGE_MAX, CHUNK_EDGE_MIN } from "../limits.ts";
import { layersCodec } from "../pixels/pixel-layers.ts";
import type { PixelFacts } from "../save.ts";

const VERSION = 2;
const FACTS_BYTES_MAX = HEADER_SLOT_BYTES - slotHeader.bytes;
const optionalGenerator = option(generatorRefCodec);

/** Contents of one of the two headers. */
export interface Slot
  extends Pick<
    SlotHeader,
    "generation" | "modifiedMs" | "tableOffset" | "tableBytes" | "deadBytes" | "chunkCount" | "bodyCount"
  > {
  readonly facts: PixelFacts;
}

/** Facts about a world, in the base encoding. */
export const factsCodec: Codec<PixelFacts> = {
  write(out, { worldSeed, createdMs, chunkEdge, tileEdge, layers, generator }) {
    if (!areEdges(chunkEdge, tileEdge))
      throw new OrthantError("ORT_ARGUMENT", edgesDetail(chunkEdge, tileEdge));
    out.varU64(worldSeed);
    out.varUint(createdMs);
    out.varU16(chunkEdge);
    out.varU16(tileEdge);
    layersCodec.write(out, layers);
    optionalGenerator.write(out, generator);
  },

  read(input) {
    const worldSeed = input.varU64();
    const createdMs = input.varUint();
    const chunkEdge = input.varU16();
    const tileEdge = input.varU16();
    if (!areEdges(chunkEdge, tileEdge)) throw input.fail("ORT_LIMIT", edgesDetail(chunkEdge, tileEdge));
    return {
      worldSeed,
      createdMs,
      chunkEdge,
      tileEdge,
      layers: layersCodec.read(input),
      generator: optionalGenerator.read(input),
    };
  },
};

/**
 * Whether both edges are powers of two in range, so that a chunk can be split into those of any other world.
 */
function areEdges(chunkEdge: number, tileEdge: number): boolean {
  const isPower = (value: number): boolean => Number.isInteger(Math.log2(value));
  const fits =
    chunkEdge >= CHUNK_EDGE_MIN && chunkEdge <= CHUNK_EDGE_MAX && tileEdge >= 1 && tileEdge <= chunkEdge;
  return fits && isPower(chunkEdge) && isPower(tileEdge);
}

function edgesDetail(chunkEdge: number, tileEdge: number): string {
  return `chunks of ${chunkEdge} and tiles of ${tileEdge} pixels; both are powers of two, chunks from ${CHUNK_EDGE_MIN} to ${CHUNK_EDGE_MAX}`;
}

/** Returns the header that a generation is written to: the one with the older state. */
function slotOf(generation: number): number {
  return generation % 2;
}

/** Returns the offset of a generation's header. */
export function slotOffset(generation: number): number {
  return slotOf(generation) * HEADER_SLOT_BYTES;
}

/** Encodes a header. Throws `ORT_ARGUMENT` if the facts are too long. */
export function encodeSlot(slot: Slot): Uint8Array {
  const facts = encode(factsCodec, slot.facts);
  requireInteger(facts.length, 0, FACTS_BYTES_MAX);
  const out = new ByteWriter(slotHeader.bytes + facts.length);
  slotHeader.write(out, {
    ...slot,
    magic: VERSION2_MAGIC,
    version: VERSION,
    slot: slotOf(slot.generation),
    factsBytes: facts.length,
    crc32: 0,
  });
  out.raw(facts);
  const bytes = out.copy();
  new DataView(bytes.buffer).setUint32(slotHeader.offsets.crc32, slotCrc(bytes), true);
  return bytes;
}

/** Decodes the header at the start of `bytes`. */
export function decodeSlot(bytes: Uint8Array, index: number): Slot {
  const origin = index * HEADER_SLOT_BYTES;
  const input = new ByteReader(bytes, { origin });
  const header = slotHeader.read(input);
  if (header.version !== VERSION)
    throw fault("ORT_VERSION", `version ${header.version}, known is ${VERSION}`, origin);
  if (header.factsBytes > FACTS_BYTES_MAX)
    throw fault("ORT_LIMIT", `${header.factsBytes} bytes of facts`, origin);
  const factInput = input.within(header.factsBytes);
  const found = slotCrc(bytes.subarray(0, slotHeader.bytes + header.factsBytes));
  if (found !== header.crc32)
    throw fault("ORT_CHECKSUM", `a header: ${header.crc32}, computed ${found}`, origin);
  if (header.slot !== index || slotOf(header.generation) !== index) {
    throw fault("ORT_GENERATION", `generation ${header.generation} in header ${index}`, origin);
  }
  const facts = factsCodec.read(factInput);
  factInput.end();
  const { generation, modifiedMs, tableOffset, tableBytes, deadBytes, chunkCount, bodyCount } = header;
  return { generation, modifiedMs, tableOffset, tableBytes, deadBytes, chunkCount, bodyCount, facts };
}

/** Reads both headers; for an invalid one, returns its error. */
export async function readSlots(file: DiskFile): Promise<readonly (Slot | OrthantError)[]> {
  const size = await file.size();
  const slots: (Slot | OrthantError)[] = [];
  for (const index of [0, 1]) {
    const start = index * HEADER_SLOT_BYTES;
    const bytes =
      size <= start ? new Uint8Array(0) : await file.readAt(start, Math.min(HEADER_SLOT_BYTES, size - start));
    try {
      slots.push(decodeSlot(bytes, index));
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      slots.push(error);
    }
  }
  return slots;
}

function slotCrc(bytes: Uint8Array): number {
  const at = slotHeader.offsets.crc32;
  return crc32(bytes.subarray(slotHeader.bytes), crc32(bytes.subarray(0, at)));
}

function fault(code: OrthantError["code"], detail: string, offset: number): OrthantError {
  return new OrthantError(code, detail, { offset });
}
