import { type Box, boxAt, unionBox } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type DetectedTileSave, type OpenedTileSave, openTileSave } from "@orthant/formats";
import type { Context } from "../context.ts";
import { describeFormat, fileBytes } from "../found-world.ts";
import { factLines, formatAmount, formatBox, formatBytes } from "../report.ts";
import { EXIT, type ExitCode } from "../usage.ts";

/** `orthant info` of a tile save. */
export async function tellTileSave(
  disk: Disk,
  format: DetectedTileSave,
  world: string,
  context: Context,
): Promise<ExitCode> {
  const opened = await openTileSave(disk);
  const { file, fault, save } = opened;
  const { tickIndex, localPlayerId, gameplayFingerprint, chunks = [], others } = save;
  const totalBytes = await fileBytes(disk, file);
  const bounds = boundsOf(opened);
  context.printJson({
    world,
    ...format,
    file,
    fault: fault?.message ?? null,
    tickIndex,
    localPlayerId,
    gameplayFingerprint,
    chunks: chunks.length,
    chunkBounds: bounds ?? null,
    unknownKeys: others.map(({ key }) => key),
    totalBytes,
  });
  context.printAll(
    factLines([
      ["format", describeFormat(format)],
      ["file", `${file}, ${formatBytes(totalBytes)}`],
      ["fault", fault?.message],
      ["tick", String(tickIndex)],
      ["player", String(localPlayerId)],
      ["mods", gameplayFingerprint === "" ? undefined : gameplayFingerprint],
      ["chunks", formatAmount(chunks.length, "chunk")],
      ["bounds", bounds && `chunks ${formatBox(bounds)}`],
      ["unknown keys", others.length === 0 ? undefined : others.map(({ key }) => key).join(", ")],
    ]),
  );
  return EXIT.ok;
}

function boundsOf({ save: { chunks = [] } }: OpenedTileSave): Box | undefined {
  let bounds: Box | undefined;
  for (const { x, y } of chunks) {
    const box = boxAt([x, y, 0, 0]);
    bounds = bounds === undefined ? box : unionBox(bounds, box);
  }
  return bounds;
}
