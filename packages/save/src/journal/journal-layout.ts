import { magic, type Struct, struct, u32, u64, u64Number } from "@orthant/core";

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
export interface SegmentHeaderV1 {
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
export interface SegmentHeader extends SegmentHeaderV1 {
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
export interface GroupHeader {
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
