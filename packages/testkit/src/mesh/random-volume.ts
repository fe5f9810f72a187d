import { emptyVolume, type Volume, type VolumePoint } from "@orthant/mesh/volume";
import type { Prng } from "../base/prng.ts";

/** Returns a volume of random blocks, of a random kind: noise, layers, one block in all, or a few larger boxes. */
export function randomVolume(prng: Prng, size: VolumePoint, blocks: readonly number[]): Volume {
  const volume = emptyVolume(size);
  const [width, height, depth] = [size[0] + 2, size[1] + 2, size[2] + 2];
  const voxels = volume.blocks;
  const kind = prng.below(4);
  const share = 1 + prng.below(19);
  const some = prng.below(3) === 0 ? [prng.pick(blocks), 0] : [0, ...blocks];
  if (kind === 0)
    for (let at = 0; at < voxels.length; at++) voxels[at] = prng.below(20) < share ? prng.pick(some) : 0;
  if (kind === 1) {
    const level = prng.below(height + 1);
    for (let at = 0; at < voxels.length; at++) {
      const y = Math.floor(at / width) % height;
      if (y < level + (prng.below(20) < share ? 0 : 1)) voxels[at] = prng.pick(some);
    }
  }
  if (kind === 2) voxels.fill(prng.pick(blocks));
  for (let count = prng.below(kind === 0 ? 3 : 12); count > 0; count--) {
    const block = prng.pick([0, ...blocks]);
    const low = [prng.below(width), prng.below(height), prng.below(depth)] as const;
    const high = [
      low[0] + 1 + prng.below(6),
      low[1] + 1 + prng.below(6),
      low[2] + 1 + prng.below(6),
    ] as const;
    for (let z = low[2]; z < Math.min(high[2], depth); z++)
      for (let y = low[1]; y < Math.min(high[1], height); y++)
        for (let x = low[0]; x < Math.min(high[0], width); x++) voxels[x + width * (y + height * z)] = block;
  }
  return volume;
}
