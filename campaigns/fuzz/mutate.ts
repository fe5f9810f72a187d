import type { Prng } from "@orthant/testkit";

const RANDOM_BYTES_MAX = 64;
const LONG_BYTES_MAX = 16_384;
const EDGE_BYTES = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xff] as const;

/** Hostile bytes: now and then pure noise, else a good sample with a few things wrong. */
export function mutate(samples: readonly Uint8Array[], prng: Prng): Uint8Array {
  if (samples.length === 0 || prng.chance(0.15)) return noise(prng);
  let bytes = [...prng.pick(samples)];
  for (let changes = prng.between(1, 4); changes > 0; changes--) bytes = change(bytes, samples, prng);
  return Uint8Array.from(bytes);
}

function noise(prng: Prng): Uint8Array {
  const bytes = prng.bytes(prng.below(prng.chance(0.01) ? LONG_BYTES_MAX : RANDOM_BYTES_MAX));
  // Small numbers make plausible counts and tags, so the noise gets further in.
  return prng.chance(0.5) ? bytes.map((byte) => byte & 0x07) : bytes;
}

function change(bytes: number[], samples: readonly Uint8Array[], prng: Prng): number[] {
  const at = prng.below(bytes.length + 1);
  switch (prng.below(7)) {
    case 0: // another byte
      return bytes.map((byte, index) => (index === at ? prng.below(256) : byte));
    case 1: // flip a bit
      return bytes.map((byte, index) => (index === at ? byte ^ (1 << prng.below(8)) : byte));
    case 2: // cut
      return bytes.slice(0, at);
    case 3: // insert an edge value
      return [...bytes.slice(0, at), prng.pick(EDGE_BYTES), ...bytes.slice(at)];
    case 4: // remove a run
      return [...bytes.slice(0, at), ...bytes.slice(at + prng.between(1, 4))];
    case 5: // say that there is far more
      return [...bytes.slice(0, at), 0xff, 0xff, 0xff, 0xff, 0x0f, ...bytes.slice(at + 1)];
    default: // splice two samples
      return [...bytes.slice(0, at), ...prng.pick(samples).subarray(prng.below(8))];
  }
}
