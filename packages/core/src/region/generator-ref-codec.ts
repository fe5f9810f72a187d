import type { Codec } from "../bytes/codec.ts";
import { GeneratorRef } from "../tree/content.ts";

/** Maximum length of a generator's id in bytes of UTF-8. */
const GENERATOR_ID_BYTES_MAX = 256;

/** Maximum size of a generator's parameters. */
const GENERATOR_PARAMETERS_BYTES_MAX = 4096;

/** A generator's id, parameters and seed, then its version hash. */
export const generatorRefCodec: Codec<GeneratorRef> = {
  write(out, { generatorId, parameters, seed, versionHash }) {
    out.string(generatorId, GENERATOR_ID_BYTES_MAX);
    out.bytes(parameters, GENERATOR_PARAMETERS_BYTES_MAX);
    out.varU64(seed);
    out.varU64(versionHash);
  },

  read(input) {
    const generatorId = input.string(GENERATOR_ID_BYTES_MAX);
    const parameters = input.bytes(GENERATOR_PARAMETERS_BYTES_MAX);
    const seed = input.varU64();
    const versionHash = input.varU64();
    return new GeneratorRef(generatorId, parameters, seed, versionHash);
  },
};
