import { encode } from "@orthant/core/bytes";
import { generatorMapCodec } from "@orthant/core/tree";
import type { SceneSource } from "@orthant/worker-pool/browser";
import type { WorldFacts } from "../message/messages.ts";

/** Returns what the page needs to know of untouched chunks. */
export function skyFacts({ generators, skyAbove }: SceneSource): Pick<WorldFacts, "generators" | "skyAbove"> {
  return { generators: generators && encode(generatorMapCodec, generators.map), skyAbove };
}
