import { OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import {
  decodeGroupHeader,
  decodeSegmentHeader,
  GROUP_FIRST_LETTER,
  hasGroupMagic,
  isGroupWhole,
} from "./journal-group.ts";
import {
  groupHeader,
  JOURNAL_VERSION,
  type SegmentHeader,
  type SegmentId,
  segmentFile,
  segmentHeader,
} from "./journal-layout.ts";

/** Where the payload of a group lies that is whole. */
export interface GroupSpan {
  readonly offset: number;
  readonly bytes: number;
}

/** What a segment turned out to hold. */
export interface ScannedSegment {
  readonly id: SegmentId;
  /** `undefined` when it is torn or damaged. */
  readonly header: SegmentHeader | undefined;
  readonly groups: readonly GroupSpan[];
  /** Where the last good group ends, or 0. */
  readonly end: number;
  /** Bytes behind it, up to the last that is not zero: a write that the power cut short. */
  readonly tornBytes: number;
  /** Set when something after a bad group is good: that is no torn end. */
  readonly damage: OrthantError | undefined;
}

/** Bytes that are searched for a group at once. */
const WINDOW_BYTES = 1_048_576;
/** How many times its own size a torn end may be checksummed: hostile bytes can look like groups everywhere. */
const CHECKSUM_BUDGET_FACTOR = 16;

/** Walks a segment group by group, up to the first that is not whole. Rules J5 and J6 in docs/formats/journal.md. */
export async function scanSegment(file: DiskFile, id: SegmentId): Promise<ScannedSegment> {
  const size = await file.size();
  const header = decodeSegmentHeader(await file.readAt(0, Math.min(size, segmentHeader.bytes)));
  const groups: GroupSpan[] = [];
  let end = 0;
  if (header !== undefined && isHeaderOf(header, id)) {
    end = segmentHeader.bytes;
    for (;;) {
      const group = await groupAt(file, end, size, id);
      if (group?.sequence !== groups.length) break;
      groups.push(group.span);
      end = group.span.offset + group.span.bytes;
    }
  }
  const used = await findUsedEnd(file, end, size);
  const later = await findGroup(file, end, used, size, id);
  const damage = later && damageAt(segmentFile(id), end, groups.length, later);
  return {
    id,
    header: end > 0 ? header : undefined,
    groups,
    end,
    tornBytes: used - end,
    damage: findNewVersion(header, id) ?? damage,
  };
}

/** What a newer program wrote is no torn end. */
function findNewVersion(header: SegmentHeader | undefined, id: SegmentId): OrthantError | undefined {
  if (header === undefined || header.version === JOURNAL_VERSION) return undefined;
  const detail = `journal version ${header.version}, known is ${JOURNAL_VERSION}`;
  return new OrthantError("ORT_VERSION", detail, { path: segmentFile(id) });
}

function isHeaderOf({ version, generation, epoch, mark }: SegmentHeader, id: SegmentId): boolean {
  const isKnown = version === JOURNAL_VERSION;
  return isKnown && generation === id.generation && epoch === id.epoch && mark === id.mark;
}

interface FoundGroup {
  readonly sequence: number;
  readonly span: GroupSpan;
}

async function groupAt(
  file: DiskFile,
  offset: number,
  size: number,
  id: SegmentId,
): Promise<FoundGroup | undefined> {
  const start = offset + groupHeader.bytes;
  if (start > size) return undefined;
  const header = decodeGroupHeader(await file.readAt(offset, groupHeader.bytes));
  if (header === undefined || start + header.payloadBytes > size) return undefined;
  const payload = await file.readAt(start, header.payloadBytes);
  if (!isGroupWhole(header, payload, id)) return undefined;
  return { sequence: header.sequence, span: { offset: start, bytes: payload.length } };
}

/** The end of what is not zero from an offset on: a file is made longer than what it has to hold. Rule J18. */
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

/** The first group of this segment that is whole and begins anywhere in between; it may end in zeros. */
async function findGroup(
  file: DiskFile,
  from: number,
  used: number,
  size: number,
  id: SegmentId,
): Promise<FoundGroup | undefined> {
  let budget = (size - from) * CHECKSUM_BUDGET_FACTOR;
  for (let start = from; start < used; start += WINDOW_BYTES) {
    // A header may begin at the last byte of a window.
    const window = await file.readAt(start, Math.min(WINDOW_BYTES + groupHeader.bytes, size - start));
    let at = window.indexOf(GROUP_FIRST_LETTER);
    for (; at >= 0 && at < WINDOW_BYTES; at = window.indexOf(GROUP_FIRST_LETTER, at + 1)) {
      if (!hasGroupMagic(window, at)) continue;
      const header = decodeGroupHeader(window.subarray(at));
      const end = start + at + groupHeader.bytes + (header?.payloadBytes ?? 0);
      if (header === undefined || end > size) continue;
      budget -= header.payloadBytes;
      if (budget < 0) return undefined;
      const group = await groupAt(file, start + at, size, id);
      if (group !== undefined) return group;
    }
  }
  return undefined;
}

function damageAt(path: string, offset: number, good: number, later: FoundGroup): OrthantError {
  return new OrthantError(
    "ORT_JOURNAL",
    `group ${good} of the journal is damaged, and group ${later.sequence} behind it is not`,
    { path, offset },
  );
}
