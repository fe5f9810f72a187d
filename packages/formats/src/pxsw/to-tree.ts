import {
  BlockCatalog,
  type Box,
  type ChunkShape,
  chunkFromVoxels,
  chunkShape,
  DEFAULT_BLOCKS,
  PIXEL_CHUNKS,
  type Position,
} from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { blockCatalogCodec, type NewBlockType } from "@orthant/core/chunk";
import { PositionMap } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { type PixelBodyRef, type PixelChunkShape, type PixelSave, pixelsOf } from "@orthant/pixel-world";
import {
  BulkSaveWriter,
  type ChunkEntry,
  DEFAULT_LIMITS,
  type GlobalState,
  type StoredEntity,
} from "@orthant/save";
import { requireTarget } from "../format/checked-arguments.ts";
import {
  type ConversionCounts,
  type ConversionLosses,
  type ConversionReport,
  listingFirst,
} from "../format/losses.ts";
import { emptyGlobal } from "../format/new-world.ts";
import { checkedPixelOptions, type PixelConvertOptions, requirePixelSave } from "./checked-arguments.ts";
import { entityOfBody, factsAttachment, firstFreeId } from "./entities.ts";

/** Chunks have 128 x 128 voxels, or fewer if the world's own chunks are smaller. */
const EDGE_MAX = PIXEL_CHUNKS.extents[0];
const I32_END = 0x8000_0000;
/** Maximum size of an entity record besides that of its body. */
const ENTITY_BYTES = 256;

/**
 * Writes a pixel world as a two-dimensional Orthant world to an empty disk. Without a disk, only reports what
 * would be lost. Blocks become voxels, and bodies become entities that keep their whole record. Works
 * chunk by chunk: memory use depends on the index and the largest chunk.
 */
export function convertPixelToTree(
  save: PixelSave,
  target: Disk | undefined,
  options: PixelConvertOptions = {},
): Promise<ConversionReport> {
  requirePixelSave(save);
  requireTarget(target);
  const checked = checkedPixelOptions(options);
  return listingFirst(target === undefined, checked, (losses, isDry) =>
    run(save, isDry ? undefined : target, losses, checked),
  );
}

async function run(
  save: PixelSave,
  target: Disk | undefined,
  losses: ConversionLosses,
  options: PixelConvertOptions,
): Promise<ConversionCounts> {
  const { facts } = save;
  noteLostFacts(save, losses);
  const edge = Math.min(EDGE_MAX, facts.chunkEdge);
  const shape = chunkShape([edge, edge, 1, 1]);
  const writer = target && (await BulkSaveWriter.create(target, shape));
  try {
    const blocks = new Set<number>();
    const counts = { chunks: 0, entities: 0, players: 0 };
    const pieces = facts.chunkEdge / edge;
    const bodies = bodiesByChunk(save);
    for await (const { x, y, pixels } of readableChunks(save, losses, options)) {
      options.onChunk?.();
      const cube = alignedCubeAt(x, y, pieces);
      if (cube === undefined) {
        losses.add("chunks beyond the lattice", `first [${x}, ${y}]`);
        continue;
      }
      const entities = await entitiesOf(save, bodies, x, y, losses);
      const chunks = chunksOf(pixels, facts, [x * pieces, y * pieces], edge, blocks);
      counts.chunks++;
      counts.entities += entities.length;
      await writer?.add([{ cube, chunks, entities }]);
    }
    for (const [[x, y], refs] of [...bodies]) {
      const cube = alignedCubeAt(x, y, pieces);
      if (cube === undefined) {
        losses.add("bodies beyond the lattice", `first ${refs[0]?.id}`, refs.length);
        continue;
      }
      const entities = await entitiesOf(save, bodies, x, y, losses);
      counts.entities += entities.length;
      await writer?.add([{ cube, entities }]);
    }
    await writer?.finish({ nowMs: save.modifiedMs, global: globalOf(save, shape, blocks), players: [] });
    return counts;
  } finally {
    await writer?.close();
  }
}

/** Yields the pixels of every available chunk. */
async function* readableChunks(
  save: PixelSave,
  losses: ConversionLosses,
  { generator }: PixelConvertOptions,
): AsyncGenerator<{ readonly x: number; readonly y: number; readonly pixels: Uint8Array }> {
  const { facts } = save;
  const lostLayers = facts.layers.slice(1).map(({ name }, index) => ({ name, layer: index + 1 }));
  for (const ref of save.chunks()) {
    const { x, y } = ref;
    if (ref.storage === "delta" && generator === undefined) {
      losses.add(
        "chunks that are changes to a generator",
        `the generator is not known here; first [${x}, ${y}]`,
      );
      continue;
    }
    const pixels = pixelsOf(await save.readChunk(ref), facts, generator, x, y);
    for (const { name, layer } of lostLayers) {
      if (hasLayer(pixels, layer, facts.layers.length))
        losses.add(`the layer ${name}`, `in chunks; first [${x}, ${y}]`);
    }
    yield { x, y, pixels };
  }
}

function noteLostFacts({ facts, dialect }: PixelSave, losses: ConversionLosses): void {
  const { generator } = facts;
  if (generator !== undefined)
    losses.add("the generator", `untouched space becomes air; it was made by ${generator.generatorId}`);
  else if (dialect !== "version2")
    losses.add("the generator", "the file does not say what made untouched space; it becomes air");
}

function bodiesByChunk(save: PixelSave): PositionMap<PixelBodyRef[]> {
  const chunks = new PositionMap<PixelBodyRef[]>();
  for (const ref of save.bodies()) {
    chunks.getOrAdd(ref.x, ref.y, 0, 0, () => []).push(ref);
  }
  return chunks;
}

/**
 * Takes the bodies of a chunk out and returns them as entities, so that those left at the end are in no
 * chunk.
 */
async function entitiesOf(
  save: PixelSave,
  bodies: PositionMap<PixelBodyRef[]>,
  x: number,
  y: number,
  losses: ConversionLosses,
): Promise<readonly StoredEntity[]> {
  const entities: StoredEntity[] = [];
  for (const ref of bodies.get(x, y, 0, 0) ?? []) {
    if (ref.bytes + ENTITY_BYTES > DEFAULT_LIMITS.entityBlobHardMaxBytes) {
      losses.add("bodies that are too large for an entity", `first ${ref.id}, ${ref.bytes} bytes`);
      continue;
    }
    entities.push(entityOfBody(await save.readBody(ref), save.facts.layers.length, save.modifiedMs));
  }
  bodies.delete(x, y, 0, 0);
  return entities;
}

/** Cuts the blocks of a chunk's pixels into chunks of voxels. */
function chunksOf(
  pixels: Uint8Array,
  { chunkEdge, layers }: PixelChunkShape,
  [minX, minY]: readonly [number, number],
  edge: number,
  blocks: Set<number>,
): readonly ChunkEntry[] {
  const chunks: ChunkEntry[] = [];
  for (let across = 0; across * edge < chunkEdge; across++) {
    for (let up = 0; up * edge < chunkEdge; up++) {
      const voxels = new Uint16Array(edge * edge);
      for (let row = 0; row < edge; row++) {
        let from = ((up * edge + row) * chunkEdge + across * edge) * layers.length;
        for (let column = 0; column < edge; column++, from += layers.length)
          voxels[row * edge + column] = pixels[from] as number;
      }
      const chunk = chunkFromVoxels(voxels);
      for (const block of chunk.blocks()) blocks.add(block);
      chunks.push({ position: [minX + across, minY + up, 0, 0], chunk });
    }
  }
  return chunks;
}

/**
 * Returns the cube of chunks in which a pixel chunk becomes one layer; `undefined` if it extends beyond the
 * lattice.
 */
function alignedCubeAt(x: number, y: number, pieces: number): Box | undefined {
  const min: Position = [x * pieces, y * pieces, 0, 0];
  const max: Position = [min[0] + pieces, min[1] + pieces, pieces, pieces];
  const fits = min[0] >= -I32_END && min[1] >= -I32_END && max[0] <= I32_END && max[1] <= I32_END;
  return fits ? { min, max } : undefined;
}

function globalOf(save: PixelSave, shape: ChunkShape, blocks: ReadonlySet<number>): GlobalState {
  const { facts } = save;
  return {
    ...emptyGlobal(shape, {
      blocks: encode(blockCatalogCodec, catalogOf(blocks)),
      attachments: [factsAttachment(facts)],
    }),
    worldSeed: facts.worldSeed,
    nextEntityId: firstFreeId(Array.from(save.bodies(), ({ id }) => id)),
  };
}

/** A pixel world has no names for its blocks. Those that Orthant does not name either get their number. */
function catalogOf(blocks: ReadonlySet<number>): BlockCatalog {
  const known = DEFAULT_BLOCKS.types;
  const others = [...blocks].filter((id) => DEFAULT_BLOCKS.byId(id) === undefined);
  const named: readonly NewBlockType[] = others.map((id) => ({
    id,
    name: `pixel material ${id}`,
    colour: (Math.imul(id, 0x9e_37_79) >>> 0) & 0xff_ffff,
    solid: true,
  }));
  return new BlockCatalog([...known, ...named]);
}

function hasLayer(pixels: Uint8Array, layer: number, stride: number): boolean {
  for (let at = layer; at < pixels.length; at += stride) if (pixels[at] !== 0) return true;
  return false;
}
