import {
  type ByteReader,
  boxCodec,
  type Codec,
  list,
  OrthantError,
  regionClockListCodec,
} from "@orthant/core";
import type { InterestMessage } from "./client-message.ts";
import { counterCodec } from "./counter.ts";
import { INTEREST_BOXES_MAX, INTEREST_REGIONS_MAX } from "./limits.ts";
import { voxelVectorCodec } from "./pose-codec.ts";
import type { RegionMask } from "./region-mask.ts";
import { readRegionMask, regionMaskCodec } from "./region-mask-codec.ts";

const boxesCodec = list(boxCodec, INTEREST_BOXES_MAX);
const heldCodec = regionClockListCodec(INTEREST_REGIONS_MAX);
const maskCodec = regionMaskCodec(INTEREST_REGIONS_MAX);

/** Masks whose total number of regions is limited to that of an interest. */
const heldBlankCodec: Codec<readonly RegionMask[]> = {
  write(out, masks) {
    const regions = masks.reduce((sum, mask) => sum + mask.regions.length, 0);
    if (regions > INTEREST_REGIONS_MAX) {
      throw new OrthantError("ORT_LIMIT", `${regions} regions where at most ${INTEREST_REGIONS_MAX} may be`);
    }
    out.varUint(masks.length);
    for (const mask of masks) maskCodec.write(out, mask);
  },

  read(input: ByteReader) {
    const count = input.count(INTEREST_REGIONS_MAX);
    const masks: RegionMask[] = [];
    let regionsLeft = INTEREST_REGIONS_MAX;
    for (let index = 0; index < count; index++) {
      const { mask, count: regions } = readRegionMask(input, regionsLeft);
      regionsLeft -= regions;
      masks.push(mask);
    }
    return masks;
  },
};

/** The regions a client wants to hold, and those it kept. Rules N16 and N17 in docs/formats/protocol.md. */
export const interestCodec: Codec<InterestMessage> = {
  write(out, interest) {
    counterCodec.write(out, interest.interestId);
    voxelVectorCodec.write(out, interest.center);
    voxelVectorCodec.write(out, interest.motion);
    boxesCodec.write(out, interest.boxes);
    heldCodec.write(out, interest.held);
    heldBlankCodec.write(out, interest.heldBlank);
  },

  read: (input) => ({
    kind: "interest",
    interestId: counterCodec.read(input),
    center: voxelVectorCodec.read(input),
    motion: voxelVectorCodec.read(input),
    boxes: boxesCodec.read(input),
    held: heldCodec.read(input),
    heldBlank: heldBlankCodec.read(input),
  }),
};
