import { requireList } from "../arguments/checks.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { type ChunkShape, requireShape } from "../lattice/chunk-shape.ts";
import { GeneratorRef } from "../tree/content.ts";
import { GeneratorMap } from "../tree/generator-map.ts";
import { GeneratedSpace } from "./generated-space.ts";
import { MappedVoxels } from "./mapped-voxels.ts";
import {
  generatorManifestHash,
  generatorVersionHash,
  parametersOf,
  requireGeneratorId,
  type VoxelSource,
  type WorldGenerator,
} from "./world-generator.ts";

/** The available generators, perhaps in several versions. Immutable. */
export class GeneratorRegistry {
  /** Equal hashes mean the same generators in the same versions. */
  readonly generatorsHash: bigint;
  /** The newest version of each. */
  readonly #byId = new Map<string, WorldGenerator<unknown>>();
  readonly #byVersion = new Map<bigint, WorldGenerator<unknown>>();

  /** Throws `ORT_ARGUMENT` when two generators have one id and one version. */
  constructor(generators: readonly WorldGenerator<unknown>[]) {
    requireList("generators", generators, "it is a list of generators");
    // A loop by index also visits holes.
    for (let index = 0; index < generators.length; index++) {
      const generator: unknown = generators[index];
      requireGenerator(`generators[${index}]`, generator);
      const hash = generatorVersionHash(generator);
      if (this.#byVersion.has(hash)) throw sameVersion(generator);
      this.#byVersion.set(hash, generator);
      const known = this.#byId.get(generator.id);
      if (known === undefined || isNewer(generator, known)) this.#byId.set(generator.id, generator);
    }
    this.generatorsHash = generatorManifestHash(generators);
  }

  /** Returns the newest available version of the generator with an id. */
  find(id: string): WorldGenerator<unknown> | undefined {
    return this.#byId.get(id);
  }

  /** The ids of all generators, sorted. */
  get ids(): readonly string[] {
    return [...this.#byId.keys()].sort();
  }

  /** The version hashes of all generators, sorted. */
  get versionHashes(): readonly bigint[] {
    return [...this.#byVersion.keys()].sort((a, b) => (a < b ? -1 : 1));
  }

  /**
   * The hashes by which a program says which generators it has: the version hashes, and those of sample voxels. One that fails
   * to make its samples has none.
   */
  get offeredHashes(): readonly bigint[] {
    const samples = [...this.#byVersion.values()].flatMap((generator) => sampleHashOf(generator) ?? []);
    return [...this.#byVersion.keys(), ...samples].sort((a, b) => (a < b ? -1 : 1));
  }

  /** Returns the hash of sample voxels of the referenced generator; `undefined` if it has none. */
  sampleHashOf(ref: GeneratorRef): bigint | undefined {
    return sampleHashOf(this.generatorOf(ref));
  }

  /**
   * Returns a registry with this generator too, beside other versions of it. Throws `ORT_ARGUMENT` if it has another one
   * with the same id and version.
   */
  including(generator: WorldGenerator<unknown>): GeneratorRegistry {
    requireGenerator("generator", generator);
    const known = this.#byVersion.get(generatorVersionHash(generator));
    if (known === generator) return this;
    if (known === undefined) return new GeneratorRegistry([...this.#byVersion.values(), generator]);
    throw sameVersion(generator);
  }

  /** Whether the referenced generator is available in the referenced version. */
  knows(ref: GeneratorRef): boolean {
    return this.generatorOf(ref) !== undefined;
  }

  /** Returns the referenced generator in the referenced version. */
  generatorOf(ref: GeneratorRef): WorldGenerator<unknown> | undefined {
    requireRef(ref);
    const generator = this.#byVersion.get(ref.versionHash);
    return generator?.id === ref.generatorId ? generator : undefined;
  }

  /** The address of the module from which workers can load a generator; `undefined` if it has none. */
  moduleOf(ref: GeneratorRef): string | undefined {
    return this.generatorOf(ref)?.module;
  }

  /**
   * Opens a generator, or all of a map. Throws `ORT_GENERATOR_UNKNOWN` or `ORT_GENERATOR_VERSION` if one is
   * unavailable.
   */
  open(generators: GeneratorRef | GeneratorMap, shape: ChunkShape): GeneratedSpace {
    return this.#open(generators, shape, (ref, own) => this.#sourceOf(ref, own));
  }

  /** Like {@link open}, but a missing generator throws only when something needs the voxels that it makes. */
  openIfKnown(generators: GeneratorRef | GeneratorMap, shape: ChunkShape): GeneratedSpace {
    return this.#open(generators, shape, (ref, own) => {
      if (this.knows(ref)) return this.#sourceOf(ref, own);
      const refuse = (): never => {
        throw this.#missing(ref);
      };
      return { repeatedIn: () => undefined, realize: refuse, contentBounds: (box) => box };
    });
  }

  #open(
    generators: GeneratorRef | GeneratorMap,
    shape: ChunkShape,
    sourceOf: (ref: GeneratorRef, shape: ChunkShape) => VoxelSource,
  ): GeneratedSpace {
    if (!(generators instanceof GeneratorMap)) requireRef(generators);
    const checked = requireShape("shape", shape);
    const map = GeneratorMap.of(generators);
    // A world of one generator pays nothing for the others.
    const source = map.isSingle
      ? sourceOf(map.current, checked)
      : new MappedVoxels(map, new Map(map.refs.map((ref) => [ref, sourceOf(ref, checked)])));
    return new GeneratedSpace(source, checked);
  }

  #sourceOf(ref: GeneratorRef, shape: ChunkShape): VoxelSource {
    const generator = this.generatorOf(ref);
    if (generator === undefined) throw this.#missing(ref);
    return generator.open(parametersOf(generator, ref), ref.seed, shape);
  }

  #missing({ generatorId, versionHash }: GeneratorRef): OrthantError {
    const known = this.#byId.get(generatorId);
    if (known === undefined) {
      const others = this.ids.length === 0 ? "there is none" : `there are ${this.ids.join(", ")}`;
      return new OrthantError(
        "ORT_GENERATOR_UNKNOWN",
        `there is no generator "${generatorId}" here; ${others}`,
      );
    }
    const made = `made with another version of the generator "${generatorId}"`;
    const detail = `${made} (${hex(versionHash)}) than the one here (${hex(generatorVersionHash(known))})`;
    return new OrthantError("ORT_GENERATOR_VERSION", detail);
  }
}

function sampleHashOf(generator: WorldGenerator<unknown> | undefined): bigint | undefined {
  try {
    return generator?.sampleHash?.();
  } catch {
    // A game's function that throws fails where the voxels are needed, with what is wrong.
    return undefined;
  }
}

function isNewer(generator: WorldGenerator<unknown>, known: WorldGenerator<unknown>): boolean {
  if (generator.version !== known.version) return generator.version > known.version;
  return generator.parametersVersion > known.parametersVersion;
}

/** Returns `value` if it is a registry of generators. */
export function requireRegistry(name: string, value: unknown): GeneratorRegistry {
  if (value instanceof GeneratorRegistry) return value;
  throw wrongArgument(name, value, "it is a GeneratorRegistry: write new GeneratorRegistry([...])");
}

function sameVersion({ id, version }: WorldGenerator<unknown>): OrthantError {
  const advice = "give an improved one a higher version";
  return new OrthantError(
    "ORT_ARGUMENT",
    `two generators have the id "${id}" and version ${version}; ${advice}`,
  );
}

/** Throws `ORT_ARGUMENT` unless `value` has all that a generator needs. */
function requireGenerator(name: string, value: unknown): asserts value is WorldGenerator<unknown> {
  const advice = "it is a generator, such as terrain.generator or what defineGenerator returns";
  if (typeof value !== "object" || value === null) throw wrongArgument(name, value, advice);
  const { id, version, parametersVersion, parametersCodec, open } = value as Partial<WorldGenerator<unknown>>;
  requireGeneratorId(id as string);
  const isWhole = [version, parametersVersion].every((number) => isVersion(number));
  const hasCodec = typeof parametersCodec?.read === "function" && typeof parametersCodec.write === "function";
  if (!isWhole || !hasCodec || typeof open !== "function") throw wrongArgument(name, value, advice);
}

function requireRef(ref: unknown): void {
  if (!(ref instanceof GeneratorRef))
    throw wrongArgument("ref", ref, "it is the ref of a generator with a seed");
}

function isVersion(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function hex(hash: bigint): string {
  return hash.toString(16).padStart(16, "0");
}
