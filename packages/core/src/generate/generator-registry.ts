import { OrthantError } from "../error/orthant-error.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import type { GeneratorRef } from "../tree/content.ts";
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
    for (const { id } of generators) requireGeneratorId(id);
    this.#byId = new Map(generators.map((generator) => [generator.id, generator]));
    if (this.#byId.size < generators.length) {
      throw new OrthantError("ORT_ARGUMENT", "two generators have the same id");
    }
    this.generatorsHash = generatorManifestHash(generators);
  }

  /** Returns a registry that also has these generators. Throws `ORT_ARGUMENT` when two have one id. */
  with(generators: readonly WorldGenerator<unknown>[]): GeneratorRegistry {
    return new GeneratorRegistry([...this.#byId.values(), ...generators]);
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
    const known = this.#byId.get(generator.id);
    if (known === generator) return this;
    if (known === undefined) return new GeneratorRegistry([...this.#byId.values(), generator]);
    throw new OrthantError("ORT_ARGUMENT", `two generators have the id "${generator.id}"`);
  }

  /** Whether the referenced generator is available in the referenced version. */
  knows({ generatorId, versionHash }: GeneratorRef): boolean {
    const generator = this.#byId.get(generatorId);
    return generator !== undefined && generatorVersionHash(generator) === versionHash;
  }

  /** The address of the module from which workers can load a generator; `undefined` if it has none. */
  moduleOf({ generatorId }: GeneratorRef): string | undefined {
    return this.#byId.get(generatorId)?.module;
  }

  /** Opens a generator. Throws `ORT_GENERATOR_UNKNOWN` or `ORT_GENERATOR_VERSION` if it is unavailable. */
  open(ref: GeneratorRef, shape: ChunkShape): GeneratedSpace {
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
    return new GeneratedSpace(generator.open(parametersOf(generator, ref), ref.seed, shape), shape);
  }

  /** Like {@link open}, but a missing generator throws only when something needs the voxels that it makes. */
  openIfKnown(ref: GeneratorRef, shape: ChunkShape): GeneratedSpace {
    if (this.knows(ref)) return this.open(ref, shape);
    const refuse = (): never => {
      this.open(ref, shape);
      throw new OrthantError("ORT_GENERATOR_UNKNOWN", `the generator "${ref.generatorId}" is missing`);
    };
    return new GeneratedSpace(
      { repeatedIn: () => undefined, realize: refuse, contentBounds: (box) => box },
      shape,
    );
  }
}

function hex(hash: bigint): string {
  return hash.toString(16).padStart(16, "0");
}
