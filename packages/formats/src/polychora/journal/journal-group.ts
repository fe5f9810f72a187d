import { crc32, decode, encode } from "@orthant/core";
import {
  type GroupHeader,
  groupHeader,
  JOURNAL_VERSION,
  type SegmentHeader,
  type SegmentId,
  segmentHeader,
} from "./journal-layout.ts";

/** The most bytes that the payload of one group may have. */
export const JOURNAL_GROUP_BYTES_MAX = 67_108_864;

/** The first bytes of a segment. `groupsBefore` is how many groups the segment of the generation before has. */
export function encodeSegmentHeader(
  { generation, epoch, mark }: SegmentId,
  groupsBefore: number,
): Uint8Array {
  const bytes = encode(segmentHeader, {
    magic: "V4JN",
    version: JOURNAL_VERSION,
    generation,
    epoch,
    mark,
    groupsBefore,
    crc32: 0,
  });
  putU32(bytes, segmentHeader.offsets.crc32, crc32(bytes.subarray(0, segmentHeader.offsets.crc32)));
  return bytes;
}

/** What the first bytes of a segment say; `undefined` unless all of them are there and right. */
export function decodeSegmentHeader(bytes: Uint8Array): SegmentHeader | undefined {
  if (bytes.length < segmentHeader.bytes) return undefined;
  const sealed = bytes.subarray(0, segmentHeader.offsets.crc32);
  const stored = bytes.subarray(0, segmentHeader.bytes);
  // Compared before anything is believed: the checksum is over the magic too.
  if (getU32(stored, segmentHeader.offsets.crc32) !== crc32(sealed)) return undefined;
  return decode(segmentHeader, stored);
}

/**
 * Makes a group of a payload that was written behind `room` for a header: fills the header in, and gives the whole. The
 * checksum also covers which segment it belongs to, so that bytes of another one never pass.
 */
export function sealGroup(group: Uint8Array, sequence: number, segment: SegmentId): Uint8Array {
  const { offsets, bytes } = groupHeader;
  group.set(GROUP_MAGIC);
  putU32(group, offsets.payloadBytes, group.length - bytes);
  putU32(group, offsets.sequence, sequence % 0x1_0000_0000);
  putU32(group, offsets.sequence + 4, Math.floor(sequence / 0x1_0000_0000));
  putU32(group, offsets.crc32, checksumOf(group, segment, group.subarray(bytes)));
  return group;
}

/** The header of a group, or `undefined` for bytes that cannot be one. Its checksum is not looked at. */
export function decodeGroupHeader(bytes: Uint8Array): GroupHeader | undefined {
  if (bytes.length < groupHeader.bytes || !hasGroupMagic(bytes, 0)) return undefined;
  const payloadBytes = getU32(bytes, groupHeader.offsets.payloadBytes);
  const sequenceHigh = getU32(bytes, groupHeader.offsets.sequence + 4);
  // A sequence that is no safe integer was never written.
  if (payloadBytes === 0 || payloadBytes > JOURNAL_GROUP_BYTES_MAX || sequenceHigh > 0x1f_ffff)
    return undefined;
  return decode(groupHeader, bytes.subarray(0, groupHeader.bytes));
}

/** Whether a group's checksum is that of its header, its payload and the segment that it lies in. */
export function isGroupWhole(header: GroupHeader, payload: Uint8Array, segment: SegmentId): boolean {
  return header.crc32 === checksumOf(encode(groupHeader, header), segment, payload);
}

/** Whether the letters with which a group begins are there. */
export function hasGroupMagic(bytes: Uint8Array, at: number): boolean {
  return GROUP_MAGIC.every((letter, index) => bytes[at + index] === letter);
}

/** The first of the letters with which a group begins. */
export const GROUP_FIRST_LETTER = 0x4a;
const GROUP_MAGIC: readonly number[] = [GROUP_FIRST_LETTER, 0x47, 0x52, 0x50];

function checksumOf(header: Uint8Array, { generation, epoch, mark }: SegmentId, payload: Uint8Array): number {
  idBytes.setBigUint64(0, BigInt(generation), true);
  idBytes.setUint32(8, epoch, true);
  idBytes.setBigUint64(12, mark, true);
  const ofHeader = crc32(header.subarray(0, groupHeader.offsets.crc32));
  return crc32(payload, crc32(new Uint8Array(idBytes.buffer), ofHeader));
}

// Shared by all calls, which never overlap: every durable edit comes through here.
const idBytes = new DataView(new ArrayBuffer(20));

function getU32(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset, true);
}

function putU32(bytes: Uint8Array, offset: number, value: number): void {
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).setUint32(offset, value, true);
}
