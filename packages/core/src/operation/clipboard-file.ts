import { requireBytes } from "../arguments/checks.ts";
import type { ByteReader } from "../bytes/byte-reader.ts";
import { type Codec, decode, encode } from "../bytes/codec.ts";
import { bytes as bytesCodec } from "../bytes/combinators.ts";
import { deflateWrapped, inflateUpTo } from "../bytes/deflate.ts";
import { U16_MAX } from "../bytes/integers.ts";
import { u8 } from "../bytes/primitives.ts";
import { magic, struct } from "../bytes/struct.ts";
import { BLOCK_CATALOG_BYTES_MAX, blockCatalogCodec } from "../chunk/block-catalog-codec.ts";
import { STORED_VOXEL_DATA_BYTES_MAX } from "../chunk/voxel-data.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import type { Dimensions, Position } from "../lattice/position.ts";
import { blockWith } from "./block-with.ts";
import { CLIPBOARD_VOXELS_MAX, Clipboard, type ClipboardContent, NOT_COPIED } from "./clipboard.ts";

/** Maximum size of a clipboard's file before it is compressed. */
export const CLIPBOARD_BYTES_MAX = 67_108_864;
const VERSION = 1;

const header = struct({ magic: magic("ORTCLIP"), version: u8, dimensions: u8 });
const catalogBytesCodec = bytesCodec(BLOCK_CATALOG_BYTES_MAX);

/**
 * Returns a clipboard as a file, which {@link decodeClipboard} reads: with everything it has, for worlds of any number of
 * dimensions. Throws `ORT_LIMIT` for one that has too much data.
 *
 * @example
 * await writeFile("house.clip", await encodeClipboard(house));
 */
export async function encodeClipboard(clipboard: Clipboard): Promise<Uint8Array> {
  if (!(clipboard instanceof Clipboard))
    throw wrongArgument("clipboard", clipboard, "it is what world.clipboard returns");
  const { data, voxels } = clipboard.content;
  let bytes = voxels.length * 2 + BLOCK_CATALOG_BYTES_MAX;
  for (const value of data.values()) bytes += value.length;
  if (bytes > CLIPBOARD_BYTES_MAX) {
    const limit = `the limit of a file is ${CLIPBOARD_BYTES_MAX}: copy in parts`;
    throw new OrthantError("ORT_LIMIT", `a clipboard of up to ${bytes} bytes, ${limit}`);
  }
  return deflateWrapped(encode(clipboardCodec, clipboard), "gzip");
}

/**
 * Reads what {@link encodeClipboard} has written. `D` is the number of dimensions of the world in which it is pasted; a paste
 * checks it. Throws an `OrthantError` for other bytes, and `ORT_LIMIT` before more than 64 MiB are inflated.
 *
 * @example
 * const house = await decodeClipboard<3>(await readFile("house.clip"));
 * await world.apply({ paste: house, at: [100, 64, 0] });
 */
export async function decodeClipboard<D extends Dimensions>(bytes: Uint8Array): Promise<Clipboard<D>> {
  const inflated = await inflateUpTo(requireBytes("bytes", bytes), "gzip", CLIPBOARD_BYTES_MAX);
  return decode(clipboardCodec, inflated) as Clipboard<D>;
}

/** A clipboard before it is compressed. Rules CB1 to CB8 in docs/formats/clipboard.md. */
const clipboardCodec: Codec<Clipboard> = {
  write(out, { size, content: { blocks, palette, voxels, data } }) {
    header.write(out, { magic: "ORTCLIP", version: VERSION, dimensions: size.length });
    for (const extent of size) out.varUint(extent);
    catalogBytesCodec.write(out, encode(blockCatalogCodec, blocks));
    const ids = palette.map((block) =>
      typeof block === "number" ? block : blockWith(blocks, block.type, block.properties),
    );
    const used = placesInOrder(voxels, ids);
    out.varUint(used.ids.length);
    for (const id of used.ids) out.varU16(id);
    out.u16Array(voxels.map((place) => used.places[place] as number));
    out.varUint(data.size);
    let next = 0;
    for (const [index, value] of [...data].sort(([a], [b]) => a - b)) {
      out.varUint(index - next);
      out.bytes(value, STORED_VOXEL_DATA_BYTES_MAX);
      next = index + 1;
    }
  },

  read(input) {
    const { version, dimensions } = header.read(input);
    if (version !== VERSION)
      throw input.fail("ORT_VERSION", `unsupported version ${version} of a clipboard (expected ${VERSION})`);
    if (dimensions < 2 || dimensions > 4)
      throw input.fail("ORT_TAG", `a clipboard of ${dimensions} dimensions`);
    const extents = readExtents(input, dimensions);
    const volume = extents.reduce((product, extent) => product * extent, 1);
    const blocks = decode(blockCatalogCodec, catalogBytesCodec.read(input));
    const ids = input.varU16Array(input.count(NOT_COPIED));
    const voxels = input.u16Array(volume);
    requireInOrder(input, voxels, ids);
    const data = readData(input, voxels);
    const palette = Array.from(ids, (id) => blocks.describe(id) ?? id);
    return new Clipboard(dimensions as Dimensions, { extents, blocks, palette, voxels, data });
  },
};

/** Returns the ids that voxels have, in the order in which they occur, and the new place of each old one. */
function placesInOrder(
  voxels: Uint16Array,
  ids: readonly number[],
): { readonly ids: readonly number[]; readonly places: Uint16Array } {
  const places = new Uint16Array(U16_MAX + 1).fill(NOT_COPIED);
  const byId = new Map<number, number>();
  for (const place of voxels) {
    if (place === NOT_COPIED || places[place] !== NOT_COPIED) continue;
    const id = ids[place] as number;
    const known = byId.get(id) ?? byId.size;
    byId.set(id, known);
    places[place] = known;
  }
  return { ids: [...byId.keys()], places };
}

function readExtents(input: ByteReader, dimensions: number): Position {
  const extents: [number, number, number, number] = [1, 1, 1, 1];
  let volume = 1;
  for (let axis = 0; axis < dimensions; axis++) {
    const extent = input.varUint();
    volume *= extent;
    if (extent === 0 || volume > CLIPBOARD_VOXELS_MAX)
      throw input.fail("ORT_LIMIT", `a clipboard of ${volume} voxels; it has 1 to ${CLIPBOARD_VOXELS_MAX}`);
    extents[axis] = extent;
  }
  return extents;
}

function requireInOrder(input: ByteReader, voxels: Uint16Array, ids: Uint16Array): void {
  if (new Set(ids).size < ids.length) throw input.fail("ORT_CHUNK_PALETTE", "a block listed twice");
  let seen = 0;
  for (const place of voxels) {
    if (place === NOT_COPIED) continue;
    if (place > seen || place >= ids.length)
      throw input.fail("ORT_CHUNK_PALETTE", `index ${place} after ${seen} of ${ids.length} blocks`);
    if (place === seen) seen++;
  }
  if (seen < ids.length) throw input.fail("ORT_CHUNK_PALETTE", `${ids.length} blocks of which ${seen} occur`);
}

function readData(input: ByteReader, voxels: Uint16Array): ClipboardContent["data"] {
  const data = new Map<number, Uint8Array>();
  const count = input.count(voxels.length);
  let next = 0;
  for (let entry = 0; entry < count; entry++) {
    const index = next + input.varUint();
    if (index >= voxels.length || voxels[index] === NOT_COPIED)
      throw input.fail("ORT_VOXEL_DATA", `data of voxel ${index}, which was not copied`);
    data.set(index, input.bytes(STORED_VOXEL_DATA_BYTES_MAX).slice());
    next = index + 1;
  }
  return data;
}
