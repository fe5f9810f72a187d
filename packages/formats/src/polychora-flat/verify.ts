import { type Box, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt, type Finding, findingOf, noticeOf } from "@orthant/disk/files";
import { type LeafEntry, type RecordRef, type Survey, surveySave } from "@orthant/save";
import {
  filesOfGeneration,
  PackReader,
  packFile,
  verifyManifest,
  verifyPack,
  verifySurvey,
} from "@orthant/save/parts";

import {
  readFlatChunks,
  readFlatEntities,
  readFlatGlobal,
  readFlatIndex,
  readFlatPlayers,
} from "./reader.ts";

/**
 * Checks everything in a flat save and reports every fault: in the live generation, in older ones that still
 * exist, and in the packs. Never writes, and never throws because of a save's content. Rule S48.
 */
export async function verifyFlatSave(disk: Disk): Promise<readonly Finding[]> {
  const survey = await surveySave(disk);
  const findings: Finding[] = [...verifyManifest(survey)];
  const records = new RecordVerifier(disk);
  try {
    for (const generation of survey.generations) {
      findings.push(...(await verifyGeneration(disk, survey, generation, records)));
    }
  } finally {
    await records.close();
  }
  for (const packId of survey.packIds) {
    const proven = records.proven.get(packId);
    findings.push(
      ...(await verifyPack(disk, packId, {
        proven: proven ?? new Map(),
        isNeeded: records.packIds.has(packId),
      })),
    );
  }
  return [...findings, ...verifySurvey(survey, records.packIds, new Set())];
}

async function verifyGeneration(
  disk: Disk,
  survey: Survey,
  generation: number,
  records: RecordVerifier,
): Promise<readonly Finding[]> {
  const current = survey.manifest?.manifest.currentGeneration;
  const files = filesOfGeneration(survey, generation);
  if (current !== undefined && generation > current) {
    return [noticeOf(files.indexFile, `generation ${generation} was never committed`)];
  }
  const { indexFile, globalFile, playersFile } = files;
  const isMissing = [indexFile, globalFile, playersFile].some((file) => !survey.files.includes(file));
  if (generation !== current && isMissing) {
    return [noticeOf(indexFile, `generation ${generation} is not all there any more`)];
  }
  const [index, indexError] = await attempt(() => readFlatIndex(disk, indexFile, generation));
  const [, globalError] = await attempt(() => readFlatGlobal(disk, globalFile));
  const [, playersError] = await attempt(() => readFlatPlayers(disk, playersFile));
  const findings: Finding[] = [];
  if (indexError !== undefined) findings.push(findingOf(indexError, indexFile, generation));
  if (globalError !== undefined) findings.push(findingOf(globalError, globalFile, generation));
  if (playersError !== undefined) findings.push(findingOf(playersError, playersFile, generation));
  const entityIds = new Set<bigint>();
  for (const leaf of index?.leaves ?? [])
    findings.push(...(await records.verify(leaf, generation, entityIds)));
  return findings;
}

interface VerifiedRecord {
  readonly error: OrthantError | undefined;
  readonly entityIds: readonly bigint[];
}

/** Reads the records of regions. Generations share most records, so each is read once. */
class RecordVerifier {
  /** Records with a right checksum, by pack: their ends by their offsets. */
  readonly proven = new Map<number, Map<number, number>>();
  /** Packs that regions refer to. */
  readonly packIds = new Set<number>();
  readonly #packs: PackReader;
  readonly #verified = new Map<string, VerifiedRecord>();

  constructor(disk: Disk) {
    this.#packs = new PackReader(disk);
  }

  close(): Promise<void> {
    return this.#packs.release();
  }

  async verify(
    { cube, chunkRefs, entityRefs }: LeafEntry,
    generation: number,
    entityIds: Set<bigint>,
  ): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    for (const ref of [...chunkRefs, ...entityRefs]) {
      const found = await this.#readOnce(ref, cube, chunkRefs.includes(ref));
      const report = (error: OrthantError): void => {
        findings.push(findingOf(error, packFile(ref.packId), generation, cube));
      };
      if (found.error !== undefined) report(found.error);
      for (const id of found.entityIds) {
        if (entityIds.has(id)) {
          report(new OrthantError("ORT_BLOB", `entity ${id} is stored twice`, { offset: ref.recordOffset }));
        }
        entityIds.add(id);
      }
    }
    return findings;
  }

  async #readOnce(ref: RecordRef, cube: Box, isChunks: boolean): Promise<VerifiedRecord> {
    const key = [...Object.values(ref), cube.min, cube.max, isChunks].join();
    const known = this.#verified.get(key);
    if (known !== undefined) return known;
    this.packIds.add(ref.packId);
    const [entities, error] = await attempt(async () => {
      if (!isChunks) return readFlatEntities(this.#packs, ref, cube);
      await readFlatChunks(this.#packs, ref, cube);
      return [];
    });
    if (error === undefined) this.#prove(ref);
    const verified = { error, entityIds: (entities ?? []).map(({ entityId }) => entityId) };
    this.#verified.set(key, verified);
    return verified;
  }

  #prove({ packId, recordOffset, recordBytes }: RecordRef): void {
    const records = this.proven.get(packId) ?? new Map<number, number>();
    this.proven.set(packId, records);
    records.set(recordOffset, recordOffset + recordBytes);
  }
}
