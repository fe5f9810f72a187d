import { type Codec, list, option, type Position, positionCodec, varU64 } from "@orthant/core";
import { type GeneratorDescriptor, generatorsCodec } from "./generator-descriptor.ts";
import { nested } from "./nested.ts";
import { type WorldDescription, worldDescriptionCodec } from "./world-description.ts";

/** Content of unedited chunks: nothing, the original's flat floor, or the output of generators. */
export type BaseWorld =
  | { readonly kind: "empty" }
  | { readonly kind: "flatFloor"; readonly block: number }
  | { readonly kind: "generated" };

/** Last known location of a player's entity. */
export interface PlayerEntityHint {
  readonly playerId: bigint;
  readonly entityId: bigint | undefined;
  readonly lastRegion: Position | undefined;
}

/** World-wide state that a commit stores. */
export interface GlobalState {
  readonly base: BaseWorld;
  readonly worldSeed: bigint;
  readonly generators: readonly GeneratorDescriptor[];
  readonly nextEntityId: bigint;
  readonly playerEntityHints: readonly PlayerEntityHint[];
  readonly description: WorldDescription;
}

/** Content of `global.*.v4g`: the state, and two values that the writer adds. */
export interface GlobalRecord extends GlobalState {
  readonly nextDataFileId: number;
  readonly lastModifiedMs: number;
}

const BASE_KINDS = ["empty", "flatFloor", "generated"] as const;
const HINTS_MAX = 1_000_000;

const optionalId = option(varU64);
const optionalPosition = option(positionCodec);

/** Codec of the players' hints. */
export const playerEntityHintsCodec: Codec<readonly PlayerEntityHint[]> = list(
  {
    write(out, { playerId, entityId, lastRegion }) {
      out.varU64(playerId);
      optionalId.write(out, entityId);
      optionalPosition.write(out, lastRegion);
    },
    read: (input) => ({
      playerId: input.varU64(),
      entityId: optionalId.read(input),
      lastRegion: optionalPosition.read(input),
    }),
  },
  HINTS_MAX,
);

const baseWorldCodec: Codec<BaseWorld> = {
  write(out, base) {
    out.tag(BASE_KINDS.indexOf(base.kind), BASE_KINDS.length);
    if (base.kind === "flatFloor") out.varU16(base.block);
  },
  read(input) {
    const kind = BASE_KINDS[input.tag(BASE_KINDS.length)];
    if (kind === "flatFloor") return { kind, block: input.varU16() };
    return { kind: kind ?? "empty" };
  },
};

const nestedGenerators = nested(generatorsCodec);
const nestedDescription = nested(worldDescriptionCodec);

/** Codec of the payload, in the order of the specification. Rules S14 to S17. */
export const globalRecordCodec: Codec<GlobalRecord> = {
  write(out, record) {
    baseWorldCodec.write(out, record.base);
    out.varU64(record.worldSeed);
    nestedGenerators.write(out, record.generators);
    out.varU64(record.nextEntityId);
    out.varU32(record.nextDataFileId);
    out.varUint(record.lastModifiedMs);
    playerEntityHintsCodec.write(out, record.playerEntityHints);
    nestedDescription.write(out, record.description);
  },

  read: (input) => ({
    base: baseWorldCodec.read(input),
    worldSeed: input.varU64(),
    generators: nestedGenerators.read(input),
    nextEntityId: input.varU64(),
    nextDataFileId: input.varU32(),
    lastModifiedMs: input.varUint(),
    playerEntityHints: playerEntityHintsCodec.read(input),
    description: nestedDescription.read(input),
  }),
};
