import { ownOptions, requireChoice, requireObject, wrongArgument } from "@orthant/core/arguments";
import { GeneratorRef } from "@orthant/core/generate";
import type { PixelGenerator, PixelSave } from "@orthant/pixel-world";
import { CONVERT_RULES } from "../format/checked-arguments.ts";

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
  const advice = "it is what openPixelSave returns";
  requireObject("save", value, advice);
  const { chunks, bodies, readChunk, readBody } = value as Partial<PixelSave>;
  if ([chunks, bodies, readChunk, readBody].some((method) => typeof method !== "function"))
    throw wrongArgument("save", value, advice);
}

/** Returns the version of a file to write. */
export function requireTargetKind(kind: unknown): "native" | "version2" {
  return requireChoice("kind", kind, ["native", "version2"]);
}

/** Returns checked options as an object of our own. */
export function ownPixelOptions(options: PixelConvertOptions): PixelConvertOptions {
  const { acceptLosses, standInBlock, onChunk } = CONVERT_RULES;
  return ownOptions("the options", options, {
    generator: requireGenerator,
    acceptLosses,
    standInBlock,
    onChunk,
  });
}

function requireGenerator(name: string, value: unknown): PixelGenerator {
  const advice = "it has a ref, which is a GeneratorRef, and the method fill";
  requireObject(name, value, advice);
  const { ref, fill } = value as Partial<PixelGenerator>;
  if (!(ref instanceof GeneratorRef) || typeof fill !== "function") throw wrongArgument(name, value, advice);
  return value as PixelGenerator;
}
