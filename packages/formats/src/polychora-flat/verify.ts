import { type Box, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt, type Finding, findingOf } from "@orthant/disk/files";
import { type LeafEntry, type RecordRef, surveySave } from "@orthant/save";
import { type GenerationFiles, KnownRecords, PackReader, packFile, verifyFiles } from "@orthant/save/files";

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
  const verifier = new RecordVerifier(disk);
  try {
    return await verifyFiles(disk, await surveySave(disk), {
      records: verifier.records,
      pages: new Set(),
      verify: (generation, files) => verifyGeneration(disk, generation, files, verifier),
    });
  } finally {
    await verifier.close();
  }
}

async function verifyGeneration(
  disk: Disk,
  generation: number,
  { indexFile, globalFile, playersFile }: GenerationFiles,
  verifier: RecordVerifier,
): Promise<readonly Finding[]> {
  const [index, indexError] = await attempt(() => readFlatIndex(disk, indexFile, generation));
  const [, globalError] = await attempt(() => readFlatGlobal(disk, globalFile));
  const [, playersError] = await attempt(() => readFlatPlayers(disk, playersFile));
  const findings: Finding[] = [];
  if (indexError !== undefined) findings.push(findingOf(indexError, indexFile, generation));
  if (globalError !== undefined) findings.push(findingOf(globalError, globalFile, generation));
  if (playersError !== undefined) findings.push(findingOf(playersError, playersFile, generation));
  const entityIds = new Set<bigint>();
  for (const leaf of index?.leaves ?? [])
    findings.push(...(await verifier.verify(leaf, generation, entityIds)));
  return findings;
}

interface VerifiedRecord {
  readonly error: OrthantError | undefined;
  readonly entityIds: readonly bigint[];
}

/** Reads the records of regions. Generations share most records, so each is read once. */
class RecordVerifier {
  /** The records of the regions so far. */
  readonly records = new KnownRecords();
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
    this.records.add(ref);
    const [entities, error] = await attempt(async () => {
      if (!isChunks) return readFlatEntities(this.#packs, ref, cube);
      await readFlatChunks(this.#packs, ref, cube);
      return [];
    });
    if (error === undefined) this.records.addIntact(ref);
    const verified = { error, entityIds: (entities ?? []).map(({ entityId }) => entityId) };
    this.#verified.set(key, verified);
    return verified;
  }
}
