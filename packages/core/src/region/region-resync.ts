import type { Codec } from "../bytes/codec.ts";
import { type RegionClock, regionClockListCodec } from "./region-clock-list.ts";

/** The most regions that one request may name. */
export const RESYNC_REGIONS_MAX = 512;

/** Regions that a replica wants anew, each with the clock that it holds, in the order of the regions. */
export interface RegionResyncRequest {
  readonly regions: readonly RegionClock[];
}

/** A request as a list of clocks, of which `CLOCK_NEVER` may be one. Rule P7 in docs/formats/region-patch.md. */
export const regionResyncRequestCodec: Codec<RegionResyncRequest> = {
  write: (out, { regions }) => regionClockListCodec(RESYNC_REGIONS_MAX).write(out, regions),
  read: (input) => ({ regions: regionClockListCodec(RESYNC_REGIONS_MAX).read(input) }),
};
