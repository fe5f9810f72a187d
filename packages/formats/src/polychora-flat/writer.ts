import { HYPERCUBE_CHUNKS, OrthantError, type Position } from "@orthant/core";
import { encode, U8_MAX } from "@orthant/core/bytes";
import { comparePositions, PositionMap } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import {
  type BaseWorld,
  type ChunkEntry,
  chunkOfEntity,
  DEFAULT_LIMITS,
  type SaveLimits,
  type StoredEntity,
  type StoredPlayer,
} from "@orthant/save";
import { type PlayerEntityHint, sortEntities } from "@orthant/save/content";
import {
  flatIndexPayloadFile,
  globalPayloadFile,
  type NewRecord,
  PlainSaveWriter,
  playersPayloadFile,
} from "@orthant/save/files";

import { type FlatLeaf, flatGlobalCodec, flatIndexCodec, flatPlayersCodec } from "./payloads.ts";
import {
  FLAT_CHUNK_RECORD,
  FLAT_ENTITY_RECORD,
  FLAT_RECORD_VERSION,
  flatChunkBlobCodec,
  flatEntityBlobCodec,
  flatRegionOf,
} from "./records.ts";

/** Everything in a flat world outside its regions. */
interface FlatWorldFacts {
  readonly base: BaseWorld;
  readonly worldSeed: bigint;
  readonly nextEntityId: bigint;
  readonly playerEntityHints?: readonly PlayerEntityHint[];
  readonly players: readonly StoredPlayer[];
  readonly customPayload?: Uint8Array;
  readonly nowMs: number;
}

/** Content of one region of a flat world. Its position counts regions, not chunks. */
interface FlatRegion {
  readonly region: Position;
  readonly chunks: readonly ChunkEntry[];
  readonly entities: readonly StoredEntity[];
}

/** Options for writing a flat save. */
interface FlatSaveOptions {
  readonly generation?: number;
  readonly limits?: SaveLimits;
}

/**
 * Writes a world as a flat save, region by region, to an empty folder. Regions may come in any order,
 * each once. Memory holds only their locations in the packs. The save exists only after {@link finish}.
 */
export class FlatSaveWriter {
  /** Chunks along each edge of a region. */
  readonly regionChunkEdge: number;
  readonly #save: PlainSaveWriter;
  readonly #generation: number;
  readonly #leaves: FlatLeaf[] = [];

  private constructor(save: PlainSaveWriter, generation: number, regionChunkEdge: number) {
    this.#save = save;
    this.#generation = generation;
    this.regionChunkEdge = regionChunkEdge;
  }

  /** Begins a save. Throws `ORT_NOT_EMPTY` if the folder is not empty. */
  static async create(disk: Disk, options: FlatSaveOptions = {}): Promise<FlatSaveWriter> {
    const { generation = 0, limits = DEFAULT_LIMITS } = options;
    const save = await PlainSaveWriter.create(disk, limits);
    return new FlatSaveWriter(save, generation, limits.regionChunkEdge);
  }

  /** Writes regions. Throws `ORT_DIALECT` for content that the format cannot hold. */
  async add(regions: readonly FlatRegion[]): Promise<void> {
    const records = regions.map((region) => encodeRegion(region, this.regionChunkEdge));
    const refs = await this.#save.append(records.flat());
    let next = 0;
    for (const [index, { region }] of regions.entries()) {
      const count = records[index]?.length ?? 0;
      const own = refs.slice(next, next + count);
      next += count;
      if (count === 0) continue;
      this.#leaves.push({
        region,
        chunkRef: own.find(({ blobType }) => blobType === FLAT_CHUNK_RECORD),
        entityRef: own.find(({ blobType }) => blobType === FLAT_ENTITY_RECORD),
      });
    }
  }

  /** Completes the save. */
  async finish(facts: FlatWorldFacts): Promise<void> {
    const { nowMs } = facts;
    const generation = this.#generation;
    const files = {
      indexFile: flatIndexPayloadFile.encode(flatIndexCodec, {
        generation,
        regionChunkEdge: this.regionChunkEdge,
        leaves: this.#leaves.sort((a, b) => comparePositions(a.region, b.region)),
      }),
      globalFile: globalPayloadFile.encode(flatGlobalCodec, {
        base: facts.base,
        worldSeed: facts.worldSeed,
        nextEntityId: facts.nextEntityId,
        nextDataFileId: this.#save.activePackId + 1,
        lastModifiedMs: nowMs,
        playerEntityHints: facts.playerEntityHints ?? [],
        customPayload: facts.customPayload ?? new Uint8Array(0),
      }),
      playersFile: playersPayloadFile.encode(flatPlayersCodec, facts.players),
    };
    await this.#save.finish({ generation, nowMs, files });
  }

  /** Closes the files. Without {@link finish} there is no save. */
  async close(): Promise<void> {
    await this.#save.close();
  }
}

function encodeRegion(
  { region, chunks, entities }: FlatRegion,
  regionChunkEdge: number,
): readonly NewRecord[] {
  const records: NewRecord[] = [];
  if (chunks.length > 0) {
    const payload = encode(flatChunkBlobCodec, { region, regionChunkEdge, chunks });
    records.push({ blobType: FLAT_CHUNK_RECORD, blobVersion: FLAT_RECORD_VERSION, payload });
  }
  if (entities.length > 0) {
    const sorted = sortEntities(entities);
    const payload = encode(flatEntityBlobCodec, { region, regionChunkEdge, entities: sorted });
    records.push({ blobType: FLAT_ENTITY_RECORD, blobVersion: FLAT_RECORD_VERSION, payload });
  }
  return records;
}

/** A whole world to be opened by the original program. */
export interface FlatSaveContent extends FlatWorldFacts, FlatSaveOptions {
  readonly chunks: readonly ChunkEntry[];
  readonly entities: readonly StoredEntity[];
}

/** Number of chunks that a refusal names before it only counts them. */
const NAMED_CHUNKS = 5;
/** Number of regions encoded at once. */
const REGIONS_PER_BATCH = 16;

/**
 * Writes an in-memory world as a flat save to an empty folder. Throws `ORT_DIALECT` for content that the
 * format cannot hold, such as a block above 255, before writing
 * anything. {@link FlatSaveWriter} accepts a world in parts.
 */
export async function writeFlatSave(disk: Disk, content: FlatSaveContent): Promise<void> {
  const { limits = DEFAULT_LIMITS, generation = 0 } = content;
  requireFlatChunks(content.chunks);
  // Encoded early so that invalid content is refused before anything is written.
  encode(flatPlayersCodec, content.players);
  const origin = { region: [0, 0, 0, 0], regionChunkEdge: 1 } as const;
  encode(flatEntityBlobCodec, { ...origin, entities: sortEntities(content.entities) });
  const writer = await FlatSaveWriter.create(disk, { limits, generation });
  try {
    const chunkOf = (entity: StoredEntity): Position => chunkOfEntity(entity, HYPERCUBE_CHUNKS);
    const regions = [...regionsOf(content, limits.regionChunkEdge, chunkOf)];
    regions.sort((a, b) => comparePositions(a.region, b.region));
    for (let first = 0; first < regions.length; first += REGIONS_PER_BATCH) {
      await writer.add(regions.slice(first, first + REGIONS_PER_BATCH));
    }
    await writer.finish(content);
  } finally {
    await writer.close();
  }
}

function requireFlatChunks(chunks: readonly ChunkEntry[]): void {
  const refused = chunks.filter(
    ({ chunk }) => chunk.volume !== HYPERCUBE_CHUNKS.volume || chunk.blocks().some((block) => block > U8_MAX),
  );
  if (refused.length === 0) return;
  const named = refused.slice(0, NAMED_CHUNKS).map(({ position }) => `[${position}]`);
  const detail = `${refused.length} chunks have another volume than 4096 or a block above 255: ${named.join(", ")}`;
  throw new OrthantError("ORT_DIALECT", refused.length > NAMED_CHUNKS ? `${detail} ...` : detail);
}

/** Returns chunks and entities by their regions. `chunkOf` says where an entity belongs. */
export function regionsOf(
  { chunks, entities }: Pick<FlatSaveContent, "chunks" | "entities">,
  edge: number,
  chunkOf: (entity: StoredEntity) => Position,
): readonly FlatRegion[] {
  const regions = new PositionMap<{ region: Position; chunks: ChunkEntry[]; entities: StoredEntity[] }>();
  const regionAt = (chunk: Position): NonNullable<ReturnType<(typeof regions)["get"]>> => {
    const region = flatRegionOf(chunk, edge);
    return regions.getOrAdd(...region, () => ({ region, chunks: [], entities: [] }));
  };
  for (const entry of chunks) regionAt(entry.position).chunks.push(entry);
  for (const entity of entities) regionAt(chunkOf(entity)).entities.push(entity);
  return [...regions.values()];
}
