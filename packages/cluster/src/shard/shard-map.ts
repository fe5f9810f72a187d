import {
  type BlockCatalog,
  type Box,
  type ChunkShape,
  chunkShape,
  OrthantError,
  type Position,
} from "@orthant/core";
import {
  type Codec,
  checkedWhenRead,
  decode,
  encode,
  f64,
  list,
  perAxis,
  record,
  string,
  u64,
  varU32,
  varUint,
  versioned,
} from "@orthant/core/bytes";
import { blockCatalogCodec, diffBlockCatalogs } from "@orthant/core/chunk";
import type { GeneratorRef } from "@orthant/core/generate";
import {
  boxCodec,
  boxContains,
  boxesIntersect,
  CHUNK_VOXELS_MAX,
  intersectBoxes,
  positionFrom,
  subtractBox,
} from "@orthant/core/lattice";
import { generatorRefCodec } from "@orthant/core/tree";
import { isName, requireName } from "./names.ts";
import { sectorOfRegion } from "./sectors.ts";

/** Properties that all shards of a world share. */
export interface ClusterWorldFacts {
  readonly worldId: bigint;
  readonly name: string;
  /** Where players start, in voxels. */
  readonly spawn: Position;
  readonly shape: ChunkShape;
  readonly generator: GeneratorRef;
  readonly catalog: BlockCatalog;
}

/** A split: the shard `to` gets the sectors of a box that belonged to `from`. */
export interface ShardSplit {
  readonly from: string;
  readonly sectors: Box;
  readonly to: string;
}

/** Assignment of sectors to shards. */
export interface ShardMap {
  /** Rises with every change of the map. */
  readonly generation: number;
  /** Random number created with the map. Clocks issued under another mark are meaningless under this one. */
  readonly mark: bigint;
  readonly world: ClusterWorldFacts;
  /** The shard that began with the whole world, and still has every sector not split off. */
  readonly first: string;
  /** All splits, in order. */
  readonly splits: readonly ShardSplit[];
}

/** Maximum number of shards of a world. */
const SHARDS_MAX = 4_096;
const CATALOG_BYTES_MAX = 1_048_576;
const NAME_BYTES_MAX = 4_096;
const SHARD_BYTES_MAX = 32;
const VERSION = 1;

/** Returns all shards in order of creation. */
export function shardsOf({ first, splits }: ShardMap): readonly string[] {
  return [first, ...splits.map(({ to }) => to)];
}

/** Returns the shard of a region. Rule K14. */
export function shardOf({ first, splits }: ShardMap, region: Position): string {
  const sector = sectorOfRegion(region);
  let shard = first;
  for (const { from, sectors, to } of splits) if (from === shard && boxContains(sectors, sector)) shard = to;
  return shard;
}

/**
 * Returns the shards that may touch a shard: those whose boxes, as they were split off, are next to or in its own. The first
 * shard, which began with the whole world, may touch all. Rule K68.
 */
export function neighboursOf(map: ShardMap, shard: string): readonly string[] {
  const boxOf = (name: string): Box | undefined => map.splits.find(({ to }) => to === name)?.sectors;
  const own = boxOf(shard);
  return shardsOf(map).filter((other) => {
    const box = boxOf(other);
    if (other === shard) return false;
    return own === undefined || box === undefined || boxesIntersect(widened(own), box);
  });
}

/** Returns a box with one more sector on each side. */
function widened({ min, max }: Box): Box {
  return { min: positionFrom((axis) => min[axis] - 1), max: positionFrom((axis) => max[axis] + 1) };
}

/** Throws `ORT_ARGUMENT` if no sector of a split belongs to the shard that it divides. Rule K25. */
export function requireMoves(map: ShardMap, { from, sectors }: ShardSplit): void {
  let pieces: readonly (readonly [shard: string, box: Box])[] = [[map.first, sectors]];
  for (const split of map.splits) {
    pieces = pieces.flatMap(([shard, box]) => {
      const moved = shard === split.from ? intersectBoxes(box, split.sectors) : undefined;
      if (moved === undefined) return [[shard, box] as const];
      const left = subtractBox(box, split.sectors).map((rest) => [shard, rest] as const);
      return [...left, [split.to, moved] as const];
    });
  }
  const holders = new Set(pieces.map(([shard]) => shard));
  if (holders.has(from)) return;
  const [holder, ...others] = [...holders].sort();
  const detail = `shard ${from} has nothing of this box, which belongs to ${[holder, ...others].join(", ")}: split that shard`;
  throw new OrthantError("ORT_ARGUMENT", detail);
}

/** Returns the map with `split` added. Throws if the split is not possible. */
export function withSplit(map: ShardMap, split: ShardSplit): ShardMap {
  requireName(split.to, "shard");
  const shards = shardsOf(map);
  if (!shards.includes(split.from))
    throw new OrthantError("ORT_NOT_FOUND", `there is no shard ${split.from}`);
  if (shards.includes(split.to)) throw new OrthantError("ORT_EXISTS", `there is a shard ${split.to}`);
  if (shards.length >= SHARDS_MAX) throw new OrthantError("ORT_LIMIT", `more than ${SHARDS_MAX} shards`);
  return { ...map, generation: map.generation + 1, splits: [...map.splits, split] };
}

/**
 * Returns the map with other blocks, or the map itself if they are the same. Throws `ORT_LIMIT` for a catalog that is too
 * large for a map.
 */
export function withBlocks(map: ShardMap, catalog: BlockCatalog): ShardMap {
  if (diffBlockCatalogs(map.world.catalog, catalog) === undefined) return map;
  const { length } = encode(blockCatalogCodec, catalog);
  if (length > CATALOG_BYTES_MAX)
    throw new OrthantError(
      "ORT_LIMIT",
      `blocks of ${length} bytes where a cluster has room for ${CATALOG_BYTES_MAX}`,
    );
  return { ...map, generation: map.generation + 1, world: { ...map.world, catalog } };
}

/**
 * Returns the catalog of a map, or the one that is held if the map lacks types of it: a lost table may be refilled with
 * an earlier map, and no holder of a catalog ever goes back.
 */
export function newerBlocks(held: BlockCatalog, { world: { catalog } }: ShardMap): BlockCatalog {
  const extendsHeld = held.types.every(({ id }, index) => catalog.types[index]?.id === id);
  return extendsHeld && catalog.endId >= held.endId ? catalog : held;
}

/** Encodes a split. */
export const shardSplitCodec: Codec<ShardSplit> = record({
  from: string(SHARD_BYTES_MAX),
  sectors: boxCodec,
  to: string(SHARD_BYTES_MAX),
});
const splitsCodec = list(shardSplitCodec, SHARDS_MAX - 1);

const extentsCodec = perAxis(varU32);
const shapeCodec: Codec<ChunkShape> = {
  write: (out, { extents }) => extentsCodec.write(out, extents),
  read(input) {
    const extents = extentsCodec.read(input);
    const volume = extents.reduce((product, extent) => product * extent, 1);
    if (volume >= 1 && volume <= CHUNK_VOXELS_MAX) return chunkShape(extents);
    throw input.fail("ORT_CHUNK_VOLUME", `chunks of [${extents}]`);
  },
};
const catalogCodec: Codec<BlockCatalog> = {
  write: (out, catalog) => out.bytes(encode(blockCatalogCodec, catalog), CATALOG_BYTES_MAX),
  read: (input) => decode(blockCatalogCodec, input.bytes(CATALOG_BYTES_MAX)),
};
const factsCodec = record<ClusterWorldFacts>({
  worldId: u64,
  name: string(NAME_BYTES_MAX),
  spawn: perAxis(f64),
  shape: shapeCodec,
  generator: generatorRefCodec,
  catalog: catalogCodec,
});
const mapCodec = record<ShardMap>({
  generation: varUint,
  mark: u64,
  world: factsCodec,
  first: string(SHARD_BYTES_MAX),
  splits: splitsCodec,
});

/** Encodes the value of a world's map key. Rules K13 to K15 in docs/formats/cluster.md. */
export const shardMapCodec: Codec<ShardMap> = checkedWhenRead(
  versioned(VERSION, mapCodec),
  "ORT_MESSAGE",
  (map) => {
    const known = new Set<string>();
    for (const [index, shard] of shardsOf(map).entries()) {
      const from = map.splits[index - 1]?.from;
      if (!isName(shard) || known.has(shard) || (from !== undefined && !known.has(from)))
        return `shard ${JSON.stringify(shard)} twice, or of one that is not there`;
      known.add(shard);
    }
    return undefined;
  },
);
