import { type Codec, list, varUint } from "@orthant/core";
import type { Being, BeingMove } from "./being.ts";
import { BEINGS_MAX, NAME_BYTES_MAX } from "./limits.ts";
import { poseCodec } from "./pose-codec.ts";
import { regionCodec } from "./region-codec.ts";
import type { AllBeings, Beings } from "./server-message.ts";

/** An entity's properties and pose, without its number on the connection. */
export const inhabitantCodec: Codec<Omit<Being, "number" | "isPlayer">> = {
  write(out, being) {
    out.varU64(being.id);
    out.u8(being.entityClass);
    out.varU16(being.kind);
    out.f32(being.scale);
    out.varU16(being.material);
    out.string(being.name, NAME_BYTES_MAX);
    poseCodec.write(out, being);
  },
  read: (input) => ({
    id: input.varU64(),
    entityClass: input.u8(),
    kind: input.varU16(),
    scale: input.f32(),
    material: input.varU16(),
    name: input.string(NAME_BYTES_MAX),
    ...poseCodec.read(input),
  }),
};

const beingCodec: Codec<Being> = {
  write(out, being) {
    out.varUint(being.number);
    out.bool(being.isPlayer);
    inhabitantCodec.write(out, being);
  },
  read: (input) => ({ number: input.varUint(), isPlayer: input.bool(), ...inhabitantCodec.read(input) }),
};

const beingMoveCodec: Codec<BeingMove> = {
  write(out, move) {
    out.varUint(move.number);
    poseCodec.write(out, move);
  },
  read: (input) => ({ number: input.varUint(), ...poseCodec.read(input) }),
};

const numbersCodec = list(varUint, BEINGS_MAX);
const beingListCodec = list(beingCodec, BEINGS_MAX);
const beingMovesCodec = list(beingMoveCodec, BEINGS_MAX);

/** Changes to the entities of a region. Rule N28 in docs/formats/protocol.md. */
export const beingsCodec: Codec<Beings> = {
  write(out, { region, left, entered, moved }) {
    regionCodec.write(out, region);
    numbersCodec.write(out, left);
    beingListCodec.write(out, entered);
    beingMovesCodec.write(out, moved);
  },
  read: (input) => ({
    kind: "beings",
    region: regionCodec.read(input),
    left: numbersCodec.read(input),
    entered: beingListCodec.read(input),
    moved: beingMovesCodec.read(input),
  }),
};

/** All entities in sight. Rule N28. */
export const allBeingsCodec: Codec<AllBeings> = {
  write: (out, { beings }) => beingListCodec.write(out, beings),
  read: (input) => ({ kind: "allBeings", beings: beingListCodec.read(input) }),
};
