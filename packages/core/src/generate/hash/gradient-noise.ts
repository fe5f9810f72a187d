import { hashPosition } from "./position-hash.ts";

/** A rectangle of columns, in voxels. */
export interface ColumnArea {
  readonly minX: number;
  readonly minZ: number;
  readonly countX: number;
  readonly countZ: number;
}

/**
 * Adds smooth noise from -amplitude to +amplitude to every column of an area, x running fastest. Slopes are
 * chosen at the corners of squares with an edge of `period` voxels, a power of two, and blended in between.
 */
export function addNoise(
  sums: Float64Array,
  { minX, minZ, countX, countZ }: ColumnArea,
  period: number,
  amplitude: number,
  key: number,
): void {
  // The slopes of the corners (0,0), (1,0), (0,1) and (1,1) of one square, for x and z.
  const slopes = new Float64Array(8);
  // Flat worlds have one row of columns, which must not lie where the noise is always 0.
  const offsetZ = ((key >>> 8) % period) + 0.5;
  for (let firstX = 0; firstX < countX; ) {
    const cornerX = Math.floor((minX + firstX) / period);
    const endX = Math.min(countX, (cornerX + 1) * period - minX);
    let slopesOfZ = Number.NaN;
    for (let z = 0; z < countZ; z++) {
      const alongZ = (minZ + z + offsetZ) / period;
      const cornerZ = Math.floor(alongZ);
      if (cornerZ !== slopesOfZ) chooseSlopes(slopes, key, cornerX, cornerZ);
      slopesOfZ = cornerZ;
      addRow(
        sums,
        z * countX,
        firstX,
        endX,
        (minX + 0.5) / period - cornerX,
        alongZ - cornerZ,
        slopes,
        period,
        amplitude,
      );
    }
    firstX = endX;
  }
}

/** Returns noise from -1 to 1 at one column. */
export function noiseAt(x: number, z: number, period: number, key: number): number {
  const sums = new Float64Array(1);
  addNoise(sums, { minX: x, minZ: z, countX: 1, countZ: 1 }, period, 1, key);
  return sums[0] as number;
}

function chooseSlopes(slopes: Float64Array, key: number, cornerX: number, cornerZ: number): void {
  for (let corner = 0; corner < 4; corner++) {
    const bits = hashPosition(key, cornerX + (corner & 1), 0, cornerZ + (corner >> 1), 0);
    slopes[corner * 2] = (bits & 0xffff) / 0x8000 - 1;
    slopes[corner * 2 + 1] = (bits >>> 16) / 0x8000 - 1;
  }
}

function addRow(
  sums: Float64Array,
  row: number,
  fromX: number,
  toX: number,
  startX: number,
  v: number,
  slopes: Float64Array,
  period: number,
  amplitude: number,
): void {
  const [x00 = 0, z00 = 0, x10 = 0, z10 = 0, x01 = 0, z01 = 0, x11 = 0, z11 = 0] = slopes;
  const blendZ = fade(v);
  for (let x = fromX; x < toX; x++) {
    const u = startX + x / period;
    const blendX = fade(u);
    const low = blend(x00 * u + z00 * v, x10 * (u - 1) + z10 * v, blendX);
    const high = blend(x01 * u + z01 * (v - 1), x11 * (u - 1) + z11 * (v - 1), blendX);
    const index = row + x;
    sums[index] = (sums[index] as number) + amplitude * blend(low, high, blendZ);
  }
}

function blend(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

/** Rises from 0 to 1 with no slope and no curvature at either end. */
function fade(t: number): number {
  return t * t * t * (t * (t * 6 - 15) + 10);
}
