import type { Codec } from "../bytes/codec.ts";
import { type RegionClock, regionClockListCodec } from "./region-clock-list.ts";

/** Maximum number of regions in one request. */
export const RESYNC_REGIONS_MAX = 512;

/** The regions that a replica wants to receive again, each with the clock it holds, ordered by region. */
export interface RegionResyncRequest {
  readonly regions: readonly RegionClock[];
}

/** A request as a list of clocks, possibly with `CLOCK_NEVER`. Rule P7 in docs/formats/region-patch.md. */
export const regionResyncRequestCodec: Codec<RegionResyncRequest> = {
  write: (out, { regions }) => regionClockListCodec(RESYNC_REGIONS_MAX).write(out, regions),
  read: (input) => ({ regions: regionClockListCodec(RESYNC_REGIONS_MAX).read(input) }),
};
