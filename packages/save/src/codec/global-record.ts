import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratorRegistry,
  OrthantError,
  type Position,
} from "@orthant/core";
import { type Codec, encode, list, option, varU64 } from "@orthant/core/bytes";
import {
  comparePositions,
  type GeneratedSpace,
  GeneratorRef,
  generatorRef,
  positionCodec,
} from "@orthant/core/engine";
import type { GeneratedChunks } from "./stored-chunk.ts";
import { type WorldDescription, worldDescriptionCodec } from "./world-description.ts";

/** Codec of a value preceded by its length in bytes, so that a reader can skip it or keep it undecoded. */
function nested<Value>(codec: Codec<Value>): Codec<Value> {
  return {
    write: (out, value) => out.bytes(encode(codec, value)),
    read(input) {
      const inner = input.within(input.varUint());
      const value = codec.read(inner);
      inner.end();
      return value;
    },
  };
}

/** A generator that a world needs, with a hash that tells whether another machine has the same one. */
interface GeneratorDescriptor {
  readonly generatorId: string;
  readonly params: Uint8Array;
  readonly seed: bigint;
  readonly versionHash: bigint;
}

const GENERATORS_VERSION = 1;
const GENERATORS_MAX = 1_024;
/** Limit for saves. The wire has a lower limit, and our own generators a much lower one. */
const STORED_ID_BYTES_MAX = 1_024;

const descriptorCodec: Codec<GeneratorDescriptor> = {
  write(out, { generatorId, params, seed, versionHash }) {
    out.string(generatorId, STORED_ID_BYTES_MAX);
    out.bytes(params);
    out.varU64(seed);
    out.varU64(versionHash);
  },

  read: (input) => ({
    generatorId: input.string(STORED_ID_BYTES_MAX),
    params: input.bytes(),
    seed: input.varU64(),
    versionHash: input.varU64(),
  }),
};

const descriptorsCodec = list(descriptorCodec, GENERATORS_MAX);

/** Codec of `procgen_params`: a version, then the generators. Rule S16. */
export const generatorsCodec: Codec<readonly GeneratorDescriptor[]> = {
  write(out, generators) {
    out.varUint(GENERATORS_VERSION);
    descriptorsCodec.write(out, generators);
  },

  read(input) {
    const version = input.varUint();
    if (version !== GENERATORS_VERSION) {
      throw input.fail("ORT_VERSION", `generators version ${version}, known is ${GENERATORS_VERSION}`);
    }
    return descriptorsCodec.read(input);
  },
};

/** Content of untouched chunks: nothing, the original's flat floor, or the output of generators. */
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

/** Generator of a world without one: only air. */
export const EMPTY_GENERATOR: GeneratorRef = generatorRef(
  flatGenerator,
  { ...FLAT_DEFAULTS, thickness: 0 },
  0n,
);

/** Returns the generator of a world's untouched chunks. Throws `ORT_NOT_FOUND` if the world names none. */
export function generatorOf({ base, generators, worldSeed }: GlobalState): GeneratorRef {
  if (base.kind === "empty") return EMPTY_GENERATOR;
  if (base.kind === "flatFloor") {
    return generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block: base.block }, worldSeed);
  }
  const [generator] = generators;
  if (generator === undefined) throw new OrthantError("ORT_NOT_FOUND", "the world names no generator");
  return new GeneratorRef(generator.generatorId, generator.params, generator.seed, generator.versionHash);
}

/**
 * Returns a function that makes the chunks of a world's generator. It opens the generator on first use, so a
 * world whose generator is missing can still be opened; the first call then throws `ORT_GENERATOR_UNKNOWN`.
 */
export function generatedChunks(
  global: GlobalState,
  generators: GeneratorRegistry = DEFAULT_GENERATORS,
): GeneratedChunks {
  let space: GeneratedSpace | undefined;
  return (position) => {
    space ??= generators.open(generatorOf(global), global.description.chunkShape);
    return space.realize(...position);
  };
}

/** Throws `ORT_ARGUMENT` if a commit would change the shape of a world's chunks. */
export function requireSameShape(now: GlobalState, next: GlobalState | undefined): void {
  const before = now.description.chunkShape.extents;
  const after = next?.description.chunkShape.extents ?? before;
  if (comparePositions(before, after) === 0) return;
  throw new OrthantError("ORT_ARGUMENT", `chunks of [${after}] in a world of chunks of [${before}]`);
}

/**
 * Throws `ORT_ARGUMENT` if a commit would change a world's generator, because chunks stored as changes to its
 * output would become something else. Rule S81.
 */
export function requireSameGenerator(now: GlobalState, next: GlobalState = now): void {
  if (next === now || namesOf(now) === namesOf(next)) return;
  throw new OrthantError("ORT_ARGUMENT", "a world keeps the generator that it was made with");
}

/** Identifies a world's generator, whether it is available or not. */
function namesOf({ base, generators, worldSeed }: GlobalState): string {
  if (base.kind === "empty") return base.kind;
  if (base.kind === "flatFloor") return `${base.kind} ${base.block} ${worldSeed}`;
  return generators
    .slice(0, 1)
    .map(({ generatorId, params, seed, versionHash }) => [generatorId, params, seed, versionHash].join(" "))
    .join();
}
