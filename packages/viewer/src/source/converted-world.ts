import { OrthantError, type Position, systemClock } from "@orthant/core";
import { type Disk, GatedDisk, MemoryDisk } from "@orthant/disk";
import {
  type ConversionOutcome,
  type DetectedWorld,
  FOREIGN_FORMATS,
  type Format,
  fileBytes,
} from "@orthant/formats";
import { findStartPosition } from "./start-position.ts";

/** A save that the page converted. */
export interface ConvertedWorld {
  readonly world: DetectedWorld;
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

/**
 * Converts a save of another format in memory; `undefined` when no format fits. Throws `ORT_LIMIT` when it is
 * too large for a page.
 */
export async function convertInMemory(
  source: Disk,
  sourceBytes: number,
  onStep: OnStep,
): Promise<ConvertedWorld | undefined> {
  for (const format of FOREIGN_FORMATS) {
    const world = await format.detect(source);
    if (world === undefined) continue;
    const bytes = format.isOneFile === true ? await fileBytes(source, world.evidence) : sourceBytes;
    if (bytes > CONVERTED_BYTES_MAX) throw tooLarge(`the save has ${mebibytes(bytes)}`);
    const disk = new MemoryDisk();
    const remarks = await convert(source, format, world, boundedDisk(disk), onStep);
    return { world, disk, remark: remarks.join(" "), begin: await findStartPosition(disk) };
  }
  return undefined;
}

async function convert(
  disk: Disk,
  format: Format,
  world: DetectedWorld,
  target: Disk,
  onStep: OnStep,
): Promise<readonly string[]> {
  const notes: string[] = [];
  const environment = {
    clock: systemClock,
    progress: () => ({ advance: () => undefined, end: () => undefined }),
    note: (line: string) => void notes.push(`${line}.`),
  };
  const conversion = await format.convert({ disk, world, values: {}, environment }, "tree");
  try {
    let done = 0;
    const outcome = await conversion.run(target, () => onStep(++done, conversion.steps ?? 0));
    return [...notes, ...lossesInWords(outcome)];
  } finally {
    await conversion.close();
  }
}

/** The converted world contains the entities, but the page does not draw those of a save. */
function lossesInWords({ losses, entities = 0 }: ConversionOutcome): readonly string[] {
  const missing = entities === 0 ? losses : [...losses, { what: "entities", count: entities }];
  if (missing.length === 0) return [];
  const named = missing.map(({ what, count }) => (count === 1 ? what : `${what} (${count})`));
  return [`Converted without ${named.join(", ")}.`];
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
