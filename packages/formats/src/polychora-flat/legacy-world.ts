import {
  type Chunk,
  chunkFromVoxels,
  HYPERCUBE_CHUNKS,
  OrthantError,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { type ByteReader, type Codec, magic } from "@orthant/core/bytes";
import { comparePositions } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { decodeAt, readWhole } from "@orthant/disk/files";
import { type BaseWorld, BulkSaveWriter, type ChunkEntry } from "@orthant/save";
import type { ConversionReport } from "../format/losses.ts";
import { emptyGlobal, leavesOfChunks } from "../format/new-world.ts";

/** A world from before saves were folders: its base and the edited chunks. */
export interface LegacyWorld {
  readonly base: BaseWorld;
  /** In lexicographic order of their positions. */
  readonly chunks: readonly ChunkEntry[];
}

const LEGACY_VERSION = 2;
const { volume: VOLUME } = HYPERCUBE_CHUNKS;
/** Minimum sizes of a payload and of an entry. */
const PAYLOAD_BYTES_MIN = 2;
const ENTRY_BYTES = 20;
// Shared by all calls, which never overlap, so that a few bytes of runs do not cost an array of all voxels.
const scratchVoxels = new Uint16Array(VOLUME);
const magicCodec = magic("V4DW");

const legacyWorldCodec: Codec<LegacyWorld> = {
  write() {
    throw new OrthantError("ORT_DIALECT", "nothing writes .v4dw any more");
  },

  read(input) {
    magicCodec.read(input);
    const version = input.u32();
    if (version !== LEGACY_VERSION) {
      throw input.fail("ORT_VERSION", `unsupported .v4dw version ${version} (expected ${LEGACY_VERSION})`);
    }
    const base = readBase(input);
    const entryCount = input.u32();
    const payloadCount = input.u32();
    if (payloadCount * PAYLOAD_BYTES_MIN + entryCount * ENTRY_BYTES > input.remaining) {
      throw input.fail("ORT_TRUNCATED", `${payloadCount} payloads and ${entryCount} entries`);
    }
    const payloads = Array.from({ length: payloadCount }, () => readPayload(input));
    const chunks = Array.from({ length: entryCount }, () => readEntry(input, payloads));
    chunks.sort((a, b) => comparePositions(a.position, b.position));
    for (const [index, { position }] of chunks.entries()) {
      const previous = chunks[index - 1];
      if (previous === undefined || comparePositions(previous.position, position) < 0) continue;
      throw input.fail("ORT_BLOB", `two chunks at [${position}]`);
    }
    return { base, chunks };
  },
};

/** Reads a `.v4dw` file, the predecessor of the folder format. It has no checksum. Rule S42. */
export function readLegacyWorld(path: string, bytes: Uint8Array): LegacyWorld {
  return decodeAt({ path }, legacyWorldCodec, bytes);
}

/** Size limit of a legacy file, which is read whole. */
const LEGACY_WORLD_BYTES_MAX: number = 256 * 1024 * 1024;

/** Reads a `.v4dw` file from a disk. Throws `ORT_LIMIT` for a file larger than any that was ever written. */
export async function openLegacyWorld(disk: Disk, path: string): Promise<LegacyWorld> {
  return readLegacyWorld(path, await readWhole(disk, path, LEGACY_WORLD_BYTES_MAX));
}

function readBase(input: ByteReader): BaseWorld {
  const kind = input.u8();
  if (kind === 0) return { kind: "empty" };
  if (kind === 1) return { kind: "flatFloor", block: input.u8() };
  throw input.fail("ORT_TAG", `base world ${kind}`);
}

function readPayload(input: ByteReader): Chunk {
  const encoding = input.u8();
  switch (encoding) {
    case 0:
      return uniformChunk(VOLUME, input.u8());
    case 1:
      return readRuns(input);
    case 2:
      return chunkFromVoxels(Uint16Array.from(input.view(VOLUME)));
    default:
      throw input.fail("ORT_TAG", `chunk encoding ${encoding}`);
  }
}

function readRuns(input: ByteReader): Chunk {
  const voxels = scratchVoxels;
  let filled = 0;
  for (let runs = input.u16(); runs > 0; runs--) {
    const block = input.u8();
    const length = input.u16();
    if (length > VOLUME - filled) throw input.fail("ORT_CHUNK_VOLUME", `runs of more than ${VOLUME} voxels`);
    voxels.fill(block, filled, filled + length);
    filled += length;
  }
  if (filled !== VOLUME) throw input.fail("ORT_CHUNK_VOLUME", `runs of ${filled} voxels`);
  return chunkFromVoxels(voxels);
}

function readEntry(input: ByteReader, payloads: readonly Chunk[]): ChunkEntry {
  const position: Position = [input.i32(), input.i32(), input.i32(), input.i32()];
  const number = input.u32();
  const chunk = payloads[number];
  if (chunk === undefined) throw input.fail("ORT_BLOB", `chunk ${number} of ${payloads.length}`);
  return { position, chunk };
}

/** Writes a `.v4dw` world as an Orthant save to an empty disk. Without a disk, only counts. Nothing is lost. */
export async function importLegacyWorld(
  world: LegacyWorld,
  target: Disk | undefined,
  nowMs: number,
): Promise<ConversionReport> {
  const writer = target && (await BulkSaveWriter.create(target, HYPERCUBE_CHUNKS));
  try {
    await writer?.add(leavesOfChunks(world.chunks));
    const global = { ...emptyGlobal(HYPERCUBE_CHUNKS), base: world.base };
    await writer?.finish({ nowMs, global, players: [] });
  } finally {
    await writer?.close();
  }
  return { chunks: world.chunks.length, entities: 0, players: 0, losses: [] };
}
