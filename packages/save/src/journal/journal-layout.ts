import { crc32, decode, encode, magic, type Struct, struct, u32, u64, u64Number } from "@orthant/core/bytes";

/** Folder in a save for changes since its last generation. */
export const JOURNAL_FOLDER = "journal";

/**
 * Identity of a journal file. It is unique among all that were ever begun: an epoch is one opening of a world.
 */
export interface SegmentId {
  /** The file holds the changes made after this generation's content was captured. */
  readonly generation: number;
  /** The epoch's number. */
  readonly epoch: number;
  readonly epochId: bigint;
}

/** Version that is written. Version 1, without a secret, can still be read. */
export const JOURNAL_VERSION = 2;

/** Fields at the beginning of a version 1 segment. */
interface SegmentHeaderV1 {
  readonly magic: "V4JN";
  readonly version: number;
  readonly generation: number;
  readonly epoch: number;
  readonly epochId: bigint;
  /** Number of groups in the previous generation's segment. */
  readonly groupsBefore: number;
  readonly crc32: number;
}

/** Fields at the beginning of a segment. */
interface SegmentHeader extends SegmentHeaderV1 {
  /** Random, and covered by the checksum of every group. It is never sent, so no client can forge a group. */
  readonly secret: bigint;
}

/** A decoded header of either version. */
export type ReadSegmentHeader = SegmentHeaderV1 & Partial<Pick<SegmentHeader, "secret">>;

/** Layout of a segment header. Rule J2 in docs/formats/journal.md. */
export const segmentHeader: Struct<SegmentHeader> = struct({
  magic: magic("V4JN"),
  version: u32,
  generation: u64Number,
  epoch: u32,
  epochId: u64,
  groupsBefore: u64Number,
  secret: u64,
  crc32: u32,
});

/** Layout of a version 1 segment header. */
export const segmentHeaderV1: Struct<SegmentHeaderV1> = struct({
  magic: magic("V4JN"),
  version: u32,
  generation: u64Number,
  epoch: u32,
  epochId: u64,
  groupsBefore: u64Number,
  crc32: u32,
});

/** Fields at the beginning of a group. An end mark has the same fields and no payload. */
interface GroupHeader {
  readonly magic: "JGRP";
  readonly payloadBytes: number;
  /** Number of the group in the segment, starting at 0. */
  readonly sequence: number;
  readonly crc32: number;
}

/** Layout of a group header. Rule J4. */
export const groupHeader: Struct<GroupHeader> = struct({
  magic: magic("JGRP"),
  payloadBytes: u32,
  sequence: u64Number,
  crc32: u32,
});

const SEGMENT_NAME = /^g(\d{16})\.e(\d{8})\.v4jn$/;

/** Returns the path of a segment. Generation and epoch are decimal. Rule J1. */
export function segmentFile({ generation, epoch }: Pick<SegmentId, "generation" | "epoch">): string {
  return `${JOURNAL_FOLDER}/g${decimal(generation, 16)}.e${decimal(epoch, 8)}.v4jn`;
}

/** Parses the name of a file in the journal's folder; `undefined` if it is not a segment. */
export function parseSegmentName(name: string): Omit<SegmentId, "epochId"> | undefined {
  const [, generation, epoch] = SEGMENT_NAME.exec(name) ?? [];
  if (generation === undefined || epoch === undefined) return undefined;
  const parsed = { generation: Number(generation), epoch: Number(epoch) };
  return Number.isSafeInteger(parsed.generation) ? parsed : undefined;
}

function decimal(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}

/** Additional values covered by the checksum of a group. */
export interface SegmentKey extends SegmentId {
  /** Absent in version 1. */
  readonly secret?: bigint;
}

/** Maximum payload size of one group. */
const JOURNAL_GROUP_BYTES_MAX = 67_108_864;

/**
 * Encodes the first bytes of a segment. `groupsBefore` is the number of groups in the previous generation's
 * segment.
 */
export function encodeSegmentHeader(
  { generation, epoch, epochId, secret }: Required<SegmentKey>,
  groupsBefore: number,
): Uint8Array {
  const bytes = encode(segmentHeader, {
    magic: "V4JN",
    version: JOURNAL_VERSION,
    generation,
    epoch,
    epochId,
    groupsBefore,
    secret,
    crc32: 0,
  });
  const at = segmentHeader.offsets.crc32;
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, crc32(bytes.subarray(0, at)), true);
  return bytes;
}

/** Decodes the first bytes of a segment; `undefined` unless they are complete and correct. */
export function decodeSegmentHeader(bytes: Uint8Array): ReadSegmentHeader | undefined {
  return decodeSealed(segmentHeader, bytes) ?? decodeSealed(segmentHeaderV1, bytes);
}

/** Returns the size of a header. */
export function segmentHeaderBytes({ secret }: ReadSegmentHeader): number {
  return secret === undefined ? segmentHeaderV1.bytes : segmentHeader.bytes;
}

/**
 * Completes a group whose payload follows space for a header: fills in the header and returns the group. The
 * checksum also covers the segment's identity, so that bytes of another one never pass.
 */
export function finishGroup(group: Uint8Array, sequence: number, segment: SegmentKey): Uint8Array {
  return fillHeader(group, GROUP_MAGIC, sequence, segment);
}

/**
 * Encodes the mark written after the last group of a segment before the next one gets its first group.
 * Rule J23.
 */
export function encodeEndMark(groups: number, segment: SegmentKey): Uint8Array {
  return fillHeader(new Uint8Array(groupHeader.bytes), END_MAGIC, groups, segment);
}

/** Returns whether bytes begin with the end mark of a segment with `groups` groups. */
export function isEndMark(bytes: Uint8Array, groups: number, segment: SegmentKey): boolean {
  const expected = encodeEndMark(groups, segment);
  return bytes.length >= expected.length && expected.every((byte, index) => byte === bytes[index]);
}

function fillHeader(
  group: Uint8Array,
  magic: readonly number[],
  sequence: number,
  segment: SegmentKey,
): Uint8Array {
  const { offsets, bytes } = groupHeader;
  group.set(magic);
  const view = new DataView(group.buffer, group.byteOffset, bytes);
  view.setUint32(offsets.payloadBytes, group.length - bytes, true);
  view.setUint32(offsets.sequence, sequence % 0x1_0000_0000, true);
  view.setUint32(offsets.sequence + 4, Math.floor(sequence / 0x1_0000_0000), true);
  view.setUint32(offsets.crc32, checksumOf(group, segment, group.subarray(bytes)), true);
  return group;
}

/** Decodes the header of a group; `undefined` for bytes that cannot be one. Does not check the checksum. */
export function decodeGroupHeader(bytes: Uint8Array): GroupHeader | undefined {
  if (bytes.length < groupHeader.bytes || !hasGroupMagic(bytes, 0)) return undefined;
  const payloadBytes = getU32(bytes, groupHeader.offsets.payloadBytes);
  const sequenceHigh = getU32(bytes, groupHeader.offsets.sequence + 4);
  // A sequence that is not a safe integer was never written.
  if (payloadBytes === 0 || payloadBytes > JOURNAL_GROUP_BYTES_MAX || sequenceHigh > 0x1f_ffff)
    return undefined;
  return decode(groupHeader, bytes.subarray(0, groupHeader.bytes));
}

/** Returns whether a group's checksum matches its header, its payload and its segment. */
export function isGroupWhole(header: GroupHeader, payload: Uint8Array, segment: SegmentKey): boolean {
  return header.crc32 === checksumOf(encode(groupHeader, header), segment, payload);
}

/** Returns whether the magic of a group is at an offset. */
export function hasGroupMagic(bytes: Uint8Array, at: number): boolean {
  return GROUP_MAGIC.every((letter, index) => bytes[at + index] === letter);
}

/** First letter of a group's magic. */
export const GROUP_FIRST_LETTER = 0x4a;
const GROUP_MAGIC: readonly number[] = [GROUP_FIRST_LETTER, 0x47, 0x52, 0x50];
/** `JEND` */
const END_MAGIC: readonly number[] = [0x4a, 0x45, 0x4e, 0x44];

/** Compares the checksum before trusting anything; it also covers the magic. */
function decodeSealed<Header extends SegmentHeaderV1>(
  layout: Struct<Header>,
  bytes: Uint8Array,
): Header | undefined {
  if (bytes.length < layout.bytes) return undefined;
  const stored = bytes.subarray(0, layout.bytes);
  const end = layout.bytes - 4;
  if (getU32(stored, end) !== crc32(stored.subarray(0, end))) return undefined;
  return decode(layout, stored);
}

function checksumOf(
  header: Uint8Array,
  { generation, epoch, epochId, secret }: SegmentKey,
  payload: Uint8Array,
): number {
  keyBytes.setBigUint64(0, BigInt(generation), true);
  keyBytes.setUint32(8, epoch, true);
  keyBytes.setBigUint64(12, epochId, true);
  if (secret !== undefined) keyBytes.setBigUint64(20, secret, true);
  const key = secret === undefined ? keyV1 : keyV2;
  const ofHeader = crc32(header.subarray(0, groupHeader.offsets.crc32));
  return crc32(payload, crc32(key, ofHeader));
}

// Shared by all calls, which never overlap, because every durable edit comes through here.
const keyBytes = new DataView(new ArrayBuffer(28));
const keyV1 = new Uint8Array(keyBytes.buffer, 0, 20);
const keyV2 = new Uint8Array(keyBytes.buffer);

function getU32(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset, true);
}
