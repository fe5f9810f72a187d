import type { Prng } from "@orthant/testkit";

/** Blocks of one, two and three bytes; a chunk uses some of them. */
const BLOCKS = [0, 1, 2, 3, 9, 127, 128, 300, 16_383, 16_384, 65_535];

/** Returns random voxels of a random kind: few or many blocks, in runs or scattered. */
export function randomVoxels(prng: Prng, volume: number): Uint16Array {
  const blockCount = prng.pick([1, 2, 2, 3, 4, 5, 16, 17, 60, 130, 700]);
  const palette = Array.from({ length: blockCount }, (_, index) =>
    blockCount > BLOCKS.length ? (index * (blockCount < 128 ? 1 : 37)) % 65_536 : prng.pick(BLOCKS),
  );
  const runLengthMax = prng.pick([1, 1, 8, 200]);
  const voxels = new Uint16Array(volume);
  let position = 0;
  while (position < volume) {
    const end = position + prng.between(1, runLengthMax);
    voxels.fill(prng.pick(palette), position, end);
    position = end;
  }
  return voxels;
}
