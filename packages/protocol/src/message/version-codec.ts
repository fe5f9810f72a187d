import { type Codec, requireInteger } from "@orthant/core";
import { PROTOCOL_VERSION } from "./version.ts";

/** The protocol version. Only one exists; any other is `ORT_VERSION`. */
export const versionCodec: Codec<number> = {
  write(out, version) {
    requireInteger(version, PROTOCOL_VERSION, PROTOCOL_VERSION);
    out.varUint(version);
  },
  read(input) {
    const version = input.varUint();
    if (version !== PROTOCOL_VERSION) {
      throw input.fail("ORT_VERSION", `protocol version ${version}, known is ${PROTOCOL_VERSION}`);
    }
    return version;
  },
};
