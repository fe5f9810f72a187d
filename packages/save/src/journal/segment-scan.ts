import { OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import {
  decodeGroupHeader,
  decodeSegmentHeader,
  GROUP_FIRST_LETTER,
  groupHeader,
  hasGroupMagic,
  isEndMark,
  isGroupWhole,
  JOURNAL_VERSION,
  type ReadSegmentHeader,
  type SegmentId,
  type SegmentKey,
  segmentFile,
  segmentHeader,
  segmentHeaderBytes,
} from "./journal-layout.ts";

/** Location of an intact group's payload. */
interface GroupSpan {
  readonly offset: number;
  readonly bytes: number;
}

/** Result of scanning a segment. */
export interface ScannedSegment {
  readonly id: SegmentId;
  /** `undefined` if it is torn or damaged. */
  readonly header: ReadSegmentHeader | undefined;
  readonly groups: readonly GroupSpan[];
  /** Whether an end mark declares that the journal continues in the next generation's segment. */
  readonly isContinued: boolean;
  /** End of the last good group or of the end mark, or 0. */
  readonly end: number;
  /** Bytes after it, up to the last nonzero one: a write interrupted by a power cut. */
  readonly tornBytes: number;
  /** Set if something after a bad group is good, or the header is invalid. Neither can be a torn end. */
  readonly damage: OrthantError | undefined;
}

/**
 * What is known about a segment before reading it. `required`: a later segment or commit exists, so its
 * header was durable before. `bound`: the manifest declares a journal, so the header was durable before the
 * first group. `unknown`: version 1, which wrote both at once.
 */
type SegmentPromise = "required" | "bound" | "unknown";

/** Number of bytes searched for a group at once. */
const WINDOW_BYTES = 1_048_576;
/**
 * Limits the checksumming of a torn end, as a multiple of its size: hostile bytes can look like groups
 * everywhere.
 */
const CHECKSUM_BUDGET_FACTOR = 16;
/** Minimum size of a group. */
const GROUP_BYTES_MIN = groupHeader.bytes + 1;

/**
 * Walks a segment group by group, up to the first one that is not intact. Rules J5 and J6 in
 * docs/formats/journal.md.
 */
export async function scanSegment(
  file: DiskFile,
  id: SegmentId,
  promise: SegmentPromise,
): Promise<ScannedSegment> {
  const size = await file.size();
  const read = decodeSegmentHeader(await file.readAt(0, Math.min(size, segmentHeader.bytes)));
  const header = read !== undefined && isHeaderOf(read, id) ? read : undefined;
  const key: SegmentKey = header?.secret === undefined ? id : { ...id, secret: header.secret };
  const groups: GroupSpan[] = [];
  let end = 0;
  let isContinued = false;
  if (header !== undefined) {
    end = segmentHeaderBytes(header);
    for (;;) {
      const group = await groupAt(file, end, size, key);
      if (group?.sequence !== groups.length) break;
      groups.push(group.span);
      end = group.span.offset + group.span.bytes;
    }
    const behind = await file.readAt(end, Math.min(size - end, groupHeader.bytes));
    isContinued = isEndMark(behind, groups.length, key);
    if (isContinued) end += groupHeader.bytes;
  }
  const used = await findUsedEnd(file, end, size);
  const tornBytes = used - end;
  const damage =
    findNewVersion(read, id) ??
    (header === undefined ? findBadHeader(read, id, promise, used) : undefined) ??
    (await findNextGroup(file, { end, used, size, good: groups.length }, key));
  return { id, header, groups, isContinued, end, tornBytes, damage };
}

/** A newer program's segment is not a torn end. */
function findNewVersion(header: ReadSegmentHeader | undefined, id: SegmentId): OrthantError | undefined {
  if (header === undefined || header.version <= JOURNAL_VERSION) return undefined;
  const detail = `unsupported journal version ${header.version} (expected at most ${JOURNAL_VERSION})`;
  return new OrthantError("ORT_VERSION", detail, { path: segmentFile(id) });
}

function isHeaderOf(header: ReadSegmentHeader, { generation, epoch, epochId }: SegmentId): boolean {
  const isKnown = header.version === (header.secret === undefined ? 1 : JOURNAL_VERSION);
  return isKnown && header.generation === generation && header.epoch === epoch && header.epochId === epochId;
}

/** A header that is not the segment's is damage, unless a power cut may have torn it. Rule J22. */
function findBadHeader(
  read: ReadSegmentHeader | undefined,
  id: SegmentId,
  promise: SegmentPromise,
  used: number,
): OrthantError | undefined {
  const mayBeTorn = promise === "unknown" || (promise === "bound" && used <= segmentHeader.bytes);
  if (mayBeTorn && (read === undefined || promise === "unknown")) return undefined;
  const detail =
    read === undefined
      ? "the header of the segment is damaged"
      : "the segment is of another world, or of another opening of this one";
  return new OrthantError("ORT_JOURNAL", detail, { path: segmentFile(id), offset: 0 });
}

interface FoundGroup {
  readonly sequence: number;
  readonly span: GroupSpan;
}

async function groupAt(
  file: DiskFile,
  offset: number,
  size: number,
  key: SegmentKey,
): Promise<FoundGroup | undefined> {
  const start = offset + groupHeader.bytes;
  if (start > size) return undefined;
  const header = decodeGroupHeader(await file.readAt(offset, groupHeader.bytes));
  if (header === undefined || start + header.payloadBytes > size) return undefined;
  const payload = await file.readAt(start, header.payloadBytes);
  if (!isGroupWhole(header, payload, key)) return undefined;
  return { sequence: header.sequence, span: { offset: start, bytes: payload.length } };
}

/**
 * Returns the end of the nonzero bytes after an offset: a file is allocated longer than its content.
 * Rule J18.
 */
async function findUsedEnd(file: DiskFile, from: number, size: number): Promise<number> {
  for (let end = size; end > from; end -= WINDOW_BYTES) {
    const start = Math.max(from, end - WINDOW_BYTES);
    const window = await file.readAt(start, end - start);
    let used = window.length;
    while (used > 0 && window[used - 1] === 0) used--;
    if (used > 0) return start + used;
  }
  return from;
}

/** The part of a segment after its last good group. */
interface Rest {
  readonly end: number;
  readonly used: number;
  readonly size: number;
  /** Number of good groups before it. */
  readonly good: number;
}

/** Finds an intact group after a bad one that may follow it. The group may end in zeros. */
async function findNextGroup(file: DiskFile, rest: Rest, key: SegmentKey): Promise<OrthantError | undefined> {
  const { end: from, used, size, good } = rest;
  let budget = (size - from) * CHECKSUM_BUDGET_FACTOR;
  for (let start = from; start < used; start += WINDOW_BYTES) {
    // A header may begin at the last byte of a window.
    const window = await file.readAt(start, Math.min(WINDOW_BYTES + groupHeader.bytes, size - start));
    let at = window.indexOf(GROUP_FIRST_LETTER);
    for (; at >= 0 && at < WINDOW_BYTES; at = window.indexOf(GROUP_FIRST_LETTER, at + 1)) {
      if (!hasGroupMagic(window, at)) continue;
      const header = decodeGroupHeader(window.subarray(at));
      const end = start + at + groupHeader.bytes + (header?.payloadBytes ?? 0);
      if (header === undefined || end > size || !mayFollow(header.sequence, start + at, rest)) continue;
      budget -= header.payloadBytes;
      if (budget < 0) return undefined;
      const later = await groupAt(file, start + at, size, key);
      if (later !== undefined) return damageAt(segmentFile(key), from, good, later);
    }
  }
  return undefined;
}

/**
 * Returns whether a group of this number can begin at an offset: every group between it and the last good one
 * needs space.
 */
function mayFollow(sequence: number, offset: number, { end, good }: Rest): boolean {
  // Without a header, the offsets of groups are unknown, and the first one may be intact.
  if (end === 0) return sequence * GROUP_BYTES_MIN <= offset;
  const between = sequence - good;
  return between >= 1 && between * GROUP_BYTES_MIN <= offset - end;
}

function damageAt(path: string, offset: number, good: number, later: FoundGroup): OrthantError {
  return new OrthantError(
    "ORT_JOURNAL",
    `group ${good} of the journal is damaged, and group ${later.sequence} behind it is not`,
    { path, offset },
  );
}
