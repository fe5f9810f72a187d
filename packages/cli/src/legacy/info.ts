import { type Box, boxAt, HYPERCUBE_CHUNKS, unionBox } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type DetectedLegacyWorld, openLegacyWorld } from "@orthant/formats";
import type { Context } from "../context.ts";
import { describeFormat, fileBytes } from "../found-world.ts";
import { factLines, formatAmount, formatBox, formatBytes } from "../report.ts";
import { EXIT, type ExitCode } from "../usage.ts";

/** `orthant info` of a `.v4dw` file. */
export async function tellLegacyWorld(
  disk: Disk,
  format: DetectedLegacyWorld,
  world: string,
  context: Context,
): Promise<ExitCode> {
  const { base, chunks } = await openLegacyWorld(disk, format.evidence);
  const totalBytes = await fileBytes(disk, format.evidence);
  const emptyChunks = chunks.filter(({ chunk }) => chunk.isEmpty).length;
  let bounds: Box | undefined;
  for (const { position } of chunks)
    bounds = bounds === undefined ? boxAt(position) : unionBox(bounds, boxAt(position));
  context.printJson({
    world,
    ...format,
    base,
    chunkShape: HYPERCUBE_CHUNKS.extents,
    chunks: chunks.length,
    emptyChunks,
    chunkBounds: bounds ?? null,
    totalBytes,
  });
  context.printAll(
    factLines([
      ["format", describeFormat(format)],
      ["base", base.kind === "flatFloor" ? `a floor of block ${base.block}` : "empty"],
      ["chunks of", `${HYPERCUBE_CHUNKS.extents.join(" x ")} voxels (4D)`],
      ["chunks", `${formatAmount(chunks.length, "chunk")}, ${emptyChunks} of them empty`],
      ["bounds", bounds && `chunks ${formatBox(bounds)}`],
      ["on disk", formatBytes(totalBytes)],
    ]),
  );
  return EXIT.ok;
}
