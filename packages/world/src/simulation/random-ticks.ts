import type { ChunkShape, Position } from "@orthant/core";
import { voxelOfIndex } from "@orthant/core/lattice";

/** Calls `visit` with voxels of a chunk that follow from the world's seed, the step and the chunk alone. */
export function drawVoxels(
  { seed, step, count }: { readonly seed: bigint; readonly step: number; readonly count: number },
  shape: ChunkShape,
  chunk: Position,
  visit: (voxel: Position) => void,
): void {
  let state = mix(Number(seed & 0xffff_ffffn) ^ Number((seed >> 32n) & 0xffff_ffffn));
  state = mix(state ^ (step >>> 0) ^ mix(Math.floor(step / 0x1_0000_0000)));
  for (const coordinate of chunk) state = mix(state ^ coordinate);
  for (let draw = 0; draw < count; draw++) {
    state = mix(state + 0x9e37_79b9);
    visit(voxelOfIndex(shape, chunk, Math.floor((state / 0x1_0000_0000) * shape.volume)));
  }
}

/** Mixes the bits of a 32-bit number. */
function mix(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0_aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a_2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}
