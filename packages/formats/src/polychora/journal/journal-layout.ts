import { magic, type Struct, struct, u32, u64, u64Number } from "@orthant/core";

/** The folder beside a save's own that holds what happened since its last generation. */
export const JOURNAL_FOLDER = "journal";

/** Which file of a journal it is. No two that were ever begun have the same: an era is one opening of a world. */
export interface SegmentId {
  /** The file holds what happened after this generation's content was taken. */
  readonly generation: number;
  readonly epoch: number;
  readonly mark: bigint;
}

/** The version that is written. Version 1, without a secret, is read. */
export const JOURNAL_VERSION = 2;

/** How a segment of version 1 begins. */
export interface SegmentHeaderV1 {
  readonly magic: "V4JN";
  readonly version: number;
  readonly generation: number;
  readonly epoch: number;
  readonly mark: bigint;
  /** How many groups the segment of the generation before has. */
  readonly groupsBefore: number;
  readonly crc32: number;
}

/** How a segment begins. */
export interface SegmentHeader extends SegmentHeaderV1 {
  /** Random, and part of the checksum of every group. It is never sent anywhere, so no client can make a group. */
  readonly secret: bigint;
}

/** A header as it was read, of either version. */
export type ReadSegmentHeader = SegmentHeaderV1 & Partial<Pick<SegmentHeader, "secret">>;

/** The layout of it. Rule J2 in docs/formats/journal.md. */
export const segmentHeader: Struct<SegmentHeader> = struct({
  magic: magic("V4JN"),
  version: u32,
  generation: u64Number,
  epoch: u32,
  mark: u64,
  groupsBefore: u64Number,
  secret: u64,
  crc32: u32,
});

/** The layout of version 1. */
export const segmentHeaderV1: Struct<SegmentHeaderV1> = struct({
  magic: magic("V4JN"),
  version: u32,
  generation: u64Number,
  epoch: u32,
  mark: u64,
  groupsBefore: u64Number,
  crc32: u32,
});

/** How a group begins. An end mark has the same fields and no payload. */
export interface GroupHeader {
  readonly magic: "JGRP";
  readonly payloadBytes: number;
  /** Counts the groups of the segment, from 0. */
  readonly sequence: number;
  readonly crc32: number;
}

/** The layout of it. Rule J4. */
export const groupHeader: Struct<GroupHeader> = struct({
  magic: magic("JGRP"),
  payloadBytes: u32,
  sequence: u64Number,
  crc32: u32,
});

const SEGMENT_NAME = /^g(\d{16})\.e(\d{8})\.v4jn$/;

/** The path of a segment; generation and epoch are decimal. Rule J1. */
export function segmentFile({ generation, epoch }: Pick<SegmentId, "generation" | "epoch">): string {
  return `${JOURNAL_FOLDER}/g${decimal(generation, 16)}.e${decimal(epoch, 8)}.v4jn`;
}

/** What the name of a file in the journal's folder says; `undefined` for one that is no segment. */
export function parseSegmentName(name: string): Omit<SegmentId, "mark"> | undefined {
  const [, generation, epoch] = SEGMENT_NAME.exec(name) ?? [];
  if (generation === undefined || epoch === undefined) return undefined;
  const parsed = { generation: Number(generation), epoch: Number(epoch) };
  return Number.isSafeInteger(parsed.generation) ? parsed : undefined;
}

function decimal(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}
