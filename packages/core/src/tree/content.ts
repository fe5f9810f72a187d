import { crc32 } from "../bytes/crc32.ts";
import { bytesEqual } from "../bytes/integers.ts";
import { Chunk } from "../chunk/chunk.ts";

/** The content of a position: voxels, or a generator that computes them. */
export type Content = Chunk | GeneratorRef;

/** Whether one node can represent many chunks of this content: one block, or one generator. */
export function isSpreadable(content: Content): boolean {
  return !(content instanceof Chunk) || content.uniformBlock !== undefined;
}

/** Whether two contents are the same. */
export function contentEquals(a: Content, b: Content): boolean {
  if (a === b) return true;
  if (a instanceof Chunk) return b instanceof Chunk && a.equals(b);
  return !(b instanceof Chunk) && a.equals(b);
}

/** Identifies a generator and everything that its result depends on, besides the position. */
export class GeneratorRef {
  readonly generatorId: string;
  /** The parameters in the generator's own encoding. */
  readonly parameters: Uint8Array;
  readonly seed: bigint;
  /** Differs when the same id, parameters and seed would produce different voxels. */
  readonly versionHash: bigint;

  /** A hash, so that a comparison rarely compares the parameters. */
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
