import { OrthantError } from "@orthant/core";
import type { PixelGenerator } from "../pixelworld/pixels/stored-chunk.ts";
import { ConversionLosses, type ConversionReport } from "./losses.ts";

/** How to convert from or to a pixel world. */
export interface PixelConvertOptions {
  /** What the chunks that are stored as changes are changes to. */
  readonly generator?: PixelGenerator;
  /** Converts although something is lost. Without it a conversion that would lose something is refused. */
  readonly acceptLosses?: boolean;
  /** What a pixel gets whose material has no number below 256; 1 unless given. */
  readonly standInMaterial?: number;
  /** Told after each chunk that is read. */
  readonly onChunk?: () => void;
}

/** How much was carried over. */
export type PixelCounts = Pick<ConversionReport, "chunks" | "entities" | "players">;

/**
 * Runs a conversion: first without writing anything, to know what would be lost, then for real. `ORT_DIALECT` when
 * something would be lost and nobody accepted that.
 */
export async function convertCarefully(
  isDry: boolean,
  { acceptLosses = false }: PixelConvertOptions,
  run: (losses: ConversionLosses, isDry: boolean) => Promise<PixelCounts>,
): Promise<ConversionReport> {
  const expected = new ConversionLosses();
  const counts = await run(expected, true);
  if (isDry) return { ...counts, losses: expected.list() };
  if (!acceptLosses && expected.list().length > 0) {
    const named = expected.list().map(({ what, count, remark }) => `${what} (${count}): ${remark}`);
    throw new OrthantError(
      "ORT_DIALECT",
      `not all of it carries over, and nobody accepted that: ${named.join("; ")}`,
    );
  }
  const losses = new ConversionLosses();
  return { ...(await run(losses, false)), losses: losses.list() };
}
