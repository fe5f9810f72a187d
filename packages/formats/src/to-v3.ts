import { callback, checkedOptions } from "@orthant/core/arguments";
import type { Disk } from "@orthant/disk";
import { BulkSaveWriter, requireSave, type Save } from "@orthant/save";
import { requireTarget, standInBlock } from "./format/checked-arguments.ts";
import type { ConvertOptions } from "./format/losses.ts";
import { ConversionLosses, type ConversionReport, noteLostData } from "./format/losses.ts";

/**
 * Writes a tree exactly as in the specification of version 3, for programs that know nothing else: an index
 * of version 1 in one file, and blobs of version 1. Writes one generation, as generation 0 of a new save,
 * leaf by leaf. Without a disk, only reports what would be lost. Rule S99.
 */
export async function convertToV3(
  save: Save,
  target: Disk | undefined,
  options: ConvertOptions = {},
): Promise<ConversionReport> {
  requireSave("save", save);
  requireTarget(target);
  const { onLeaf } = checkedOptions("the options", options, { standInBlock, onLeaf: callback });
  const losses = new ConversionLosses();
  const { global, players } = save;
  const { description } = global;
  losses.add("names of generations", "one generation is written", description.namedGenerations.length);
  losses.add("keys of the store", "version 3 of the format has none", global.records?.store?.keys ?? 0);
  const counts = { chunks: 0, entities: 0, players: players.length };
  const writer = target && (await BulkSaveWriter.create(target, description.chunkShape, { indexVersion: 1 }));
  try {
    for await (const leaf of save.index.all()) {
      const chunks = await save.readChunks(leaf);
      const entities = await save.readEntities(leaf);
      noteLostData(chunks, losses);
      counts.chunks += chunks.length;
      counts.entities += entities.length;
      losses.add("clocks of regions", "clients fetch every region again", leaf.clocks.length);
      await writer?.add([{ cube: leaf.cube, chunks, entities }]);
      onLeaf?.();
    }
    await writer?.finish({
      nowMs: global.lastModifiedMs,
      global: { ...global, description: { ...description, namedGenerations: [] } },
      players,
    });
  } finally {
    await writer?.close();
  }
  return { ...counts, losses: losses.list() };
}
