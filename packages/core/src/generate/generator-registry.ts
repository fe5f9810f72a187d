import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { type ChunkShape, chunkShape } from "../lattice/chunk-shape.ts";
import { GeneratorRef } from "../tree/content.ts";
import { GeneratedSpace } from "./generated-space.ts";
import {
  generatorManifestHash,
  generatorVersionHash,
  parametersOf,
  requireGeneratorId,
  type WorldGenerator,
} from "./world-generator.ts";

/** The available generators. Immutable. */
export class GeneratorRegistry {
  /** Equal hashes mean the same generators in the same versions. */
  readonly generatorsHash: bigint;
  readonly #byId: ReadonlyMap<string, WorldGenerator<unknown>>;

  /** Throws `ORT_ARGUMENT` when two generators have one id. */
  constructor(generators: readonly WorldGenerator<unknown>[]) {
    if (!Array.isArray(generators))
      throw wrongArgument("generators", generators, "it is a list of generators");
    // A loop by index also visits holes.
    for (let index = 0; index < generators.length; index++) {
      requireGenerator(`generators[${index}]`, generators[index]);
    }
    this.#byId = new Map(generators.map((generator) => [generator.id, generator]));
    if (this.#byId.size < generators.length) {
      throw new OrthantError("ORT_ARGUMENT", "two generators have the same id");
    }
    this.generatorsHash = generatorManifestHash(generators);
  }

  /** Returns the generator with an id, in whichever version is available. */
  find(id: string): WorldGenerator<unknown> | undefined {
    return this.#byId.get(id);
  }

  /** The ids of all generators, sorted. */
  get ids(): readonly string[] {
    return [...this.#byId.keys()].sort();
  }

  /** Returns a registry with this generator too. Throws `ORT_ARGUMENT` if it has another one with the same id. */
  including(generator: WorldGenerator<unknown>): GeneratorRegistry {
    requireGenerator("generator", generator);
    const known = this.#byId.get(generator.id);
    if (known === generator) return this;
    if (known === undefined) return new GeneratorRegistry([...this.#byId.values(), generator]);
    throw new OrthantError("ORT_ARGUMENT", `two generators have the id "${generator.id}"`);
  }

  /** Whether the referenced generator is available in the referenced version. */
  knows(ref: GeneratorRef): boolean {
    requireRef(ref);
    const { generatorId, versionHash } = ref;
    const generator = this.#byId.get(generatorId);
    return generator !== undefined && generatorVersionHash(generator) === versionHash;
  }

  /** The address of the module from which workers can load a generator; `undefined` if it has none. */
  moduleOf(ref: GeneratorRef): string | undefined {
    requireRef(ref);
    return this.#byId.get(ref.generatorId)?.module;
  }

  /** Opens a generator. Throws `ORT_GENERATOR_UNKNOWN` or `ORT_GENERATOR_VERSION` if it is unavailable. */
  open(ref: GeneratorRef, shape: ChunkShape): GeneratedSpace {
    requireRef(ref);
    const own = ownShape(shape);
    const generator = this.#byId.get(ref.generatorId);
    if (generator === undefined) {
      throw new OrthantError(
        "ORT_GENERATOR_UNKNOWN",
        `there is no generator "${ref.generatorId}" here; ${this.ids.length === 0 ? "there is none" : `there are ${this.ids.join(", ")}`}`,
      );
    }
    const versionHash = generatorVersionHash(generator);
    if (versionHash !== ref.versionHash) {
      const made = `made with another version of the generator "${ref.generatorId}"`;
      const detail = `${made} (${hex(ref.versionHash)}) than the one here (${hex(versionHash)})`;
      throw new OrthantError("ORT_GENERATOR_VERSION", detail);
    }
    return new GeneratedSpace(generator.open(parametersOf(generator, ref), ref.seed, own), own);
  }

  /** Like {@link open}, but a missing generator throws only when something needs the voxels that it makes. */
  openIfKnown(ref: GeneratorRef, shape: ChunkShape): GeneratedSpace {
    requireRef(ref);
    const own = ownShape(shape);
    if (this.knows(ref)) return this.open(ref, own);
    const refuse = (): never => {
      this.open(ref, own);
      throw new OrthantError("ORT_GENERATOR_UNKNOWN", `the generator "${ref.generatorId}" is missing`);
    };
    return new GeneratedSpace(
      { repeatedIn: () => undefined, realize: refuse, contentBounds: (box) => box },
      own,
    );
  }
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

function ownShape(shape: unknown): ChunkShape {
  if (typeof shape !== "object" || shape === null)
    throw wrongArgument("shape", shape, "it is what chunkShape returns");
  return chunkShape((shape as ChunkShape).extents);
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
