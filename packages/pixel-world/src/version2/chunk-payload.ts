import { OrthantError } from "@orthant/core";
import { ByteReader, ByteWriter } from "@orthant/core/bytes";
import { nextTurn } from "@orthant/core/time";
import { decodeBlockUpTo, decodeSizedBlock, encodeSizedBlock, sizedBlockBytesMin } from "../format/lz4.ts";
import {
  generatedPixels,
  keptLayers,
  type PixelChunkShape,
  type PixelDelta,
  type PixelGenerator,
  type PixelStorage,
  pixelDelta,
  pixelsOfPlanes,
  planesOf,
  type StoredPixelChunk,
} from "../format/pixels.ts";

/** A chunk encoded for an entry. */
export interface EncodedChunk {
  readonly storage: PixelStorage;
  readonly payload: Uint8Array;
}

/** Size of a chunk in memory from which the steps of its encoding let other work come between. */
const SLICED_BYTES_MIN = 262_144;

/**
 * Encodes pixels in the shortest form: empty if they are all 0, else the whole chunk or its changes to the
 * generator's output. Returns `undefined` if nothing differs, because such a chunk is not stored. `pixels`
 * must contain only kept bits, and must not change until the promise resolves: a large chunk is encoded in
 * several turns of the event loop.
 */
export async function shortestForm(
  pixels: Uint8Array,
  form: PixelChunkShape,
  generator: PixelGenerator | undefined,
  x: number,
  y: number,
): Promise<EncodedChunk | undefined> {
  const pause = async (): Promise<void> => {
    if (pixels.length >= SLICED_BYTES_MIN) await nextTurn();
  };
  if (generator === undefined) return wholeForm(pixels, form);
  const generated = generatedPixels(form, generator, x, y);
  await pause();
  if (isEmpty(pixels)) return isEmpty(generated) ? undefined : wholeForm(pixels, form);
  const delta = pixelDelta(generated, pixels, form.layers.length);
  if (delta.positions.length === 0) return undefined;
  await pause();
  const changes = encodeChunk({ storage: "delta", delta }, form);
  // Compressing the whole chunk takes longest, and is in vain if it cannot become shorter.
  const planesBytes = form.chunkEdge * form.chunkEdge * keptLayers(form.layers).length;
  if (changes.payload.length < sizedBlockBytesMin(planesBytes)) return changes;
  await pause();
  const whole = wholeForm(pixels, form);
  return changes.payload.length < whole.payload.length ? changes : whole;
}

/** Encodes a stored chunk in the form that it has. */
export function encodeChunk(chunk: StoredPixelChunk, form: PixelChunkShape): EncodedChunk {
  const { storage } = chunk;
  if (storage === "empty") return { storage, payload: new Uint8Array(0) };
  const raw = storage === "full" ? planesOf(chunk.pixels, form.layers) : encodeDelta(chunk.delta, form);
  return { storage, payload: encodeSizedBlock(raw) };
}

/** Decodes a chunk from the payload of its entry. */
export function decodeChunk({ storage, payload }: EncodedChunk, form: PixelChunkShape): StoredPixelChunk {
  if (storage === "empty") {
    if (payload.length === 0) return { storage };
    throw new OrthantError("ORT_BLOB", `${payload.length} bytes in a chunk that is empty`);
  }
  const count = form.chunkEdge * form.chunkEdge;
  const planes = keptLayers(form.layers).length;
  if (storage === "full") {
    return { storage, pixels: pixelsOfPlanes(decodeSizedBlock(payload, count * planes), form.layers) };
  }
  return { storage, delta: decodeDelta(decodeBlockUpTo(payload, deltaBytesMax(count, planes)), form) };
}

function wholeForm(pixels: Uint8Array, form: PixelChunkShape): EncodedChunk {
  return encodeChunk(isEmpty(pixels) ? { storage: "empty" } : { storage: "full", pixels }, form);
}

function isEmpty(pixels: Uint8Array): boolean {
  // Not `every`, whose calls take ten times as long.
  for (let at = 0; at < pixels.length; at++) if (pixels[at] !== 0) return false;
  return true;
}

/**
 * Returns the maximum size of a delta, which has every other pixel changed. Each run takes two varints of at
 * most three bytes.
 */
function deltaBytesMax(count: number, planes: number): number {
  return 4 + Math.ceil(count / 2) * 6 + count * planes;
}

/**
 * Encodes the number of runs, then each run as its skipped and changed pixels, then the changed pixels in
 * planes.
 */
function encodeDelta({ positions, pixels }: PixelDelta, { layers }: PixelChunkShape): Uint8Array {
  const out = new ByteWriter(positions.length * (layers.length + 1) + 16);
  const runs = runsOf(positions);
  out.varUint(runs.length);
  let end = 0;
  for (const [start, length] of runs) {
    out.varUint(start - end);
    out.varUint(length);
    end = start + length;
  }
  out.raw(planesOf(pixels, layers));
  return out.copy();
}

function decodeDelta(raw: Uint8Array, { chunkEdge, layers }: PixelChunkShape): PixelDelta {
  const count = chunkEdge * chunkEdge;
  const input = new ByteReader(raw);
  const runs = input.count(count);
  const starts: number[] = [];
  const lengths: number[] = [];
  let end = 0;
  let changed = 0;
  for (let run = 0; run < runs; run++) {
    const skipped = input.varUint();
    const length = input.varUint();
    // Two adjacent runs would be one run.
    if (length === 0 || (run > 0 && skipped === 0))
      throw input.fail("ORT_BLOB", "a run that continues the run before it");
    if (length > count - end - skipped)
      throw input.fail("ORT_BLOB", `a run past the ${count} pixels of a chunk`);
    starts.push(end + skipped);
    lengths.push(length);
    end += skipped + length;
    changed += length;
  }
  if (changed === 0) throw input.fail("ORT_BLOB", "no change at all");
  const planes = input.view(changed * keptLayers(layers).length);
  input.end();
  const positions = new Uint32Array(changed);
  let index = 0;
  starts.forEach((start, run) => {
    const stop = start + (lengths[run] ?? 0);
    for (let position = start; position < stop; position++) positions[index++] = position;
  });
  return { positions, pixels: pixelsOfPlanes(planes, layers) };
}

function runsOf(positions: Uint32Array): readonly (readonly [start: number, length: number])[] {
  const runs: (readonly [number, number])[] = [];
  let index = 0;
  while (index < positions.length) {
    const start = positions[index] as number;
    const first = index;
    while (index < positions.length && positions[index] === start + index - first) index++;
    runs.push([start, index - first]);
  }
  return runs;
}
