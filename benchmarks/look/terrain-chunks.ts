import { type Box, CUBE_CHUNKS, DEFAULT_BLOCKS, type Position } from "@orthant/core";
import { DEFAULT_GENERATORS, generatorRef, TERRAIN_DEFAULTS, terrainGenerator } from "@orthant/core/generate";
import { boxAt, voxelsOfChunks } from "@orthant/core/lattice";
import { LightField, LitState } from "@orthant/core/light";
import { WorldState } from "@orthant/core/tree";
import { BlockAppearance } from "@orthant/mesh";
import { type CutAt, emptyVolume, fillVolume, type Volume, VolumeMesher } from "@orthant/mesh/volume";
import { sized } from "../size.ts";

const EDGE = 16;
const RADIUS_CHUNKS = sized(6, 1);

/** A chunk of terrain that has a surface. */
export interface TerrainChunk {
  readonly position: Position;
  /** Its voxels, and those around it. */
  readonly volume: Volume;
  /** The light of these voxels. */
  readonly light: Uint8Array;
}

/** Returns a world of terrain, and its chunks around the origin that have a surface. */
export function terrainChunks(): { readonly state: WorldState; readonly chunks: readonly TerrainChunk[] } {
  const generator = generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 7n);
  const state = WorldState.open({ generators: DEFAULT_GENERATORS, generator, shape: CUBE_CHUNKS });
  const field = new LightField(new LitState(() => state), DEFAULT_BLOCKS);
  const cutAt: CutAt = (x, y, z) => {
    const chunk = state.realizeChunk(x, y, z, 0);
    return chunk.uniformBlock ?? chunk.voxels();
  };
  const mesher = new VolumeMesher(new BlockAppearance(DEFAULT_BLOCKS));
  const chunks: TerrainChunk[] = [];
  for (let x = -RADIUS_CHUNKS; x < RADIUS_CHUNKS; x++)
    for (let z = -RADIUS_CHUNKS; z < RADIUS_CHUNKS; z++)
      for (let y = -2; y < 2; y++) {
        const volume = emptyVolume([EDGE, EDGE, EDGE]);
        const filling = fillVolume({ chunk: volume.size, chunks: [1, 1, 1] }, [x, y, z], cutAt, volume);
        if (filling !== "filled" || mesher.mesh(volume).opaque.length === 0) continue;
        const position: Position = [x, y, z, 0];
        const light = field.in(grown(voxelsOfChunks(CUBE_CHUNKS, boxAt(position)), 1)) as Uint8Array;
        chunks.push({ position, volume, light });
      }
  return { state, chunks };
}

/** Returns a box of voxels and those around it. */
export function grown({ min, max }: Box, by: number): Box {
  return {
    min: [min[0] - by, min[1] - by, min[2] - by, min[3]],
    max: [max[0] + by, max[1] + by, max[2] + by, max[3]],
  };
}
