import { requireObject, requireWhole } from "../../arguments/checks.ts";
import { requireBigint, U64_MAX } from "../../bytes/integers.ts";
import { wrongArgument } from "../../error/orthant-error.ts";
import { hashKey, hashPosition } from "./position-hash.ts";

/** Options of {@link valueNoise}. */
export interface NoiseOptions {
  /** The seed of the world. */
  readonly seed: bigint;
  /** Width of the largest waves, in voxels; finite and above 0. */
  readonly period: number;
  /** Number of layers, each with half the width and half the height of the one before; 1 by default. */
  readonly octaves?: number;
  /** Makes unrelated noise from the same seed: another whole number for each use. Default: 0. */
  readonly purpose?: number;
}

/** Smooth noise from -1 to 1 in two, three or four dimensions. Pass as many coordinates as it has. */
export type Noise = (x: number, y: number, z?: number, w?: number) => number;

const OCTAVES_MAX = 16;
const PURPOSE_MAX = 65_535;
const NOISE_PURPOSE = 0x6e01;

/**
 * Returns smooth noise for generators: random values at the corners of a lattice, blended in between. The same
 * options and coordinates give the same number on every machine. A repeated query of the last position is free,
 * and `defineGenerator` asks for the voxels of a column one after the other, so noise of x and z costs little.
 *
 * @example
 * const noise = valueNoise({ seed: 7n, period: 64, octaves: 4 });
 * const height = Math.floor(30 * noise(x, z)); // hills from -30 to 30
 */
export function valueNoise(options: NoiseOptions): Noise {
  requireObject("options", options, "it is an object, such as { seed: 7n, period: 64 }");
  const { seed, period, octaves = 1, purpose = 0 } = options;
  requireBigint(seed, 0n, U64_MAX, "seed");
  if (typeof period !== "number" || !(period > 0 && Number.isFinite(period))) {
    throw wrongArgument("period", period, "it is a number of voxels above 0, such as 64");
  }
  requireWhole("octaves", octaves, 1, OCTAVES_MAX);
  requireWhole("purpose", purpose, 0, PURPOSE_MAX);
  const layers = Array.from({ length: octaves }, (_, octave) => {
    const key = hashKey(seed, (NOISE_PURPOSE + purpose * OCTAVES_MAX + octave) | 0);
    return { key, period: period / 2 ** octave, share: 2 ** (octaves - 1 - octave) / (2 ** octaves - 1) };
  });
  const last = { x: Number.NaN, y: 0, z: 0 as number | undefined, w: 0 as number | undefined, value: 0 };
  return (x, y, z, w) => {
    if (x === last.x && y === last.y && z === last.z && w === last.w) return last.value;
    if (typeof x !== "number" || typeof y !== "number") throw wrongArgument("x or y", y, "both are numbers");
    if (typeof z !== "number" && z !== undefined) throw wrongArgument("z", z, "it is a number");
    if (typeof w !== "number" && w !== undefined) throw wrongArgument("w", w, "it is a number");
    let value = 0;
    for (const layer of layers) {
      value += layer.share * valueAt(layer.key, x / layer.period, y / layer.period, z, w, layer.period);
    }
    last.x = x;
    last.y = y;
    last.z = z;
    last.w = w;
    last.value = value;
    return value;
  };
}

/** Blends the corners around a point. An axis that is not given has one corner. */
function valueAt(
  key: number,
  x: number,
  y: number,
  z: number | undefined,
  w: number | undefined,
  period: number,
): number {
  const cornerX = Math.floor(x);
  const cornerY = Math.floor(y);
  const shareX = smooth(x - cornerX);
  const shareY = smooth(y - cornerY);
  const plane = (cornerZ: number, cornerW: number): number => {
    const near = blend(
      corner(key, cornerX, cornerY, cornerZ, cornerW),
      corner(key, cornerX + 1, cornerY, cornerZ, cornerW),
      shareX,
    );
    const far = blend(
      corner(key, cornerX, cornerY + 1, cornerZ, cornerW),
      corner(key, cornerX + 1, cornerY + 1, cornerZ, cornerW),
      shareX,
    );
    return blend(near, far, shareY);
  };
  if (z === undefined) return plane(0, 0);
  const alongZ = z / period;
  const cornerZ = Math.floor(alongZ);
  const shareZ = smooth(alongZ - cornerZ);
  const space = (cornerW: number): number =>
    blend(plane(cornerZ, cornerW), plane(cornerZ + 1, cornerW), shareZ);
  if (w === undefined) return space(0);
  const alongW = w / period;
  const cornerW = Math.floor(alongW);
  return blend(space(cornerW), space(cornerW + 1), smooth(alongW - cornerW));
}

/** Returns the value at a corner, from -1 up to but excluding 1. */
function corner(key: number, x: number, y: number, z: number, w: number): number {
  return hashPosition(key, x, y, z, w) / 0x8000_0000 - 1;
}

function blend(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

/** Rises from 0 to 1 with no slope and no curvature at either end. */
function smooth(t: number): number {
  return t * t * t * (t * (t * 6 - 15) + 10);
}
