import { AIR, type Box, CUBE_CHUNKS, DEFAULT_BLOCKS, type Position } from "@orthant/core";
import {
  boxAt,
  chunkOfVoxel,
  positionsLexicographic,
  positionsMinorToMajor,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import { chunksInLightReach, LIGHT_REACH_VOXELS, LightField, LitState } from "@orthant/core/light";
import type { WorldState } from "@orthant/core/tree";
import { atMost, type Figure, median, time, told } from "../figure.ts";
import { sized } from "../size.ts";
import { grown, type TerrainChunk } from "./terrain-chunks.ts";

const ROUNDS = sized(15, 1);
const LAMPS = sized(40, 1);
const LIGHT_BUDGET_MS = 1;
const LAMP_BUDGET_MS = 2;
const LAMP = DEFAULT_BLOCKS.id("lamp");

/** Light of chunks of terrain, and of lamps on its surface, beside a bare loop over the voxels that can matter. */
export function* lightFigures(state: WorldState, chunks: readonly TerrainChunk[]): Generator<Figure> {
  const seen = blocksOf(
    state,
    grown(voxelsOfChunks(CUBE_CHUNKS, boxAt(chunks[0]?.position ?? [0, 0, 0, 0])), LIGHT_REACH_VOXELS),
  );
  const field = new LightField(new LitState(() => state), DEFAULT_BLOCKS);
  const [lightMs, loopMs] = [
    medianMs(() => {
      field.reset();
      return chunks.reduce((sum, { position }) => sum + (field.chunk(position)?.[0] ?? 0), 0);
    }, chunks.length),
    medianMs(() => chunks.reduce((sum) => sum + opacityOf(seen), 0), chunks.length),
  ];
  const times = `${(lightMs / loopMs).toFixed(1)} times a bare loop over the ${seen.length} voxels that can matter`;
  yield atMost(
    "look/light",
    lightMs,
    "ms/chunk",
    LIGHT_BUDGET_MS,
    `from nothing, ${chunks.length} chunks; ${times}`,
  );
  yield* lampFigures(state, chunks);
}

/** Places lamps and removes them, where the light around is kept. */
function* lampFigures(terrain: WorldState, chunks: readonly TerrainChunk[]): Generator<Figure> {
  let state = terrain;
  const field = new LightField(new LitState(() => state), DEFAULT_BLOCKS);
  const [placedMs, removedMs, loopMs]: [number[], number[], number[]] = [[], [], []];
  const change = (voxel: Position, block: number): number => {
    state = state.setVoxels([{ voxel, block }]).state;
    const chunk = chunkOfVoxel(CUBE_CHUNKS, voxel);
    const { cpuNs } = time(() => {
      field.changed(chunk);
      return field.at(voxel)?.block ?? 0;
    }, 1);
    return cpuNs / 1e6;
  };
  for (const { position } of [...chunks.slice(-LAMPS), ...chunks.slice(0, LAMPS)]) {
    const voxel = aboveGround(terrain, position);
    const reach = chunksInLightReach(CUBE_CHUNKS, boxAt(chunkOfVoxel(CUBE_CHUNKS, voxel)));
    for (const around of positionsLexicographic(reach)) field.chunk(around);
    placedMs.push(change(voxel, LAMP));
    removedMs.push(change(voxel, AIR));
    const [x, y, z] = voxel;
    const lit = blocksOf(terrain, grown({ min: voxel, max: [x + 1, y + 1, z + 1, 1] }, LIGHT_REACH_VOXELS));
    loopMs.push(time(() => opacityOf(lit), 1).cpuNs / 1e6);
  }
  const loop = median(loopMs);
  const beside = (ms: number): string =>
    `${(ms / loop).toFixed(1)} times a bare loop over the voxels in reach`;
  for (const [name, list] of [
    ["placed", placedMs],
    ["removed", removedMs],
  ] as const) {
    const ms = median(list);
    yield atMost(`look/lamp-${name}`, ms, "ms", LAMP_BUDGET_MS, `above the ground, by day; ${beside(ms)}`);
  }
  yield told("look/lamp-bare", loop, "ms", "to look at each voxel in reach of a lamp once");
}

function medianMs(work: () => number, count: number): number {
  work();
  return median(Array.from({ length: ROUNDS }, () => time(work, 1).cpuNs / 1e6 / count));
}

/** Returns the lowest voxel above the ground in the middle of a chunk's column. */
function aboveGround(state: WorldState, [chunkX, , chunkZ]: Position): Position {
  const [x, z] = [16 * chunkX + 8, 16 * chunkZ + 8];
  let y = state.skyAbove ?? 0;
  while (state.voxelAt(x, y - 1, z, 0) === AIR) y--;
  return [x, y, z, 0];
}

function blocksOf(state: WorldState, voxels: Box): Uint16Array {
  return Uint16Array.from(positionsMinorToMajor(voxels), (voxel) => state.voxelAt(...voxel));
}

const OPACITIES = Uint8Array.from({ length: 65_536 }, (_, block) => DEFAULT_BLOCKS.opacityOf(block));

function opacityOf(blocks: Uint16Array): number {
  let sum = 0;
  for (let index = 0; index < blocks.length; index++) sum += OPACITIES[blocks[index] as number] as number;
  return sum;
}
