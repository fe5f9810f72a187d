import {
  boxContainsBox,
  boxesIntersect,
  type ChunkShape,
  chunkShape,
  type GeneratorRegistry,
  type OrthantError,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { Finding } from "./care/finding.ts";
import type { Loss, RepairPiece, RepairPlan } from "./care/repair-plan.ts";
import { findGlobal, findIndex, findPlayers, usableGenerations } from "./care/repair-sources.ts";
import { dropSuperseded, findIntactRecords, type IntactRecord } from "./care/salvage.ts";
import { attempt, filesOfGeneration, type Survey, surveySave } from "./care/survey.ts";
import type { Dialect } from "./dialect.ts";
import { packFile } from "./files/file-names.ts";
import { generatedChunks } from "./generated-chunks.ts";
import { BLOCK_BLOB, DATA_FOLDER } from "./layout.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { readGlobal } from "./reader.ts";
import type { BlobRef } from "./records/blob-ref.ts";
import type { GlobalRecord } from "./records/global-record.ts";
import type { LeafEntry } from "./records/leaf-entry.ts";
import type { GeneratedChunks } from "./records/stored-block.ts";
import { allLeaves } from "./tree-index/leaf-index.ts";
import { verifySave } from "./verify.ts";

/** What the one who repairs knows and the save may have forgotten. */
export interface RepairOptions {
  /** The shape of the chunks, for when neither a global file nor the manifest can say it any more. */
  readonly chunkShape?: ChunkShape;
  /** For chunks that are stored as changes to what the world's generator makes; without it, those that Orthant has. */
  readonly generators?: GeneratorRegistry;
}

/**
 * Works out how much of a save can be brought back: the newest index that can be read, or the records alone, the
 * newest global and players files, and every record whose bytes are whole. Writes nothing. Rule S49.
 */
export async function planRepair(disk: Disk, options: RepairOptions = {}): Promise<RepairPlan> {
  const findings = await verifySave(disk);
  const survey = await surveySave(disk);
  const manifest = survey.manifest?.manifest;
  const losses: Loss[] = survey.manifestError === undefined ? [] : [lostManifest(survey.manifestError)];
  const index = await findIndex(disk, survey);
  const dialect = index?.value.dialect ?? (await guessDialect(disk, survey));
  const fallback =
    manifest?.chunkExtents === undefined ? options.chunkShape : chunkShape(manifest.chunkExtents);
  const { global, customPayload, isMadeUp } = await findGlobal(disk, survey, dialect, fallback, losses);
  const players = await findPlayers(disk, survey, dialect, losses);
  const chunkVolume = global.description.chunkShape.volume;
  const intact = await findIntactRecords(disk, survey.packIds, dialect, chunkVolume);
  const leaves = index === undefined ? [] : await allLeaves(index.value.index);
  const isLive = index !== undefined && index.generation === usableGenerations(survey)[0];
  const selection = isLive
    ? followIndex(leaves, intact)
    : salvageRecords(leaves, intact, index?.generation, findings);
  const { pieces } = selection;
  const generated = isMadeUp ? undefined : await findGenerator(global, options.generators);
  if (generated === undefined) losses.push(...lostChanges(pieces, intact));
  return {
    findings,
    dialect,
    generation: index?.generation,
    createdMs: manifest?.createdMs ?? global.lastModifiedMs,
    limits: manifest?.limits ?? DEFAULT_LIMITS,
    global,
    generated,
    customPayload: customPayload ?? new Uint8Array(0),
    players,
    pieces,
    clocks: leaves.flatMap(({ clocks }) => clocks),
    changedCells: selection.changedCells,
    keptRecords: pieces.length,
    keptBytes: pieces.reduce((sum, { ref }) => sum + ref.recordBytes, 0),
    losses: [...losses, ...selection.losses],
  };
}

type Selection = Pick<RepairPlan, "pieces" | "changedCells" | "losses">;

/** With a whole index each leaf keeps its records; one that lost a record gets the newest older one of its place. */
function followIndex(leaves: readonly LeafEntry[], intact: readonly IntactRecord[]): Selection {
  const byKey = new Map(intact.map((record) => [keyOf(record.ref), record]));
  const live = new Set(leaves.flatMap(refsOf).map(keyOf));
  const kept: RepairPiece[] = [];
  const substitutes: RepairPiece[] = [];
  const changedCells: LeafEntry["cell"][] = [];
  const losses: Loss[] = [];
  for (const leaf of leaves) {
    const { cell } = leaf;
    for (const ref of refsOf(leaf)) {
      const record = byKey.get(keyOf(ref));
      if (record !== undefined && boxContainsBox(cell, record.volume)) {
        kept.push({ ref, clip: undefined });
        continue;
      }
      const isBlocks = ref.blobType === BLOCK_BLOB;
      const older = intact
        .filter((other) => other.isBlocks === isBlocks && !live.has(keyOf(other.ref)))
        .filter(({ volume }) => boxesIntersect(volume, cell))
        .at(-1);
      if (older !== undefined) substitutes.push({ ref: older.ref, clip: cell });
      changedCells.push(cell);
      losses.push({ what: isBlocks ? "blocks" : "entities", cell, message: describeLoss(ref, older?.ref) });
    }
  }
  // What comes later wins: an older record never overrides one that is live.
  return { pieces: [...substitutes, ...kept], changedCells, losses };
}

/** Without the live index: what an older one refers to, unless a later record reaches into it, and all later ones. */
function salvageRecords(
  leaves: readonly LeafEntry[],
  intact: readonly IntactRecord[],
  generation: number | undefined,
  findings: readonly Finding[],
): Selection {
  const known = new Map(
    leaves.flatMap((leaf) => refsOf(leaf).map((ref) => [keyOf(ref), leaf.cell] as const)),
  );
  const lastKnown = intact.map(({ ref }) => known.has(keyOf(ref))).lastIndexOf(true);
  const later = dropSuperseded(generation === undefined ? intact : intact.slice(lastKnown + 1));
  const base = intact.filter(({ ref }) => known.has(keyOf(ref)));
  const stillGood = base.filter((record) => {
    const cell = known.get(keyOf(record.ref)) ?? record.volume;
    return !later.some((other) => other.isBlocks === record.isBlocks && boxesIntersect(other.volume, cell));
  });
  const from =
    generation === undefined ? "no index can be read" : `the index is that of generation ${generation}`;
  const message = `${from}; ${later.length} records are taken on trust, and what was removed may be back`;
  const records = generation === undefined ? later : [...stillGood, ...later];
  return {
    pieces: records.map(({ ref }) => ({ ref, clip: undefined })),
    changedCells: later.map(({ volume }) => volume),
    losses: [{ what: "index", cell: undefined, message }, ...damagedStretches(findings)],
  };
}

/** What the world's generator makes; `undefined` when it is not here. */
async function findGenerator(
  global: GlobalRecord,
  generators: GeneratorRegistry | undefined,
): Promise<GeneratedChunks | undefined> {
  const generated = generatedChunks(global, generators);
  const [, error] = await attempt(async () => generated([0, 0, 0, 0]));
  return error === undefined ? generated : undefined;
}

/** Chunks that are known only by how they differ from what a generator made. */
function lostChanges(pieces: readonly RepairPiece[], intact: readonly IntactRecord[]): readonly Loss[] {
  const byKey = new Map(intact.map((record) => [keyOf(record.ref), record]));
  return pieces.flatMap(({ ref, clip }) => {
    const record = byKey.get(keyOf(ref));
    if (record === undefined || record.changes === 0) return [];
    const message = `${record.changes} chunks are stored as changes to what a generator made that is not known here`;
    return [{ what: "blocks", cell: clip ?? record.volume, message }];
  });
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

/** Without an index: the dialect in which a global file can be read. */
async function guessDialect(disk: Disk, survey: Survey): Promise<Dialect> {
  for (const dialect of ["tree", "flat"] as const) {
    for (const generation of usableGenerations(survey)) {
      const { globalFile } = filesOfGeneration(survey, generation);
      const [global] = await attempt(() => readGlobal(disk, globalFile, dialect));
      if (global !== undefined) return dialect;
    }
  }
  return "tree";
}

function describeLoss(ref: BlobRef, older: BlobRef | undefined): string {
  const lost = `the record in ${packFile(ref.dataFileId)} at offset ${ref.recordOffset} is damaged`;
  if (older === undefined) return `${lost}, and nothing older is left`;
  return `${lost}; the older one in ${packFile(older.dataFileId)} at offset ${older.recordOffset} takes its place`;
}

function lostManifest(error: OrthantError): Loss {
  return { what: "manifest", cell: undefined, message: `made anew, because of ${error.message}` };
}

function refsOf({ blockRefs, entityRefs }: LeafEntry): readonly BlobRef[] {
  return [...blockRefs, ...entityRefs];
}

function keyOf({ dataFileId, recordOffset, recordBytes, recordCrc32, blobType }: BlobRef): string {
  return [dataFileId, recordOffset, recordBytes, recordCrc32, blobType].join();
}
