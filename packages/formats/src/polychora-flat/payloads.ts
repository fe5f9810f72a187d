import { HYPERCUBE_CHUNKS, OrthantError, type Position } from "@orthant/core";
import { bytes, type Codec, list, option, record, varUint } from "@orthant/core/bytes";
import { foreignChunkCodec } from "@orthant/core/chunk";
import { comparePositions, positionCodec } from "@orthant/core/lattice";
import {
  type ChunkEntry,
  type GlobalRecord,
  plainDescription,
  type RecordRef,
  type StoredPlayer,
} from "@orthant/save";
import {
  PLAYERS_MAX,
  playerEntityHintsCodec,
  recordRefCodec,
  tagsCodec,
  vectorCodec,
} from "@orthant/save/content";

import { regionEdgeCodec } from "./records.ts";

/** Content of `global.*.v4g` of a flat save. */
export interface FlatGlobal extends Omit<GlobalRecord, "generators" | "description"> {
  readonly customPayload: Uint8Array;
}

/** One region of the flat index. */
export interface FlatLeaf {
  readonly region: Position;
  readonly chunkRef: RecordRef | undefined;
  readonly entityRef: RecordRef | undefined;
}

/** Content of the flat index. */
interface FlatIndex {
  readonly generation: number;
  readonly regionChunkEdge: number;
  readonly leaves: readonly FlatLeaf[];
}

const LEAVES_MAX = 0xffff_fffe;
const customPayloadCodec = bytes();
const optionalRef = option(recordRefCodec);

/** Codec of the global payload that shipped: no generators, and a custom payload of raw bytes. Rule S36. */
export const flatGlobalCodec: Codec<FlatGlobal> = {
  write(out, record) {
    const { base } = record;
    if (base.kind === "generated") throw new OrthantError("ORT_DIALECT", "a flat save has no generators");
    out.tag(base.kind === "flatFloor" ? 1 : 0, 2);
    if (base.kind === "flatFloor") out.u8(base.block);
    out.varU64(record.worldSeed);
    out.varU64(record.nextEntityId);
    out.varU32(record.nextDataFileId);
    out.varUint(record.lastModifiedMs);
    playerEntityHintsCodec.write(out, record.playerEntityHints);
    customPayloadCodec.write(out, record.customPayload);
  },

  read: (input) => ({
    base: input.tag(2) === 1 ? { kind: "flatFloor", block: input.u8() } : { kind: "empty" },
    worldSeed: input.varU64(),
    nextEntityId: input.varU64(),
    nextDataFileId: input.varU32(),
    lastModifiedMs: input.varUint(),
    playerEntityHints: playerEntityHintsCodec.read(input),
    customPayload: customPayloadCodec.read(input),
  }),
};

/** Converts a flat global record. */
export function globalOfFlat({ customPayload: _, ...record }: FlatGlobal): GlobalRecord {
  return { ...record, generators: [], description: plainDescription(HYPERCUBE_CHUNKS) };
}

const flatPlayerCodec: Codec<StoredPlayer> = {
  write(out, player) {
    if (player.authKey.length > 0 || player.name !== undefined || player.metadata.length > 0) {
      throw new OrthantError("ORT_DIALECT", `player ${player.playerId} has a name, key or metadata`);
    }
    out.varU64(player.playerId);
    vectorCodec.write(out, player.position);
    vectorCodec.write(out, player.orientation);
    tagsCodec.write(out, player.tags);
    out.bytes(player.inventory);
    out.varUint(player.lastSavedMs);
  },

  read: (input) => ({
    playerId: input.varU64(),
    authKey: new Uint8Array(0),
    name: undefined,
    position: vectorCodec.read(input),
    orientation: vectorCodec.read(input),
    tags: tagsCodec.read(input),
    inventory: input.bytes(),
    metadata: [],
    lastSavedMs: input.varUint(),
  }),
};

/** Codec of the players that shipped, in any order. Rule S37. */
export const flatPlayersCodec: Codec<readonly StoredPlayer[]> = list(flatPlayerCodec, PLAYERS_MAX);

const flatLeavesCodec = list<FlatLeaf>(
  record({ region: positionCodec, chunkRef: optionalRef, entityRef: optionalRef }),
  LEAVES_MAX,
);

/** Codec of the index that shipped: a list of regions in lexicographic order. Rule S38. */
export const flatIndexCodec: Codec<FlatIndex> = record({
  generation: varUint,
  regionChunkEdge: regionEdgeCodec("ORT_INDEX"),
  leaves: flatLeavesCodec,
});

const OVERRIDE_VERSION = 1;
const CHUNKS_MAX = 100_000_000;
const chunkCodec = foreignChunkCodec(HYPERCUBE_CHUNKS.volume);

const entriesCodec = list<ChunkEntry>(
  {
    write(out, { position, chunk }) {
      positionCodec.write(out, position);
      // The original encodes a chunk of placed air as Uniform(0); Empty would be an absent chunk.
      if (chunk.isEmpty) out.raw(Uint8Array.of(1, 0));
      else chunkCodec.write(out, chunk);
    },
    read: (input) => ({ position: positionCodec.read(input), chunk: chunkCodec.read(input) }),
  },
  CHUNKS_MAX,
);

/**
 * Codec of the chunks that the last shipped servers kept in the global file instead of in blobs. Rule S41.
 */
export const worldOverrideCodec: Codec<readonly ChunkEntry[]> = {
  write(out, chunks) {
    out.varU32(OVERRIDE_VERSION);
    entriesCodec.write(out, chunks);
  },

  read(input) {
    const version = input.varU32();
    if (version !== OVERRIDE_VERSION) {
      throw input.fail(
        "ORT_VERSION",
        `unsupported world override version ${version} (expected ${OVERRIDE_VERSION})`,
      );
    }
    const chunks = entriesCodec.read(input);
    for (const [index, { position }] of chunks.entries()) {
      const previous = chunks[index - 1];
      if (previous !== undefined && comparePositions(previous.position, position) >= 0) {
        throw input.fail("ORT_BLOB", `the chunk at [${position}] is out of order`);
      }
    }
    return chunks;
  },
};
