import { type GeneratorRegistry, isOrthantError, OrthantError, type Position } from "@orthant/core";
import {
  type ByteReader,
  bytes,
  type Codec,
  combined,
  constant,
  encode,
  list,
  option,
  record,
  string,
  variants,
  varU16,
  varU32,
  varU64,
  varUint,
} from "@orthant/core/bytes";
import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratedSpace,
  GeneratorRef,
  generatorRef,
} from "@orthant/core/generate";
import { comparePositions, getOrAdd, positionCodec } from "@orthant/core/lattice";
import {
  GeneratorMap,
  MAP_GENERATORS_MAX,
  mapOfRegions,
  type NumberedRegions,
  numberedRegions,
  numberedRegionsCodec,
} from "@orthant/core/tree";
import type { FileSeal } from "./payload-file.ts";
import type { GeneratedChunks } from "./stored-chunk.ts";
import {
  type DescriptionRecords,
  storedDescriptionCodec,
  type WorldDescription,
} from "./world-description.ts";

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

/** One generator everywhere: the first. */
const SINGLE_VERSION = 1;
/** The first generator, and others in boxes of regions. */
const MAPPED_VERSION = 2;
const GENERATORS_MAX = 1_024;
/** Limit for saves. The wire has a lower limit, and our own generators a much lower one. */
const STORED_ID_BYTES_MAX = 1_024;

const descriptorsCodec = list<GeneratorDescriptor>(
  record({ generatorId: string(STORED_ID_BYTES_MAX), params: bytes(), seed: varU64, versionHash: varU64 }),
  GENERATORS_MAX,
);

/** The content of `procgen_params`. */
type StoredGenerators = Pick<GlobalState, "generators" | "generatorRegions">;

/** Codec of `procgen_params`: a version, the generators and, in version 2, where they apply. Rules S16, S140, S141. */
export const generatorsCodec: Codec<StoredGenerators> = {
  write(out, { generators, generatorRegions = [] }) {
    out.varUint(generatorRegions.length === 0 ? SINGLE_VERSION : MAPPED_VERSION);
    descriptorsCodec.write(out, generators);
    if (generatorRegions.length > 0) numberedRegionsCodec.write(out, generatorRegions);
  },

  read(input) {
    const version = input.varUint();
    if (version !== SINGLE_VERSION && version !== MAPPED_VERSION) {
      const detail = `unsupported generators version ${version} (expected ${SINGLE_VERSION} or ${MAPPED_VERSION})`;
      throw input.fail("ORT_VERSION", detail);
    }
    const generators = descriptorsCodec.read(input);
    if (version === SINGLE_VERSION) return { generators };
    const generatorRegions = numberedRegionsCodec.read(input);
    requireMap(input, generators, generatorRegions);
    return { generators, generatorRegions };
  },
};

function requireMap(
  input: ByteReader,
  generators: readonly GeneratorDescriptor[],
  generatorRegions: readonly NumberedRegions[],
): void {
  if (generatorRegions.length === 0)
    throw input.fail("ORT_GENERATOR_MAP", "a map of generators without boxes");
  if (generators.length > MAP_GENERATORS_MAX)
    throw input.fail("ORT_LIMIT", `${generators.length} generators in a map, at most ${MAP_GENERATORS_MAX}`);
  try {
    mapOfRegions(generators.map(refOf), generatorRegions);
  } catch (error) {
    if (isOrthantError(error, "ORT_GENERATOR_MAP")) throw input.fail(error.code, error.detail);
    throw error;
  }
}

function refOf({ generatorId, params, seed, versionHash }: GeneratorDescriptor): GeneratorRef {
  return new GeneratorRef(generatorId, params, seed, versionHash);
}

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
  /** The first is the generator of untouched chunks, except in `generatorRegions`. */
  readonly generators: readonly GeneratorDescriptor[];
  /** Boxes of regions that have another generator than the first. Default: none. */
  readonly generatorRegions?: readonly NumberedRegions[];
  readonly nextEntityId: bigint;
  readonly playerEntityHints: readonly PlayerEntityHint[];
  readonly description: WorldDescription;
}

/** Content of `global.*.v4g`: the state, and values that the writer adds. */
export interface GlobalRecord extends GlobalState {
  readonly nextDataFileId: number;
  readonly lastModifiedMs: number;
  /** The parts of the description that lie in the packs of this save. Writers ignore those of another one. */
  readonly records?: DescriptionRecords | undefined;
  /** The players file of the same generation, if the index has version 4 and the world has an id. Rule S95. */
  readonly playersSeal?: FileSeal | undefined;
}

const HINTS_MAX = 1_000_000;

/** Codec of the players' hints. */
export const playerEntityHintsCodec: Codec<readonly PlayerEntityHint[]> = list(
  record({ playerId: varU64, entityId: option(varU64), lastRegion: option(positionCodec) }),
  HINTS_MAX,
);

const baseWorldCodec = variants<BaseWorld>({
  empty: record({ kind: constant("empty") }),
  flatFloor: record({ kind: constant("flatFloor"), block: varU16 }),
  generated: record({ kind: constant("generated") }),
});

/** Codec of the payload, in the order of the specification. Rules S14 to S17. */
export const globalRecordCodec: Codec<GlobalRecord> = combined(
  record({ base: baseWorldCodec, worldSeed: varU64 }),
  nested(generatorsCodec),
  record({
    nextEntityId: varU64,
    nextDataFileId: varU32,
    lastModifiedMs: varUint,
    playerEntityHints: playerEntityHintsCodec,
  }),
  nested(storedDescriptionCodec),
);

/** Generator of a world without one: only air. */
export const EMPTY_GENERATOR: GeneratorRef = generatorRef(
  flatGenerator,
  { ...FLAT_DEFAULTS, thickness: 0 },
  0n,
);

const maps = new WeakMap<GlobalState, GeneratorMap>();

/** Returns the generators of a world's untouched chunks. Throws `ORT_NOT_FOUND` if the world names none. */
export function generatorMapOf(global: GlobalState): GeneratorMap {
  return getOrAdd(maps, global, () => mapOf(global));
}

function mapOf({ base, generators, generatorRegions = [], worldSeed }: GlobalState): GeneratorMap {
  if (base.kind === "empty") return GeneratorMap.of(EMPTY_GENERATOR);
  if (base.kind === "flatFloor") {
    return GeneratorMap.of(generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block: base.block }, worldSeed));
  }
  const [current] = generators;
  if (current === undefined) throw new OrthantError("ORT_NOT_FOUND", "the world names no generator");
  // A save may list more generators than it uses.
  if (generatorRegions.length === 0) return GeneratorMap.of(refOf(current));
  return mapOfRegions(generators.map(refOf), generatorRegions);
}

/** Returns the part of the global state that has these generators. */
export function storedGenerators(
  map: GeneratorMap,
): Pick<GlobalState, "base" | "generators" | "generatorRegions"> {
  const generators = map.refs.map(({ generatorId, parameters, seed, versionHash }) => ({
    generatorId,
    params: parameters,
    seed,
    versionHash,
  }));
  return { base: { kind: "generated" }, generators, generatorRegions: numberedRegions(map) };
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
    space ??= openGenerators(global, generators);
    return space.realize(...position);
  };
}

/** A missing generator does not matter where another one made the chunks. */
function openGenerators(global: GlobalState, generators: GeneratorRegistry): GeneratedSpace {
  const map = generatorMapOf(global);
  const { chunkShape } = global.description;
  return map.isSingle ? generators.open(map, chunkShape) : generators.openIfKnown(map, chunkShape);
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
  throw new OrthantError("ORT_ARGUMENT", "a commit of changes keeps the generators of its world");
}

/** Identifies a world's generators and their places, whether they are available or not. */
function namesOf({ base, generators, generatorRegions = [], worldSeed }: GlobalState): string {
  if (base.kind === "empty") return base.kind;
  if (base.kind === "flatFloor") return `${base.kind} ${base.block} ${worldSeed}`;
  const used = generatorRegions.length === 0 ? generators.slice(0, 1) : generators;
  return [
    ...used.map(({ generatorId, params, seed, versionHash }) =>
      [generatorId, params, seed, versionHash].join(" "),
    ),
    ...generatorRegions.map(({ generator, box: { min, max } }) => [generator, min, max].join(" ")),
  ].join();
}
