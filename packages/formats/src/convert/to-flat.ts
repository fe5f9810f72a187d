import {
  type Box,
  boxContainsBox,
  type Chunk,
  chunkFromVoxels,
  clampInto,
  HYPERCUBE_CHUNKS,
  OrthantError,
  type Position,
  PositionMap,
  U8_MAX,
} from "@orthant/core";
import type { BlockEntry, StoredEntity } from "@orthant/save";
import {
  chunkOfEntity,
  DEFAULT_LIMITS,
  FLAT_CLASSES,
  FLAT_KINDS,
  FlatSaveWriter,
  flatRegionCell,
  flatRegionOf,
  SaveContent,
} from "@orthant/save";
import { type CellContent, type Conversion, type ConversionCounts, contentByCell } from "./conversion.ts";
import { flatBase, flatPlayers, noteLostFacts } from "./flat-facts.ts";
import type { ConversionLosses } from "./losses.ts";

/** A power of two, so that each tree leaf lies in one region or consists of whole regions. */
const EDGE = DEFAULT_LIMITS.regionChunkEdge;

/** Writes a tree as a flat save, which the original program opens. */
export async function convertToFlat(conversion: Conversion): Promise<ConversionCounts> {
  const { save, target, losses, standIn, options } = conversion;
  const { global } = save;
  const { chunkShape } = global.description;
  if (chunkShape.extents.some((extent, axis) => extent !== HYPERCUBE_CHUNKS.extents[axis])) {
    const found = chunkShape.extents.join(" x ");
    throw new OrthantError(
      "ORT_DIALECT",
      `chunks of ${found} voxels, where the flat dialect has 8 x 8 x 8 x 8`,
    );
  }
  noteLostFacts(save, losses);
  const base = flatBase(global, losses);
  const players = flatPlayers(save.players, losses);
  const writer = target && (await FlatSaveWriter.create(target));
  try {
    const counts = { chunks: 0, entities: 0, players: players.length };
    const content = new SaveContent(save);
    const leaves = content.all();
    for await (const part of contentByCell(content, leaves, chunkShape, cellsAround, options.onLeaf)) {
      for (const region of regionsOf(part)) {
        const blocks = region.blocks.map((block) => flatBlock(block, standIn, losses));
        const entities = region.entities.filter((entity) => isCarried(entity, losses));
        counts.chunks += blocks.length;
        counts.entities += entities.length;
        await writer?.add([{ region: region.position, blocks, entities }]);
      }
    }
    const { worldSeed, nextEntityId, playerEntityHints, lastModifiedMs: nowMs } = global;
    await writer?.finish({ base, worldSeed, nextEntityId, playerEntityHints, players, nowMs });
    return counts;
  } finally {
    await writer?.close();
  }
}

/** Returns the leaf itself if it contains whole regions, else the region around it with all leaves in it. */
function cellsAround(leaf: Box): readonly Box[] {
  const region = flatRegionCell(flatRegionOf(leaf.min, EDGE), EDGE);
  return [boxContainsBox(leaf, region) ? leaf : region];
}

interface RegionContent {
  readonly position: Position;
  readonly blocks: BlockEntry[];
  readonly entities: StoredEntity[];
}

function regionsOf({ cell, blocks, entities }: CellContent): Iterable<RegionContent> {
  const regions = new PositionMap<RegionContent>();
  const at = (chunk: Position): RegionContent => {
    const position = flatRegionOf(chunk, EDGE);
    const region = regions.get(...position) ?? { position, blocks: [], entities: [] };
    regions.set(...position, region);
    return region;
  };
  for (const block of blocks) at(block.position).blocks.push(block);
  for (const entity of entities) {
    at(clampInto(cell, chunkOfEntity(entity, HYPERCUBE_CHUNKS))).entities.push(entity);
  }
  return regions.values();
}

function flatBlock({ position, chunk }: BlockEntry, standIn: number, losses: ConversionLosses): BlockEntry {
  if (chunk.materials().every((material) => material <= U8_MAX)) return { position, chunk };
  losses.add(
    "chunks with materials above 255",
    `these voxels become material ${standIn}; first [${position}]`,
  );
  return { position, chunk: withoutWideMaterials(chunk, standIn) };
}

function withoutWideMaterials(chunk: Chunk, standIn: number): Chunk {
  return chunkFromVoxels(chunk.voxels().map((material) => (material > U8_MAX ? standIn : material)));
}

function isCarried({ entityId, entityClass, kind }: StoredEntity, losses: ConversionLosses): boolean {
  if (entityClass < FLAT_CLASSES && kind < FLAT_KINDS) return true;
  losses.add(
    "entities of other classes or kinds",
    `the original knows classes below ${FLAT_CLASSES} and kinds below ${FLAT_KINDS}; first entity ${entityId}`,
  );
  return false;
}
