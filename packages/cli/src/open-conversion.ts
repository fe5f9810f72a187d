import type { Disk } from "@orthant/disk";
import type { ConversionLoss, Finding } from "@orthant/formats";
import type { ProgressUnit } from "./progress.ts";

/** What became of a conversion, whatever its formats. */
export interface ConversionOutcome {
  readonly chunks: number;
  readonly entities?: number;
  readonly players?: number;
  readonly losses: readonly ConversionLoss[];
}

/** A world that is open to be converted into a format that is chosen. */
export interface OpenConversion {
  /** The dialects, for people. */
  readonly from: string;
  readonly to: string;
  readonly unit: ProgressUnit;
  /** How many, where that is known. */
  readonly steps?: number;
  /** Of a world that has several. */
  readonly generation?: number;
  /** Converts; without a disk it only says what would be lost. */
  run(target: Disk | undefined, onStep: () => void): Promise<ConversionOutcome>;
  /** Looks at what was written. */
  verify(made: Disk): Promise<readonly Finding[]>;
  close(): Promise<void>;
}
