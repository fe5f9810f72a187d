import { blockCatalogCodec, bytesEqual, DEFAULT_BLOCKS, encode } from "@orthant/core";
import type { Save } from "@orthant/save";
import type { ConversionLosses } from "./losses.ts";

/** Notes the parts of a description and an index that foreign formats cannot hold. */
export function noteLostFacts(
  { global, index }: Pick<Save, "global" | "index">,
  losses: ConversionLosses,
): void {
  const { name, spawn, blocks, namedGenerations, attachments, edits } = global.description;
  if (name !== "") losses.add("the name of the world", JSON.stringify(name));
  if (spawn.some((coordinate) => coordinate !== 0)) losses.add("the spawn point", `[${spawn.join(", ")}]`);
  if (blocks.length > 0 && !isDefaultCatalog(blocks)) {
    losses.add("the block catalog", "blocks keep their numbers, and lose names and colours");
  }
  losses.add("named generations", "one generation is converted", namedGenerations.length);
  losses.add("attachments", "what programs kept with the world", attachments.length);
  losses.add("last edits of clients", "a client may make its last edit twice", edits.length);
  losses.add(
    "clocks of regions",
    "whoever holds parts of the world has to fetch them again",
    index.totals.clocks,
  );
}

function isDefaultCatalog(blocks: Uint8Array): boolean {
  return bytesEqual(blocks, encode(blockCatalogCodec, DEFAULT_BLOCKS));
}
