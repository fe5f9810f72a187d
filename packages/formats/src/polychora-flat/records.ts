import {
  type Box,
  type Chunk,
  chunkFromVoxels,
  type ErrorCode,
  emptyChunk,
  HYPERCUBE_CHUNKS,
  OrthantError,
  type Position,
} from "@orthant/core";
import {
  type ByteReader,
  type Codec,
  checkedWhenRead,
  list,
  record,
  U8_MAX,
  U16_MAX,
  varI32,
} from "@orthant/core/bytes";
import {
  AXES,
  comparePositions,
  floorDivide,
  intersectBoxes,
  positionCodec,
  positionFrom,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import type { ChunkAssignment, StoredEntity } from "@orthant/save";
import { storedEntityCodec } from "@orthant/save/content";

/** Maximum edge of a region: local coordinates have 16 bits. */
const REGION_EDGE_MAX = 65_536;

/** Returns the flat-save region that contains a chunk. Its edge, in chunks, need not be a power of two. */
export function flatRegionOf(chunk: Position, edge: number): Position {
  return positionFrom((axis) => floorDivide(chunk[axis], edge));
}

/** Returns the chunks of a flat-save region, including those off the lattice. */
export function flatRegionCube(region: Position, edge: number): Box {
  const min = positionFrom((axis) => region[axis] * edge);
  return { min, max: positionFrom((axis) => min[axis] + edge) };
}

/** Returns the chunks of a flat-save region that are on the lattice; `undefined` if there are none. */
export function flatRegionBox(region: Position, edge: number): Box | undefined {
  return intersectBoxes(flatRegionCube(region, edge), WHOLE_LATTICE);
}

/** A region's chunks in one record. */
export interface FlatChunkBlob {
  readonly region: Position;
  readonly regionChunkEdge: number;
  readonly chunks: readonly ChunkAssignment[];
}

/** A region's entities in one record. */
export interface FlatEntityBlob {
  readonly region: Position;
  readonly regionChunkEdge: number;
  readonly entities: readonly StoredEntity[];
}

/** Codec of the edge of a region, in chunks. Reading a wrong one throws `code`. */
export function regionEdgeCodec(code: ErrorCode): Codec<number> {
  return checkedWhenRead(varI32, code, (edge) =>
    edge < 1 || edge > REGION_EDGE_MAX ? `regions of ${edge} chunks an edge` : undefined,
  );
}

const regionCodec = record<Pick<FlatChunkBlob, "region" | "regionChunkEdge">>({
  region: positionCodec,
  regionChunkEdge: regionEdgeCodec("ORT_BLOB"),
});

/** Type of a record that holds chunks. */
export const FLAT_CHUNK_RECORD = 1;
/** Type of a record that holds entities. */
export const FLAT_ENTITY_RECORD = 2;
/** The only version of both types of records. */
export const FLAT_RECORD_VERSION = 1;

const DICTIONARY_MAX = U16_MAX + 1;
const ASSIGNMENTS_MAX = 100_000_000;
const ENTITIES_MAX = 100_000_000;
const STATES = 3;
/** Number of entity classes that the original knows. */
export const FLAT_CLASSES = 3;
/** Number of entity kinds that the original knows. */
export const FLAT_KINDS = 7;

const rawChunkCodec: Codec<Chunk> = {
  write(out, chunk) {
    const voxels = chunk.voxels();
    const wide = voxels.find((block) => block > U8_MAX);
    if (wide !== undefined) throw new OrthantError("ORT_DIALECT", `block ${wide} in a chunk of bytes`);
    out.bytes(Uint8Array.from(voxels));
  },
  read(input) {
    const voxels = input.bytes(HYPERCUBE_CHUNKS.volume);
    if (voxels.length !== HYPERCUBE_CHUNKS.volume) {
      throw input.fail("ORT_CHUNK_VOLUME", `a chunk of ${voxels.length} voxels`);
    }
    return chunkFromVoxels(Uint16Array.from(voxels));
  },
};

const dictionaryCodec = list(rawChunkCodec, DICTIONARY_MAX);

/**
 * Codec of a chunk blob as it shipped: a region and its edge instead of a volume, 4,096 raw bytes per chunk,
 * a dictionary in any order. It writes the dictionary in order of first appearance. Rule S39.
 */
export const flatChunkBlobCodec: Codec<FlatChunkBlob> = {
  write(out, { region, regionChunkEdge, chunks }) {
    const dictionary = new Map<Chunk, number>();
    const sorted = [...chunks].sort((a, b) => comparePositions(a.position, b.position));
    const stored: Chunk[] = [];
    for (const { chunk } of sorted) {
      if (chunk === undefined || chunk.isEmpty || dictionary.has(chunk)) continue;
      const equal = stored.findIndex((other) => other.equals(chunk));
      dictionary.set(chunk, equal >= 0 ? equal : stored.push(chunk) - 1);
    }
    regionCodec.write(out, { region, regionChunkEdge });
    dictionaryCodec.write(out, stored);
    out.varUint(sorted.length);
    for (const { position, chunk } of sorted) {
      for (const axis of AXES) out.varU16(position[axis] - region[axis] * regionChunkEdge);
      const number = chunk === undefined ? undefined : dictionary.get(chunk);
      out.tag(chunk === undefined ? 0 : number === undefined ? 1 : 2, STATES);
      out.varU16(number ?? 0);
    }
  },

  read(input) {
    const { region, regionChunkEdge } = regionCodec.read(input);
    const dictionary = dictionaryCodec.read(input);
    const count = input.count(ASSIGNMENTS_MAX);
    const chunks: ChunkAssignment[] = [];
    for (let index = 0; index < count; index++) {
      const position = readLocalPosition(input, region, regionChunkEdge);
      const previous = chunks[index - 1];
      if (previous !== undefined && comparePositions(previous.position, position) >= 0) {
        throw input.fail("ORT_BLOB", `the chunk at [${position}] is out of order`);
      }
      chunks.push({ position, chunk: readChunkOf(input, dictionary) });
    }
    return { region, regionChunkEdge, chunks };
  },
};

const entitiesCodec = list(storedEntityCodec, ENTITIES_MAX);

/**
 * Codec of an entity blob as it shipped. It may contain players, which the original's library accepted. Rule
 * S40.
 */
export const flatEntityBlobCodec: Codec<FlatEntityBlob> = {
  write(out, { region, regionChunkEdge, entities }) {
    for (const { entityId, entityClass, kind } of entities) {
      if (entityClass < FLAT_CLASSES && kind < FLAT_KINDS) continue;
      throw new OrthantError("ORT_DIALECT", `entity ${entityId} is of class ${entityClass} and kind ${kind}`);
    }
    regionCodec.write(out, { region, regionChunkEdge });
    entitiesCodec.write(out, entities);
  },

  read(input) {
    const { region, regionChunkEdge } = regionCodec.read(input);
    const entities = entitiesCodec.read(input);
    for (const [index, { entityId, entityClass, kind }] of entities.entries()) {
      if (entityClass >= FLAT_CLASSES || kind >= FLAT_KINDS) {
        throw input.fail("ORT_TAG", `entity ${entityId} is of class ${entityClass} and kind ${kind}`);
      }
      const previous = entities[index - 1];
      if (previous !== undefined && previous.entityId >= entityId) {
        throw input.fail("ORT_BLOB", `entity ${entityId} is out of order`);
      }
    }
    return { region, regionChunkEdge, entities };
  },
};

function readLocalPosition(input: ByteReader, region: Position, edge: number): Position {
  const local = [input.varU16(), input.varU16(), input.varU16(), input.varU16()] as const;
  const position = positionFrom((axis) => region[axis] * edge + local[axis]);
  const inside = AXES.every(
    (axis) =>
      local[axis] < edge &&
      position[axis] >= WHOLE_LATTICE.min[axis] &&
      position[axis] < WHOLE_LATTICE.max[axis],
  );
  if (!inside) throw input.fail("ORT_BLOB", `a chunk at [${local}] of a region of ${edge} chunks an edge`);
  return position;
}

function readChunkOf(input: ByteReader, dictionary: readonly Chunk[]): Chunk | undefined {
  const state = input.tag(STATES);
  const number = input.varU16();
  if (state === 0) return undefined;
  if (state === 1) return emptyChunk(HYPERCUBE_CHUNKS.volume);
  const chunk = dictionary[number];
  if (chunk === undefined)
    throw input.fail("ORT_BLOB", `chunk ${number} of ${dictionary.length} in the dictionary`);
  return chunk;
}
