import { encode, hash64, type Position, positionsEqual } from "@orthant/core";
import type { StoredEntity } from "../codec/entity-record.ts";
import { storedEntityCodec } from "../codec/entity-record.ts";
import type { LeafEntry } from "../codec/leaf-entry.ts";
import { playersCodec } from "../codec/player-record.ts";
import { SaveContent } from "../index/save-content.ts";
import type { Save } from "../read/save.ts";
import { type ChunkDifference, compareChunks, type LeavesToCompare } from "./compare-chunks.ts";
import { compareFacts, type FactDifference } from "./compare-facts.ts";

/** How something with an id differs. */
export type Change = "added" | "removed" | "changed";

/** One difference between two saves. */
export type SaveDifference =
  | ({ readonly kind: "fact" } & FactDifference)
  | ({ readonly kind: "chunk" } & ChunkDifference)
  | { readonly kind: "entity"; readonly entityId: bigint; readonly change: Change }
  | { readonly kind: "player"; readonly playerId: bigint; readonly change: Change };

/** Options for comparing. */
export interface CompareOptions {
  /** Both are generations of one save: what they share is equal and need not be read. */
  readonly samePacks?: boolean;
  /** Called after each finished leaf of either save. */
  readonly onLeaf?: () => void;
}

/**
 * Yields the differences between two saves: facts of the world, chunks, entities and players. Does not
 * compare a world's history: clocks, generations, world ids, edits of clients. Holds two leaves at a time,
 * and a few bytes for each differing entity. If the chunk shapes differ, yields that fact and does not
 * compare chunks.
 */
export async function* compareSaves(
  before: Save,
  after: Save,
  options: CompareOptions = {},
): AsyncGenerator<SaveDifference> {
  for (const fact of compareFacts(before, after)) yield { kind: "fact", ...fact };
  const contents = { before: new SaveContent(before), after: new SaveContent(after) };
  const leaves =
    options.samePacks === true
      ? await changedLeaves(before, after)
      : { before: () => contents.before.all(), after: () => contents.after.all() };
  if (positionsEqual(shapeOf(before), shapeOf(after))) {
    for await (const entry of compareChunks(contents.before, contents.after, leaves, options)) {
      yield { kind: "chunk", ...entry };
    }
  }
  for await (const [entityId, change] of compareEntities(contents.before, contents.after, leaves)) {
    yield { kind: "entity", entityId, change };
  }
  for (const [playerId, change] of changes(playerHashes(before), playerHashes(after))) {
    yield { kind: "player", playerId, change };
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
  before: SaveContent,
  after: SaveContent,
  leaves: LeavesToCompare,
): AsyncGenerator<readonly [bigint, Change]> {
  const hashesOf = async (
    content: SaveContent,
    some: ReturnType<LeavesToCompare["before"]>,
  ): Promise<Hashes> => {
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
