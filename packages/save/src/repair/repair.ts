import { type ChunkShape, chunkShape, type GeneratorRegistry, HYPERCUBE_CHUNKS } from "@orthant/core";
import { checkedOptions } from "@orthant/core/arguments";
import { DEFAULT_GENERATORS, requireRegistry } from "@orthant/core/generate";
import { requireShape } from "@orthant/core/lattice";
import type { RegionClock } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import { attempt } from "@orthant/disk/files";
import { playersCodec } from "../codec/entity.ts";
import {
  type GlobalRecord,
  generatedChunks,
  generatorMapOf,
  globalRecordCodec,
} from "../codec/global-record.ts";
import { DEFAULT_LIMITS } from "../codec/layout.ts";
import { requireSameWorld } from "../codec/manifest.ts";
import type { GeneratedChunks } from "../codec/stored-chunk.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import type { IndexPart, LeafIndex } from "../leaves/leaf-index.ts";
import { surveySave } from "../read/survey.ts";
import { verifySave } from "../verify/verify.ts";
import { recoverRecords } from "./repair-records.ts";
import {
  findGlobal,
  findIndex,
  findOlderLeaves,
  findPlayers,
  lostManifest,
  unknownGlobal,
  usableGenerations,
} from "./repair-sources.ts";
import {
  findIntactRecords,
  followIndex,
  issuedPlan,
  type KeptRecords,
  type Loss,
  lostChanges,
  measureRecords,
  orderPieces,
  type RepairPlan,
  salvagePage,
  salvageRecords,
} from "./salvage.ts";

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
  const checked = checkedOptions("the options", options, {
    chunkShape: requireShape,
    generators: requireRegistry,
  });
  const findings = await verifySave(disk);
  const survey = await surveySave(disk);
  const manifest = survey.manifest?.manifest;
  const losses: Loss[] = [...lostManifest(survey)];
  const index = await findIndex(disk, survey);
  const fallback =
    manifest?.chunkExtents === undefined ? checked.chunkShape : chunkShape(manifest.chunkExtents);
  const found = await findGlobal(
    disk,
    survey,
    globalRecordCodec,
    (global, path) => {
      requireSameWorld(path, global, manifest?.worldId);
      return global;
    },
    losses,
  );
  const { global, store } = await withRecords(
    found ?? unknownGlobal(fallback ?? HYPERCUBE_CHUNKS, losses),
    (record) => recoverRecords(disk, survey, record, losses),
  );
  const players = await findPlayers(disk, survey, playersCodec, losses);
  const chunkVolume = global.description.chunkShape.volume;
  const intact = await findIntactRecords(disk, survey.packIds, measureRecords(chunkVolume));
  const { leaves, lost } = await readableLeaves(index?.value.index);
  const isLive = index !== undefined && index.generation === usableGenerations(survey)[0];
  const selections: KeptRecords[] = [];
  const clocks: RegionClock[] = [];
  for (const page of lost) {
    const older = await findOlderLeaves(disk, survey, index?.generation ?? 0, page.cube);
    selections.push(salvagePage(page, leaves, intact, older));
    clocks.push(...(older?.leaves ?? []).flatMap((leaf) => leaf.clocks));
  }
  selections.push(
    isLive ? followIndex(leaves, intact) : salvageRecords(leaves, intact, index?.generation, findings),
  );
  const pieces = orderPieces(selections);
  const generated = found === undefined ? undefined : await findGenerator(global, checked.generators);
  if (found === undefined) losses.push(...lostChanges(pieces, intact));
  return issuedPlan({
    findings,
    generation: index?.generation,
    createdMs: manifest?.createdMs ?? global.lastModifiedMs,
    limits: manifest?.limits ?? DEFAULT_LIMITS,
    global,
    generated,
    namesGenerator: found !== undefined,
    players,
    store,
    pieces,
    clocks: [...clocks, ...leaves.flatMap((leaf) => leaf.clocks)],
    changedCubes: selections.flatMap(({ changedCubes }) => changedCubes),
    keptRecords: pieces.length,
    keptBytes: pieces.reduce((sum, { ref }) => sum + ref.recordBytes, 0),
    losses: [...losses, ...selections.flatMap((selection) => selection.losses)],
  });
}

/** Returns a global record with its recovered catalog, and the recovered store. */
async function withRecords(
  record: GlobalRecord,
  recover: (record: GlobalRecord) => ReturnType<typeof recoverRecords>,
): Promise<Pick<RepairPlan, "global" | "store">> {
  const { blocks, store } = await recover(record);
  return { global: { ...record, description: { ...record.description, blocks } }, store };
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

/** Returns the world's generators; `undefined` if one is missing. */
async function findGenerator(
  global: GlobalRecord,
  generators: GeneratorRegistry = DEFAULT_GENERATORS,
): Promise<GeneratedChunks | undefined> {
  const generated = generatedChunks(global, generators);
  const [, error] = await attempt(async () => {
    for (const ref of generatorMapOf(global).refs)
      generators.open(ref, global.description.chunkShape).realize(0, 0, 0, 0);
  });
  return error === undefined ? generated : undefined;
}
