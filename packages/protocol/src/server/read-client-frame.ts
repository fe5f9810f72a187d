import { isOrthantError } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import { clientFrameCodec, readHelloVersion } from "../message/client-frame-codec.ts";
import type { ClientFrame } from "../message/client-message.ts";
import { PROTOCOL_VERSION } from "../message/limits.ts";
import { type Disconnect, malformed } from "./disconnect.ts";

/** Reads a frame, or returns why it is refused. `isFirst` until a hello was read. */
export function readClientFrame(frame: Uint8Array, isFirst: boolean): ClientFrame | Disconnect {
  const version = isFirst ? readHelloVersion(frame) : undefined;
  if (version !== undefined && version !== PROTOCOL_VERSION) {
    return { reason: "version", detail: `this server speaks version ${PROTOCOL_VERSION}, not ${version}` };
  }
  try {
    return decode(clientFrameCodec, frame);
  } catch (error) {
    if (isOrthantError(error)) return malformed(error.message);
    throw error;
  }
}
