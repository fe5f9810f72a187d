import { isOrthantError, OrthantError } from "@orthant/core";
import {
  ByteReader,
  bytes,
  type Codec,
  constant,
  list,
  magic,
  option,
  record,
  string,
  u64,
  variants,
  varU64,
} from "@orthant/core/bytes";
import { boxCodec } from "@orthant/core/lattice";
import { RESYNC_REGIONS_MAX, regionClockListCodec } from "@orthant/core/tree";
import type {
  BlocksSeen,
  CachedEpoch,
  ClientFrame,
  ClientMessage,
  EntitiesLost,
  Hello,
  InterestMessage,
  Move,
  PlacedSeen,
  Resync,
} from "./client-message.ts";
import {
  counterCodec,
  epochCodec,
  gameCodec,
  requireFrameBytes,
  requireMessageCount,
  versionCodec,
} from "./codecs.ts";
import { copyCodec, fillCodec, voxelsCodec } from "./edit-codec.ts";
import {
  CLIENT_FRAME_BYTES_MAX,
  HELLO_GENERATORS_MAX,
  INTEREST_BOXES_MAX,
  INTEREST_REGIONS_MAX,
  NAME_BYTES_MAX,
  PROTOCOL_MAGIC,
  TOKEN_BYTES_MAX,
} from "./limits.ts";
import { cancelOperationCodec, operationCodec } from "./operation-codec.ts";
import { poseCodec, voxelVectorCodec } from "./pose-codec.ts";
import { type RegionMask, readRegionMask, regionMaskCodec } from "./regions.ts";

/** The letters that a hello begins with. */
const magicCodec: Codec<typeof PROTOCOL_MAGIC> = magic(PROTOCOL_MAGIC);

const keptCodec = option<CachedEpoch>(record({ worldId: u64, epoch: epochCodec }));

/** Version hashes of generators, ascending, each once. */
const generatorHashesCodec: Codec<readonly bigint[]> = {
  write(out, hashes) {
    if (hashes.length > HELLO_GENERATORS_MAX)
      throw new OrthantError(
        "ORT_LIMIT",
        `${hashes.length} generators, the limit is ${HELLO_GENERATORS_MAX}`,
      );
    out.varUint(hashes.length);
    for (const hash of hashes) out.u64(hash);
  },

  read(input) {
    const hashes: bigint[] = [];
    const count = input.count(HELLO_GENERATORS_MAX);
    for (let index = 0; index < count; index++) {
      const hash = input.u64();
      const last = hashes.at(-1);
      if (last !== undefined && hash <= last) throw input.fail("ORT_MESSAGE", "generators out of order");
      hashes.push(hash);
    }
    return hashes;
  },
};

/** The kind of a hello, as letters. */
const helloKindCodec: Codec<"hello"> = {
  write: (out) => magicCodec.write(out, PROTOCOL_MAGIC),
  read(input) {
    magicCodec.read(input);
    return "hello";
  },
};

/** The first message of a connection. Rules N14 and N15 in docs/formats/protocol.md. */
const helloCodec = record<Hello>({
  kind: helloKindCodec,
  version: versionCodec,
  generators: generatorHashesCodec,
  featureBits: varU64,
  clientId: u64,
  token: bytes(TOKEN_BYTES_MAX),
  name: string(NAME_BYTES_MAX),
  kept: keptCodec,
  openEditId: counterCodec,
  blocksHash: u64,
});

const maskCodec = regionMaskCodec(INTEREST_REGIONS_MAX);

/** Masks whose total number of regions is limited to that of an interest. */
const heldBlankCodec: Codec<readonly RegionMask[]> = {
  write(out, masks) {
    const regions = masks.reduce((sum, mask) => sum + mask.regions.length, 0);
    if (regions > INTEREST_REGIONS_MAX) {
      throw new OrthantError("ORT_LIMIT", `${regions} regions, the limit is ${INTEREST_REGIONS_MAX}`);
    }
    out.varUint(masks.length);
    for (const mask of masks) maskCodec.write(out, mask);
  },

  read(input: ByteReader) {
    const count = input.count(INTEREST_REGIONS_MAX);
    const masks: RegionMask[] = [];
    let regionsLeft = INTEREST_REGIONS_MAX;
    for (let index = 0; index < count; index++) {
      const { mask, count: regions } = readRegionMask(input, regionsLeft);
      regionsLeft -= regions;
      masks.push(mask);
    }
    return masks;
  },
};

/** The regions a client wants to hold, and those it kept. Rules N16 and N17 in docs/formats/protocol.md. */
const interestCodec = record<InterestMessage>({
  kind: constant("interest"),
  interestId: counterCodec,
  center: voxelVectorCodec,
  motion: voxelVectorCodec,
  boxes: list(boxCodec, INTEREST_BOXES_MAX),
  held: regionClockListCodec(INTEREST_REGIONS_MAX),
  heldBlank: heldBlankCodec,
});

/** A pose of the player. Rule N55 in docs/formats/protocol.md. */
const moveCodec: Codec<Move> = {
  write(out, move) {
    out.varUint(move.timeMs);
    poseCodec.write(out, move);
  },
  read: (input) => ({ kind: "move", timeMs: input.varUint(), ...poseCodec.read(input) }),
};

const resyncCodec = record<Resync>({
  kind: constant("resync"),
  expected: counterCodec,
  regions: regionClockListCodec(RESYNC_REGIONS_MAX),
});

const entitiesLostCodec = record<EntitiesLost>({ kind: constant("entitiesLost") });

/** Rule N44 in docs/formats/protocol.md. */
const blocksSeenCodec = record<BlocksSeen>({ kind: constant("blocksSeen"), blocksHash: u64 });

const placedSeenCodec = record<PlacedSeen>({ kind: constant("placedSeen"), number: counterCodec });

const clientMessageCodec: Codec<ClientMessage> = variants<ClientMessage>({
  hello: helloCodec,
  interest: interestCodec,
  voxels: voxelsCodec,
  move: moveCodec,
  resync: resyncCodec,
  entitiesLost: entitiesLostCodec,
  game: gameCodec,
  fill: fillCodec,
  copy: copyCodec,
  placedSeen: placedSeenCodec,
  blocksSeen: blocksSeenCodec,
  operation: operationCodec,
  cancelOperation: cancelOperationCodec,
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
