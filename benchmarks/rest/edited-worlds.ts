import { type Chunk, CUBE_CHUNKS, chunkFromVoxels, type Position } from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  type GeneratedSpace,
  type GeneratorRef,
  generatorRef,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import { chunkOfVoxel, PositionMap, voxelIndex } from "@orthant/core/lattice";
import { Prng } from "@orthant/testkit";

/** The land for all edits: hills with lakes, caves, ores and trees. */
export const COUNTRY: GeneratorRef = generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 7n);

/** Kinds of edits. */
export const PASTIMES = ["scattered", "tunnels", "boxes", "painted"] as const;

/** One of {@link PASTIMES}. */
export type Pastime = (typeof PASTIMES)[number];

/** Voxels per chunk of the scattered kind. */
export const SCATTERED_VOXELS = 16;

const AIR = 0;
const EDGE = CUBE_CHUNKS.extents[0];
/** Chunks above and below the middle of the land that may contain its surface. */
const SURFACE_CHUNKS = 5;
const TUNNEL_RADIUS = 3;
const PAINTS = 6;

/** Returns at least `count` chunks edited in a given way; the same ones each time. */
export function editedChunks(pastime: Pastime, count: number): PositionMap<Chunk> {
  const canvas = new Canvas();
  const prng = new Prng(count);
  // Some opened chunks end up unchanged: digging in the air changes nothing.
  for (let wanted = count; ; ) {
    while (canvas.size < wanted) MAKERS[pastime](canvas, prng, count);
    const chunks = canvas.chunks();
    if (chunks.size >= count) return chunks;
    wanted = canvas.size + (count - chunks.size) * 2;
  }
}

/** The land with the edits in it. */
class Canvas {
  readonly #space: GeneratedSpace = DEFAULT_GENERATORS.open(COUNTRY, CUBE_CHUNKS);
  readonly #land = new PositionMap<Chunk>();
  readonly #voxels = new PositionMap<Uint16Array>();

  get size(): number {
    return this.#voxels.size;
  }

  set(voxel: Position, block: number): void {
    const position = chunkOfVoxel(CUBE_CHUNKS, voxel);
    this.open(position)[voxelIndex(CUBE_CHUNKS, ...voxel)] = block;
  }

  /** Returns an unedited chunk. */
  land(position: Position): Chunk {
    const chunk = this.#land.get(...position) ?? this.#space.realize(...position);
    this.#land.set(...position, chunk);
    return chunk;
  }

  /** Returns the voxels of a chunk, which counts as edited from now on. */
  open(position: Position): Uint16Array {
    const known = this.#voxels.get(...position);
    if (known !== undefined) return known;
    const voxels = this.land(position).voxels();
    this.#voxels.set(...position, voxels);
    return voxels;
  }

  chunks(): PositionMap<Chunk> {
    const chunks = new PositionMap<Chunk>();
    for (const [position, voxels] of this.#voxels) {
      const chunk = chunkFromVoxels(voxels);
      if (!chunk.equals(this.land(position))) chunks.set(...position, chunk);
    }
    return chunks;
  }
}

const MAKERS: Readonly<Record<Pastime, (canvas: Canvas, prng: Prng, count: number) => void>> = {
  /** Sixteen voxels of eight blocks in a chunk near the surface; every third chunk there has some. */
  scattered(canvas, prng, count) {
    const spread = Math.ceil(Math.sqrt((count * 3) / (SURFACE_CHUNKS * 2)));
    const position: Position = [
      prng.below(spread),
      prng.between(-SURFACE_CHUNKS, SURFACE_CHUNKS - 1),
      prng.below(spread),
      0,
    ];
    const voxels = canvas.open(position);
    const before = voxels.slice();
    let left = SCATTERED_VOXELS - differences(voxels, canvas.land(position).voxels());
    while (left > 0) {
      const cell = prng.below(voxels.length);
      const block = 20 + prng.below(8);
      if (voxels[cell] !== before[cell]) continue;
      voxels[cell] = block;
      left--;
    }
  },

  /** A tunnel of some hundred voxels that turns now and then. */
  tunnels(canvas, prng, count) {
    const spread = Math.ceil(Math.sqrt(count)) * EDGE;
    const at = [prng.below(spread), prng.between(-90, -30), prng.below(spread)] as [number, number, number];
    let heading = prng.below(360);
    let slope = 0;
    for (let step = 0; step < 400; step += 2) {
      carve(canvas, at);
      heading += prng.between(-12, 12);
      slope = Math.max(-1, Math.min(1, slope + prng.between(-1, 1) / 4));
      at[0] += Math.round(2 * Math.cos((heading * Math.PI) / 180));
      at[1] += Math.round(slope);
      at[2] += Math.round(2 * Math.sin((heading * Math.PI) / 180));
    }
  },

  /** A house: walls, floors on every fourth level, windows, a roof. */
  boxes(canvas, prng, count) {
    const spread = Math.ceil(Math.sqrt(count)) * 12;
    const [x, z] = [prng.below(spread), prng.below(spread)];
    const [width, height, depth] = [prng.between(10, 40), prng.between(6, 30), prng.between(10, 40)];
    const ground = prng.between(-20, 30);
    const [wall, floor] = [30 + prng.below(6), 40 + prng.below(3)];
    for (let dx = 0; dx < width; dx++)
      for (let dy = 0; dy < height; dy++)
        for (let dz = 0; dz < depth; dz++) {
          const isWall = dx === 0 || dz === 0 || dx === width - 1 || dz === depth - 1;
          const isWindow = isWall && dy % 4 === 2 && (dx + dz) % 5 < 2;
          const isFloor = dy % 4 === 0 || dy === height - 1;
          const block = isWindow ? 50 : isWall ? wall : isFloor ? floor : AIR;
          canvas.set([x + dx, ground + dy, z + dz, 0], block);
        }
  },

  /** The surface of a round patch of land in one colour. */
  painted(canvas, prng, count) {
    const spread = Math.ceil(Math.sqrt(count)) * EDGE;
    const [x, z, radius] = [prng.below(spread), prng.below(spread), prng.between(8, 40)];
    const paint = 60 + prng.below(PAINTS);
    for (let dx = -radius; dx <= radius; dx++)
      for (let dz = -radius; dz <= radius; dz++) {
        if (dx * dx + dz * dz > radius * radius) continue;
        const top = surfaceAt(canvas, x + dx, z + dz);
        if (top !== undefined) canvas.set([x + dx, top, z + dz, 0], paint);
      }
  },
};

function differences(a: Uint16Array, b: Uint16Array): number {
  return a.reduce((sum, block, cell) => sum + (block === b[cell] ? 0 : 1), 0);
}

function carve(canvas: Canvas, [x, y, z]: readonly [number, number, number]): void {
  for (let dx = -TUNNEL_RADIUS; dx <= TUNNEL_RADIUS; dx++)
    for (let dy = -TUNNEL_RADIUS; dy <= TUNNEL_RADIUS; dy++)
      for (let dz = -TUNNEL_RADIUS; dz <= TUNNEL_RADIUS; dz++) {
        if (dx * dx + dy * dy + dz * dz > TUNNEL_RADIUS * TUNNEL_RADIUS) continue;
        canvas.set([x + dx, y + dy, z + dz, 0], AIR);
      }
}

/** Returns the height of the highest voxel of a column that is not air. */
function surfaceAt(canvas: Canvas, x: number, z: number): number | undefined {
  for (let y = SURFACE_CHUNKS * EDGE - 1; y >= -SURFACE_CHUNKS * EDGE; y--) {
    const land = canvas.land(chunkOfVoxel(CUBE_CHUNKS, [x, y, z, 0]));
    if (land.isEmpty) y = Math.floor(y / EDGE) * EDGE;
    else if (land.get(voxelIndex(CUBE_CHUNKS, x, y, z, 0)) !== AIR) return y;
  }
  return undefined;
}
