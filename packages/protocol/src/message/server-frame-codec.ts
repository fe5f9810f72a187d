import type { ByteWriter, Codec } from "@orthant/core";
import { counterCodec } from "./counter.ts";
import { editResultsCodec } from "./edit-results-codec.ts";
import { allEntitiesCodec, entitiesCodec } from "./entity-codec.ts";
import { requireFrameBytes, requireMessageCount } from "./frame-limits.ts";
import { gameCodec } from "./game-codec.ts";
import { goodbyeCodec } from "./goodbye-codec.ts";
import { SERVER_FRAME_BYTES_MAX } from "./limits.ts";
import { patchMessageCodec, writeNumberedPatch } from "./patch-codec.ts";
import type { ServerFrame, ServerMessage } from "./server-message.ts";
import { blankCodec, forgetCodec, heartbeatCodec, resetCodec } from "./stream-codec.ts";
import { variants } from "./variants.ts";
import { welcomeCodec } from "./welcome-codec.ts";

/**
 * A frame from a server. `volume` is the chunk volume from an earlier welcome; a welcome in the frame itself
 * applies to the messages after it. Rules N1 to N6 and N24 in docs/formats/protocol.md.
 */
export function serverFrameCodec(volume: number | undefined): Codec<ServerFrame> {
  const messageCodec = serverMessageCodec(volume);
  return {
    write(out, { number, messages }) {
      const start = out.length;
      requireMessageCount(messages.length);
      startServerFrame(out, number);
      let known = volume;
      for (const message of messages) {
        writeServerMessage(out, message, known);
        if (message.kind === "welcome") known = message.shape.volume;
      }
      requireFrameBytes(out.length - start, SERVER_FRAME_BYTES_MAX);
    },

    read(input) {
      requireFrameBytes(input.remaining, SERVER_FRAME_BYTES_MAX);
      const number = counterCodec.read(input);
      const messages: ServerMessage[] = [];
      let known = volume;
      let codec = messageCodec;
      while (input.remaining > 0) {
        requireMessageCount(messages.length + 1);
        const message = codec.read(input);
        if (message.kind === "welcome" && message.shape.volume !== known) {
          known = message.shape.volume;
          codec = serverMessageCodec(known);
        }
        messages.push(message);
      }
      return { number, messages };
    },
  };
}

/** Begins a frame whose messages are written one by one. The caller enforces the frame limits. */
export function startServerFrame(out: ByteWriter, number: number): void {
  counterCodec.write(out, number);
}

/** Writes one message of a frame. Its bytes may be kept and reused in the frames of other clients. */
export function writeServerMessage(
  out: ByteWriter,
  message: ServerMessage,
  volume: number | undefined,
): void {
  const codec = message.kind === "patch" ? serverMessageCodec(volume) : WITHOUT_PATCHES;
  codec.write(out, message);
}

/** Writes a patch message from the bytes that core's `patchBodyBytes` returns. */
export function writePatchMessage(out: ByteWriter, streamNumber: number, body: Uint8Array): void {
  out.u8(PATCH_TAG);
  writeNumberedPatch(out, streamNumber, body);
}

function serverMessageCodec(volume: number | undefined): Codec<ServerMessage> {
  return variants<ServerMessage>({
    welcome: welcomeCodec,
    goodbye: goodbyeCodec,
    heartbeat: heartbeatCodec,
    patch: patchMessageCodec(volume),
    blank: blankCodec,
    forget: forgetCodec,
    reset: resetCodec,
    editResults: editResultsCodec,
    entities: entitiesCodec,
    allEntities: allEntitiesCodec,
    game: gameCodec,
  });
}

/** The tag of a patch: its index among the server messages. */
const PATCH_TAG = 3;
const WITHOUT_PATCHES = serverMessageCodec(undefined);
