import {
  type ChunkShape,
  chunkShape,
  type GeneratorRegistry,
  type OrthantError,
  type RegionClock,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt } from "@orthant/disk/files";
import type { Dialect } from "../codec/dialect.ts";
import { generatedChunks } from "../codec/generated-chunks.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import type { LeafEntry } from "../codec/leaf-entry.ts";
import { DEFAULT_LIMITS } from "../codec/limits.ts";
import type { GeneratedChunks } from "../codec/stored-block.ts";
import type { IndexPart, LeafIndex } from "../index/leaf-index.ts";
import { readGlobal } from "../read/reader.ts";
import { verifySave } from "../verify/verify.ts";
import type { Loss, RepairPlan } from "./repair-plan.ts";
import {
  followIndex,
  lostChanges,
  orderPieces,
  type Selection,
  salvagePage,
  salvageRecords,
} from "./repair-selection.ts";
import { findGlobal, findIndex, findOlderLeaves, findPlayers, usableGenerations } from "./repair-sources.ts";
import { findIntactRecords } from "./salvage.ts";
import { filesOfGeneration, type Survey, surveySave } from "./survey.ts";

/** Information from the caller that the save may have lost. */
export interface RepairOptions {
  /** Shape of the chunks, used when neither a global file nor the manifest states it any more. */
  readonly chunkShape?: ChunkShape;
  /** Generators for chunks that are stored as changes to their output. Default: those of Orthant. */
  readonly generators?: GeneratorRegistry;
}

/**
 * Determines how much of a save can be recovered: the newest readable index, or the records alone, the newest
 * global and players files, and every intact record. Writes nothing. Rule S49.
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
  const { leaves, lost } = await readableLeaves(index?.value.index);
  const isLive = index !== undefined && index.generation === usableGenerations(survey)[0];
  const selections: Selection[] = [];
  const clocks: RegionClock[] = [];
  for (const page of lost) {
    const older = await findOlderLeaves(disk, survey, index?.generation ?? 0, page.cell);
    selections.push(salvagePage(page, leaves, intact, older));
    clocks.push(...(older?.leaves ?? []).flatMap((leaf) => leaf.clocks));
  }
  selections.push(
    isLive ? followIndex(leaves, intact) : salvageRecords(leaves, intact, index?.generation, findings),
  );
  const pieces = orderPieces(selections);
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
    clocks: [...clocks, ...leaves.flatMap((leaf) => leaf.clocks)],
    changedCells: selections.flatMap(({ changedCells }) => changedCells),
    keptRecords: pieces.length,
    keptBytes: pieces.reduce((sum, { ref }) => sum + ref.recordBytes, 0),
    losses: [...losses, ...selections.flatMap((selection) => selection.losses)],
  };
}

/** Returns the readable leaves of an index, and its unreadable pages. */
async function readableLeaves(
  index: LeafIndex | undefined,
): Promise<{ readonly leaves: readonly LeafEntry[]; readonly lost: readonly IndexPart[] }> {
  const leaves: LeafEntry[] = [];
  const lost: IndexPart[] = [];
  if (index === undefined) return { leaves, lost };
  for await (const part of index.parts()) {
    if (part.error !== undefined) lost.push(part);
    for (const leaf of part.leaves) leaves.push(leaf);
  }
  return { leaves, lost };
}

/** Returns the world's generator; `undefined` if it is missing. */
async function findGenerator(
  global: GlobalRecord,
  generators: GeneratorRegistry | undefined,
): Promise<GeneratedChunks | undefined> {
  const generated = generatedChunks(global, generators);
  const [, error] = await attempt(async () => generated([0, 0, 0, 0]));
  return error === undefined ? generated : undefined;
}

/** Without an index, returns the dialect in which a global file is readable. */
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

function lostManifest(error: OrthantError): Loss {
  return { what: "manifest", cell: undefined, message: `made anew, because of ${error.message}` };
}
