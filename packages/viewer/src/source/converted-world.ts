import { OrthantError, type Position } from "@orthant/core";
import { type Disk, GatedDisk, MemoryDisk } from "@orthant/disk";
import { filesIn } from "@orthant/disk/files";
import {
  type ConversionLoss,
  convertFlatSave,
  convertMarsMiner,
  convertPixelToTree,
  type DetectedFormat,
  importLegacyWorld,
  importTileSave,
  openFlatSave,
  openLegacyWorld,
  openMarsMiner,
  openTileSave,
} from "@orthant/formats";
import { openPixelSave } from "@orthant/pixel-world";
import { surveySave } from "@orthant/save";
import { findFirstSight } from "./first-sight.ts";

/** A save in a format that has to be converted. */
export type ForeignFormat = Exclude<DetectedFormat, { readonly format: "polychora" }>;

/** A save that the page converted. */
export interface ConvertedWorld {
  /** A native save. */
  readonly disk: Disk;
  /** A remark for people, on what the page does not show of the save; empty when it shows everything. */
  readonly remark: string;
  /** A position with something to see. */
  readonly begin: Position | undefined;
}

/** Called with the number of finished steps and the total. */
export type OnStep = (done: number, steps: number) => void;

/** Limit on the bytes that a page converts, and on the result: a small save may be a huge world. */
const CONVERTED_BYTES_MAX: number = 64 * 1024 * 1024;

/** Converts a save of another format in memory. Throws `ORT_LIMIT` when it is too large for a page. */
export async function convertInMemory(
  source: Disk,
  detected: ForeignFormat,
  onStep: OnStep,
): Promise<ConvertedWorld> {
  await requireFits(source, detected);
  const disk = new MemoryDisk();
  const parts = await convert(source, detected, boundedDisk(disk), onStep);
  return { disk, remark: parts.join(" "), begin: await findFirstSight(disk) };
}

async function convert(
  source: Disk,
  { format, evidence }: ForeignFormat,
  target: Disk,
  onStep: OnStep,
): Promise<readonly string[]> {
  let done = 0;
  switch (format) {
    case "marsminer": {
      const save = await openMarsMiner(source);
      try {
        const steps = save.state?.chunks.length ?? 0;
        const step = (): void => onStep(++done, steps);
        const { losses } = await convertMarsMiner(save, target, { acceptLosses: true, onStep: step });
        return lossesInWords(losses);
      } finally {
        await save.close();
      }
    }
    case "pixelworld": {
      const save = await openPixelSave(source, evidence);
      try {
        const onChunk = (): void => onStep(++done, save.chunkCount);
        const { losses, entities } = await convertPixelToTree(save, target, { acceptLosses: true, onChunk });
        // The world contains them, but the page does not draw the entities of a save.
        const bodies = { what: "bodies", count: entities, remark: "" };
        return lossesInWords(entities === 0 ? losses : [...losses, bodies]);
      } finally {
        await save.close();
      }
    }
    case "polychora-flat": {
      const save = await openFlatSave(source);
      try {
        const onLeaf = (): void => onStep(++done, save.leaves.length);
        return lossesInWords((await convertFlatSave(save, target, { onLeaf })).losses);
      } finally {
        await save.close();
      }
    }
    case "v4dw":
      return lossesInWords(
        (await importLegacyWorld(await openLegacyWorld(source, evidence), target, Date.now())).losses,
      );
    case "tilesave": {
      const { save, file, fault } = await openTileSave(source);
      const { losses } = await importTileSave(save, target, Date.now());
      const instead = fault === undefined ? [] : [`${fault.detail}; ${file} is shown instead.`];
      return [...instead, ...lossesInWords(losses)];
    }
  }
}

function lossesInWords(losses: readonly ConversionLoss[]): readonly string[] {
  if (losses.length === 0) return [];
  const named = losses.map(({ what, count }) => (count === 1 ? what : `${what} (${count})`));
  return [`Converted without ${named.join(", ")}.`];
}

/** In the formats that are folders every file counts, in the others only the detected one. */
async function requireFits(source: Disk, { format, evidence }: ForeignFormat): Promise<void> {
  const names =
    format === "marsminer"
      ? await filesIn(source, "")
      : format === "polychora-flat"
        ? (await surveySave(source)).files
        : [evidence];
  let bytes = 0;
  for (const name of names) {
    const file = await source.open(name, "read");
    bytes += await file.size();
    await file.close();
  }
  if (bytes > CONVERTED_BYTES_MAX) throw tooLarge(`the save has ${mebibytes(bytes)}`);
}

function boundedDisk(disk: Disk): Disk {
  let written = 0;
  return new GatedDisk(disk, async ({ operation, bytes }, happen) => {
    if (operation !== "readAt") written += bytes;
    if (written > CONVERTED_BYTES_MAX) throw tooLarge("the world that the save becomes is larger");
    return happen();
  });
}

function tooLarge(why: string): OrthantError {
  const detail = `a page converts at most ${mebibytes(CONVERTED_BYTES_MAX)}, and ${why}; convert it with "orthant convert", and drop what that makes`;
  return new OrthantError("ORT_LIMIT", detail);
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / (1024 * 1024))} MiB`;
}
