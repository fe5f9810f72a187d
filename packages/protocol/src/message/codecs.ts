import { OrthantError } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import { bytes, type Codec, checked, constant, record, u64, varUint } from "@orthant/core/bytes";
import { EPOCH_MAX, type Epoch } from "@orthant/core/tree";
import type { GameMessage } from "./client-message.ts";
import { FRAME_MESSAGES_MAX, GAME_BYTES_MAX, PROTOCOL_VERSION } from "./limits.ts";

/** A varint that counts from 1; 0 is `ORT_MESSAGE`. */
export const counterCodec: Codec<number> = {
  write(out, value) {
    requireInteger(value, 1, Number.MAX_SAFE_INTEGER);
    out.varUint(value);
  },
  read(input) {
    const value = input.varUint();
    if (value === 0) throw input.fail("ORT_MESSAGE", "0 where the count begins with 1");
    return value;
  },
};

/** An epoch. Rule N9 in docs/formats/protocol.md. */
export const epochCodec: Codec<Epoch> = record({
  number: checked(varUint, "ORT_CLOCK", (number) =>
    number < 1 || number > EPOCH_MAX ? `epoch ${number}, expected 1 to ${EPOCH_MAX}` : undefined,
  ),
  id: u64,
});

/** Throws `ORT_LIMIT` for a frame of too many bytes. */
export function requireFrameBytes(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  throw new OrthantError("ORT_LIMIT", `a frame of ${bytes} bytes, the limit is ${bytesMax}`);
}

/** Throws `ORT_LIMIT` for a frame of too many messages. */
export function requireMessageCount(messages: number): void {
  if (messages <= FRAME_MESSAGES_MAX) return;
  throw new OrthantError("ORT_LIMIT", `${messages} messages in a frame, the limit is ${FRAME_MESSAGES_MAX}`);
}

/** The protocol version. Only one exists; any other is `ORT_VERSION`. */
export const versionCodec: Codec<number> = checked(varUint, "ORT_VERSION", (version) =>
  version === PROTOCOL_VERSION
    ? undefined
    : `unsupported protocol version ${version} (expected ${PROTOCOL_VERSION})`,
);

/** A message that the game defines, in either direction. Rule N20 in docs/formats/protocol.md. */
export const gameCodec: Codec<GameMessage> = record({
  kind: constant("game"),
  payload: bytes(GAME_BYTES_MAX),
});
