import { bytesEqual } from "../bytes/bytes-equal.ts";
import { crc32 } from "../bytes/crc32.ts";

/** Names a generator and all that its result depends on, besides the place. */
export class GeneratorRef {
  readonly generatorId: string;
  /** The parameters in the generator's own encoding. */
  readonly parameters: Uint8Array;
  readonly seed: bigint;
  /** Changes when the same id, parameters and seed would give other voxels. */
  readonly versionHash: bigint;

  /** Tells most references apart at once; parameters can be long and nearly equal. */
  readonly #parametersCrc: number;

  constructor(generatorId: string, parameters: Uint8Array, seed: bigint, versionHash: bigint) {
    this.generatorId = generatorId;
    this.parameters = parameters;
    this.seed = seed;
    this.versionHash = versionHash;
    this.#parametersCrc = crc32(parameters);
  }

  /** Whether the other one gives the same voxels everywhere. */
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
