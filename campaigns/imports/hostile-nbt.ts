import type { Prng } from "@orthant/testkit";
import { hostileBytes, joinBytes } from "./hostile-bytes.ts";

/** A value in a file of NBT. */
interface NbtNode {
  readonly type: number;
  /** Where its payload lies. */
  readonly start: number;
  readonly end: number;
  /** Where the field begins that it is the value of; `undefined` for an element of a list. */
  readonly field: number | undefined;
}

interface Sample {
  readonly bytes: Uint8Array;
  readonly nodes: readonly NbtNode[];
}

const SIZES = [0, 1, 2, 4, 8, 4, 8];
const ARRAY_BYTES: ReadonlyMap<number, number> = new Map([
  [7, 1],
  [11, 4],
  [12, 8],
]);
const LIST = 9;
const COMPOUND = 10;
const STRING = 8;
const REPEATED_BYTES_MAX = 16_384;
const NUMBERS = [0, 1, 2, 15, 16, 17, 127, 255, 256, 4_095, 32_767, 65_535, 2 ** 24, 2 ** 31 - 1];

/** Returns a source of files that are whole NBT and say wrong things, some of them damaged afterwards. */
export function hostileNbt(files: readonly Uint8Array[]): (prng: Prng) => Uint8Array {
  const samples = files.map((bytes): Sample => {
    const nodes: NbtNode[] = [];
    collect(bytes, COMPOUND, 3, undefined, nodes);
    return { bytes, nodes };
  });
  return (prng) => {
    if (prng.chance(0.3)) return hostileBytes(files, prng);
    const sample = prng.pick(samples);
    const made = changed(sample, prng.pick(samples), prng);
    return prng.chance(0.2) ? hostileBytes([made], prng) : made;
  };
}

function changed({ bytes, nodes }: Sample, other: Sample, prng: Prng): Uint8Array {
  const node = prng.pick(nodes);
  const { type, start, end, field } = node;
  const payload = bytes.subarray(start, end);
  const put = (made: Uint8Array, from = start): Uint8Array =>
    joinBytes([bytes.subarray(0, from), made, bytes.subarray(end)]);
  if (field !== undefined && prng.chance(0.15)) {
    const times = prng.chance(0.5) ? 0 : prng.between(2, 2 + REPEATED_BYTES_MAX / (end - field));
    return put(joinBytes(new Array<Uint8Array>(times).fill(bytes.subarray(field, end))), field);
  }
  if (prng.chance(0.2)) {
    const same = other.nodes.filter((candidate) => candidate.type === type);
    const taken = same.length === 0 ? node : prng.pick(same);
    return put((same.length === 0 ? bytes : other.bytes).subarray(taken.start, taken.end));
  }
  const elementBytes = ARRAY_BYTES.get(type);
  if (elementBytes !== undefined) return put(resized(payload, elementBytes, prng));
  if (type === LIST) return put(prng.chance(0.3) ? deepList(prng) : relisted(payload, prng));
  if (type === STRING) return put(restrung(payload, prng));
  if (type < SIZES.length) return put(numbered(payload.length, prng));
  return put(payload.slice(0, -1));
}

/** An array of another length, with its count. */
function resized(payload: Uint8Array, elementBytes: number, prng: Prng): Uint8Array {
  const count = (payload.length - 4) / elementBytes;
  const next = prng.pick([0, 1, count - 1, count + 1, count * 2, prng.below(count + 1)]);
  const made = new Uint8Array(4 + Math.max(0, next) * elementBytes);
  made.set(payload.subarray(4, made.length), 4);
  new DataView(made.buffer).setInt32(0, Math.max(0, next));
  return made;
}

/** A list whose content is there several times; elements of other types than the first are not whole then. */
function relisted(payload: Uint8Array, prng: Prng): Uint8Array {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  const content = payload.subarray(5);
  const times = prng.between(0, Math.floor(REPEATED_BYTES_MAX / Math.max(1, content.length)));
  const made = joinBytes([payload.subarray(0, 5), ...new Array<Uint8Array>(times).fill(content)]);
  new DataView(made.buffer).setInt32(1, view.getInt32(1) * times);
  return made;
}

function deepList(prng: Prng): Uint8Array {
  const depth = prng.chance(0.1) ? 40_000 : prng.pick([2, 500, 520]);
  const made = new Uint8Array(depth * 5);
  for (let at = 0; at < made.length - 5; at += 5) made.set([LIST, 0, 0, 0, 1], at);
  return made;
}

function restrung(payload: Uint8Array, prng: Prng): Uint8Array {
  const text = prng.chance(0.5)
    ? prng.bytes(prng.below(80))
    : payload.slice(2, 2 + prng.below(payload.length));
  return joinBytes([Uint8Array.of(text.length >>> 8, text.length & 0xff), text]);
}

function numbered(length: number, prng: Prng): Uint8Array {
  const made = new Uint8Array(length);
  let value = BigInt(prng.pick(NUMBERS)) * (prng.chance(0.4) ? -1n : 1n);
  for (let at = length - 1; at >= 0; at--) {
    made[at] = Number(value & 0xffn);
    value >>= 8n;
  }
  return made;
}

/** Collects a value and all in it; returns where it ends. */
function collect(
  bytes: Uint8Array,
  type: number,
  start: number,
  field: number | undefined,
  nodes: NbtNode[],
): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = start;
  const elementBytes = ARRAY_BYTES.get(type);
  if (type < SIZES.length) end += SIZES[type] ?? 0;
  else if (elementBytes !== undefined) end += 4 + view.getInt32(start) * elementBytes;
  else if (type === STRING) end += 2 + view.getUint16(start);
  else if (type === LIST) {
    end += 5;
    for (let left = view.getInt32(start + 1); left > 0; left--) {
      end = collect(bytes, view.getUint8(start), end, undefined, nodes);
    }
  } else {
    while (view.getUint8(end) !== 0) {
      end = collect(bytes, view.getUint8(end), end + 3 + view.getUint16(end + 1), end, nodes);
    }
    end++;
  }
  nodes.push({ type, start, end, field });
  return end;
}
