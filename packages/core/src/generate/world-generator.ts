import { ByteWriter } from "../bytes/byte-writer.ts";
import { type Codec, decode, encode } from "../bytes/codec.ts";
import { hash64 } from "../bytes/hash64.ts";
import { requireBigint, requireInteger, U64_MAX } from "../bytes/integers.ts";
import type { Chunk } from "../chunk/chunk.ts";
import type { BlockDefinitions } from "../chunk/define-blocks.ts";
import { isOrthantError, OrthantError, wrongArgument } from "../error/orthant-error.ts";
import type { Box } from "../lattice/box.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import { GeneratorRef } from "../tree/content.ts";

/** Turns parameters, a seed and a chunk shape into voxels. */
export interface WorldGenerator<Parameters = unknown> {
  /** Lower-case letters, digits and `-`, `.`, `:`, at most 64. Never reused for another generator. */
  readonly id: string;
  /** Increases whenever the same parameters and seed would produce different voxels. */
  readonly version: number;
  /** Increases whenever the same parameters would have a different encoding. */
  readonly parametersVersion: number;
  /** Also rejects parameters out of the generator's range, both when reading and writing. */
  readonly parametersCodec: Codec<Parameters>;
  /**
   * The address of the module that exports this generator, or a function that has it as `generator`, under any
   * name. Workers can then generate too: write `module: import.meta.url`. The module must do nothing else when
   * it is imported.
   */
  readonly module?: string;
  /** The types of blocks that it makes and that a world gets with it. Only what `defineGenerator` returns has them. */
  readonly blocks?: BlockDefinitions;
  /**
   * Returns a hash of its id, its version and some of its voxels: programs whose functions differ in one version have other
   * hashes. Only what `defineGenerator` returns has it.
   */
  readonly sampleHash?: () => bigint;
  open(parameters: Parameters, seed: bigint, shape: ChunkShape): VoxelSource;
}

const ID_PATTERN = /^[a-z0-9][a-z0-9.:-]{0,63}$/;

/** Returns the hash of a generator's id, version and parameters version. Equal hashes mean equal voxels. */
export function generatorVersionHash(generator: WorldGenerator<unknown>): bigint {
  const { id, version, parametersVersion } = generator;
  requireInteger(version, 0, Number.MAX_SAFE_INTEGER, "version");
  requireInteger(parametersVersion, 0, Number.MAX_SAFE_INTEGER, "parametersVersion");
  requireGeneratorId(id);
  const out = new ByteWriter();
  out.string(id);
  out.varUint(version);
  out.varUint(parametersVersion);
  return hash64(out.view());
}

/** Returns the hash of a program's generators, regardless of their order. */
export function generatorManifestHash(generators: readonly WorldGenerator<unknown>[]): bigint {
  const named = generators.map((generator) => {
    const { id } = generator;
    requireGeneratorId(id);
    return { id, generator };
  });
  const out = new ByteWriter();
  out.varUint(named.length);
  const hashed = named.map(({ id, generator }) => ({ id, hash: generatorVersionHash(generator) }));
  for (const { id, hash } of hashed.sort((a, b) =>
    a.id < b.id || (a.id === b.id && a.hash < b.hash) ? -1 : 1,
  )) {
    out.string(id);
    out.u64(hash);
  }
  return hash64(out.view());
}

/** Returns a reference to a generator with the parameters and the seed of one world. */
export function generatorRef<Parameters>(
  generator: WorldGenerator<Parameters>,
  parameters: Parameters,
  seed: bigint,
): GeneratorRef {
  requireBigint(seed, 0n, U64_MAX, "seed");
  const bytes = encodeParameters(generator, parameters);
  return new GeneratorRef(generator.id, bytes, seed, generatorVersionHash(generator));
}

function encodeParameters<Parameters>(
  generator: WorldGenerator<Parameters>,
  parameters: Parameters,
): Uint8Array {
  try {
    return encode(versionedParameters(generator), parameters);
  } catch (error) {
    if (!isOrthantError(error)) throw error;
    throw new OrthantError(
      error.code,
      `parameters of "${generator.id}": ${error.detail}`,
      {},
      { cause: error },
    );
  }
}

/** Returns the parameters in a reference. */
export function parametersOf<Parameters>(
  generator: WorldGenerator<Parameters>,
  { parameters }: GeneratorRef,
): Parameters {
  return decode(versionedParameters(generator), parameters);
}

/** Throws `ORT_ARGUMENT` unless the id is valid for a generator. */
export function requireGeneratorId(id: string): void {
  if (typeof id !== "string")
    throw wrongArgument("the id of a generator", id, "it is a string such as my-game:hills");
  if (ID_PATTERN.test(id)) return;
  throw new OrthantError("ORT_ARGUMENT", `"${id}" is not the id of a generator`);
}

function versionedParameters<Parameters>(generator: WorldGenerator<Parameters>): Codec<Parameters> {
  const { id, parametersVersion, parametersCodec } = generator;
  return {
    write(out, parameters) {
      out.varUint(parametersVersion);
      parametersCodec.write(out, parameters);
    },
    read(input) {
      const version = input.varUint();
      if (version !== parametersVersion) {
        const detail = `unsupported version ${version} of the parameters of "${id}" (expected ${parametersVersion})`;
        throw input.fail("ORT_VERSION", detail);
      }
      return parametersCodec.read(input);
    },
  };
}

/**
 * The part of a generator that its author writes; `GeneratedSpace` does the rest. Every result is a pure
 * function of the position: it depends neither on earlier queries nor on the box in which a chunk is queried.
 */
export interface VoxelSource {
  /**
   * Returns the chunk that every position of a box holds; `undefined` where they differ, or where being
   * certain would take more than a few microseconds.
   */
  repeatedIn(box: Box): Chunk | undefined;

  /**
   * True when `realize` returns promises. Then only calls that return a promise can generate; others find what
   * is in memory.
   */
  readonly isAsynchronous?: boolean;

  /** Returns the voxels of one chunk. Only an asynchronous source returns a promise. */
  realize(x: number, y: number, z: number, w: number): Chunk | Promise<Chunk>;

  /**
   * Height in voxels from which on there is only air, and so the sky above it; `undefined` if there is none. A world without it
   * has no light of the sky.
   */
  readonly skyAbove?: number | undefined;

  /** Returns a box around all chunks of `box` that are not air, possibly too large, or `undefined`. */
  contentBounds(box: Box): Box | undefined;
}
