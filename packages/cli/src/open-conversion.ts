import type { Disk } from "@orthant/disk";
import type { Finding } from "@orthant/disk/files";
import type { ConversionLoss } from "@orthant/formats";
import type { ProgressUnit } from "./progress.ts";

/** The result of a conversion between any formats. */
export interface ConversionOutcome {
  readonly chunks: number;
  readonly entities?: number;
  readonly players?: number;
  readonly losses: readonly ConversionLoss[];
}

/** A world opened for conversion into a chosen format. */
export interface OpenConversion {
  /** The dialects, for people. */
  readonly from: string;
  readonly to: string;
  readonly unit: ProgressUnit;
  /** Number of steps, if known. */
  readonly steps?: number;
  /** For a world with several generations. */
  readonly generation?: number;
  /** Converts the world. Without a disk, only reports what would be lost. */
  run(target: Disk | undefined, onStep: () => void): Promise<ConversionOutcome>;
  /** Verifies the written world. */
  verify(made: Disk): Promise<readonly Finding[]>;
  close(): Promise<void>;
}
