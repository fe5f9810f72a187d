import { type Codec, decode, encode, isOrthantError } from "@orthant/core";
import type { Attachment } from "../polychora/records/world-description.ts";

/** Whether a MarsMiner save tells where its chunks are in blocks, as the game does, or in chunks. */
export type MarsMinerLocations = "blocks" | "chunks";

/** What a world remembers of the MarsMiner save that it was, so that it can be one again. */
export interface MarsMinerFacts {
  readonly cubeSize: number;
  readonly locations: MarsMinerLocations;
  /** To 100 ns, where a world knows milliseconds. */
  readonly ticks: bigint;
  /** Tells a save without a name from one whose name is empty. */
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

/** The attachment that holds facts. */
export function attachFacts(facts: MarsMinerFacts): Attachment {
  return { key: KEY, value: encode(factsCodec, facts) };
}

/** The facts among attachments; `undefined` when there are none, or none that can be read. */
export function findFacts(attachments: readonly Attachment[]): MarsMinerFacts | undefined {
  const found = attachments.find(isFacts);
  if (found === undefined) return undefined;
  try {
    return decode(factsCodec, found.value);
  } catch (error) {
    // They make a conversion back more faithful, and nothing depends on them.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Whether an attachment is the one with the facts. */
export function isFacts({ key }: Attachment): boolean {
  return key === KEY;
}
