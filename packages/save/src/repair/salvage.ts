import { type Box, isOrthantError } from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";
import { ByteReader, decode } from "@orthant/core/bytes";
import { boxCodec, boxContainsBox, boxesIntersect } from "@orthant/core/lattice";
import type { RegionClock } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import { attempt, type Finding, readWhole } from "@orthant/disk/files";
import { compareAge, type RecordRef } from "../codec/blob.ts";
import { blobFormatOf } from "../codec/blob-format.ts";
import { entityBlobCodec, type StoredEntity, type StoredPlayer } from "../codec/entity.ts";
import { packFile, pageFile } from "../codec/files.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import { CHUNK_BLOB, DATA_FOLDER, ENTITY_BLOB, type SaveLimits } from "../codec/layout.ts";
import type { StoreEntry } from "../codec/store-page.ts";
import { type GeneratedChunks, needsGenerator, type StoredChunk } from "../codec/stored-chunk.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import type { IndexPart } from "../leaves/leaf-index.ts";
import { scanPack } from "../pack/pack-scan.ts";

/** Memory limit for a blob, independent of the limits of its save, which may be lost. */
const BLOB_BYTES_MAX = 16 * 1024 * 1024;

/** A record with intact bytes, and the box of its content in the world. */
interface IntactRecord {
  readonly ref: RecordRef;
  readonly isChunks: boolean;
  readonly volume: Box;
  /** Number of its chunks that are stored as changes to a generator's output. */
  readonly changes: number;
}

/** Content of a record. */
interface RecordContent {
  readonly volume: Box;
  readonly chunks: readonly StoredChunk[];
  readonly entities: readonly StoredEntity[];
}

/** Decodes a record and returns its extent; `undefined` if its bytes are intact but cannot be decoded here. */
export type RecordMeasure = (
  ref: RecordRef,
  payload: Uint8Array,
) => Promise<Pick<IntactRecord, "volume" | "changes"> | undefined>;

/** Measures the records of our own saves. */
export function measureRecords(chunkVolume: number): RecordMeasure {
  return async (ref, payload) => {
    const content = await decodeRecord(ref, payload, chunkVolume);
    return content && { volume: content.volume, changes: content.chunks.filter(needsGenerator).length };
  };
}

/** Finds all records with a right checksum in all packs, oldest first. Skips damaged stretches. */
export async function findIntactRecords(
  disk: Disk,
  packIds: readonly number[],
  measure: RecordMeasure,
): Promise<readonly IntactRecord[]> {
  const records: IntactRecord[] = [];
  for (const packId of packIds) {
    const [bytes] = await attempt(() => readWhole(disk, packFile(packId)));
    if (bytes === undefined) continue;
    for (const piece of scanPack(bytes, packId)) {
      if (piece.kind === "gap") continue;
      const measured = await measure(piece.ref, piece.payload);
      if (measured === undefined) continue;
      const isChunks = piece.ref.blobType === CHUNK_BLOB;
      records.push({ ref: piece.ref, isChunks, ...measured });
    }
  }
  return records;
}

/** Decodes a record; `undefined` if its bytes are intact but cannot be decoded here. */
export async function decodeRecord(
  { blobType, blobVersion }: RecordRef,
  payload: Uint8Array,
  chunkVolume: number,
): Promise<RecordContent | undefined> {
  const format = blobFormatOf(blobVersion);
  if (format === undefined || blobType > ENTITY_BLOB) return undefined;
  try {
    const bytes = await format.open(payload, BLOB_BYTES_MAX);
    if (blobType !== CHUNK_BLOB) return { chunks: [], ...decode(entityBlobCodec, bytes) };
    const chunks = decode(format.codec(chunkVolume), bytes);
    // Of untouched positions too. A blob of any version begins with its volume.
    return { volume: boxCodec.read(new ByteReader(bytes)), chunks, entities: [] };
  } catch (error) {
    // The caller reports that the record is unusable.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the records still in force among all ever written: a record is superseded by every later one of its
 * kind that intersects its volume. This holds because the leaves of one generation are disjoint.
 */
function dropSuperseded(records: readonly IntactRecord[]): readonly IntactRecord[] {
  const inForce: IntactRecord[] = [];
  for (const record of [...records].reverse()) {
    const superseded = inForce.some(
      (later) => later.isChunks === record.isChunks && boxesIntersect(later.volume, record.volume),
    );
    if (!superseded) inForce.push(record);
  }
  return inForce.reverse();
}

/** The leaves of an older generation in a cube. */
export interface OlderLeaves {
  readonly generation: number;
  readonly leaves: readonly LeafEntry[];
  /** The last written record of that generation, in any cube. */
  readonly lastRecord: RecordRef | undefined;
}

/** The records that a repair keeps, and its losses. */
export interface KeptRecords extends Pick<RepairPlan, "changedCubes" | "losses"> {
  /** Records that the live index refers to. */
  readonly certain: readonly RepairPiece[];
  /** Records that are older, or whose age no index proves. */
  readonly onTrust: readonly RepairPiece[];
}

/**
 * Orders the pieces so that later ones override earlier ones: the newest of those taken on trust, for example
 * when an entity moved, and above all the certain ones.
 */
export function orderPieces(selections: readonly KeptRecords[]): readonly RepairPiece[] {
  const onTrust = selections.flatMap((selection) => selection.onTrust);
  onTrust.sort((one, other) => compareAge(one.ref, other.ref));
  return [...onTrust, ...selections.flatMap(({ certain }) => certain)];
}

/**
 * Selects records with the live index: each leaf keeps its records, and one that lost a record gets the
 * newest older one at its position.
 */
export function followIndex(leaves: readonly LeafEntry[], found: readonly IntactRecord[]): KeptRecords {
  const intact = asNamed(leaves, found);
  const byKey = new Map(intact.map((record) => [keyOf(record.ref), record]));
  const live = new Set(leaves.flatMap(refsOf).map(keyOf));
  const certain: RepairPiece[] = [];
  const onTrust: RepairPiece[] = [];
  const changedCubes: LeafEntry["cube"][] = [];
  const losses: Loss[] = [];
  for (const leaf of leaves) {
    const { cube } = leaf;
    for (const ref of refsOf(leaf)) {
      const record = byKey.get(keyOf(ref));
      if (record !== undefined && boxContainsBox(cube, record.volume)) {
        certain.push({ ref, clip: undefined });
        continue;
      }
      const isChunks = ref.blobType === CHUNK_BLOB;
      const older = intact
        .filter((other) => other.isChunks === isChunks && !live.has(keyOf(other.ref)))
        .filter(({ volume }) => boxesIntersect(volume, cube))
        .at(-1);
      if (older !== undefined) onTrust.push({ ref: older.ref, clip: cube });
      changedCubes.push(cube);
      losses.push({
        what: isChunks ? "chunks" : "entities",
        chunks: cube,
        message: describeLoss(ref, older?.ref),
      });
    }
  }
  return { certain, onTrust, changedCubes, losses };
}

/**
 * Selects records without the live index: those of an older index that no later record overlaps, and all
 * later ones.
 */
export function salvageRecords(
  leaves: readonly LeafEntry[],
  found: readonly IntactRecord[],
  generation: number | undefined,
  findings: readonly Finding[],
): KeptRecords {
  const intact = asNamed(leaves, found);
  const known = cubesByRecord(leaves);
  const lastKnown = intact.map(({ ref }) => known.has(keyOf(ref))).lastIndexOf(true);
  const later = dropSuperseded(generation === undefined ? intact : intact.slice(lastKnown + 1));
  const from =
    generation === undefined ? "no index can be read" : `the index is that of generation ${generation}`;
  const message = `${from}; ${later.length} records are taken on trust, and what was removed may be back`;
  const records = [...notSuperseded(known, intact, later), ...later];
  return {
    certain: [],
    onTrust: records.map(({ ref }) => ({ ref, clip: undefined })),
    changedCubes: later.map(({ volume }) => volume),
    losses: [{ what: "index", chunks: undefined, message }, ...damagedStretches(findings)],
  };
}

/**
 * Selects records for an unreadable page: those of an older generation's leaves in its cube that no later
 * record overlaps, and all later records in the cube that no other leaf has.
 */
export function salvagePage(
  { cube, link, error }: IndexPart,
  leaves: readonly LeafEntry[],
  found: readonly IntactRecord[],
  older: OlderLeaves | undefined,
): KeptRecords {
  const intact = asNamed([...leaves, ...(older?.leaves ?? [])], found);
  const live = cubesByRecord(leaves);
  const inCube = intact.filter(({ ref, volume }) => boxesIntersect(volume, cube) && !live.has(keyOf(ref)));
  const later = dropSuperseded(
    inCube.filter(({ ref }) => older === undefined || isAfter(ref, older.lastRecord)),
  );
  const records = [...notSuperseded(cubesByRecord(older?.leaves ?? []), inCube, later), ...later];
  const file = link === undefined ? "the root" : pageFile(link);
  const from =
    older === undefined ? "no older one is left" : `generation ${older.generation} has an older one`;
  const trust = `${records.length} records are taken on trust, and what was removed may be back`;
  return {
    certain: [],
    onTrust: records.map(({ ref }) => ({ ref, clip: cube })),
    changedCubes: [cube],
    losses: [
      { what: "index", chunks: cube, message: `${file}: ${error?.detail ?? "lost"}; ${from}; ${trust}` },
    ],
  };
}

/**
 * Returns the records without those that an index names with another version. The checksum does not cover the version in
 * a record's header, and content that is read as another version may be wrong.
 */
function asNamed(leaves: readonly LeafEntry[], found: readonly IntactRecord[]): readonly IntactRecord[] {
  const versions = new Map(leaves.flatMap(refsOf).map((ref) => [keyOf(ref), ref.blobVersion]));
  return found.filter(({ ref }) => (versions.get(keyOf(ref)) ?? ref.blobVersion) === ref.blobVersion);
}

/** Returns the records of leaves whose cubes no later record of their kind intersects. */
function notSuperseded(
  known: ReadonlyMap<string, Box>,
  intact: readonly IntactRecord[],
  later: readonly IntactRecord[],
): readonly IntactRecord[] {
  return intact.filter(({ ref, isChunks }) => {
    const cube = known.get(keyOf(ref));
    if (cube === undefined) return false;
    return !later.some((other) => other.isChunks === isChunks && boxesIntersect(other.volume, cube));
  });
}

/** Maps the keys of records to the cubes of their leaves. */
function cubesByRecord(leaves: readonly LeafEntry[]): ReadonlyMap<string, Box> {
  return new Map(leaves.flatMap((leaf) => refsOf(leaf).map((ref) => [keyOf(ref), leaf.cube] as const)));
}

/** Returns whether a record was written after another. */
function isAfter(ref: RecordRef, other: RecordRef | undefined): boolean {
  return other === undefined || compareAge(ref, other) > 0;
}

/** Returns bytes in packs that may have been records. Without an index their position is unknown. */
function damagedStretches(findings: readonly Finding[]): readonly Loss[] {
  return findings
    .filter(({ file, severity }) => severity === "notice" && file.startsWith(`${DATA_FOLDER}/`))
    .map(({ file, offset, message }) => ({
      what: "chunks",
      chunks: undefined,
      message: `${file} at offset ${offset}: ${message}`,
    }));
}

function describeLoss(ref: RecordRef, older: RecordRef | undefined): string {
  const lost = `the record in ${packFile(ref.packId)} at offset ${ref.recordOffset} is damaged`;
  if (older === undefined) return `${lost}, and nothing older is left`;
  return `${lost}; the older one in ${packFile(older.packId)} at offset ${older.recordOffset} takes its place`;
}

/** Returns all references of a leaf. */
function refsOf({ chunkRefs, entityRefs }: LeafEntry): readonly RecordRef[] {
  return [...chunkRefs, ...entityRefs];
}

/** Returns losses for chunks that are only known as changes to a generator's output. */
export function lostChanges(
  pieces: readonly RepairPiece[],
  intact: readonly IntactRecord[],
): readonly Loss[] {
  const byKey = new Map(intact.map((record) => [keyOf(record.ref), record]));
  return pieces.flatMap(({ ref, clip }) => {
    const record = byKey.get(keyOf(ref));
    if (record === undefined || record.changes === 0) return [];
    const message = `${record.changes} chunks are stored as changes to the output of a generator that the world no longer names`;
    return [{ what: "chunks", chunks: clip ?? record.volume, message }];
  });
}

function keyOf({ packId, recordOffset, recordBytes, recordCrc32, blobType }: RecordRef): string {
  return [packId, recordOffset, recordBytes, recordCrc32, blobType].join();
}

/** Something that a repair cannot restore. */
export interface Loss {
  readonly what: "chunks" | "entities" | "players" | "global" | "index" | "manifest" | "blocks" | "store";
  /** The affected cube, if the loss is local. */
  readonly chunks: Box | undefined;
  /** The reason, and the replacement. */
  readonly message: string;
}

/** A record that a repair copies. */
export interface RepairPiece {
  readonly ref: RecordRef;
  /** Limits the copy to these chunks: an older record may extend beyond the leaf that lost its own. */
  readonly clip: Box | undefined;
}

/** The effect of a repair. Applying it writes a new save and leaves the old one alone. */
export interface RepairPlan {
  readonly findings: readonly Finding[];
  /** Generation whose index is used; `undefined` if none is readable. */
  readonly generation: number | undefined;
  readonly createdMs: number;
  readonly limits: SaveLimits;
  readonly global: GlobalRecord;
  /** The world's generator; `undefined` if it is missing, or if the world no longer says which it is. */
  readonly generated: GeneratedChunks | undefined;
  /** Whether the world says which generator it has, so that changes to its output keep their meaning. */
  readonly namesGenerator: boolean;
  readonly players: readonly StoredPlayer[];
  /** Entries of the key-value store, in order of their keys. */
  readonly store: readonly StoreEntry[];
  readonly pieces: readonly RepairPiece[];
  readonly clocks: readonly RegionClock[];
  /** Cubes whose content differs from the live generation. The clocks of their regions are reissued. */
  readonly changedCubes: readonly Box[];
  readonly keptRecords: number;
  readonly keptBytes: number;
  readonly losses: readonly Loss[];
}

const issuedPlans = new WeakSet<RepairPlan>();

/** Marks a plan as one that `applyRepair` accepts. */
export function issuedPlan(plan: RepairPlan): RepairPlan {
  issuedPlans.add(plan);
  return plan;
}

/** Throws `ORT_ARGUMENT` unless `planRepair` returned the plan. */
export function requirePlan(plan: unknown): asserts plan is RepairPlan {
  if (typeof plan !== "object" || plan === null || !issuedPlans.has(plan as RepairPlan))
    throw wrongArgument("plan", plan, "it is what planRepair returned");
}
