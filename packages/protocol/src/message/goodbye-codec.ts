import { type Codec, option, varUint } from "@orthant/core";
import { DETAIL_BYTES_MAX } from "./limits.ts";
import type { Goodbye, GoodbyeReason } from "./server-message.ts";
import { oneOf } from "./variants.ts";

const reasonCodec = oneOf<GoodbyeReason>([
  "version",
  "features",
  "credentials",
  "malformed",
  "limit",
  "replaced",
  "kicked",
  "idle",
  "slow",
  "shutdown",
  "failure",
]);
const retryCodec = option(varUint);

/** The last message of a connection. All versions encode it alike. Rule N22 in docs/formats/protocol.md. */
export const goodbyeCodec: Codec<Goodbye> = {
  write(out, { reason, detail, retryAfterMs }) {
    reasonCodec.write(out, reason);
    out.string(detail, DETAIL_BYTES_MAX);
    retryCodec.write(out, retryAfterMs);
  },
  read: (input) => ({
    kind: "goodbye",
    reason: reasonCodec.read(input),
    detail: input.string(DETAIL_BYTES_MAX),
    retryAfterMs: retryCodec.read(input),
  }),
};
