import {
  type Box,
  type Chunk,
  type ChunkShape,
  isOrthantError,
  OrthantError,
  type Position,
} from "@orthant/core";
import { U8_MAX } from "@orthant/core/bytes";
import { boxContains, floorDivide, PositionMap } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import {
  CHUNK_EDGE,
  PIXEL_BYTES,
  PIXEL_TILE_EDGE,
  type PixelFacts,
  VERSION1_LAYERS,
} from "@orthant/pixel-world";
import { type ChunkEntry, requireSave, type Save, type StoredEntity } from "@orthant/save";
import { checkedFileTarget } from "../format/checked-arguments.ts";
import {
  type ConversionCounts,
  type ConversionLosses,
  type ConversionReport,
  listingFirst,
  noteLostData,
  noteLostFacts,
} from "../format/losses.ts";
import { checkedPixelOptions, type PixelConvertOptions, requireTargetKind } from "./checked-arguments.ts";
import { bodyOfEntity, factsOfAttachments, isFactsAttachment } from "./entities.ts";
import { openPixelTarget, type PixelTarget, type PixelTargetKind } from "./pixel-to-pixel.ts";

/** Returns the chunks of untouched space; `undefined` where their generator is missing. */
type UntouchedSpace = (x: number, y: number) => Chunk | undefined;

/**
 * Writes a two-dimensional world as a pixel world to a new file. Without a disk, only reports what would be
 * lost. Throws `ORT_DIALECT` for a world whose chunks do not fit into those of a pixel world. Works leaf by
 * leaf: memory use depends on the index and the largest leaf.
 */
export function convertTreeToPixel(
  save: Save,
  kind: PixelTargetKind,
  target: { readonly disk: Disk; readonly path: string } | undefined,
  options: PixelConvertOptions = {},
): Promise<ConversionReport> {
  requireSave("save", save);
  requireTargetKind(kind);
  const file = checkedFileTarget(target);
  const checked = checkedPixelOptions(options);
  const { chunkShape, attachments } = save.global.description;
  const facts = factsOf(save, factsOfAttachments(attachments), kind);
  requireFitting(chunkShape, facts.chunkEdge);
  return listingFirst(file === undefined, checked, (losses, isDry) =>
    run(save, facts, kind, isDry ? undefined : file, losses, checked),
  );
}

async function run(
  save: Save,
  facts: PixelFacts,
  kind: PixelTargetKind,
  target: { readonly disk: Disk; readonly path: string } | undefined,
  losses: ConversionLosses,
  options: PixelConvertOptions,
): Promise<ConversionCounts> {
  const { global } = save;
  const kept = global.description.attachments.filter((attachment) => !isFactsAttachment(attachment));
  noteLostFacts(
    { global: { ...global, description: { ...global.description, attachments: kept } }, index: save.index },
    losses,
  );
  losses.add("players", "a pixel world has none", save.players.length);
  const untouched = untouchedSpace(save, losses);
  const writer = target && (await openPixelTarget(kind, target.disk, target.path, facts));
  const pixels = new PixelPainter(
    facts,
    global.description.chunkShape,
    untouched,
    options.standInBlock ?? 1,
    losses,
  );
  const counts = { chunks: 0, entities: 0, players: 0 };
  try {
    const onEntities: OnEntities = async (entities) => {
      for (const entity of entities) counts.entities += await addBody(entity, facts, writer, losses);
    };
    for await (const { x, y, chunks } of contentByPixelChunk(save, facts.chunkEdge, losses, onEntities)) {
      options.onChunk?.();
      counts.chunks++;
      // Also without a target, because painting finds losses.
      const painted = pixels.paint(x, y, chunks);
      await writer?.addPixels(x, y, painted);
    }
    await writer?.finish(global.lastModifiedMs);
    return counts;
  } finally {
    await writer?.close();
  }
}

async function addBody(
  entity: StoredEntity,
  facts: PixelFacts,
  writer: PixelTarget | undefined,
  losses: ConversionLosses,
): Promise<number> {
  const body = bodyOfEntity(entity, facts.layers.length);
  if (body === undefined) {
    losses.add(
      "entities that are not pixel bodies",
      `a pixel world has none; first entity ${entity.entityId}`,
    );
    return 0;
  }
  await writer?.addBody(body);
  return 1;
}

/** Returns the facts for the file: those of the original pixel world if usable, else those of a new one. */
function factsOf(
  { global, manifest }: Save,
  before: PixelFacts | undefined,
  kind: PixelTargetKind,
): PixelFacts {
  const { worldSeed } = global;
  const isVersion1 = before?.chunkEdge === CHUNK_EDGE && before.layers.length === PIXEL_BYTES;
  const isUsable = before !== undefined && (kind === "version2" || isVersion1);
  if (isUsable) return { ...before, worldSeed, generator: undefined };
  const layers = VERSION1_LAYERS;
  return {
    worldSeed,
    createdMs: manifest.createdMs,
    chunkEdge: CHUNK_EDGE,
    tileEdge: PIXEL_TILE_EDGE,
    layers,
    generator: undefined,
  };
}

function requireFitting({ extents }: ChunkShape, chunkEdge: number): void {
  const [ex, ey, ez, ew] = extents;
  if (ez === 1 && ew === 1 && chunkEdge % ex === 0 && chunkEdge % ey === 0) return;
  const detail = `chunks of ${extents.join(" x ")} voxels do not fit into pixel chunks of ${chunkEdge} x ${chunkEdge}`;
  throw new OrthantError("ORT_DIALECT", detail);
}

/** Returns untouched space, which fills the rest of a partly edited pixel chunk. */
function untouchedSpace(save: Save, losses: ConversionLosses): UntouchedSpace | undefined {
  const { base, generators } = save.global;
  if (base.kind === "empty") return undefined;
  const names = base.kind === "generated" ? generators.map(({ generatorId }) => generatorId) : ["flat"];
  const makers = [...new Set(names)].join(", ");
  losses.add("the generator", `untouched chunks are not in the file; they were made by ${makers}`);
  return (x, y) => {
    try {
      return save.generate([x, y, 0, 0]);
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      losses.add("untouched parts of chunks", `they become air: ${error.message}`);
      return undefined;
    }
  };
}

/** Copies chunks of voxels into chunks of pixels. */
class PixelPainter {
  readonly #facts: PixelFacts;
  readonly #shape: ChunkShape;
  readonly #untouched: UntouchedSpace | undefined;
  readonly #standIn: number;
  readonly #losses: ConversionLosses;

  constructor(
    facts: PixelFacts,
    shape: ChunkShape,
    untouched: UntouchedSpace | undefined,
    standIn: number,
    losses: ConversionLosses,
  ) {
    this.#facts = facts;
    this.#shape = shape;
    this.#untouched = untouched;
    this.#standIn = standIn;
    this.#losses = losses;
  }

  paint(x: number, y: number, chunks: readonly ChunkEntry[]): Uint8Array {
    const { chunkEdge, layers } = this.#facts;
    const [ex, ey] = this.#shape.extents;
    const byPosition = new PositionMap<Chunk>();
    for (const { position, chunk } of chunks) byPosition.set(position[0], position[1], 0, 0, chunk);
    const pixels = new Uint8Array(chunkEdge * chunkEdge * layers.length);
    const [across, up] = [chunkEdge / ex, chunkEdge / ey];
    for (let chunkY = 0; chunkY < up; chunkY++) {
      for (let chunkX = 0; chunkX < across; chunkX++) {
        const position = [x * across + chunkX, y * up + chunkY] as const;
        const chunk = byPosition.get(...position, 0, 0) ?? this.#untouched?.(...position);
        if (chunk !== undefined && !chunk.isEmpty) this.#copy(chunk, pixels, chunkX * ex, chunkY * ey);
      }
    }
    return pixels;
  }

  #copy(chunk: Chunk, pixels: Uint8Array, left: number, bottom: number): void {
    const { chunkEdge, layers } = this.#facts;
    const [ex] = this.#shape.extents;
    const isWide = chunk.blocks().some((block) => block > U8_MAX);
    if (isWide)
      this.#losses.add("chunks with blocks above 255", `these pixels become block ${this.#standIn}`);
    chunk.forEach((block, index) => {
      const column = index % ex;
      const row = (index - column) / ex;
      const at = ((bottom + row) * chunkEdge + left + column) * layers.length;
      pixels[at] = block > U8_MAX ? this.#standIn : block;
    });
  }
}

interface PixelChunkContent {
  readonly x: number;
  readonly y: number;
  readonly chunks: readonly ChunkEntry[];
}

/** Called with the entities of each leaf. */
type OnEntities = (entities: readonly StoredEntity[]) => Promise<void>;

/**
 * Yields the content of a save by target pixel chunk, each once. A leaf either contains whole pixel chunks,
 * or lies in one together with others, which are then read together.
 */
async function* contentByPixelChunk(
  save: Save,
  chunkEdge: number,
  losses: ConversionLosses,
  onEntities: OnEntities,
): AsyncGenerator<PixelChunkContent> {
  const [ex, ey] = save.global.description.chunkShape.extents;
  const [across, up] = [chunkEdge / ex, chunkEdge / ey];
  const done = new PositionMap<true>();
  for await (const leaf of save.index.all()) {
    const { min, max } = leaf.cube;
    await onEntities(await save.readEntities(leaf));
    const own = await save.readChunks(leaf);
    noteLostData(own, losses);
    const deep = own.filter(({ position }) => !isFlat(position)).length;
    losses.add("chunks beside the plane", "a pixel world has z and w 0 alone", deep);
    if (max[0] - min[0] >= across && max[1] - min[1] >= up) {
      yield* grouped(own, across, up);
      continue;
    }
    for (const [x, y] of chunksTouched(leaf.cube, across, up)) {
      if (done.has(x, y, 0, 0)) continue;
      done.set(x, y, 0, 0, true);
      const cube: Box = { min: [x * across, y * up, 0, 0], max: [(x + 1) * across, (y + 1) * up, 1, 1] };
      const chunks: ChunkEntry[] = [];
      for (const other of await save.leavesIn(cube)) {
        for (const entry of await save.readChunks(other))
          if (boxContains(cube, entry.position)) chunks.push(entry);
      }
      if (chunks.length > 0) yield { x, y, chunks };
    }
  }
}

function* chunksTouched({ min, max }: Box, across: number, up: number): Generator<readonly [number, number]> {
  for (let y = floorDivide(min[1], up); y * up < max[1]; y++)
    for (let x = floorDivide(min[0], across); x * across < max[0]; x++) yield [x, y];
}

function* grouped(chunks: readonly ChunkEntry[], across: number, up: number): Generator<PixelChunkContent> {
  const groups = new PositionMap<ChunkEntry[]>();
  for (const entry of chunks) {
    if (!isFlat(entry.position)) continue;
    const [x, y] = [floorDivide(entry.position[0], across), floorDivide(entry.position[1], up)];
    groups.getOrAdd(x, y, 0, 0, () => []).push(entry);
  }
  for (const [[x, y], there] of groups) yield { x, y, chunks: there };
}

function isFlat([, , z, w]: Position): boolean {
  return z === 0 && w === 0;
}
