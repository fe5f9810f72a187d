import type { OrthantError } from "@orthant/core";
import { type Disk, GatedDisk, MemoryDisk } from "@orthant/disk";
import type { ConversionOutcome, Format, FormatRequest } from "./format.ts";

/** Limits and progress of a conversion in memory. */
export interface MemoryConversionOptions {
  /** Limit on what is written: a small file may be a huge world. */
  readonly bytesMax: number;
  /** Returns the error for a world above the limit. */
  readonly tooLarge: () => OrthantError;
  /** Called with the number of finished steps and of all steps. */
  readonly onStep?: (done: number, steps: number) => void;
}

/** Converts a world to an Orthant save in memory, without asking about losses. */
export async function convertToMemory(
  format: Format,
  request: FormatRequest,
  { bytesMax, tooLarge, onStep }: MemoryConversionOptions,
): Promise<{ readonly disk: MemoryDisk; readonly outcome: ConversionOutcome }> {
  const conversion = await format.convert(request, "orthant");
  try {
    const disk = new MemoryDisk();
    let done = 0;
    const outcome = await conversion.run(boundedDisk(disk, bytesMax, tooLarge), () =>
      onStep?.(++done, conversion.steps ?? 0),
    );
    return { disk, outcome };
  } finally {
    await conversion.close();
  }
}

function boundedDisk(disk: Disk, bytesMax: number, tooLarge: () => OrthantError): Disk {
  let written = 0;
  return new GatedDisk(disk, async ({ operation, bytes }, happen) => {
    if (operation !== "readAt") written += bytes;
    if (written > bytesMax) throw tooLarge();
    return happen();
  });
}
