import { AXES, type Box, boxAt, unionBox, voxelsOfChunks } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type DetectedFlatSave, type FlatSave, openFlatSave } from "@orthant/formats";
import { surveySave } from "@orthant/save";
import type { Context } from "../context.ts";
import { describeFormat, fileBytes } from "../found-world.ts";
import {
  describeGenerator,
  factLines,
  formatAmount,
  formatBox,
  formatBytes,
  formatTime,
  generatorInfo,
} from "../report.ts";
import { EXIT, type ExitCode } from "../usage.ts";

/** `orthant info` of a flat save. */
export async function tellFlatSave(
  disk: Disk,
  format: DetectedFlatSave,
  world: string,
  count: boolean,
  context: Context,
): Promise<ExitCode> {
  const { files, generations } = await surveySave(disk);
  let totalBytes = 0;
  for (const file of files) totalBytes += await fileBytes(disk, file);
  const save = await openFlatSave(disk);
  try {
    const { generation, manifest, global, leaves, players } = save;
    const { createdMs, lastModifiedMs } = manifest;
    const shape = global.description.chunkShape;
    let chunkBounds: Box | undefined;
    for (const box of [
      ...leaves.map(({ cell }) => cell),
      ...save.globalChunks.map(({ position }) => boxAt(position)),
    ])
      chunkBounds = chunkBounds === undefined ? box : unionBox(chunkBounds, box);
    const bounds = chunkBounds && { chunks: chunkBounds, voxels: voxelsOfChunks(shape, chunkBounds) };
    const counts = count ? await countContent(save) : undefined;
    const older = generations.filter((other) => other < generation);
    const generator = generatorInfo(global);
    context.printJson({
      world,
      ...format,
      ...{ generation, generations: older, createdMs, lastModifiedMs, chunkShape: shape.extents, generator },
      ...{ leaves: leaves.length, players: players.length, bounds: bounds ?? null },
      ...{ totalBytes, files: files.length, counts: counts ?? null },
    });
    context.printAll(
      factLines([
        ["format", describeFormat(format)],
        ["generation", `${generation}${older.length === 0 ? "" : `, older ones: ${older.join(", ")}`}`],
        ["created", formatTime(createdMs)],
        ["modified", formatTime(lastModifiedMs)],
        ["chunks of", `${shape.extents.join(" x ")} voxels (${AXES.length}D)`],
        ["generator", describeGenerator(generator)],
        ["leaves", String(leaves.length)],
        ["players", String(players.length)],
        ["bounds", bounds && `voxels ${formatBox(bounds.voxels)}`],
        ["on disk", `${formatBytes(totalBytes)} in ${formatAmount(files.length, "file")}`],
        ["chunks", counts && `${formatAmount(counts.chunks, "chunk")}, ${counts.emptyChunks} of them empty`],
        ["entities", counts && String(counts.entities)],
      ]),
    );
    return EXIT.ok;
  } finally {
    await save.close();
  }
}

async function countContent(
  save: FlatSave,
): Promise<{ readonly chunks: number; readonly emptyChunks: number; readonly entities: number }> {
  const stored = [...save.globalChunks];
  let entities = 0;
  for (const leaf of save.leaves) {
    stored.push(...(await save.readChunks(leaf)));
    entities += (await save.readEntities(leaf)).length;
  }
  return { chunks: stored.length, emptyChunks: stored.filter(({ chunk }) => chunk.isEmpty).length, entities };
}
