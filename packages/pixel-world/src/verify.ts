import { isOrthantError, type OrthantError } from "@orthant/core";
import { requireFunction, requireObject, requireText } from "@orthant/core/arguments";
import { boxAt } from "@orthant/core/lattice";
import type { Disk, DiskFile } from "@orthant/disk";
import { type Finding, findingOf, noticeOf, requireDisk } from "@orthant/disk/files";
import { unfinishedFilesOf } from "./format/files.ts";
import { ENTRIES_OFFSET } from "./format/layout.ts";
import { requirePixelDialect } from "./format/save.ts";
import { salvageVersion1 } from "./version1/salvage.ts";
import { scanEntries } from "./version2/entry.ts";
import { readState, type Version2State } from "./version2/header.ts";
import { readBodyEntry, readChunkEntry } from "./version2/save.ts";

/** Options of {@link verifyPixelWorld}. */
export interface VerifyPixelOptions {
  /** Called after each chunk is read. */
  readonly onChunk?: () => void;
}

/**
 * Checks a pixel world's whole file, and any files that a crash left beside it, and reports every fault; the
 * chunks of findings are those of the file. Never writes, and never throws because of a file's contents. Rule
 * X39.
 */
export async function verifyPixelWorld(
  disk: Disk,
  path: string,
  options: VerifyPixelOptions = {},
): Promise<readonly Finding[]> {
  requireDisk("disk", disk);
  requireText("path", path);
  requireObject("options", options, "it is { onChunk }");
  if (options.onChunk !== undefined) requireFunction("onChunk", options.onChunk);
  const findings: Finding[] = [];
  const note = (error: OrthantError, x?: number, y?: number): void => {
    findings.push(
      findingOf(error, path, undefined, x === undefined || y === undefined ? undefined : boxAt([x, y, 0, 0])),
    );
  };
  try {
    const file = await disk.open(path, "read");
    try {
      const dialect = await requirePixelDialect(file, path);
      if (dialect === "version2") await verifyVersion2(path, file, findings, note, options);
      else {
        const { faults, carved, unplaced } = await salvageVersion1(file, dialect);
        for (const { error, chunk } of faults) note(error, chunk?.x, chunk?.y);
        if (carved.length > 0)
          findings.push(noticeOf(path, `${carved.length} bodies are there that the index does not know`));
        if (unplaced > 0)
          findings.push(noticeOf(path, `${unplaced} chunks are there that the table does not place`));
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!isOrthantError(error)) throw error;
    note(error);
  }
  for (const temporary of await unfinishedFilesOf(disk, path))
    findings.push(noticeOf(temporary, "a file that was never finished"));
  return findings;
}

async function verifyVersion2(
  path: string,
  file: DiskFile,
  findings: Finding[],
  note: (error: OrthantError, x?: number, y?: number) => void,
  { onChunk }: VerifyPixelOptions,
): Promise<void> {
  const state = await readState(file);
  if (state.headerFault !== undefined) {
    const { offset, detail } = { offset: state.headerFault.context.offset, detail: state.headerFault.detail };
    findings.push(noticeOf(path, `one of the two headers cannot be read: ${detail}`, offset));
  }
  const attempt = async (work: () => Promise<unknown>, x: number, y: number): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      note(error, x, y);
    }
  };
  for (const ref of state.index.chunks) {
    await attempt(() => readChunkEntry(path, file, ref, state.facts), ref.x, ref.y);
    onChunk?.();
  }
  for (const ref of state.index.bodies)
    await attempt(() => readBodyEntry(path, file, ref, state.facts), ref.x, ref.y);
  await verifyDead(path, file, state, findings);
}

/** Reports bytes that belong to no entry, and bytes after the committed end. */
async function verifyDead(
  path: string,
  file: DiskFile,
  { end }: Version2State,
  findings: Finding[],
): Promise<void> {
  for await (const piece of scanEntries(file, ENTRIES_OFFSET)) {
    if (piece.kind === "gap" && piece.offset < end) {
      findings.push(noticeOf(path, `${piece.bytes} bytes that are not a whole entry`, piece.offset));
    }
  }
  const size = await file.size();
  if (size > end) findings.push(noticeOf(path, `${size - end} bytes that were never committed`, end));
}
