import { ByteReader, OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import type { PixelDialect } from "../dialect.ts";
import { browserHeader, nativeHeader } from "../layout.ts";
import { CHUNK_EDGE, PIXEL_BYTES, TILE_EDGE } from "../limits.ts";
import { VERSION1_LAYERS } from "../pixels/pixel-layers.ts";
import type { PixelFacts } from "../save.ts";
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
    `version ${header.version} of a ${dialect} file, known is ${VERSION}`,
    { offset: 4 },
  );
}

/** Decodes the header, whatever version it names. */
function decodeHeader(bytes: Uint8Array, dialect: Version1Header["dialect"]): Version1Header {
  const input = new ByteReader(bytes);
  const header = dialect === "native" ? nativeHeader.read(input) : browserHeader.read(input);
  if ("chunkEdge" in header) {
    requireSize("chunks", header.chunkEdge, CHUNK_EDGE);
    requireSize("tiles", header.tileEdge, TILE_EDGE);
    requireSize("bytes a pixel", header.pixelBytes, PIXEL_BYTES);
  }
  const { version, worldSeed, chunkCount, tableOffset, tableBytes, bodiesOffset } = header;
  return {
    dialect,
    facts: {
      worldSeed,
      createdMs: milliseconds(header.createdSeconds),
      chunkEdge: CHUNK_EDGE,
      tileEdge: TILE_EDGE,
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
