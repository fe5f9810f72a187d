import { bytesEqual } from "../bytes/bytes-equal.ts";
import { crc32 } from "../bytes/crc32.ts";

/** Identifies a generator and everything that its result depends on, besides the position. */
export class GeneratorRef {
  readonly generatorId: string;
  /** The parameters in the generator's own encoding. */
  readonly parameters: Uint8Array;
  readonly seed: bigint;
  /** Differs when the same id, parameters and seed would produce different voxels. */
  readonly versionHash: bigint;

  /** Distinguishes most references at once; parameters can be long and nearly equal. */
  readonly #parametersCrc: number;

  constructor(generatorId: string, parameters: Uint8Array, seed: bigint, versionHash: bigint) {
    this.generatorId = generatorId;
    this.parameters = parameters;
    this.seed = seed;
    this.versionHash = versionHash;
    this.#parametersCrc = crc32(parameters);
  }

  /** Whether the other one produces the same voxels everywhere. */
  equals(other: GeneratorRef): boolean {
    return (
      this === other ||
      (this.generatorId === other.generatorId &&
        this.seed === other.seed &&
        this.versionHash === other.versionHash &&
        this.#parametersCrc === other.#parametersCrc &&
        bytesEqual(this.parameters, other.parameters))
    );
  }
}
