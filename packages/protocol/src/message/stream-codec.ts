import type { Codec } from "@orthant/core";
import { counterCodec } from "./counter.ts";
import { INTEREST_REGIONS_MAX } from "./limits.ts";
import { regionMaskCodec } from "./region-mask-codec.ts";
import type { Blank, Forget, Heartbeat, Reset } from "./server-message.ts";
import { oneOf } from "./variants.ts";

const maskCodec = regionMaskCodec(INTEREST_REGIONS_MAX);
const contentCodec = oneOf<Blank["content"]>(["air", "generated"]);

/** The server's progress. Rule N23 in docs/formats/protocol.md. */
export const heartbeatCodec: Codec<Heartbeat> = {
  write(out, { interestId, complete, sent }) {
    out.varUint(interestId);
    out.bool(complete);
    out.varUint(sent);
  },
  read: (input) => ({
    kind: "heartbeat",
    interestId: input.varUint(),
    complete: input.bool(),
    sent: input.varUint(),
  }),
};

/** Regions that were never edited. Rule N25. */
export const blankCodec: Codec<Blank> = {
  write(out, { streamNumber, content, mask }) {
    counterCodec.write(out, streamNumber);
    contentCodec.write(out, content);
    maskCodec.write(out, mask);
  },
  read: (input) => ({
    kind: "blank",
    streamNumber: counterCodec.read(input),
    content: contentCodec.read(input),
    mask: maskCodec.read(input),
  }),
};

/** Regions that are no longer held. Rule N25. */
export const forgetCodec: Codec<Forget> = {
  write(out, { streamNumber, mask }) {
    counterCodec.write(out, streamNumber);
    maskCodec.write(out, mask);
  },
  read: (input) => ({
    kind: "forget",
    streamNumber: counterCodec.read(input),
    mask: maskCodec.read(input),
  }),
};

/** The number at which the stream continues. Rule N26. */
export const resetCodec: Codec<Reset> = {
  write: (out, { streamNumber }) => counterCodec.write(out, streamNumber),
  read: (input) => ({ kind: "reset", streamNumber: counterCodec.read(input) }),
};
