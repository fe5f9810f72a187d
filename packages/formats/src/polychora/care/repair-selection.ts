import { type Box, boxContainsBox, boxesIntersect } from "@orthant/core";
import type { Finding } from "../../files/finding.ts";
import { packFile, pageFile } from "../files/file-names.ts";
import { BLOCK_BLOB, DATA_FOLDER } from "../layout.ts";
import { type BlobRef, compareAge } from "../records/blob-ref.ts";
import type { LeafEntry } from "../records/leaf-entry.ts";
import type { IndexPart } from "../tree-index/leaf-index.ts";
import type { Loss, RepairPiece, RepairPlan } from "./repair-plan.ts";
import type { OlderLeaves } from "./repair-sources.ts";
import { dropSuperseded, type IntactRecord } from "./salvage.ts";

/** What a repair takes over, and what it loses. */
export interface Selection extends Pick<RepairPlan, "changedCells" | "losses"> {
  /** Records that the live index refers to. */
  readonly certain: readonly RepairPiece[];
  /** Records that are older, or of which no index tells whether they are. */
  readonly onTrust: readonly RepairPiece[];
}

/**
 * The pieces in the order in which they are applied, so that what comes later wins: of what is taken on trust the
 * newest, as when an entity went from one place to another, and over all of it what is certain.
 */
export function orderPieces(selections: readonly Selection[]): readonly RepairPiece[] {
  const onTrust = selections.flatMap((selection) => selection.onTrust);
  onTrust.sort((one, other) => compareAge(one.ref, other.ref));
  return [...onTrust, ...selections.flatMap(({ certain }) => certain)];
}

/** With the live index each leaf keeps its records; one that lost a record gets the newest older one of its place. */
export function followIndex(leaves: readonly LeafEntry[], intact: readonly IntactRecord[]): Selection {
  const byKey = new Map(intact.map((record) => [keyOf(record.ref), record]));
  const live = new Set(leaves.flatMap(refsOf).map(keyOf));
  const certain: RepairPiece[] = [];
  const onTrust: RepairPiece[] = [];
  const changedCells: LeafEntry["cell"][] = [];
  const losses: Loss[] = [];
  for (const leaf of leaves) {
    const { cell } = leaf;
    for (const ref of refsOf(leaf)) {
      const record = byKey.get(keyOf(ref));
      if (record !== undefined && boxContainsBox(cell, record.volume)) {
        certain.push({ ref, clip: undefined });
        continue;
      }
      const isBlocks = ref.blobType === BLOCK_BLOB;
      const older = intact
        .filter((other) => other.isBlocks === isBlocks && !live.has(keyOf(other.ref)))
        .filter(({ volume }) => boxesIntersect(volume, cell))
        .at(-1);
      if (older !== undefined) onTrust.push({ ref: older.ref, clip: cell });
      changedCells.push(cell);
      losses.push({ what: isBlocks ? "blocks" : "entities", cell, message: describeLoss(ref, older?.ref) });
    }
  }
  return { certain, onTrust, changedCells, losses };
}

/** Without the live index: what an older one refers to, unless a later record reaches into it, and all later ones. */
export function salvageRecords(
  leaves: readonly LeafEntry[],
  intact: readonly IntactRecord[],
  generation: number | undefined,
  findings: readonly Finding[],
): Selection {
  const known = cellsByRecord(leaves);
  const lastKnown = intact.map(({ ref }) => known.has(keyOf(ref))).lastIndexOf(true);
  const later = dropSuperseded(generation === undefined ? intact : intact.slice(lastKnown + 1));
  const from =
    generation === undefined ? "no index can be read" : `the index is that of generation ${generation}`;
  const message = `${from}; ${later.length} records are taken on trust, and what was removed may be back`;
  const records = [...notSuperseded(known, intact, later), ...later];
  return {
    certain: [],
    onTrust: records.map(({ ref }) => ({ ref, clip: undefined })),
    changedCells: later.map(({ volume }) => volume),
    losses: [{ what: "index", cell: undefined, message }, ...damagedStretches(findings)],
  };
}

/**
 * What can be brought back of a page that cannot be read: what the leaves of an older generation in its cell refer to,
 * unless a later record reaches into it, and all later records in the cell that nobody else has.
 */
export function salvagePage(
  { cell, link, error }: IndexPart,
  leaves: readonly LeafEntry[],
  intact: readonly IntactRecord[],
  older: OlderLeaves | undefined,
): Selection {
  const live = cellsByRecord(leaves);
  const inCell = intact.filter(({ ref, volume }) => boxesIntersect(volume, cell) && !live.has(keyOf(ref)));
  const later = dropSuperseded(
    inCell.filter(({ ref }) => older === undefined || isAfter(ref, older.lastRecord)),
  );
  const records = [...notSuperseded(cellsByRecord(older?.leaves ?? []), inCell, later), ...later];
  const file = link === undefined ? "the root" : pageFile(link);
  const from =
    older === undefined ? "no older one is left" : `generation ${older.generation} has an older one`;
  const trust = `${records.length} records are taken on trust, and what was removed may be back`;
  return {
    certain: [],
    onTrust: records.map(({ ref }) => ({ ref, clip: cell })),
    changedCells: [cell],
    losses: [{ what: "index", cell, message: `${file}: ${error?.detail ?? "lost"}; ${from}; ${trust}` }],
  };
}

/** The records of leaves into whose cells no later record of their kind reaches. */
function notSuperseded(
  known: ReadonlyMap<string, Box>,
  intact: readonly IntactRecord[],
  later: readonly IntactRecord[],
): readonly IntactRecord[] {
  return intact.filter(({ ref, isBlocks }) => {
    const cell = known.get(keyOf(ref));
    if (cell === undefined) return false;
    return !later.some((other) => other.isBlocks === isBlocks && boxesIntersect(other.volume, cell));
  });
}

/** The cells of leaves by the keys of their records. */
function cellsByRecord(leaves: readonly LeafEntry[]): ReadonlyMap<string, Box> {
  return new Map(leaves.flatMap((leaf) => refsOf(leaf).map((ref) => [keyOf(ref), leaf.cell] as const)));
}

/** Whether a record was written behind another. */
function isAfter(ref: BlobRef, other: BlobRef | undefined): boolean {
  return other === undefined || compareAge(ref, other) > 0;
}

/** Bytes in packs that may have been records; without an index nobody knows of which place. */
function damagedStretches(findings: readonly Finding[]): readonly Loss[] {
  return findings
    .filter(({ file, severity }) => severity === "notice" && file.startsWith(`${DATA_FOLDER}/`))
    .map(({ file, offset, message }) => ({
      what: "blocks",
      cell: undefined,
      message: `${file} at offset ${offset}: ${message}`,
    }));
}

function describeLoss(ref: BlobRef, older: BlobRef | undefined): string {
  const lost = `the record in ${packFile(ref.dataFileId)} at offset ${ref.recordOffset} is damaged`;
  if (older === undefined) return `${lost}, and nothing older is left`;
  return `${lost}; the older one in ${packFile(older.dataFileId)} at offset ${older.recordOffset} takes its place`;
}

/** All references of a leaf. */
function refsOf({ blockRefs, entityRefs }: LeafEntry): readonly BlobRef[] {
  return [...blockRefs, ...entityRefs];
}

/** Chunks that are known only by how they differ from what a generator made. */
export function lostChanges(
  pieces: readonly RepairPiece[],
  intact: readonly IntactRecord[],
): readonly Loss[] {
  const byKey = new Map(intact.map((record) => [keyOf(record.ref), record]));
  return pieces.flatMap(({ ref, clip }) => {
    const record = byKey.get(keyOf(ref));
    if (record === undefined || record.changes === 0) return [];
    const message = `${record.changes} chunks are stored as changes to what a generator made that is not known here`;
    return [{ what: "blocks", cell: clip ?? record.volume, message }];
  });
}

function keyOf({ dataFileId, recordOffset, recordBytes, recordCrc32, blobType }: BlobRef): string {
  return [dataFileId, recordOffset, recordBytes, recordCrc32, blobType].join();
}
