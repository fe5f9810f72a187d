import { DataTexture, LinearFilter, RedFormat, RepeatWrapping } from "three";

/** Blocks of cloud on each side of the layer before it repeats. */
export const CLOUD_CELLS = 128;
/** Edge of a block of cloud, in voxels. */
export const CLOUD_VOXELS = 12;
/** Cells across which the largest clouds vary; each octave halves them. */
const OCTAVES: readonly (readonly [period: number, weight: number])[] = [
  [16, 0.42],
  [8, 0.33],
  [4, 0.25],
];
/** Density above which there is cloud. */
const CLOUD_FROM = 0.565;

/** Clouds are thinner in the cells at their rims. */
const THIN = 150;

/** Returns a layer of clouds that repeats on both axes: 0 for clear sky, `THIN`, or 255. */
function cloudCells(): Uint8Array<ArrayBuffer> {
  const cells = new Uint8Array(CLOUD_CELLS ** 2);
  for (let z = 0; z < CLOUD_CELLS; z++)
    for (let x = 0; x < CLOUD_CELLS; x++) {
      let density = 0;
      for (const [period, weight] of OCTAVES)
        density += weight * smoothNoise(x / period, z / period, CLOUD_CELLS / period);
      cells[z * CLOUD_CELLS + x] = density < CLOUD_FROM ? 0 : density < CLOUD_FROM + 0.025 ? THIN : 255;
    }
  return cells;
}

/** The cells as a texture that blends where cells meet. */
export function cloudTexture(): DataTexture {
  const texture = new DataTexture(cloudCells(), CLOUD_CELLS, CLOUD_CELLS, RedFormat);
  texture.wrapS = RepeatWrapping;
  texture.wrapT = RepeatWrapping;
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearFilter;
  texture.unpackAlignment = 1;
  texture.needsUpdate = true;
  return texture;
}

/** Noise from 0 to 1 that repeats after `size` on both axes. */
function smoothNoise(x: number, z: number, size: number): number {
  const [left, near] = [Math.floor(x), Math.floor(z)];
  const [across, along] = [ease(x - left), ease(z - near)];
  const at = (i: number, j: number): number => chance((left + i) % size, (near + j) % size, size);
  const mix = (from: number, to: number, share: number): number => from + (to - from) * share;
  return mix(mix(at(0, 0), at(1, 0), across), mix(at(0, 1), at(1, 1), across), along);
}

const ease = (share: number): number => share * share * (3 - 2 * share);

function chance(x: number, z: number, salt: number): number {
  let hash =
    Math.imul(x + 1, 0x9e_37_79_b1) ^ Math.imul(z + 1, 0x85_eb_ca_77) ^ Math.imul(salt, 0xc2_b2_ae_3d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x29_7a_2d_39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
