import {
  comparePositions,
  encode,
  HYPERCUBE_CHUNKS,
  OrthantError,
  type Position,
  PositionMap,
  U8_MAX,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { sortEntities } from "../codec/entity-blob.ts";
import type { StoredEntity } from "../codec/entity-record.ts";
import { DEFAULT_LIMITS } from "../codec/limits.ts";
import type { BlockEntry } from "../codec/prepared-blocks.ts";
import { chunkOfEntity } from "../index/leaf-partition.ts";
import { flatEntityBlobCodec } from "./flat-blobs.ts";
import { flatPlayersCodec } from "./flat-payloads.ts";
import { flatRegionOf } from "./flat-regions.ts";
import { type FlatSaveOptions, FlatSaveWriter, type FlatWorldFacts } from "./flat-save-writer.ts";

/** A whole world to be opened by the original program. */
export interface FlatSaveContent extends FlatWorldFacts, FlatSaveOptions {
  readonly blocks: readonly BlockEntry[];
  readonly entities: readonly StoredEntity[];
}

/** Number of chunks that a refusal names before it only counts them. */
const NAMED_CHUNKS = 5;
/** Number of regions encoded at once. */
const REGIONS_PER_STEP = 16;

/**
 * Writes an in-memory world in the flat dialect to an empty folder, as carefully as in the tree dialect.
 * Throws `ORT_DIALECT` for content that the dialect cannot hold, such as a material above 255, before writing
 * anything. {@link FlatSaveWriter} accepts a world in parts.
 */
export async function writeFlatSave(disk: Disk, content: FlatSaveContent): Promise<void> {
  const { limits = DEFAULT_LIMITS, generation = 0 } = content;
  requireFlatBlocks(content.blocks);
  // Encoded early so that invalid content is refused before anything is written.
  encode(flatPlayersCodec, content.players);
  const origin = { region: [0, 0, 0, 0], regionChunkEdge: 1 } as const;
  encode(flatEntityBlobCodec, { ...origin, entities: sortEntities(content.entities) });
  const writer = await FlatSaveWriter.create(disk, { limits, generation });
  try {
    const regions = gatherRegions(content, limits.regionChunkEdge);
    for (let first = 0; first < regions.length; first += REGIONS_PER_STEP) {
      await writer.add(regions.slice(first, first + REGIONS_PER_STEP));
    }
    await writer.finish(content);
  } finally {
    await writer.close();
  }
}

interface Region {
  readonly region: Position;
  readonly blocks: BlockEntry[];
  readonly entities: StoredEntity[];
}

function requireFlatBlocks(blocks: readonly BlockEntry[]): void {
  const refused = blocks.filter(
    ({ chunk }) =>
      chunk.volume !== HYPERCUBE_CHUNKS.volume || chunk.materials().some((material) => material > U8_MAX),
  );
  if (refused.length === 0) return;
  const named = refused.slice(0, NAMED_CHUNKS).map(({ position }) => `[${position}]`);
  const detail = `${refused.length} chunks have another volume than 4096 or a material above 255: ${named.join(", ")}`;
  throw new OrthantError("ORT_DIALECT", refused.length > NAMED_CHUNKS ? `${detail} ...` : detail);
}

/** Returns the non-empty regions. */
function gatherRegions({ blocks, entities }: FlatSaveContent, edge: number): readonly Region[] {
  const regions = new PositionMap<Region>();
  const regionAt = (chunk: Position): Region => {
    const region = flatRegionOf(chunk, edge);
    const found = regions.get(...region) ?? { region, blocks: [], entities: [] };
    regions.set(...region, found);
    return found;
  };
  for (const block of blocks) regionAt(block.position).blocks.push(block);
  for (const entity of entities) regionAt(chunkOfEntity(entity, HYPERCUBE_CHUNKS)).entities.push(entity);
  return [...regions.values()].sort((a, b) => comparePositions(a.region, b.region));
}
