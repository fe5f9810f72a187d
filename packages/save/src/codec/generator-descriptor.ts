import { type Codec, list } from "@orthant/core";

/** A generator that a world needs, with a hash that tells whether another machine has the same one. */
export interface GeneratorDescriptor {
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
