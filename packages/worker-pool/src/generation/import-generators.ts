import { OrthantError, type WorldGenerator } from "@orthant/core";

/** Returns all versions of a generator that a module exports. Throws `ORT_PLATFORM` if there is none. */
export async function importGenerators(module: string, id: string): Promise<readonly WorldGenerator[]> {
  let exported: Record<string, unknown>;
  try {
    exported = (await import(/* @vite-ignore */ module)) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OrthantError("ORT_PLATFORM", `a worker cannot load ${module}: ${reason}`);
  }
  const found = new Set<WorldGenerator>();
  for (const value of Object.values(exported)) {
    for (const candidate of [
      value,
      (value as Partial<Record<"generator", unknown>> | undefined)?.generator,
    ]) {
      if (isGenerator(candidate) && candidate.id === id) found.add(candidate);
    }
  }
  if (found.size > 0) return [...found];
  throw new OrthantError("ORT_PLATFORM", `${module} exports no generator "${id}"`);
}

function isGenerator(value: unknown): value is WorldGenerator {
  const candidate = value as Partial<WorldGenerator> | null | undefined;
  return typeof candidate === "object" && candidate !== null && typeof candidate.open === "function";
}
