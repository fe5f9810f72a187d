import { OrthantError } from "@orthant/core";
import { ByteReader, crc8 } from "@orthant/core/bytes";
import type { DiskFile } from "@orthant/disk";
import {
  bodyHeader,
  bodyIndexEntry,
  bodySection,
  browserHeader,
  nativeHeader,
  pageEntry,
} from "../format/layout.ts";
import { CHUNK_EDGE, PIXEL_BYTES, PIXEL_TILE_EDGE } from "../format/limits.ts";
import { storageNamed, VERSION1_LAYERS } from "../format/pixels.ts";
import {
  comparePixelBodies,
  comparePixelChunks,
  type PixelBodyRef,
  type PixelChunkRef,
  type PixelDialect,
  type PixelFacts,
} from "../format/save.ts";
import type { Strictness } from "./chunk-payload.ts";

/** Size of either header; data follows it. */
export const HEADER_BYTES: number = nativeHeader.bytes;
const VERSION = 1;
const SECOND_MS = 1_000;

/** Header of a version 1 file in either dialect. */
export interface Version1Header {
  readonly dialect: Exclude<PixelDialect, "version2">;
  readonly facts: PixelFacts;
  readonly modifiedMs: number;
  readonly version: number;
  readonly chunkCount: number;
  readonly tableOffset: number;
  readonly tableBytes: number;
  /** 0 if there are no bodies. */
  readonly bodiesOffset: number;
}

/**
 * Reads the header. Throws `ORT_MAGIC`, `ORT_VERSION` or `ORT_TRUNCATED` if it is invalid. Salvage also
 * accepts a version below 1, as the original did.
 */
export async function readHeader(
  file: DiskFile,
  dialect: Version1Header["dialect"],
  strictness: Strictness,
): Promise<Version1Header> {
  const bytes = await file.readAt(0, Math.min(HEADER_BYTES, await file.size()));
  const header = decodeHeader(bytes, dialect);
  const known = strictness === "strict" ? header.version === VERSION : header.version <= VERSION;
  if (known) return header;
  throw new OrthantError(
    "ORT_VERSION",
    `unsupported version ${header.version} of a ${dialect} file (expected ${VERSION})`,
    { offset: 4 },
  );
}

/** Decodes the header, whatever version it names. */
function decodeHeader(bytes: Uint8Array, dialect: Version1Header["dialect"]): Version1Header {
  const input = new ByteReader(bytes);
  const header = dialect === "native" ? nativeHeader.read(input) : browserHeader.read(input);
  if ("chunkEdge" in header) {
    requireSize("chunks", header.chunkEdge, CHUNK_EDGE);
    requireSize("tiles", header.tileEdge, PIXEL_TILE_EDGE);
    requireSize("bytes a pixel", header.pixelBytes, PIXEL_BYTES);
  }
  const { version, worldSeed, chunkCount, tableOffset, tableBytes, bodiesOffset } = header;
  return {
    dialect,
    facts: {
      worldSeed,
      createdMs: milliseconds(header.createdSeconds),
      chunkEdge: CHUNK_EDGE,
      tileEdge: PIXEL_TILE_EDGE,
      layers: VERSION1_LAYERS,
      generator: undefined,
    },
    modifiedMs: milliseconds(header.modifiedSeconds),
    version,
    chunkCount,
    tableOffset,
    tableBytes,
    bodiesOffset,
  };
}

function requireSize(what: string, found: number, expected: number): void {
  if (found === expected) return;
  throw new OrthantError("ORT_VERSION", `${what} of ${found}, where version ${VERSION} has ${expected}`, {
    offset: 48,
  });
}

function milliseconds(seconds: number): number {
  if (seconds <= Number.MAX_SAFE_INTEGER / SECOND_MS) return seconds * SECOND_MS;
  throw new OrthantError("ORT_UNSAFE_INTEGER", `a time of ${seconds} seconds`);
}

/** Bytes of the length before a chunk's payload. */
export const PREFIX_BYTES = 4;
const ENTRIES_PER_READ = 65_536;

/** Throws a fault if strict, or records it and continues. */
type Report = (error: OrthantError) => void;

/** Contents of the page table and the body index. */
export interface Version1Index {
  readonly chunks: readonly PixelChunkRef[];
  readonly bodies: readonly PixelBodyRef[];
  /** Whether the body index is complete. */
  readonly bodiesKnown: boolean;
}

/** Reads the page table and the body index. Reports and omits invalid entries. */
export async function readVersion1Index(
  file: DiskFile,
  header: Version1Header,
  report: Report,
): Promise<Version1Index> {
  const size = await file.size();
  const { tableOffset, tableBytes, chunkCount, bodiesOffset } = header;
  if (tableBytes !== chunkCount * pageEntry.bytes) {
    report(at(36, "ORT_INDEX", `a table of ${tableBytes} bytes for ${chunkCount} chunks`));
  }
  const tableEnd = tableOffset + chunkCount * pageEntry.bytes;
  if (bodiesOffset !== 0 && bodiesOffset !== tableEnd) {
    report(at(53, "ORT_INDEX", `bodies at ${bodiesOffset}, where the table ends at ${tableEnd}`));
  }
  const chunks = await readTable(file, header, size, report);
  const bodies =
    bodiesOffset === 0 ? { refs: [], whole: true } : await readBodies(file, header, size, report);
  return { chunks, bodies: bodies.refs, bodiesKnown: bodies.whole };
}

async function readTable(
  file: DiskFile,
  header: Version1Header,
  size: number,
  report: Report,
): Promise<PixelChunkRef[]> {
  const { tableOffset, chunkCount, bodiesOffset } = header;
  if (tableOffset < HEADER_BYTES) {
    report(at(40, "ORT_INDEX", `a table at offset ${tableOffset}, inside the header`));
    return [];
  }
  const limit = bodiesOffset > tableOffset ? Math.min(size, bodiesOffset) : size;
  const chunks: PixelChunkRef[] = [];
  const seen = new Set<string>();
  const entries = readEntries(
    file,
    { offset: tableOffset, count: chunkCount, bytes: pageEntry.bytes, limit },
    report,
  );
  for await (const { bytes, offset } of entries) {
    const ref = chunkOf(bytes, offset, header, report);
    if (ref === undefined) continue;
    const key = `${ref.x},${ref.y}`;
    const before = chunks.at(-1);
    if (seen.has(key)) report(at(offset, "ORT_INDEX", `chunk [${key}] is there twice`));
    else if (header.dialect === "native" && before !== undefined && comparePixelChunks(before, ref) > 0) {
      report(at(offset, "ORT_INDEX", `chunk [${key}] is not in its order`));
    }
    if (seen.has(key)) continue;
    seen.add(key);
    chunks.push(ref);
  }
  return chunks.sort(comparePixelChunks);
}

function chunkOf(
  bytes: Uint8Array,
  offset: number,
  header: Version1Header,
  report: Report,
): PixelChunkRef | undefined {
  const refuse = (code: OrthantError["code"], detail: string): undefined => {
    report(at(offset, code, `an entry of the table: ${detail}`));
    return undefined;
  };
  // The browser wrote no checksum. A run of zeros has the right one, so offset and position are checked too.
  const found = crc8(bytes.subarray(0, pageEntry.offsets.crc8));
  const expected = header.dialect === "native" ? found : 0;
  if (bytes[pageEntry.offsets.crc8] !== expected) {
    return refuse("ORT_CHECKSUM", `checksum ${bytes[pageEntry.offsets.crc8]}, computed ${expected}`);
  }
  const high = new DataView(bytes.buffer, bytes.byteOffset).getUint32(
    pageEntry.offsets.payloadOffset + 4,
    true,
  );
  if (high > 0x1f_ffff) return refuse("ORT_INDEX", "an offset beyond any file");
  const {
    x,
    y,
    payloadOffset,
    payloadBytes,
    storage: number,
    reserved,
  } = pageEntry.read(new ByteReader(bytes));
  const storage = storageNamed(number);
  if (storage === undefined) return refuse("ORT_INDEX", `chunk [${x}, ${y}] is stored in way ${number}`);
  if (payloadOffset < HEADER_BYTES + PREFIX_BYTES || payloadOffset + payloadBytes > header.tableOffset) {
    return refuse(
      "ORT_INDEX",
      `chunk [${x}, ${y}] at ${payloadOffset}, ${payloadBytes} bytes, is not between header and table`,
    );
  }
  // Nothing depends on them, so salvage keeps the chunk.
  if (reserved !== 0) refuse("ORT_INDEX", `chunk [${x}, ${y}]: reserved bytes are not 0`);
  return { x, y, storage, offset: payloadOffset - PREFIX_BYTES, bytes: payloadBytes + PREFIX_BYTES };
}

async function readBodies(
  file: DiskFile,
  header: Version1Header,
  size: number,
  report: Report,
): Promise<{ readonly refs: PixelBodyRef[]; readonly whole: boolean }> {
  const { bodiesOffset } = header;
  if (bodiesOffset < header.tableOffset || bodiesOffset + bodySection.bytes > size) {
    const code = bodiesOffset < header.tableOffset ? "ORT_INDEX" : "ORT_TRUNCATED";
    report(at(bodiesOffset, code, `the index of bodies at ${bodiesOffset} in a file of ${size}`));
    return { refs: [], whole: false };
  }
  const { count } = bodySection.read(new ByteReader(await file.readAt(bodiesOffset, bodySection.bytes)));
  const refs: PixelBodyRef[] = [];
  const seen = new Set<bigint>();
  const section = {
    offset: bodiesOffset + bodySection.bytes,
    count,
    bytes: bodyIndexEntry.bytes,
    limit: size,
  };
  let read = 0;
  for await (const { bytes, offset } of readEntries(file, section, report)) {
    read++;
    const ref = bodyOf(bytes, offset, header, report);
    if (ref === undefined) continue;
    const before = refs.at(-1);
    if (seen.has(ref.id)) {
      report(at(offset, "ORT_INDEX", `body ${ref.id} is there twice`));
      continue;
    }
    if (header.dialect === "native" && before !== undefined && comparePixelBodies(before, ref) > 0) {
      report(at(offset, "ORT_INDEX", `body ${ref.id} is not in its order`));
    }
    seen.add(ref.id);
    refs.push(ref);
  }
  return { refs, whole: read === count && refs.length === count };
}

function bodyOf(
  bytes: Uint8Array,
  offset: number,
  header: Version1Header,
  report: Report,
): PixelBodyRef | undefined {
  const high = new DataView(bytes.buffer, bytes.byteOffset).getUint32(
    bodyIndexEntry.offsets.recordOffset + 4,
    true,
  );
  if (high <= 0x1f_ffff) {
    const { id, recordOffset, recordBytes, x, y } = bodyIndexEntry.read(new ByteReader(bytes));
    const fits = recordOffset >= HEADER_BYTES && recordOffset + recordBytes <= header.tableOffset;
    if (fits && recordBytes >= bodyHeader.bytes)
      return { id, x, y, offset: recordOffset, bytes: recordBytes };
  }
  report(at(offset, "ORT_INDEX", "an entry of the index of bodies that lies outside of the data"));
  return undefined;
}

/** Yields consecutive entries, up to `count` of them, and reports missing ones. */
async function* readEntries(
  file: DiskFile,
  section: {
    readonly offset: number;
    readonly count: number;
    readonly bytes: number;
    readonly limit: number;
  },
  report: Report,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly offset: number }> {
  const { offset, count, bytes, limit } = section;
  const there = Math.max(0, Math.min(count, Math.floor((limit - offset) / bytes)));
  for (let first = 0; first < there; first += ENTRIES_PER_READ) {
    const length = Math.min(ENTRIES_PER_READ, there - first);
    const start = offset + first * bytes;
    const read = await file.readAt(start, length * bytes);
    for (let index = 0; index < length; index++) {
      yield { bytes: read.subarray(index * bytes, (index + 1) * bytes), offset: start + index * bytes };
    }
  }
  if (there < count)
    report(at(offset + there * bytes, "ORT_TRUNCATED", `${there} of ${count} entries are there`));
}

function at(offset: number, code: OrthantError["code"], detail: string): OrthantError {
  return new OrthantError(code, detail, { offset });
}
