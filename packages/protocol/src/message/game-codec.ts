import type { Codec } from "@orthant/core";
import type { GameMessage } from "./client-message.ts";
import { GAME_BYTES_MAX } from "./limits.ts";

/** A message that the game defines, in either direction. Rule N20 in docs/formats/protocol.md. */
export const gameCodec: Codec<GameMessage> = {
  write: (out, { payload }) => out.bytes(payload, GAME_BYTES_MAX),
  read: (input) => ({ kind: "game", payload: input.bytes(GAME_BYTES_MAX) }),
};
