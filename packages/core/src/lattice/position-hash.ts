import { systemRandomBits } from "../random/random-bits.ts";

/** Nine 32-bit numbers that determine which positions share a slot of a table. */
export type PositionHashSecret = Int32Array;

const SECRET_WORDS = 9;
const GOLDEN_GAMMA = 0x9e37_79b9_7f4a_7c15n;

/** Derives a secret from 64 bits. */
export function positionHashSecret(bits: bigint): PositionHashSecret {
  let state = bits;
  return Int32Array.from({ length: SECRET_WORDS }, () => {
    // SplitMix64.
    state = BigInt.asUintN(64, state + GOLDEN_GAMMA);
    let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58_476d_1ce4_e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d0_49bb_1331_11ebn);
    return Number(BigInt.asIntN(32, mixed >> 32n));
  });
}

let processSecret: PositionHashSecret | undefined;

/** Returns a random secret that stays the same as long as the process runs. */
export function processHashSecret(): PositionHashSecret {
  processSecret ??= positionHashSecret(systemRandomBits());
  return processSecret;
}

/**
 * Hashes a position to 32 bits. Multiplying the halves of the coordinates by secret numbers and adding them
 * makes any two positions collide for at most one in 2^17 secrets, so an attacker without the secret cannot
 * choose colliding positions. The final, public mixing spreads positions that lie in rows.
 */
export function secretHash(secret: PositionHashSecret, x: number, y: number, z: number, w: number): number {
  let hash = ((secret[0] as number) + Math.imul(secret[1] as number, x & 0xffff)) | 0;
  hash = (hash + Math.imul(secret[2] as number, x >>> 16)) | 0;
  hash = (hash + Math.imul(secret[3] as number, y & 0xffff)) | 0;
  hash = (hash + Math.imul(secret[4] as number, y >>> 16)) | 0;
  hash = (hash + Math.imul(secret[5] as number, z & 0xffff)) | 0;
  hash = (hash + Math.imul(secret[6] as number, z >>> 16)) | 0;
  hash = (hash + Math.imul(secret[7] as number, w & 0xffff)) | 0;
  hash = (hash + Math.imul(secret[8] as number, w >>> 16)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0_aaad);
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a_2d97);
  return hash ^ (hash >>> 15);
}
