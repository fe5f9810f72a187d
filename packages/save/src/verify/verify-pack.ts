import type { OrthantError } from "@orthant/core";
import { getOrAdd } from "@orthant/core/lattice";
import type { Disk, DiskFile } from "@orthant/disk";
import { atFile, attempt, type Finding, findingOf, noticeOf } from "@orthant/disk/files";
import type { RecordRef } from "../codec/blob.ts";
import { packFile } from "../codec/files.ts";
import { FILE_VERSION, packHeader } from "../codec/layout.ts";
import { checkPackHeader } from "../pack/pack-reader.ts";
import { scanStretch } from "../pack/pack-scan.ts";
import { type PackTable, readPackTable, readTableAt } from "../pack/pack-table.ts";

/** The records that generations refer to, as far as they have been read. */
export class KnownRecords {
  /** Records with a right checksum, by pack: their ends by their offsets, as given in references. */
  readonly #intact = new Map<number, Map<number, number>>();
  readonly #packIds = new Set<number>();

  /** Packs that a generation refers to. */
  get packIds(): ReadonlySet<number> {
    return this.#packIds;
  }

  /** Adds a record that a generation refers to. */
  add({ packId }: RecordRef): void {
    this.#packIds.add(packId);
  }

  /** Notes that a record has the right checksum. */
  addIntact({ packId, recordOffset, recordBytes }: RecordRef): void {
    const records = getOrAdd(this.#intact, packId, () => new Map<number, number>());
    records.set(recordOffset, recordOffset + recordBytes);
  }

  /** Returns the ends of a pack's intact records by their offsets. */
  intactIn(packId: number): ReadonlyMap<number, number> {
    return this.#intact.get(packId) ?? new Map();
  }
}

/** Verifies a pack between the records known to be intact. */
export async function verifyPack(
  disk: Disk,
  packId: number,
  records: KnownRecords,
): Promise<readonly Finding[]> {
  const path = packFile(packId);
  const proven = records.intactIn(packId);
  const [findings, readError] = await attempt(async () => {
    const file = await disk.open(path, "read");
    try {
      return await verifyFile(file, packId, proven);
    } finally {
      await file.close();
    }
  });
  const found = findings ?? [findingOf(readError, path)];
  return records.packIds.has(packId) ? found : found.map(asNotice);
}

/** An interrupted commit leaves such a pack. The leaves that need a pack report what is lost. */
function asNotice(finding: Finding): Finding {
  const message = `nothing refers to this pack; ${finding.message}`;
  return finding.severity === "notice" ? finding : noticeOf(finding.file, message, finding.offset);
}

async function verifyFile(
  file: DiskFile,
  packId: number,
  proven: ReadonlyMap<number, number>,
): Promise<readonly Finding[]> {
  const path = packFile(packId);
  const size = await file.size();
  const header = await file.readAt(0, Math.min(size, packHeader.bytes));
  const [version, headerError] = await attempt(async () =>
    atFile({ path }, () => checkPackHeader(header, packId)),
  );
  if (version === FILE_VERSION) return scanBetween(file, packId, proven, size);
  const [table, tableError] = await attempt(() => readPackTable(file, packId));
  if (table === undefined) {
    const findings = await scanBetween(file, packId, proven, size);
    return [findingOf(headerError ?? tableError, path), ...findings];
  }
  const findings: Finding[] = [];
  for (const end of ["head", "tail"] as const) {
    const [, error] = await attempt(() => readTableAt(file, packId, end));
    if (error !== undefined) findings.push(oneTableLeft(error, path));
  }
  return [...findings, ...(await scanRecords(file, packId, table, proven))];
}

/** One intact table is enough, but a disk that lost the other is worth reporting. */
function oneTableLeft({ detail, context }: OrthantError, path: string): Finding {
  return noticeOf(path, `one of two tables cannot be read, and the other one can: ${detail}`, context.offset);
}

async function scanBetween(
  file: DiskFile,
  packId: number,
  proven: ReadonlyMap<number, number>,
  size: number,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { start, end } of stretchesBetween(proven, size)) {
    findings.push(...noticesIn(await file.readAt(start, end - start), start, packId));
  }
  return findings;
}

/** Verifies the records of a compacted pack that are not known to be intact, one by one. */
async function scanRecords(
  file: DiskFile,
  packId: number,
  table: PackTable,
  proven: ReadonlyMap<number, number>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const size = await file.size();
  for (let index = 0; index < table.count; index++) {
    const { firstOffset, offset, bytes } = table.record(index);
    if (proven.get(firstOffset) === firstOffset + bytes) continue;
    const there = Math.max(0, Math.min(bytes, size - offset));
    findings.push(...noticesIn(await file.readAt(offset, there), offset, packId));
  }
  // The table and the header follow the records again, with as many bytes as before them.
  const first = table.count === 0 ? table.end : table.record(0).offset;
  const extra = size - table.end - first;
  if (extra > 0) findings.push(noticeOf(packFile(packId), `${extra} bytes too many`, table.end + first));
  return findings;
}

function noticesIn(bytes: Uint8Array, start: number, packId: number): readonly Finding[] {
  const findings: Finding[] = [];
  for (const piece of scanStretch(bytes, start, packId)) {
    if (piece.kind === "record") continue;
    findings.push(
      noticeOf(packFile(packId), `${piece.bytes} bytes that are not a whole record`, piece.offset),
    );
  }
  return findings;
}

/** Yields the stretches of a pack after its header that no record covers. */
function* stretchesBetween(
  proven: ReadonlyMap<number, number>,
  size: number,
): Generator<{ readonly start: number; readonly end: number }> {
  let start = packHeader.bytes;
  for (const [offset, end] of [...proven].sort(([a], [b]) => a - b)) {
    if (offset > start) yield { start, end: offset };
    start = Math.max(start, end);
  }
  if (size > start) yield { start, end: size };
}
