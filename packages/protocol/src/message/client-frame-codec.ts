import {
  ByteReader,
  type Codec,
  isOrthantError,
  RESYNC_REGIONS_MAX,
  regionClockListCodec,
} from "@orthant/core";
import type { ClientFrame, ClientMessage, EntitiesLost, Move, Resync } from "./client-message.ts";
import { counterCodec } from "./counter.ts";
import { requireFrameBytes, requireMessageCount } from "./frame-limits.ts";
import { gameCodec } from "./game-codec.ts";
import { helloCodec, magicCodec } from "./hello-codec.ts";
import { interestCodec } from "./interest-codec.ts";
import { CLIENT_FRAME_BYTES_MAX } from "./limits.ts";
import { poseCodec } from "./pose-codec.ts";
import { setVoxelsCodec } from "./set-voxels-codec.ts";
import { variants } from "./variants.ts";

const moveCodec: Codec<Move> = {
  write: (out, move) => poseCodec.write(out, move),
  read: (input) => ({ kind: "move", ...poseCodec.read(input) }),
};

const resyncRegionsCodec = regionClockListCodec(RESYNC_REGIONS_MAX);

const resyncCodec: Codec<Resync> = {
  write(out, { expected, regions }) {
    counterCodec.write(out, expected);
    resyncRegionsCodec.write(out, regions);
  },
  read: (input) => ({
    kind: "resync",
    expected: counterCodec.read(input),
    regions: resyncRegionsCodec.read(input),
  }),
};

const entitiesLostCodec: Codec<EntitiesLost> = {
  write: () => undefined,
  read: () => ({ kind: "entitiesLost" }),
};

const clientMessageCodec: Codec<ClientMessage> = variants<ClientMessage>({
  hello: helloCodec,
  interest: interestCodec,
  setVoxels: setVoxelsCodec,
  move: moveCodec,
  resync: resyncCodec,
  entitiesLost: entitiesLostCodec,
  game: gameCodec,
});

/** A frame from a client. It ends where its bytes end. Rules N1 to N6 in docs/formats/protocol.md. */
export const clientFrameCodec: Codec<ClientFrame> = {
  write(out, { acknowledged, applied, messages }) {
    const start = out.length;
    requireMessageCount(messages.length);
    out.varUint(acknowledged);
    out.varUint(applied);
    for (const message of messages) clientMessageCodec.write(out, message);
    requireFrameBytes(out.length - start, CLIENT_FRAME_BYTES_MAX);
  },

  read(input) {
    requireFrameBytes(input.remaining, CLIENT_FRAME_BYTES_MAX);
    const acknowledged = input.varUint();
    const applied = input.varUint();
    const messages: ClientMessage[] = [];
    while (input.remaining > 0) {
      requireMessageCount(messages.length + 1);
      messages.push(clientMessageCodec.read(input));
    }
    return { acknowledged, applied, messages };
  },
};

/** Returns the version that a client's first frame requests, or `undefined` if it is not a hello. */
export function readHelloVersion(frame: Uint8Array): number | undefined {
  const input = new ByteReader(frame);
  try {
    input.varUint();
    input.varUint();
    if (input.u8() !== HELLO_TAG) return undefined;
    magicCodec.read(input);
    return input.varUint();
  } catch (error) {
    // The sender speaks another protocol or none, so there is no version to report.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** The tag of a hello in every version. */
const HELLO_TAG = 0;
