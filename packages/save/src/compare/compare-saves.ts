import { type Box, type Chunk, dimensionsOf, isOrthantError, type Position } from "@orthant/core";
import { callback, checkedOptions, requireFlag } from "@orthant/core/arguments";
import {
  bytes,
  bytesEqual,
  encode,
  hash64,
  list,
  optionalBytesEqual,
  record,
  string,
} from "@orthant/core/bytes";
import { diffVoxelData } from "@orthant/core/chunk";
import type { GeneratorRef } from "@orthant/core/generate";
import { boxContains, boxContainsBox, boxEquals, PositionMap, positionsEqual } from "@orthant/core/lattice";
import { isSameRef, type RecordRef } from "../codec/blob.ts";
import { partOf, VOXEL_DATA_PART } from "../codec/blob-sections.ts";
import { playersCodec, type StoredEntity, storedEntityCodec } from "../codec/entity.ts";
import { generatorMapOf, generatorsCodec } from "../codec/global-record.ts";
import { needsGenerator, type StoredChunk } from "../codec/stored-chunk.ts";
import type { Attachment } from "../codec/world-description.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import { requireSave, type Save } from "../read/save.ts";
import { type BlockTranslation, blockTranslation } from "./block-translation.ts";
import { compareCatalogs } from "./compare-catalogs.ts";
import { type Change, compareStores } from "./compare-stores.ts";

/** One difference between two saves. */
export type SaveDifference =
  | ({ readonly kind: "fact" } & FactDifference)
  | ({ readonly kind: "chunk" } & ChunkDifference)
  | { readonly kind: "entity"; readonly entityId: bigint; readonly change: Change }
  | { readonly kind: "player"; readonly playerId: bigint; readonly change: Change }
  | { readonly kind: "store"; readonly key: string; readonly change: Change };

/** Options for comparing. */
export interface CompareOptions {
  /** Both are generations of one save: what they share is equal and need not be read. */
  readonly samePacks?: boolean;
  /** Called after each finished leaf of either save. */
  readonly onLeaf?: () => void;
}

/**
 * Yields the differences between two saves: facts of the world, chunks, entities, players and keys of the store. Does not
 * compare a world's history: clocks, generations, world ids, edits of clients. Voxels of different worlds are
 * equal if the names and properties of their blocks are, whichever ids these have. Holds two leaves at a time,
 * and a few bytes for each differing entity. If the chunk shapes differ, yields that fact and does not
 * compare chunks.
 */
export async function* compareSaves(
  before: Save,
  after: Save,
  options: CompareOptions = {},
): AsyncGenerator<SaveDifference> {
  requireSave("before", before);
  requireSave("after", after);
  const checked = checkedOptions("the options", options, {
    samePacks: requireFlag,
    onLeaf: callback,
  });
  for (const fact of compareFacts(before, after)) yield { kind: "fact", ...fact };
  const leaves =
    checked.samePacks === true
      ? await changedLeaves(before, after)
      : { before: () => before.index.all(), after: () => after.index.all() };
  if (positionsEqual(shapeOf(before), shapeOf(after))) {
    for await (const entry of compareChunks(before, after, leaves, checked)) {
      yield { kind: "chunk", ...entry };
    }
  }
  for await (const [entityId, change] of compareEntities(before, after, leaves)) {
    yield { kind: "entity", entityId, change };
  }
  for (const [playerId, change] of changes(playerHashes(before), playerHashes(after))) {
    yield { kind: "player", playerId, change };
  }
  for await (const [key, change] of compareStores(before, after, checked.samePacks === true)) {
    yield { kind: "store", key, change };
  }
}

function shapeOf({ global }: Save): Position {
  return global.description.chunkShape.extents;
}

type Hashes = Map<bigint, bigint>;

/** Returns the leaves that differ between two generations of one save. Only their records are read. */
async function changedLeaves(before: Save, after: Save): Promise<LeavesToCompare> {
  const removed: LeafEntry[] = [];
  const added: LeafEntry[] = [];
  for await (const change of after.index.changesSince(before.index)) {
    if (change.before !== undefined) removed.push(change.before);
    if (change.after !== undefined) added.push(change.after);
  }
  return { before: () => removed, after: () => added };
}

/** Entities move between leaves, so they are compared by id at the end; those in equal leaves are skipped. */
async function* compareEntities(
  before: Save,
  after: Save,
  leaves: LeavesToCompare,
): AsyncGenerator<readonly [bigint, Change]> {
  const hashesOf = async (content: Save, some: ReturnType<LeavesToCompare["before"]>): Promise<Hashes> => {
    const hashes: Hashes = new Map();
    for await (const leaf of some) {
      for (const entity of await content.readEntities(leaf)) hashes.set(entity.entityId, hashOf(entity));
    }
    return hashes;
  };
  yield* changes(await hashesOf(before, leaves.before()), await hashesOf(after, leaves.after()));
}

function hashOf(entity: StoredEntity): bigint {
  return hash64(encode(storedEntityCodec, entity));
}

function playerHashes({ players }: Save): Hashes {
  return new Map(players.map((player) => [player.playerId, hash64(encode(playersCodec, [player]))]));
}

function* changes(before: Hashes, after: Hashes): Generator<readonly [bigint, Change]> {
  const ids = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => (a < b ? -1 : 1));
  for (const id of ids) {
    const [old, now] = [before.get(id), after.get(id)];
    if (old === now) continue;
    yield [id, old === undefined ? "added" : now === undefined ? "removed" : "changed"];
  }
}

/** State of a chunk: untouched, so as generated; edited to only air; or with other content. */
type ChunkState = "untouched" | "empty" | "content";

/** A chunk that differs between two saves. */
interface ChunkDifference {
  readonly position: Position;
  readonly before: ChunkState;
  readonly after: ChunkState;
  /**
   * Number of voxels with another block or other data; `undefined` if only a generator could tell, for example if one side is
   * untouched.
   */
  readonly voxels: number | undefined;
  /** Number of voxels with other data; `undefined` if {@link voxels} is. */
  readonly data: number | undefined;
}

/** The leaves of each side that may differ from the other's. */
interface LeavesToCompare {
  before(): AsyncIterable<LeafEntry> | Iterable<LeafEntry>;
  after(): AsyncIterable<LeafEntry> | Iterable<LeafEntry>;
}

/**
 * Yields the chunks in which two saves with the same chunk shape differ. Their leaves need not coincide: each
 * is compared with those it intersects, with the larger one of a pair in memory. Aligned leaves, as in trees,
 * are read once.
 */
async function* compareChunks(
  before: Save,
  after: Save,
  leaves: LeavesToCompare,
  options: { readonly samePacks?: boolean; readonly onLeaf?: () => void },
): AsyncGenerator<ChunkDifference> {
  const samePacks = options.samePacks === true;
  const [toBefore, toAfter] = [blockTranslation(after, before), blockTranslation(before, after)];
  for await (const leaf of leaves.before()) {
    const others = await after.leavesIn(leaf.cube);
    options.onLeaf?.();
    // A leaf inside a larger one is compared together with the larger one.
    if (others.some(({ cube }) => isLarger(cube, leaf.cube))) continue;
    if (others.length === 1 && samePacks && isSame(leaf, others[0] as LeafEntry)) continue;
    const isInLeaf = (position: Position): boolean => boxContains(leaf.cube, position);
    yield* compareAround(before, leaf, after, others, isInLeaf, toBefore);
  }
  for await (const leaf of leaves.after()) {
    const others = await before.leavesIn(leaf.cube);
    options.onLeaf?.();
    const inside = others.filter(({ cube }) => isLarger(leaf.cube, cube));
    const beyond = others.filter(({ cube }) => !isLarger(leaf.cube, cube));
    if (beyond.some(({ cube }) => boxContainsBox(cube, leaf.cube))) continue;
    const isOurs = (position: Position): boolean =>
      boxContains(leaf.cube, position) && !beyond.some(({ cube }) => boxContains(cube, position));
    for await (const difference of compareAround(after, leaf, before, inside, isOurs, toAfter)) {
      yield { ...difference, before: difference.after, after: difference.before };
    }
  }
}

/** Compares one leaf with those of another save, at positions accepted by `isOurs`. `translate` is for the other's blocks. */
async function* compareAround(
  content: Save,
  leaf: LeafEntry,
  otherContent: Save,
  others: readonly LeafEntry[],
  isOurs: (position: Position) => boolean,
  translate: BlockTranslation | undefined,
): AsyncGenerator<ChunkDifference> {
  const chunks = new PositionMap<StoredChunk>();
  for (const stored of await content.readStored(leaf)) {
    if (isOurs(stored.position)) chunks.set(...stored.position, stored);
  }
  for (const other of others) {
    for (const theirs of await otherContent.readStored(other)) {
      const { position } = theirs;
      if (!isOurs(position)) continue;
      const ours = chunks.get(...position);
      if (ours !== undefined) chunks.delete(...position);
      if (ours !== undefined && translate === undefined && isSameChunk(content, ours, otherContent, theirs))
        continue;
      const [own, other] = [ours && known(content, ours), known(otherContent, theirs)];
      const difference = differenceAt(position, own, other, translate);
      if (translate === undefined || difference.voxels !== 0) yield difference;
    }
  }
  for (const [position, stored] of chunks) yield differenceAt(position, known(content, stored), undefined);
}

/** Changes to one generator's output have one encoding, so they can be compared without the generator. */
function isSameChunk(content: Save, ours: StoredChunk, otherContent: Save, theirs: StoredChunk): boolean {
  const areChanges = needsGenerator(ours) && needsGenerator(theirs);
  if (areChanges && generatorAt(content, ours.position).equals(generatorAt(otherContent, theirs.position))) {
    return (
      ours.kind === "change" &&
      theirs.kind === "change" &&
      bytesEqual(ours.change, theirs.change) &&
      isSameData(ours, theirs)
    );
  }
  return content.realize(ours).equals(otherContent.realize(theirs));
}

function generatorAt({ global }: Save, chunk: Position): GeneratorRef {
  return generatorMapOf(global).ofChunk(...chunk);
}

/** Data has one encoding, too. */
function isSameData(ours: StoredChunk, theirs: StoredChunk): boolean {
  return optionalBytesEqual(partOf(ours, VOXEL_DATA_PART), partOf(theirs, VOXEL_DATA_PART));
}

/** Returns a chunk; `null` if only a missing generator could tell all of its voxels. */
function known(content: Save, stored: StoredChunk): Chunk | null {
  try {
    return content.realize(stored);
  } catch (error) {
    if (isOrthantError(error, "ORT_GENERATOR_UNKNOWN", "ORT_GENERATOR_VERSION")) return null;
    throw error;
  }
}

function isLarger(outer: Box, inner: Box): boolean {
  return boxContainsBox(outer, inner) && !boxEquals(outer, inner);
}

function isSame(a: LeafEntry, b: LeafEntry): boolean {
  return (
    boxEquals(a.cube, b.cube) &&
    a.chunkRefs.length > 0 &&
    a.chunkRefs.length === b.chunkRefs.length &&
    a.chunkRefs.every((ref, index) => isSameRef(ref, b.chunkRefs[index] as RecordRef))
  );
}

function differenceAt(
  position: Position,
  before: Chunk | null | undefined,
  after: Chunk | null | undefined,
  translate?: BlockTranslation,
): ChunkDifference {
  return {
    position,
    before: stateOf(before),
    after: stateOf(after),
    ...(before && after ? differingVoxels(before, after, translate) : { voxels: undefined, data: undefined }),
  };
}

function stateOf(chunk: Chunk | null | undefined): ChunkState {
  if (chunk === undefined) return "untouched";
  return chunk?.isEmpty === true ? "empty" : "content";
}

function differingVoxels(
  before: Chunk,
  after: Chunk,
  translate: BlockTranslation = (id) => id,
): Pick<ChunkDifference, "voxels" | "data"> {
  const theirs = after.voxels();
  const data = new Set(diffVoxelData(before.data, after.data).map(({ index }) => index));
  let voxels = 0;
  before.forEach((block, index) => {
    if (block !== translate(theirs[index] as number) || data.has(index)) voxels++;
  });
  return { voxels, data: data.size };
}

/** A fact of a world that differs between two saves, as text. */
interface FactDifference {
  readonly fact: "chunk shape" | "base" | "seed" | "generators" | "name" | "spawn" | "blocks" | "attachments";
  readonly before: string;
  readonly after: string;
}

/** Returns the facts in which two saves differ. */
function compareFacts(before: Save, after: Save): readonly FactDifference[] {
  const theirs = factsOf(after);
  return factsOf(before).flatMap(({ fact, text, exact }, index) => {
    const other = theirs[index];
    if (other === undefined || exact === other.exact) return [];
    const types = fact === "blocks" ? compareCatalogs(before, after) : [];
    // Worlds with the same types under other ids differ, too.
    if (types.length === 0) return [{ fact, before: text, after: other.text }];
    return types.map((type) => ({ fact, ...type }));
  });
}

interface Fact {
  readonly fact: FactDifference["fact"];
  /** Text for people. */
  readonly text: string;
  /** Equal if and only if the fact is equal. */
  readonly exact: string;
}

function factsOf({ global }: Save): readonly Fact[] {
  const { base, worldSeed, generators, generatorRegions = [], description } = global;
  const baseText = base.kind === "flatFloor" ? `flatFloor of block ${base.block}` : base.kind;
  const placeOf = (index: number): string => {
    const count = generatorRegions.filter(({ generator }) => generator === index).length;
    return count === 0 ? "" : `, in ${count} ${count === 1 ? "box" : "boxes"}`;
  };
  const generatorText = generators
    .map(({ generatorId, seed }, index) => `${generatorId}, seed ${seed}${placeOf(index)}`)
    .join("; ");
  const { extents } = description.chunkShape;
  return [
    plain("chunk shape", extents.slice(0, dimensionsOf(description.chunkShape)).join(" x ")),
    plain("base", baseText),
    plain("seed", String(worldSeed)),
    exactBytes("generators", generatorText, encode(generatorsCodec, global)),
    plain("name", JSON.stringify(description.name)),
    plain("spawn", `[${description.spawn.join(", ")}]`),
    exactBytes("blocks", `${description.blocks.length} bytes`, description.blocks),
    exactBytes(
      "attachments",
      `${description.attachments.length}`,
      encode(attachmentsCodec, description.attachments),
    ),
  ];
}

const attachmentsCodec = list<Attachment>(record({ key: string(), value: bytes() }), Number.MAX_SAFE_INTEGER);

function plain(fact: Fact["fact"], text: string): Fact {
  return { fact, text, exact: text };
}

function exactBytes(fact: Fact["fact"], text: string, content: Uint8Array): Fact {
  return { fact, text, exact: content.join() };
}
