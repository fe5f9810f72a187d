import {
  type Box,
  boxContainsBox,
  type Codec,
  I32_MAX,
  I32_MIN,
  OrthantError,
  type Position,
  positionCodec,
  REGION_EDGE_CHUNKS,
} from "@orthant/core";

const REGION_MIN = I32_MIN / REGION_EDGE_CHUNKS;
const REGION_END = (I32_MAX + 1) / REGION_EDGE_CHUNKS;

/** All regions of the lattice. */
const ALL_REGIONS: Box = {
  min: [REGION_MIN, REGION_MIN, REGION_MIN, REGION_MIN],
  max: [REGION_END, REGION_END, REGION_END, REGION_END],
};

/** A region as four signed varints. Throws `ORT_POSITION_RANGE` off the lattice. Rule N10 in protocol.md. */
export const regionCodec: Codec<Position> = {
  write(out, region) {
    requireRegions({ min: region, max: [region[0] + 1, region[1] + 1, region[2] + 1, region[3] + 1] });
    positionCodec.write(out, region);
  },
  read(input) {
    const region = positionCodec.read(input);
    requireRegions({ min: region, max: [region[0] + 1, region[1] + 1, region[2] + 1, region[3] + 1] });
    return region;
  },
};

/** Throws `ORT_POSITION_RANGE` unless all chunks of a box of regions are on the lattice. */
export function requireRegions(box: Box): void {
  if (boxContainsBox(ALL_REGIONS, box)) return;
  throw new OrthantError(
    "ORT_POSITION_RANGE",
    `regions from [${box.min}] to [${box.max}] are not on the lattice`,
  );
}
