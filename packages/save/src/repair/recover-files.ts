import type { ChunkShape } from "@orthant/core";
import type { Codec } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import type { Finding } from "@orthant/disk/files";
import type { StoredPlayer } from "../codec/entity.ts";
import type { GenerationFiles } from "../codec/files.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import { DEFAULT_LIMITS } from "../codec/layout.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import { surveySave } from "../read/survey.ts";
import {
  findGlobal,
  findNewest,
  findPlayers,
  lostManifest,
  unknownGlobal,
  usableGenerations,
} from "./repair-sources.ts";
import {
  findIntactRecords,
  followIndex,
  type Loss,
  orderPieces,
  type RecordMeasure,
  type RepairPlan,
  salvageRecords,
} from "./salvage.ts";

/** Reads the content of a format that shares the files of a save, for a repair. */
interface RecoverableFormat<Stored, Global> {
  /** Shape of the chunks. */
  readonly shape: ChunkShape;
  readonly globalCodec: Codec<Stored>;
  readonly playersCodec: Codec<readonly StoredPlayer[]>;
  /** Decodes a record and returns its extent; `undefined` if it cannot be decoded. */
  readonly measure: RecordMeasure;
  /** Reads the leaves of an index. With a generation, throws if the index belongs to another. */
  readIndex(files: GenerationFiles, generation: number | undefined): Promise<readonly LeafEntry[]>;
  /** Converts a stored global record. */
  globalOf(stored: Stored, path: string): Global;
  /** Converts the record that stands in for a lost one. */
  unknownGlobal(record: GlobalRecord): Global;
}

/** The parts of a {@link RepairPlan} that do not depend on the format. */
type RecoveredFiles<Global> = Pick<
  RepairPlan,
  "findings" | "generation" | "limits" | "players" | "pieces" | "keptRecords" | "keptBytes" | "losses"
> & { readonly global: Global };

/**
 * Determines how much of a save can be recovered: the newest readable index, or the records alone, the newest
 * global and players files, and every intact record. `findings` are those of its verification. Writes
 * nothing. Rule S49.
 */
export async function recoverFiles<Stored, Global>(
  disk: Disk,
  findings: readonly Finding[],
  format: RecoverableFormat<Stored, Global>,
): Promise<RecoveredFiles<Global>> {
  const survey = await surveySave(disk);
  const manifest = survey.manifest?.manifest;
  const losses: Loss[] = [...lostManifest(survey)];
  const index = await findNewest(survey, (files, generation) => {
    // The manifest names the live index, which may state another generation.
    const isLive = manifest?.currentGeneration === generation;
    return format.readIndex(files, isLive ? undefined : generation);
  });
  const { globalCodec, globalOf, shape } = format;
  const global =
    (await findGlobal(disk, survey, globalCodec, globalOf, losses)) ??
    format.unknownGlobal(unknownGlobal(shape, losses));
  const players = await findPlayers(disk, survey, format.playersCodec, losses);
  const intact = await findIntactRecords(disk, survey.packIds, format.measure);
  const leaves = index?.value ?? [];
  const isNewest = index !== undefined && index.generation === usableGenerations(survey)[0];
  const selection = isNewest
    ? followIndex(leaves, intact)
    : salvageRecords(leaves, intact, index?.generation, findings);
  const pieces = orderPieces([selection]);
  return {
    findings,
    generation: index?.generation,
    limits: manifest?.limits ?? DEFAULT_LIMITS,
    global,
    players,
    pieces,
    keptRecords: pieces.length,
    keptBytes: pieces.reduce((sum, { ref }) => sum + ref.recordBytes, 0),
    losses: [...losses, ...selection.losses],
  };
}
