import { OrthantError, type Position } from "@orthant/core";
import { ByteReader, ByteWriter, type Codec, list, option, u64 } from "@orthant/core/bytes";
import { comparePositions, positionCodec, positionsEqual, regionOf } from "@orthant/core/lattice";
import { CLOCK_NEVER, changeNumberOf, EPOCH_MAX, epochOf } from "@orthant/core/tree";
import type { LastClientEdit } from "@orthant/save";
import { type JournalChunk, journalChunkCodec } from "@orthant/save/journal";
import { type EntitiesRecord, entitiesBodyCodec } from "./entity-record.ts";
import { type ShardSplit, shardSplitCodec } from "./shard-map.ts";
import { type StepRecord, stepBodyCodec } from "./step-record.ts";

/** An edit in a record. */
export interface RecordOrigin extends LastClientEdit {
  /** Place of the edit among all edits of its group, from 0. */
  readonly order: number;
}

/** The change of one region by a group of edits that were stored together. */
export interface RegionRecord {
  readonly kind: "region";
  readonly term: number;
  /** Number of the group within its term. */
  readonly group: number;
  /** Index of the record in its group, from 0, and the number of records in the group. */
  readonly index: number;
  readonly count: number;
  readonly region: Position;
  /** The region's clock before and after the change. */
  readonly before: number;
  readonly after: number;
  /** The clients and ids of the edits, in order. */
  readonly origins: readonly RecordOrigin[];
  /** The changed chunks, in lexicographic order. */
  readonly chunks: readonly JournalChunk[];
}

/** The first record of a term. After it the journal accepts no older owner's record. */
interface TermRecord {
  readonly kind: "term";
  readonly term: number;
  readonly node: string;
}

/** Gives the sectors of a box to another shard from here on. */
interface SplitRecord {
  readonly kind: "split";
  readonly term: number;
  readonly split: ShardSplit;
}

/** A record of a shard's journal. */
export type ShardRecord = RegionRecord | TermRecord | SplitRecord | EntitiesRecord | StepRecord;

/** Maximum size of a record in bytes. Rule K12. */
export const RECORD_BYTES_MAX = 1_572_864;
/** Maximum number of edits in one record. */
export const RECORD_ORIGINS_MAX = 65_536;

const CRC_POLYNOMIAL = 0x82f6_3b78;
const crcTable = buildCrcTable();
const VERSION = 2;
/** Without players, and with the order of edits only within a record. */
const VERSION_WITHOUT_PLAYERS = 1;
/** Of records about entities, which older nodes cannot read and must not pass over. */
const VERSION_OF_ENTITIES = 3;
/** Of records about steps, for the same reason. Version 4 had no edits across borders. */
const VERSION_OF_STEPS = 5;
const VERSION_OF_KIND: Readonly<Record<ShardRecord["kind"], number>> = {
  region: VERSION,
  term: VERSION,
  split: VERSION,
  entities: VERSION_OF_ENTITIES,
  step: VERSION_OF_STEPS,
};
const KINDS: readonly ShardRecord["kind"][] = ["region", "term", "split", "entities", "step"];
const CRC_BYTES = 4;
const REGION_CHUNKS_MAX = 256;
const NODE_BYTES_MAX = 32;

const playerIdCodec = option(u64);

const originsCodec = list<RecordOrigin>(
  {
    write(out, { clientId, lastEditId, playerId, order }) {
      out.u64(clientId);
      out.varUint(lastEditId);
      playerIdCodec.write(out, playerId);
      out.varUint(order);
    },
    read(input) {
      const edit = readEdit(input);
      const playerId = playerIdCodec.read(input);
      const order = input.varUint();
      return playerId === undefined ? { ...edit, order } : { ...edit, playerId, order };
    },
  },
  RECORD_ORIGINS_MAX,
);

/** Reads the origins of version 1. They are never written. */
const originsWithoutPlayersCodec = list<LastClientEdit>(
  { write: () => undefined, read: readEdit },
  RECORD_ORIGINS_MAX,
);

function readEdit(input: ByteReader): LastClientEdit {
  const edit = { clientId: input.u64(), lastEditId: input.varUint() };
  if (edit.lastEditId === 0) throw input.fail("ORT_JOURNAL", "an edit with the id 0");
  return edit;
}

function readOrigins(input: ByteReader, version: number): readonly RecordOrigin[] {
  if (version === VERSION) return originsCodec.read(input);
  return originsWithoutPlayersCodec.read(input).map((edit, order) => ({ ...edit, order }));
}

/**
 * Encodes a record of a world whose chunks have `volume` voxels. Rules K6 to K12 in docs/formats/cluster.md.
 */
export function encodeShardRecord(record: ShardRecord, volume: number): Uint8Array {
  const out = new ByteWriter();
  out.u8(VERSION_OF_KIND[record.kind]);
  out.tag(KINDS.indexOf(record.kind), KINDS.length);
  out.varUint(record.term);
  if (record.kind === "term") out.string(record.node, NODE_BYTES_MAX);
  else if (record.kind === "split") shardSplitCodec.write(out, record.split);
  else if (record.kind === "entities") entitiesBodyCodec.write(out, record);
  else if (record.kind === "step") stepBodyCodec(volume).write(out, record);
  else writeRegionBody(out, record, volume);
  out.u32(crc32c(out.view()));
  if (out.length > RECORD_BYTES_MAX)
    throw new OrthantError("ORT_LIMIT", `a record of ${out.length} bytes, the limit is ${RECORD_BYTES_MAX}`);
  return out.copy();
}

/** Decodes a record. Throws an `OrthantError` for everything that `encodeShardRecord` does not produce. */
export function decodeShardRecord(bytes: Uint8Array, volume: number): ShardRecord {
  const bodyBytes = bytes.length - CRC_BYTES;
  if (bytes.length > RECORD_BYTES_MAX || bodyBytes < 0)
    throw new OrthantError("ORT_LIMIT", `a record of ${bytes.length} bytes`);
  const input = new ByteReader(bytes.subarray(0, bodyBytes));
  const crc = new ByteReader(bytes.subarray(bodyBytes)).u32();
  if (crc32c(bytes.subarray(0, bodyBytes)) !== crc) throw input.fail("ORT_CHECKSUM", "a damaged record");
  const record = readRecord(input, volume);
  input.end();
  return record;
}

function readRecord(input: ByteReader, volume: number): ShardRecord {
  const version = input.u8();
  if (version < VERSION_WITHOUT_PLAYERS || version > VERSION_OF_STEPS)
    throw input.fail(
      "ORT_VERSION",
      `unsupported record version ${version} (expected at most ${VERSION_OF_STEPS})`,
    );
  const kind = KINDS[input.tag(KINDS.length)] ?? "region";
  const term = input.varUint();
  if (term < 1 || term > EPOCH_MAX) throw input.fail("ORT_CLOCK", `a record of term ${term}`);
  if (Math.max(version, VERSION) !== VERSION_OF_KIND[kind])
    throw input.fail("ORT_VERSION", `a record of kind ${kind} with version ${version}`);
  if (kind === "entities") return { kind, term, ...entitiesBodyCodec.read(input) };
  if (kind === "step") return { kind, term, ...stepBodyCodec(volume).read(input) };
  if (kind === "term") return { kind, term, node: input.string(NODE_BYTES_MAX) };
  if (kind === "split") return { kind, term, split: shardSplitCodec.read(input) };
  const body = readRegionBody(input, volume, version);
  const disorder = findDisorder({ ...body, term });
  if (disorder !== undefined) throw input.fail("ORT_JOURNAL", disorder);
  return { kind: "region", term, ...body };
}

type RegionBody = Omit<RegionRecord, "kind" | "term">;

function chunksCodec(volume: number): Codec<readonly JournalChunk[]> {
  return list(journalChunkCodec(volume), REGION_CHUNKS_MAX);
}

function writeRegionBody(out: ByteWriter, body: RegionBody, volume: number): void {
  const { group, index, count, region, before, after, origins, chunks } = body;
  out.varUint(group);
  out.varUint(index);
  out.varUint(count);
  positionCodec.write(out, region);
  out.varUint(before);
  out.varUint(after);
  originsCodec.write(out, origins);
  chunksCodec(volume).write(out, chunks);
}

function readRegionBody(input: ByteReader, volume: number, version: number): RegionBody {
  return {
    group: input.varUint(),
    index: input.varUint(),
    count: input.varUint(),
    region: positionCodec.read(input),
    before: input.varUint(),
    after: input.varUint(),
    origins: readOrigins(input, version),
    chunks: chunksCodec(volume).read(input),
  };
}

/** Describes the first inconsistency in a record, or returns `undefined`. */
function findDisorder(body: RegionBody & { readonly term: number }): string | undefined {
  const { term, group, index, count, region, before, after, chunks } = body;
  if (group === 0 || index >= count) return `record ${index} of ${count} in group ${group}`;
  const isClock = before === CLOCK_NEVER || (epochOf(before) >= 1 && changeNumberOf(before) >= 1);
  if (!isClock || before >= after || epochOf(after) !== term || changeNumberOf(after) === 0)
    return `region [${region}] from clock ${before} to ${after} in term ${term}`;
  for (const [index, { position }] of chunks.entries()) {
    const previous = chunks[index - 1];
    if (!positionsEqual(regionOf(position), region)) return `chunk [${position}] in region [${region}]`;
    if (previous !== undefined && comparePositions(previous.position, position) >= 0)
      return `chunk [${position}] behind [${previous.position}]`;
  }
  return undefined;
}

/** Returns the CRC-32C (Castagnoli, reflected) of `bytes`. */
export function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}

function buildCrcTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? CRC_POLYNOMIAL : 0);
    return remainder;
  });
}
