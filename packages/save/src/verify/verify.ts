import { OrthantError } from "@orthant/core";
import { checkedOptions, requireFlag } from "@orthant/core/arguments";
import { AXES } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { attempt, type Finding, findingOf, isLockName, noticeOf } from "@orthant/disk/files";
import {
  type GenerationFiles,
  packFile,
  parseGenerationFile,
  parsePackFile,
  parsePageFile,
} from "../codec/files.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import { DEFAULT_LIMITS, MANIFEST_FILE } from "../codec/layout.ts";
import { hasPack, type Manifest, packListOf, requireSameWorld, withoutPacks } from "../codec/manifest.ts";
import { verifyJournal } from "../journal/journal-reader.ts";
import { requireGeneration } from "../leaves/index-reader.ts";
import { PackReader } from "../pack/pack-reader.ts";
import { describePacks } from "../read/named-packs.ts";
import { readGlobal, readIndex, readPlayers } from "../read/reader.ts";
import { filesOfGeneration, type Survey, sealsOfGeneration, surveySave } from "../read/survey.ts";
import { GenerationVerifier } from "./generation-verifier.ts";
import { offAxes } from "./verify-leaves.ts";
import { type KnownRecords, verifyPack } from "./verify-pack.ts";

const UNBOUND = "the manifest has no checksums of the files that it names; the next save adds them";

/** Options for verifying a save. */
export interface VerifyOptions {
  /**
   * Only compares the checksums of chunk records, without checking that their content follows the rules.
   * Damage changes bytes; invalid content comes only from a faulty program.
   */
  readonly checksumsOnly?: boolean;
}

/**
 * Checks everything in a save and reports every fault: in the live generation, in older ones that still
 * exist, and in the packs. Never writes, and never throws because of a save's content. Rule S48.
 */
export async function verifySave(disk: Disk, options: VerifyOptions = {}): Promise<readonly Finding[]> {
  const checked = checkedOptions("the options", options, { checksumsOnly: requireFlag });
  const survey = await surveySave(disk);
  const packReader = new PackReader(disk);
  const content = new GenerationVerifier(packReader);
  try {
    return await verifyFiles(disk, survey, {
      records: content.records,
      pages: content.seenPages,
      verify: (generation, files) => verifyGeneration(disk, survey, generation, files, content, checked),
    });
  } finally {
    await packReader.release();
  }
}

/** Verifies the content of generations, in our format or in one that shares its files. */
interface ContentVerifier {
  /** The records that the verified generations refer to. */
  readonly records: KnownRecords;
  /** Paths of the index pages that the verified generations lead to. */
  readonly pages: ReadonlySet<string>;
  /** Returns every fault in the content of a generation. */
  verify(generation: number, files: GenerationFiles): Promise<readonly Finding[]>;
}

/** Reports every fault in a save: in its manifest, in the content of all generations, and in its packs. */
export async function verifyFiles(
  disk: Disk,
  survey: Survey,
  content: ContentVerifier,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [
    ...verifyManifest(survey),
    ...survey.folderErrors.map((error) => findingOf(error, "")),
  ];
  for (const generation of survey.generations) {
    const files = filesOfGeneration(survey, generation);
    const unusable = noticeOfUnusable(survey, generation, files);
    findings.push(...(unusable === undefined ? await content.verify(generation, files) : [unusable]));
  }
  for (const packId of survey.packIds) {
    findings.push(...(await verifyPack(disk, packId, content.records)));
  }
  return [
    ...findings,
    ...verifyActivePack(survey),
    ...verifyNamedPacks(survey, content.records.packIds),
    ...unknownFiles(survey, content.pages),
  ];
}

/** Reports a manifest that is unreadable, or does not protect its files. */
function verifyManifest({ manifest, manifestError }: Survey): readonly Finding[] {
  if (manifestError !== undefined) return [findingOf(manifestError, MANIFEST_FILE)];
  if (manifest?.hasChecksum === false) return [noticeOf(MANIFEST_FILE, "the manifest has no checksum")];
  const isBound = manifest === undefined || manifest.manifest.seals !== undefined;
  return isBound ? [] : [noticeOf(MANIFEST_FILE, UNBOUND)];
}

/** Reports a generation that was never committed, or that was removed in part. */
function noticeOfUnusable(survey: Survey, generation: number, files: GenerationFiles): Finding | undefined {
  const current = survey.manifest?.manifest.currentGeneration;
  const { indexFile, globalFile, playersFile } = files;
  if (current !== undefined && generation > current) {
    return noticeOf(indexFile, `generation ${generation} was never committed`);
  }
  const isMissing = [indexFile, globalFile, playersFile].some((file) => !survey.files.includes(file));
  if (generation === current || !isMissing) return undefined;
  return noticeOf(indexFile, `generation ${generation} is not all there any more`);
}

async function verifyGeneration(
  disk: Disk,
  survey: Survey,
  generation: number,
  files: GenerationFiles,
  content: GenerationVerifier,
  { checksumsOnly = false }: VerifyOptions,
): Promise<readonly Finding[]> {
  const manifest = survey.manifest?.manifest;
  const current = manifest?.currentGeneration;
  const seals = sealsOfGeneration(survey, generation);
  const [index, indexError] = await attempt(async () => {
    const read = await readIndex(disk, files.indexFile, seals.indexFile);
    requireGeneration(files.indexFile, read, generation);
    return read;
  });
  // Of a flat save nothing else has a meaning here.
  if (indexError?.code === "ORT_DIALECT") return [findingOf(indexError, files.indexFile, generation)];
  const [global, globalError] = await attempt(async () => {
    const read = await readGlobal(disk, files.globalFile, seals.globalFile);
    requireSameWorld(files.globalFile, read, manifest?.worldId);
    return read;
  });
  const [players, playersError] = await attempt(() =>
    readPlayers(disk, files.playersFile, seals.playersFile ?? global?.playersSeal),
  );
  const findings: Finding[] = [];
  if (indexError !== undefined) findings.push(findingOf(indexError, files.indexFile, generation));
  if (globalError !== undefined) findings.push(findingOf(globalError, files.globalFile, generation));
  if (playersError !== undefined) findings.push(findingOf(playersError, files.playersFile, generation));
  if (manifest !== undefined && index !== undefined && global !== undefined && generation === current) {
    findings.push(...verifyAgreement(manifest, generation, global, files.globalFile));
    findings.push(...(await verifyJournal(disk, { generation, global, manifest })));
  }
  for (const { playerId, position } of players ?? []) {
    const message = offAxes(`player ${playerId}`, position, global?.description.chunkShape);
    if (message !== undefined) findings.push({ ...noticeOf(files.playersFile, message), generation });
  }
  if (global !== undefined)
    findings.push(...(await content.verifyWorldRecords(global, files.globalFile, generation)));
  if (index === undefined) return findings;
  const context = {
    chunkVolume: checksumsOnly ? undefined : global?.description.chunkShape.volume,
    shape: checksumsOnly ? undefined : global?.description.chunkShape,
    limits: manifest?.limits ?? DEFAULT_LIMITS,
  };
  return [...findings, ...(await content.verifyIndex(index.index, files.indexFile, context, generation))];
}

/** Checks that the manifest and the global file agree. */
function verifyAgreement(
  manifest: Manifest,
  generation: number,
  global: GlobalRecord,
  path: string,
): readonly Finding[] {
  const findings: Finding[] = [];
  const compare = (what: string, ours: number, theirs: number): void => {
    if (ours === theirs) return;
    const error = new OrthantError("ORT_GENERATION", `${what} is ${ours}, and ${theirs} in the manifest`);
    findings.push(findingOf(error, path, generation));
  };
  compare("the time of the last change", global.lastModifiedMs, manifest.lastModifiedMs);
  const shape = global.description.chunkShape.extents;
  for (const axis of AXES)
    compare("the shape of a chunk", shape[axis], (manifest.chunkExtents ?? shape)[axis]);
  compare("the id of the next pack", global.nextDataFileId, manifest.activeDataFileId + 1);
  return findings;
}

function verifyActivePack({ manifest, packIds }: Survey): readonly Finding[] {
  const active = manifest?.manifest.activeDataFileId;
  if (active === undefined || packIds.includes(active)) return [];
  const error = new OrthantError("ORT_NOT_FOUND", "the pack that is being written to is missing");
  return [findingOf(error, packFile(active), manifest?.manifest.currentGeneration)];
}

/**
 * Checks that the manifest names every needed pack and no missing one. The leaves report what is lost with a
 * pack.
 */
function verifyNamedPacks({ manifest, packIds }: Survey, needed: ReadonlySet<number>): readonly Finding[] {
  const named = manifest?.manifest.dataFiles;
  if (named === undefined) return [];
  const findings: Finding[] = [];
  const missing = withoutPacks(withoutPacks(named, packIds), needed);
  if (missing.length > 0) {
    const message = `${describePacks(missing)} missing, though the manifest names them; nothing refers to them`;
    findings.push(noticeOf(MANIFEST_FILE, message));
  }
  const unnamed = packListOf(packIds.filter((packId) => needed.has(packId) && !hasPack(named, packId)));
  if (unnamed.length > 0) {
    const detail = `${describePacks(unnamed)} needed, and the manifest does not name them`;
    findings.push(findingOf(new OrthantError("ORT_MANIFEST", detail), MANIFEST_FILE));
  }
  return findings;
}

/** Reports files that belong to no generation, left by a crash or put there by a user. */
function unknownFiles(
  { files, manifest, folderErrors }: Survey,
  pages: ReadonlySet<string>,
): readonly Finding[] {
  const named = manifest?.manifest;
  const known = new Set([MANIFEST_FILE, named?.indexFile, named?.globalFile, named?.playersFile]);
  for (const { context } of folderErrors) known.add(context.path);
  return files
    .filter((file) => !known.has(file) && !isLockName(file))
    .filter((file) => !pages.has(file) && !parseGenerationFile(file) && parsePackFile(file) === undefined)
    .map((file) => {
      const isPage = parsePageFile(file) !== undefined;
      return noticeOf(file, isPage ? "a page that no index leads to" : "a file that is not part of the save");
    });
}
