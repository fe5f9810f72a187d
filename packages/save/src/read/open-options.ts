import { type ChunkShape, chunkShape, GeneratorRegistry } from "@orthant/core";
import { requireWhole, wrongArgument } from "@orthant/core/arguments";

// Checks of options that several functions have. Each throws `ORT_ARGUMENT` with the option's name, its value and what
// would be right.

/** Returns `value` if it can be the number of a generation. */
export function requireGenerationNumber(name: string, value: unknown): number {
  return requireWhole(name, value, 0, Number.MAX_SAFE_INTEGER);
}

/** Returns `value` if it is a registry of generators. */
export function requireRegistry(name: string, value: unknown): GeneratorRegistry {
  if (value instanceof GeneratorRegistry) return value;
  throw wrongArgument(name, value, "it is a GeneratorRegistry: write new GeneratorRegistry([...])");
}

/** Returns the shape of chunks that `value` describes. */
export function requireShape(name: string, value: unknown): ChunkShape {
  const { extents } = (typeof value === "object" ? (value ?? {}) : {}) as Partial<ChunkShape>;
  if (extents === undefined) throw wrongArgument(name, value, "it is what chunkShape returns");
  return chunkShape(extents);
}
