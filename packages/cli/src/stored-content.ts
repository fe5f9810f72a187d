import { type Chunk, type GeneratorRegistry, isOrthantError, uniformChunk } from "@orthant/core";
import { applyChunkChange, WorldState } from "@orthant/core/engine";
import type { Save, StoredChunk } from "@orthant/save";
import { generatorOf } from "@orthant/save/content";

/** Returns the chunk of a stored form; `undefined` if it needs a generator that is missing. */
export function chunkIfKnown(save: Save, stored: StoredChunk): Chunk | undefined {
  return unlessGeneratorMissing(() => save.realize(stored));
}

/** Returns one voxel of a stored form; `undefined` if it needs a generator that is missing. */
export function storedVoxel(save: Save, stored: StoredChunk, index: number): number | undefined {
  const chunk = chunkIfKnown(save, stored);
  if (chunk !== undefined || stored.kind === "chunk") return chunk?.get(index);
  // The change itself has the voxel if it makes the same block of it whatever was there before.
  const [first, second] = [0, 1].map((block) =>
    applyChunkChange(uniformChunk(stored.volume, block), stored.change).get(index),
  );
  return first === second ? first : undefined;
}

/** Returns what the generator makes of an untouched world; `undefined` if the generator is missing. */
export function untouchedState({ global }: Save, generators: GeneratorRegistry): WorldState | undefined {
  const shape = global.description.chunkShape;
  return unlessGeneratorMissing(() => WorldState.open({ generators, generator: generatorOf(global), shape }));
}

/** Says which generator a world needs, and how to name it. */
export function neededGenerator({ global }: Save): string {
  return `the generator "${generatorOf(global).generatorId}"; --generators names the module that has it`;
}

function unlessGeneratorMissing<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (isOrthantError(error, "ORT_GENERATOR_UNKNOWN", "ORT_GENERATOR_VERSION")) return undefined;
    throw error;
  }
}
