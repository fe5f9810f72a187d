import { playersCodec, type StoredPlayer } from "../codec/entity.ts";
import { generationFiles } from "../codec/files.ts";
import { type GlobalRecord, type GlobalState, globalRecordCodec } from "../codec/global-record.ts";
import { bindingOf, type Manifest, withoutJournal, withPacks } from "../codec/manifest.ts";
import { globalPayloadFile, playersPayloadFile, sealOf } from "../codec/payload-file.ts";
import type { DescriptionRecords } from "../codec/world-description.ts";
import type { SaveFormat } from "../leaves/save-format.ts";
import type { GenerationBytes } from "./commit-sequence.ts";

/** What a generation consists of besides its leaves. */
interface GenerationParts {
  readonly indexFile: Uint8Array;
  readonly state: GlobalState;
  readonly records: DescriptionRecords | undefined;
  /** In order of their ids. */
  readonly players: readonly StoredPlayer[];
  readonly format: SaveFormat;
}

/** A generation whose files are encoded. */
interface EncodedGeneration {
  readonly global: GlobalRecord;
  readonly bytes: GenerationBytes;
  /** The given manifest, bound to the files. */
  readonly manifest: Manifest;
}

/** Encodes the files of a generation, and binds its manifest to them. */
export function encodeGeneration(
  manifest: Manifest,
  { indexFile, state, records, players, format }: GenerationParts,
): EncodedGeneration {
  const playersFile = playersPayloadFile.encode(playersCodec, players);
  const isSealed = format.hasRecords && state.description.worldId !== 0n;
  const global: GlobalRecord = {
    ...state,
    nextDataFileId: manifest.activeDataFileId + 1,
    lastModifiedMs: manifest.lastModifiedMs,
    records,
    playersSeal: isSealed ? sealOf(playersFile) : undefined,
  };
  const globalFile = globalPayloadFile.encode(globalRecordCodec, global);
  const bytes = { indexFile, globalFile, playersFile };
  return { global, bytes, manifest: { ...manifest, ...bindingOf(bytes, global) } };
}

/** What a commit adds to a manifest. */
interface ManifestChange {
  readonly nowMs: number;
  readonly activeDataFileId: number;
  /** Packs that got records. */
  readonly packIds: Iterable<number>;
}

/** Returns the manifest of the next generation, before its files are sealed and its journal is declared. */
export function nextManifest(
  before: Manifest,
  { nowMs, activeDataFileId, packIds }: ManifestChange,
): Manifest {
  const manifest = withoutJournal(before);
  const currentGeneration = manifest.currentGeneration + 1;
  return {
    ...manifest,
    ...generationFiles(currentGeneration),
    currentGeneration,
    lastModifiedMs: nowMs,
    activeDataFileId,
    dataFileCount: Math.max(manifest.dataFileCount, activeDataFileId),
    dataFiles: withPacks(manifest.dataFiles ?? [], packIds),
  };
}
