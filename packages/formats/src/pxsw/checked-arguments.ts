import {
  type Check,
  callback,
  checkedOptions,
  requireChoice,
  requireFlag,
  withMethods,
} from "@orthant/core/arguments";
import { type PixelGenerator, type PixelSave, requirePixelGenerator } from "@orthant/pixel-world";
import { standInBlock } from "../format/checked-arguments.ts";

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

/** Throws `ORT_ARGUMENT` unless `value` is an open pixel world. */
export function requirePixelSave(value: unknown): asserts value is PixelSave {
  requireOpenSave("save", value);
}

const requireOpenSave: Check<PixelSave> = withMethods(
  "it is what openPixelSave returns",
  "chunks",
  "bodies",
  "readChunk",
  "readBody",
);

/** Returns the version of a file to write. */
export function requireTargetKind(kind: unknown): "native" | "version2" {
  return requireChoice("kind", kind, ["native", "version2"]);
}

/** Returns checked options as an object of our own. */
export function checkedPixelOptions(options: PixelConvertOptions): PixelConvertOptions {
  return checkedOptions("the options", options, {
    acceptLosses: requireFlag,
    standInBlock,
    generator: requirePixelGenerator,
    onChunk: callback,
  });
}
