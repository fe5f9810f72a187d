import type { Prng } from "@orthant/testkit";

const RANDOM_BYTES_MAX = 64;
const LONG_BYTES_MAX = 16_384;
const EDGE_BYTES = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xff] as const;

/** Returns hostile bytes: sometimes pure noise, otherwise a valid sample with a few mutations. */
export function mutate(samples: readonly Uint8Array[], prng: Prng): Uint8Array {
  if (samples.length === 0 || prng.chance(0.15)) return noise(prng);
  let bytes = prng.pick(samples);
  for (let changes = prng.between(1, 4); changes > 0; changes--) bytes = change(bytes, samples, prng);
  return bytes;
}

function noise(prng: Prng): Uint8Array {
  const bytes = prng.bytes(prng.below(prng.chance(0.01) ? LONG_BYTES_MAX : RANDOM_BYTES_MAX));
  // Small numbers make plausible counts and tags, so the noise gets further into the decoder.
  return prng.chance(0.5) ? bytes.map((byte) => byte & 0x07) : bytes;
}

/** Returns a copy with one mutation. */
function change(bytes: Uint8Array, samples: readonly Uint8Array[], prng: Prng): Uint8Array {
  const at = prng.below(bytes.length + 1);
  switch (prng.below(7)) {
    case 0: // another byte
      return replaced(bytes, at, 1, [prng.below(256)]);
    case 1: // flip a bit
      return replaced(bytes, at, 1, [(bytes[at] ?? 0) ^ (1 << prng.below(8))]);
    case 2: // cut
      return bytes.slice(0, at);
    case 3: // insert an edge value
      return replaced(bytes, at, 0, [prng.pick(EDGE_BYTES)]);
    case 4: // remove a run
      return replaced(bytes, at, prng.between(1, 4), []);
    case 5: // write a huge count
      return replaced(bytes, at, 1, [0xff, 0xff, 0xff, 0xff, 0x0f]);
    default: // splice two samples
      return replaced(bytes, at, bytes.length, prng.pick(samples).subarray(prng.below(8)));
  }
}

/** Returns a copy in which `added` replaces `removed` bytes at an offset. */
function replaced(bytes: Uint8Array, at: number, removed: number, added: ArrayLike<number>): Uint8Array {
  const rest = bytes.subarray(at + removed);
  const result = new Uint8Array(at + added.length + rest.length);
  result.set(bytes.subarray(0, at));
  result.set(added, at);
  result.set(rest, at + added.length);
  return result;
}
