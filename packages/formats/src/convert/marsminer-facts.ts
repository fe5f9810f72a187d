import { type Codec, decode, encode, isOrthantError } from "@orthant/core";
import type { Attachment } from "@orthant/save";

/** Unit of chunk positions in a MarsMiner save: blocks, as in the game, or chunks. */
export type MarsMinerLocations = "blocks" | "chunks";

/** Properties of the original MarsMiner save that a world keeps, to convert it back. */
export interface MarsMinerFacts {
  readonly cubeSize: number;
  readonly locations: MarsMinerLocations;
  /** Precise to 100 ns, while a world has milliseconds. */
  readonly ticks: bigint;
  /** Distinguishes a save without a name from one with an empty name. */
  readonly hasName: boolean;
}

const KEY = "marsminer";
const VERSION = 1;

const factsCodec: Codec<MarsMinerFacts> = {
  write(out, { cubeSize, locations, ticks, hasName }) {
    out.varUint(VERSION);
    out.varU32(cubeSize);
    out.bool(locations === "chunks");
    out.u64(BigInt.asUintN(64, ticks));
    out.bool(hasName);
  },
  read(input) {
    const version = input.varUint();
    if (version !== VERSION) throw input.fail("ORT_VERSION", `MarsMiner facts of version ${version}`);
    return {
      cubeSize: input.varU32(),
      locations: input.bool() ? "chunks" : "blocks",
      ticks: BigInt.asIntN(64, input.u64()),
      hasName: input.bool(),
    };
  },
};

/** Returns the attachment with the facts. */
export function attachFacts(facts: MarsMinerFacts): Attachment {
  return { key: KEY, value: encode(factsCodec, facts) };
}

/** Finds the facts among attachments; `undefined` if there are none, or they are unreadable. */
export function findFacts(attachments: readonly Attachment[]): MarsMinerFacts | undefined {
  const found = attachments.find(isFacts);
  if (found === undefined) return undefined;
  try {
    return decode(factsCodec, found.value);
  } catch (error) {
    // The facts only make converting back more faithful. Nothing depends on them.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Returns whether an attachment holds the facts. */
export function isFacts({ key }: Attachment): boolean {
  return key === KEY;
}
