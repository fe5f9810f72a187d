import type { PixelGenerator } from "../pixelworld/pixels/stored-chunk.ts";
import type { ConversionReport } from "./losses.ts";

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
