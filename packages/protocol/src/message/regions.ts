import { type Axis, type Box, OrthantError, type Position } from "@orthant/core";
import { type ByteReader, type Codec, I32_MAX, I32_MIN } from "@orthant/core/bytes";
import {
  AXES,
  boxContainsBox,
  boxEquals,
  boxExtents,
  boxVolume,
  comparePositions,
  positionFrom,
  positionsLexicographic,
  REGION_EDGE_CHUNKS,
} from "@orthant/core/lattice";
import { INTEREST_REGIONS_MAX, MASK_BOX_REGIONS_MAX } from "./limits.ts";

const REGION_MIN = I32_MIN / REGION_EDGE_CHUNKS;
const REGION_END = (I32_MAX + 1) / REGION_EDGE_CHUNKS;

/** All regions of the lattice. */
const ALL_REGIONS: Box = {
  min: [REGION_MIN, REGION_MIN, REGION_MIN, REGION_MIN],
  max: [REGION_END, REGION_END, REGION_END, REGION_END],
};

/** Throws `ORT_POSITION_RANGE` unless all chunks of a box of regions are on the lattice. */
function requireRegions(box: Box): void {
  if (boxContainsBox(ALL_REGIONS, box)) return;
  throw new OrthantError(
    "ORT_POSITION_RANGE",
    `regions from [${box.min}] to [${box.max}] are not on the lattice`,
  );
}

/** A set of regions, encoded compactly because they are close to each other. */
export interface RegionMask {
  /** The smallest box of regions that contains all members. */
  readonly box: Box;
  /** The members in lexicographic order, at least one. */
  readonly regions: readonly Position[];
}

/** Returns the mask of regions in any order. Throws `ORT_LIMIT` if they are too many or too far apart. */
export function regionMask(regions: readonly Position[]): RegionMask {
  const members = inOrder(regions);
  const box = boxAround(members);
  if (box === undefined) throw new OrthantError("ORT_ARGUMENT", "a mask of no regions");
  if (!fitsOneMask(box, members.length)) {
    const detail = `${members.length} regions in a box of ${boxVolume(box)} are too much for one mask`;
    throw new OrthantError("ORT_LIMIT", detail);
  }
  return { box, regions: members };
}

/** Returns the smallest box around regions, or `undefined` if there are none. */
function boxAround(regions: readonly Position[]): Box | undefined {
  const [first] = regions;
  if (first === undefined) return undefined;
  const min: [number, number, number, number] = [...first];
  const last: [number, number, number, number] = [...first];
  for (const region of regions) {
    for (const axis of AXES) {
      if (region[axis] < min[axis]) min[axis] = region[axis];
      if (region[axis] > last[axis]) last[axis] = region[axis];
    }
  }
  return { min, max: positionFrom((axis) => last[axis] + 1) };
}

/** Returns true when `regions` regions in `box` may form one mask. */
function fitsOneMask(box: Box, regions: number): boolean {
  return regions <= INTEREST_REGIONS_MAX && boxVolume(box) <= MASK_BOX_REGIONS_MAX;
}

/** Returns regions in lexicographic order without duplicates. */
function inOrder(regions: readonly Position[]): readonly Position[] {
  return [...regions].sort(comparePositions).filter((region, index, sorted) => {
    const previous = sorted[index - 1];
    return previous === undefined || comparePositions(previous, region) !== 0;
  });
}

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
    throw input.fail("ORT_LIMIT", `${count} regions, the limit is ${regionsMax}`);
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
    throw input.fail("ORT_LIMIT", `a box of ${volume} regions, the limit is ${MASK_BOX_REGIONS_MAX}`);
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

/** Approximate bytes of a mask in its own message, without its bitmap. */
const MASK_BYTES = 14;

/** Splits regions into disjoint masks that take few bytes in total. */
export function coverRegions(regions: readonly Position[]): readonly RegionMask[] {
  return cover(inOrder(regions));
}

function cover(regions: readonly Position[]): readonly RegionMask[] {
  const box = boxAround(regions);
  if (box === undefined) return [];
  const fits = fitsOneMask(box, regions.length);
  const bytes = maskBytes(box, regions);
  if (fits && bytes <= 2 * MASK_BYTES) return [{ box, regions }];
  // Cuts at the middle, not at gaps: cutting off one region at a time would take quadratic time.
  const axis = longestAxis(box);
  const middle = Math.floor((box.min[axis] + box.max[axis]) / 2);
  const apart = [
    ...cover(regions.filter((region) => region[axis] < middle)),
    ...cover(regions.filter((region) => region[axis] >= middle)),
  ];
  const apartBytes = apart.reduce((sum, mask) => sum + maskBytes(mask.box, mask.regions), 0);
  return fits && bytes <= apartBytes ? [{ box, regions }] : apart;
}

function maskBytes(box: Box, regions: readonly Position[]): number {
  const volume = boxVolume(box);
  return MASK_BYTES + (volume > regions.length ? Math.ceil(volume / 8) : 0);
}

function longestAxis({ min, max }: Box): Axis {
  return AXES.reduce((longest, axis) =>
    max[axis] - min[axis] > max[longest] - min[longest] ? axis : longest,
  );
}
