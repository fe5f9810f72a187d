import { type ChunkShape, chunkShape, OrthantError } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import {
  type ByteWriter,
  bool,
  type Codec,
  combined,
  constant,
  oneOf,
  option,
  record,
  string,
  u16,
  u64,
  variants,
  varU64,
  varUint,
} from "@orthant/core/bytes";
import { AXES, CHUNK_VOXELS_MAX, positionFrom } from "@orthant/core/lattice";
import { generatorMapCodec, regionPatchCodec } from "@orthant/core/tree";
import { blocksCodec, knownBlocksCodec } from "./blocks-codec.ts";
import {
  counterCodec,
  epochCodec,
  gameCodec,
  requireFrameBytes,
  requireMessageCount,
  versionCodec,
} from "./codecs.ts";
import { editResultsCodec } from "./edit-codec.ts";
import { allEntitiesCodec, entitiesCodec, entityDetailsCodec, motionsCodec } from "./entity-codec.ts";
import {
  DETAIL_BYTES_MAX,
  INTEREST_REGIONS_MAX,
  LIMIT_MAX,
  SERVER_FRAME_BYTES_MAX,
  WORLD_NAME_BYTES_MAX,
} from "./limits.ts";
import { movesCodec } from "./moves-codec.ts";
import { operationAnswerCodec, operationProgressCodec, operationTermsCodec } from "./operation-codec.ts";
import { orientationCodec, pointCodec, poseCodec } from "./pose-codec.ts";
import { DEFAULT_PRECISION, type Precision, precisionCodec } from "./precision.ts";
import { regionMaskCodec } from "./regions.ts";
import type {
  Blank,
  ClientLimits,
  Forget,
  Goodbye,
  GoodbyeReason,
  Heartbeat,
  Hold,
  PatchMessage,
  Placed,
  Release,
  Reset,
  Role,
  ServerClock,
  ServerFrame,
  ServerMessage,
  Welcome,
} from "./server-message.ts";

const roleCodec = oneOf<Role>(["viewer", "builder", "admin"]);

const shapeCodec: Codec<ChunkShape> = {
  write(out, { extents }) {
    for (const axis of AXES) out.varU32(extents[axis]);
  },
  read(input) {
    const extents = positionFrom(() => input.varU32());
    const volume = extents.reduce((product, extent) => product * extent, 1);
    if (volume < 1 || volume > CHUNK_VOXELS_MAX) {
      throw input.fail("ORT_LIMIT", `chunks of [${extents}] voxels, expected 1 to ${CHUNK_VOXELS_MAX}`);
    }
    return chunkShape(extents);
  },
};

/** The limits in a welcome, in thousandths, so that a rate may be below one a second. Rule N37 in protocol.md. */
const LIMITS = [
  "bytesPerSecond",
  "editsPerSecond",
  "editsBurst",
  "editVoxelsMax",
  "editBoxVoxelsMax",
  "editChunksMax",
  "editChunksPerSecond",
  "copyVoxelsMax",
  "editDataBytesMax",
  "editDataBytesPerSecond",
  "gameMessagesPerSecond",
] as const satisfies readonly (keyof ClientLimits)[];

const limitsCodec: Codec<ClientLimits> = {
  write(out, limits) {
    for (const name of LIMITS) {
      const thousandths = Math.round(limits[name] * 1_000);
      requireInteger(thousandths, 0, LIMIT_MAX * 1_000);
      out.varUint(thousandths);
    }
  },
  read(input) {
    const entries = LIMITS.map((name) => {
      const thousandths = input.varUint();
      if (thousandths <= LIMIT_MAX * 1_000) return [name, thousandths / 1_000] as const;
      throw input.fail("ORT_LIMIT", `${name} of ${thousandths} thousandths, the limit is ${LIMIT_MAX}`);
    });
    return Object.fromEntries(entries) as Record<(typeof LIMITS)[number], number>;
  },
};

/** Accepts a hello. Rule N21 in docs/formats/protocol.md. */
const welcomeCodec: Codec<Welcome> = combined(
  record({
    kind: constant("welcome"),
    version: versionCodec,
    featureBits: varU64,
    worldId: u64,
    epoch: epochCodec,
    worldName: string(WORLD_NAME_BYTES_MAX),
    shape: shapeCodec,
    generators: generatorMapCodec,
  }),
  knownBlocksCodec,
  record({
    spawn: pointCodec,
    playerId: u64,
    role: roleCodec,
    resumed: bool,
    tickMs: counterCodec,
    limits: limitsCodec,
    precision: precisionCodec,
  }),
  poseCodec,
);

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

/** The last message of a connection. All versions encode it alike. Rule N22 in docs/formats/protocol.md. */
const goodbyeCodec = record<Goodbye>({
  kind: constant("goodbye"),
  reason: reasonCodec,
  detail: string(DETAIL_BYTES_MAX),
  retryAfterMs: option(varUint),
});

/** A pose that the server sets. Rule N41 in docs/formats/protocol.md. */
const placedCodec = record<Placed>({
  kind: constant("placed"),
  number: counterCodec,
  position: pointCodec,
  orientation: orientationCodec,
  moveMs: varUint,
  reason: string(DETAIL_BYTES_MAX),
});

/** The time of a tick. Rule N56 in docs/formats/protocol.md. */
const clockCodec = record<ServerClock>({ kind: constant("clock"), timeMs: u16 });

const maskCodec = regionMaskCodec(INTEREST_REGIONS_MAX);

/** The server's progress. Rule N23 in docs/formats/protocol.md. */
const heartbeatCodec = record<Heartbeat>({
  kind: constant("heartbeat"),
  interestId: varUint,
  complete: bool,
  sent: varUint,
});

/** Regions that were never edited. Rule N25. */
const blankCodec = record<Blank>({
  kind: constant("blank"),
  streamNumber: counterCodec,
  content: oneOf<Blank["content"]>(["air", "generated"]),
  mask: maskCodec,
});

/** Regions that are no longer held. Rule N25. */
const forgetCodec = record<Forget>({ kind: constant("forget"), streamNumber: counterCodec, mask: maskCodec });

/** The number at which the stream continues. Rule N26. */
const resetCodec = record<Reset>({ kind: constant("reset"), streamNumber: counterCodec });

/** What follows is shown at once. Rule N67. */
const holdCodec = record<Hold>({ kind: constant("hold"), streamNumber: counterCodec });
const releaseCodec = record<Release>({ kind: constant("release"), streamNumber: counterCodec });

/** A patch with chunks of `volume` voxels. No patch may precede the welcome. Rule N24 in protocol.md. */
function patchMessageCodec(volume: number | undefined): Codec<PatchMessage> {
  const codec = volume === undefined ? undefined : regionPatchCodec(volume);
  return {
    write(out, { patch }) {
      if (codec === undefined) throw new OrthantError("ORT_ARGUMENT", "a patch without a chunk volume");
      requireInteger(patch.patchSeq, 1, Number.MAX_SAFE_INTEGER);
      codec.write(out, patch);
    },
    read(input) {
      if (codec === undefined) throw input.fail("ORT_MESSAGE", "a patch before the welcome");
      const patch = codec.read(input);
      if (patch.patchSeq === 0) throw input.fail("ORT_MESSAGE", "a patch with stream number 0");
      return { kind: "patch", patch };
    },
  };
}

/** What a welcome says about the bytes of later messages. */
type FrameTerms = Pick<Welcome, "precision"> & {
  /** Voxels in a chunk. */
  readonly volume: number | undefined;
};

function termsOf({ shape, precision }: Welcome): FrameTerms {
  return { volume: shape.volume, precision };
}

/**
 * A frame from a server. `volume` and `precision` are those of an earlier welcome; a welcome in the frame itself
 * applies to the messages after it. Rules N1 to N6, N24 and N50 in docs/formats/protocol.md.
 */
export function serverFrameCodec(
  volume: number | undefined,
  precision: Precision = DEFAULT_PRECISION,
): Codec<ServerFrame> {
  const given: FrameTerms = { volume, precision };
  return {
    write(out, { number, messages }) {
      const start = out.length;
      requireMessageCount(messages.length);
      startServerFrame(out, number);
      let terms = given;
      for (const message of messages) {
        writeServerMessage(out, message, terms.volume, terms.precision);
        if (message.kind === "welcome") terms = termsOf(message);
      }
      requireFrameBytes(out.length - start, SERVER_FRAME_BYTES_MAX);
    },

    read(input) {
      requireFrameBytes(input.remaining, SERVER_FRAME_BYTES_MAX);
      const number = counterCodec.read(input);
      const messages: ServerMessage[] = [];
      let codec = serverMessageCodec(given);
      while (input.remaining > 0) {
        requireMessageCount(messages.length + 1);
        const message = codec.read(input);
        if (message.kind === "welcome") codec = serverMessageCodec(termsOf(message));
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
  precision: Precision = DEFAULT_PRECISION,
): void {
  serverMessageCodec({ volume, precision }).write(out, message);
}

/** Writes a patch message from the bytes that core's `patchBodyBytes` returns. */
export function writePatchMessage(out: ByteWriter, streamNumber: number, body: Uint8Array): void {
  out.u8(PATCH_TAG);
  counterCodec.write(out, streamNumber);
  out.raw(body);
}

/** The codec of the latest terms, which seldom change. */
let latest: { readonly terms: FrameTerms; readonly codec: Codec<ServerMessage> } | undefined;

function serverMessageCodec(terms: FrameTerms): Codec<ServerMessage> {
  const { volume, precision } = terms;
  if (latest !== undefined && haveSameBytes(latest.terms, terms)) return latest.codec;
  const codec = variants<ServerMessage>({
    welcome: welcomeCodec,
    goodbye: goodbyeCodec,
    heartbeat: heartbeatCodec,
    patch: patchMessageCodec(volume),
    blank: blankCodec,
    forget: forgetCodec,
    reset: resetCodec,
    editResults: editResultsCodec,
    entities: entitiesCodec(precision),
    allEntities: allEntitiesCodec(precision),
    game: gameCodec,
    placed: placedCodec,
    blocks: blocksCodec,
    entityDetails: entityDetailsCodec,
    moves: movesCodec,
    motions: motionsCodec,
    clock: clockCodec,
    operationProgress: operationProgressCodec,
    operationAnswer: operationAnswerCodec,
    operationTerms: operationTermsCodec,
    hold: holdCodec,
    release: releaseCodec,
  });
  latest = { terms, codec };
  return codec;
}

function haveSameBytes(one: FrameTerms, other: FrameTerms): boolean {
  return (
    one.volume === other.volume &&
    one.precision.positionSteps === other.precision.positionSteps &&
    one.precision.orientationSteps === other.precision.orientationSteps
  );
}

/** The tag of a patch: its index among the server messages. */
const PATCH_TAG = 3;
