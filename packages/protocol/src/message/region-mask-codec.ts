import {
  AXES,
  type Box,
  type ByteReader,
  boxEquals,
  boxExtents,
  boxVolume,
  type Codec,
  OrthantError,
  type Position,
  positionFrom,
  positionsLexicographic,
} from "@orthant/core";
import { MASK_BOX_REGIONS_MAX } from "./limits.ts";
import { requireRegions } from "./region-codec.ts";
import { boxAround, fitsOneMask, type RegionMask } from "./region-mask.ts";

/** Values of the byte after the box: all its regions are members, or a bitmap selects them. */
const FORMS = 2;
const ALL = 0;
const BITMAP = 1;

/** Codec for masks of at most `regionsMax` regions. Rules N11 to N13 in docs/formats/protocol.md. */
export function regionMaskCodec(regionsMax: number): Codec<RegionMask> {
  return {
    write(out, { box, regions }) {
      const tight = boxAround(regions);
      if (tight === undefined || !boxEquals(tight, box)) {
        throw new OrthantError("ORT_ARGUMENT", `a mask of ${regions.length} regions with another box`);
      }
      requireRegions(box);
      const volume = boxVolume(box);
      if (!fitsOneMask(box, regions.length) || regions.length > regionsMax) {
        throw new OrthantError("ORT_LIMIT", `a mask of ${regions.length} regions in a box of ${volume}`);
      }
      const bitmap = bitmapOf(box, regions);
      for (const coordinate of box.min) out.varI32(coordinate);
      for (const extent of boxExtents(box)) out.varUint(extent);
      out.tag(regions.length === volume ? ALL : BITMAP, FORMS);
      if (regions.length < volume) out.raw(bitmap);
    },

    read: (input) => readRegionMask(input, regionsMax).mask,
  };
}

/** Reads a mask and counts its regions without listing them. */
export function readRegionMask(
  input: ByteReader,
  regionsMax: number,
): { readonly mask: RegionMask; readonly count: number } {
  const box = readBox(input);
  const volume = boxVolume(box);
  const isWhole = input.tag(FORMS) === ALL;
  // A copy, so that the mask does not keep the whole frame in memory.
  const bitmap = isWhole ? undefined : input.view(Math.ceil(volume / 8)).slice();
  const count = bitmap === undefined ? volume : countMembers(box, bitmap);
  if (count === undefined || (bitmap !== undefined && count === volume)) {
    throw input.fail("ORT_MESSAGE", `a bitmap that does not fit its box of ${volume} regions`);
  }
  if (count > regionsMax) {
    throw input.fail("ORT_LIMIT", `${count} regions where at most ${regionsMax} may be`);
  }
  return { mask: lazyMask(box, bitmap), count };
}

/** Lists regions only on demand, because a region takes 100 bytes in memory and one bit in a message. */
function lazyMask(box: Box, bitmap: Uint8Array | undefined): RegionMask {
  let listed: readonly Position[] | undefined;
  return {
    box,
    get regions() {
      listed ??= membersOf(box, bitmap);
      return listed;
    },
  };
}

function membersOf(box: Box, bitmap: Uint8Array | undefined): readonly Position[] {
  if (bitmap === undefined) return [...positionsLexicographic(box)];
  const regions: Position[] = [];
  let position = 0;
  for (const region of positionsLexicographic(box)) {
    if (isSet(bitmap, position)) regions.push(region);
    position++;
  }
  return regions;
}

/** Counts the regions of a bitmap. Returns `undefined` if the box is not tight or bits lie outside of it. */
function countMembers(box: Box, bitmap: Uint8Array): number | undefined {
  const extents = boxExtents(box);
  const [, y, z, w] = extents;
  const strides: Position = [y * z * w, z * w, w, 1];
  const volume = boxVolume(box);
  const least: [number, number, number, number] = [...extents];
  const greatest: [number, number, number, number] = [-1, -1, -1, -1];
  let count = 0;
  for (let position = 0; position < bitmap.length * 8; position++) {
    if (!isSet(bitmap, position)) continue;
    if (position >= volume) return undefined;
    count++;
    for (const axis of AXES) {
      const offset = Math.floor(position / strides[axis]) % extents[axis];
      if (offset < least[axis]) least[axis] = offset;
      if (offset > greatest[axis]) greatest[axis] = offset;
    }
  }
  const isTight = AXES.every((axis) => least[axis] === 0 && greatest[axis] === extents[axis] - 1);
  return isTight ? count : undefined;
}

function isSet(bitmap: Uint8Array, position: number): boolean {
  return (((bitmap[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
}

function readBox(input: ByteReader): Box {
  const min = positionFrom(() => input.varI32());
  const extents = positionFrom(() => {
    const extent = input.varUint();
    if (extent === 0) throw input.fail("ORT_BOX", "a box of no regions");
    return extent;
  });
  const volume = extents[0] * extents[1] * extents[2] * extents[3];
  if (volume > MASK_BOX_REGIONS_MAX) {
    throw input.fail("ORT_LIMIT", `a box of ${volume} regions where at most ${MASK_BOX_REGIONS_MAX} may be`);
  }
  const box = { min, max: positionFrom((axis) => min[axis] + extents[axis]) };
  requireRegions(box);
  return box;
}

/** One bit for each region of the box, lowest first. */
function bitmapOf({ min, max }: Box, regions: readonly Position[]): Uint8Array {
  const [, y, z, w] = boxExtents({ min, max });
  const bitmap = new Uint8Array(Math.ceil(boxVolume({ min, max }) / 8));
  let previous = -1;
  for (const region of regions) {
    const position =
      (((region[0] - min[0]) * y + region[1] - min[1]) * z + region[2] - min[2]) * w + region[3] - min[3];
    if (position <= previous) {
      throw new OrthantError("ORT_REGION_ORDER", `region [${region}] is not in its order`);
    }
    bitmap[position >> 3] = (bitmap[position >> 3] ?? 0) | (1 << (position & 7));
    previous = position;
  }
  return bitmap;
}
