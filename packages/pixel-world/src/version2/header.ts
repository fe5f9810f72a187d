import { isOrthantError, OrthantError } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import {
  ByteReader,
  ByteWriter,
  type Codec,
  checked,
  combined,
  crc32,
  encode,
  option,
  record,
  varU16,
  varU64,
  varUint,
} from "@orthant/core/bytes";
import { generatorRefCodec } from "@orthant/core/tree";
import type { DiskFile } from "@orthant/disk";
import {
  ENTRIES_OFFSET,
  entryHeader,
  HEADER_SLOT_BYTES,
  type SlotHeader,
  slotHeader,
  VERSION2_MAGIC,
} from "../format/layout.ts";
import { CHUNK_EDGE_MAX, CHUNK_EDGE_MIN } from "../format/limits.ts";
import { layersCodec } from "../format/pixels.ts";
import type { PixelFacts } from "../format/save.ts";
import { decodeEntryHeader, type Entry, readEntry, scanEntries } from "./entry.ts";
import { applyTable, BodyIndex, ChunkIndex, linksOf, type PixelIndex } from "./table.ts";

const VERSION = 2;
const FACTS_BYTES_MAX = HEADER_SLOT_BYTES - slotHeader.bytes;

/** Contents of one of the two headers. */
interface Slot
  extends Pick<
    SlotHeader,
    "generation" | "modifiedMs" | "tableOffset" | "tableBytes" | "deadBytes" | "chunkCount" | "bodyCount"
  > {
  readonly facts: PixelFacts;
}

/** Facts about a world, in the base encoding. */
export const factsCodec: Codec<PixelFacts> = combined(
  checked(
    record<Pick<PixelFacts, "worldSeed" | "createdMs" | "chunkEdge" | "tileEdge">>({
      worldSeed: varU64,
      createdMs: varUint,
      chunkEdge: varU16,
      tileEdge: varU16,
    }),
    "ORT_LIMIT",
    faultOfEdges,
  ),
  record<Pick<PixelFacts, "layers" | "generator">>({
    layers: layersCodec,
    generator: option(generatorRefCodec),
  }),
);

/**
 * Both edges are powers of two in range, so that a chunk can be split into those of any other world.
 */
function faultOfEdges({
  chunkEdge,
  tileEdge,
}: Pick<PixelFacts, "chunkEdge" | "tileEdge">): string | undefined {
  const isPower = (value: number): boolean => Number.isInteger(Math.log2(value));
  const fits =
    chunkEdge >= CHUNK_EDGE_MIN && chunkEdge <= CHUNK_EDGE_MAX && tileEdge >= 1 && tileEdge <= chunkEdge;
  if (fits && isPower(chunkEdge) && isPower(tileEdge)) return undefined;
  return `chunkEdge is ${chunkEdge} and tileEdge ${tileEdge} pixels; both are powers of two, chunkEdge from ${CHUNK_EDGE_MIN} to ${CHUNK_EDGE_MAX}`;
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
    throw fault("ORT_VERSION", `unsupported version ${header.version} (expected ${VERSION})`, origin);
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

/** Location of a table. */
export interface TableSpan {
  readonly offset: number;
  readonly bytes: number;
}

/** The committed state of a file. */
export interface Version2State {
  readonly facts: PixelFacts;
  readonly generation: number;
  readonly modifiedMs: number;
  readonly index: PixelIndex;
  /** The tables that make up the index, newest first. */
  readonly tables: readonly TableSpan[];
  /** End of the committed part of the file. */
  readonly end: number;
  readonly deadBytes: number;
  /** Error of a damaged header, if there is one. */
  readonly headerFault: OrthantError | undefined;
  /**
   * Whether the state comes from a commit whose header is damaged, found after the end of the older state.
   */
  readonly rolledForward: boolean;
}

/**
 * Reads the newest committed state. One intact header is enough. If the other is damaged, it may have been
 * the newer one; the table of the next generation is then searched for after the end, and counts if it is
 * complete.
 */
export async function readState(file: DiskFile): Promise<Version2State> {
  const slots = await readSlots(file);
  const [headerFault] = slots.filter((slot) => slot instanceof OrthantError);
  const newest = newestSlot(slots);
  if (newest === undefined) throw headerFault ?? new OrthantError("ORT_MAGIC", "no header");
  if (headerFault !== undefined) {
    const next = await nextGeneration(file, newest);
    if (next !== undefined) return { ...next, headerFault };
  }
  return { ...(await stateOfSlot(file, newest)), headerFault };
}

/**
 * Reads the newest committed state like {@link readState}, for a file that is written to or repaired. Also
 * throws if a header is damaged and entries follow the committed end. A power cut cannot leave both: the
 * header rotted and may have named these entries. Rule X32.
 */
export async function readWritableState(file: DiskFile): Promise<Version2State> {
  const state = await readState(file);
  if (state.headerFault === undefined || state.rolledForward) return state;
  for await (const piece of scanEntries(file, state.end)) {
    if (piece.kind === "gap") continue;
    const detail = `a header is damaged, and behind generation ${state.generation} there is more; repair the file before it is written to`;
    throw new OrthantError("ORT_CHECKSUM", detail, { offset: piece.entry.offset });
  }
  return state;
}

/** Returns the intact header with the latest generation. */
export function newestSlot(slots: readonly (Slot | OrthantError)[]): Slot | undefined {
  const whole = slots.filter((slot): slot is Slot => !(slot instanceof OrthantError));
  return whole.sort((a, b) => b.generation - a.generation)[0];
}

/** Reads the state that a header names; its counts must match the tables. */
async function stateOfSlot(file: DiskFile, slot: Slot): Promise<Omit<Version2State, "headerFault">> {
  const { facts, generation, modifiedMs, tableOffset, tableBytes } = slot;
  const entry = await readEntry(file, "table", tableOffset, tableBytes);
  const { index, tables } = await readTables(file, entry);
  const end = tableOffset + tableBytes;
  const deadBytes = deadBytesOf(index, tables, end);
  const found = [index.chunks.size, index.bodies.size, deadBytes].join();
  const said = [slot.chunkCount, slot.bodyCount, slot.deadBytes].join();
  if (found !== said)
    throw new OrthantError(
      "ORT_INDEX",
      `a header says ${said} chunks, bodies, dead bytes; there are ${found}`,
    );
  return { facts, generation, modifiedMs, index, tables, end, deadBytes, rolledForward: false };
}

/** Returns the number of unreferenced bytes between the headers and the end. */
export function deadBytesOf(
  { chunks, bodies }: PixelIndex,
  tables: readonly TableSpan[],
  end: number,
): number {
  const tableBytes = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  return end - ENTRIES_OFFSET - chunks.liveBytes - bodies.liveBytes - tableBytes;
}

/** Reads a table and all tables below it. */
async function readTables(
  file: DiskFile,
  newest: Entry,
): Promise<{ readonly index: PixelIndex; readonly tables: readonly TableSpan[] }> {
  const chain: Entry[] = [newest];
  for (let table = newest; linksOf(table.payload) > 0; ) {
    const below = await readTableAt(file, Number(table.id), table.offset);
    if (linksOf(below.payload) !== linksOf(table.payload) - 1) {
      throw new OrthantError("ORT_INDEX", "a table lies on one that it cannot lie on", {
        offset: table.offset,
      });
    }
    chain.push(below);
    table = below;
  }
  const index = { chunks: new ChunkIndex(), bodies: new BodyIndex() };
  for (const { payload, offset } of [...chain].reverse()) applyTable(payload, offset, index);
  return { index, tables: chain.map(({ offset, bytes }) => ({ offset, bytes })) };
}

/** Reads the table at an offset, which must be before the table that refers to it. */
async function readTableAt(file: DiskFile, offset: number, before: number): Promise<Entry> {
  if (offset < ENTRIES_OFFSET || offset + entryHeader.bytes > before) {
    throw new OrthantError("ORT_INDEX", `a table at ${offset} below one at ${before}`, { offset: before });
  }
  const { bytes } = decodeEntryHeader(await file.readAt(offset, entryHeader.bytes), offset);
  return readEntry(file, "table", offset, bytes);
}

/** Reads the state that follows a header's, if the file has all of it. */
async function nextGeneration(
  file: DiskFile,
  slot: Slot,
): Promise<Omit<Version2State, "headerFault"> | undefined> {
  const generation = slot.generation + 1;
  for await (const piece of scanEntries(file, slot.tableOffset + slot.tableBytes)) {
    // A commit is synced before its header is written, so entries with a gap were never committed.
    if (piece.kind === "gap") return undefined;
    const { entry } = piece;
    if (entry.kind !== "table" || entry.generation !== generation) continue;
    const { index, tables } = await readTables(file, entry);
    const end = entry.offset + entry.bytes;
    const deadBytes = deadBytesOf(index, tables, end);
    return {
      facts: slot.facts,
      generation,
      modifiedMs: slot.modifiedMs,
      index,
      tables,
      end,
      deadBytes,
      rolledForward: true,
    };
  }
  return undefined;
}
