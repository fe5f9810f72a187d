import type { PixelGenerator } from "@orthant/pixel-world";
import type { ConversionReport } from "./losses.ts";

/** Options for converting from or to a pixel world. */
export interface PixelConvertOptions {
  /** Generator whose output the chunks stored as changes are based on. */
  readonly generator?: PixelGenerator;
  /** Converts despite losses. Without it, a conversion with losses is refused. */
  readonly acceptLosses?: boolean;
  /** Replaces blocks with no number below 256. Default: 1. */
  readonly standInBlock?: number;
  /** Called after each chunk that is read. */
  readonly onChunk?: () => void;
}

/** Amount of converted content. */
export type PixelCounts = Pick<ConversionReport, "chunks" | "entities" | "players">;
