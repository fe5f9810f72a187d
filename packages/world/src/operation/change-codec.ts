import { type Box, type ChunkShape, chunkFromVoxels } from "@orthant/core";
import { ByteReader, ByteWriter, deflateRaw, inflateRaw, optionalBytesEqual } from "@orthant/core/bytes";
import { STORED_VOXEL_DATA_BYTES_MAX, type VoxelDataEdit } from "@orthant/core/chunk";
import { boxAt, intersectBoxes, positionCodec, voxelsOfChunks } from "@orthant/core/lattice";
import type { ChangedChunk } from "./chunk-work.ts";

// What an undo needs of an operation, as bytes: of each chunk its position, runs of voxels with the same block before and the
// same after, and data. Only changed voxels have content; all others are air before and after, so that they count as unchanged.

/** Bytes of a part before compression; the last chunk of a part may exceed it. */
const PART_BYTES = 65_536;
/** More than a part has: one chunk of 65,536 voxels, each a run of its own, with all the data that it may have twice. */
const PART_BYTES_MAX = 2_097_152;

/** Writes changed chunks into compressed parts, each small enough for a key of the store. */
export class ChangeWriter {
  readonly #parts: Uint8Array[] = [];
  readonly #bytesMax: number;
  #part = new ByteWriter();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Adds a chunk. Returns false when the changes take too many bytes, or may. */
  async add(changed: ChangedChunk): Promise<boolean> {
    writeChange(this.#part, changed);
    return this.#part.length < PART_BYTES || this.#endPart();
  }

  /** Returns all parts, or `undefined` if they take too many bytes. */
  async end(): Promise<readonly Uint8Array[] | undefined> {
    const fits = this.#part.length === 0 || (await this.#endPart());
    return fits ? this.#parts : undefined;
  }

  async #endPart(): Promise<boolean> {
    const raw = this.#part.view();
    if (raw.length > PART_BYTES_MAX) return false;
    const packed = await deflateRaw(raw);
    const part = new ByteWriter();
    part.varUint(raw.length);
    part.raw(packed);
    this.#parts.push(part.copy());
    this.#bytes += part.length;
    this.#part = new ByteWriter();
    return this.#bytes <= this.#bytesMax;
  }
}

/** Returns the chunks of a part. `box` contains all that the operation changed. */
export async function readChangedChunks(
  part: Uint8Array,
  shape: ChunkShape,
  box: Box,
): Promise<readonly ChangedChunk[]> {
  const outer = new ByteReader(part);
  const length = outer.varUint();
  if (length > PART_BYTES_MAX)
    throw outer.fail("ORT_LIMIT", `changes of ${length} bytes, the limit is ${PART_BYTES_MAX}`);
  const input = new ByteReader(await inflateRaw(outer.view(outer.remaining), length));
  const changed: ChangedChunk[] = [];
  while (input.remaining > 0) changed.push(readChange(input, shape, box));
  return changed;
}

function writeChange(out: ByteWriter, { position, before, chunk: after }: ChangedChunk): void {
  positionCodec.write(out, position);
  const [old, now] = [before.voxels(), after.voxels()];
  const hasData = before.data.size > 0 || after.data.size > 0;
  const data: number[] = [];
  if (hasData)
    for (let index = 0; index < old.length; index++)
      if (!optionalBytesEqual(before.dataAt(index), after.dataAt(index))) data.push(index);
  const changesData = new Set(data);
  let start = 0;
  while (start < old.length) {
    const isChanged = (index: number): boolean =>
      old[index] !== now[index] || (hasData && changesData.has(index));
    const changes = isChanged(start);
    let end = start + 1;
    while (end < old.length && isChanged(end) === changes) {
      if (changes && (old[end] !== old[start] || now[end] !== now[start])) break;
      end++;
    }
    out.varUint((end - start) * 2 + (changes ? 1 : 0));
    if (changes) {
      out.varU16(old[start] as number);
      out.varU16(now[start] as number);
    }
    start = end;
  }
  out.varUint(data.length);
  let next = 0;
  for (const index of data) {
    out.varUint(index - next);
    writeData(out, before.dataAt(index));
    writeData(out, after.dataAt(index));
    next = index + 1;
  }
}

function writeData(out: ByteWriter, data: Uint8Array | undefined): void {
  out.bool(data !== undefined);
  if (data !== undefined) out.bytes(data, STORED_VOXEL_DATA_BYTES_MAX);
}

function readChange(input: ByteReader, shape: ChunkShape, box: Box): ChangedChunk {
  const { volume } = shape;
  const position = positionCodec.read(input);
  const before = new Uint16Array(volume);
  const after = new Uint16Array(volume);
  let count = 0;
  for (let start = 0; start < volume; ) {
    const run = input.varUint();
    const [length, changes] = [Math.floor(run / 2), run % 2 === 1];
    if (length === 0 || length > volume - start)
      throw input.fail("ORT_STORE", `a run of ${length} voxels at ${start} of ${volume}`);
    if (changes) {
      before.fill(input.varU16(), start, start + length);
      after.fill(input.varU16(), start, start + length);
      count += length;
    }
    start += length;
  }
  const data: { readonly before: VoxelDataEdit[]; readonly after: VoxelDataEdit[] } = {
    before: [],
    after: [],
  };
  const dataCount = input.count(volume);
  for (let read = 0, next = 0; read < dataCount; read++) {
    const index = next + input.varUint();
    if (index >= volume) throw input.fail("ORT_STORE", `data of voxel ${index} of ${volume}`);
    data.before.push({ index, data: readData(input) });
    data.after.push({ index, data: readData(input) });
    next = index + 1;
  }
  const voxels = voxelsOfChunks(shape, boxAt(position));
  return {
    position,
    before: chunkFromVoxels(before).editData(data.before),
    chunk: chunkFromVoxels(after).editData(data.after),
    count,
    box: intersectBoxes(voxels, box) ?? voxels,
  };
}

function readData(input: ByteReader): Uint8Array | undefined {
  return input.bool() ? input.bytes(STORED_VOXEL_DATA_BYTES_MAX) : undefined;
}
