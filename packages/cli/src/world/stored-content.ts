import {
  type Chunk,
  emptyChunk,
  type GeneratorRegistry,
  isOrthantError,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { applyChunkChange, type VoxelData } from "@orthant/core/chunk";
import { chunkOfVoxel } from "@orthant/core/lattice";
import { WorldState } from "@orthant/core/tree";
import type { Save, StoredChunk } from "@orthant/save";
import { generatorMapOf, realizeStored } from "@orthant/save/content";

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

/** Returns the data of a stored form's voxels, which does not depend on the generator. */
export function storedData({ global }: Save, stored: StoredChunk): VoxelData {
  const { volume } = global.description.chunkShape;
  return realizeStored(stored, () => emptyChunk(volume)).data;
}

/** Returns what the generators make of an untouched world; `undefined` if one of them is missing. */
export function untouchedState({ global }: Save, generators: GeneratorRegistry): WorldState | undefined {
  const shape = global.description.chunkShape;
  return unlessGeneratorMissing(() =>
    WorldState.open({ generators, generator: generatorMapOf(global), shape }),
  );
}

/** Returns a voxel of an untouched chunk; `undefined` if the generator of that chunk is missing. */
export function untouchedVoxel(
  { global }: Save,
  generators: GeneratorRegistry,
  voxel: Position,
): number | undefined {
  const shape = global.description.chunkShape;
  const generator = generatorMapOf(global).ofChunk(...chunkOfVoxel(shape, voxel));
  return unlessGeneratorMissing(() => WorldState.open({ generators, generator, shape }).voxelAt(...voxel));
}

/** Says which generators of a world are missing, and how to name them. */
export function neededGenerator({ global }: Save, generators: GeneratorRegistry): string {
  const missing = generatorMapOf(global).refs.filter((ref) => !generators.knows(ref));
  const ids = [...new Set(missing.map(({ generatorId }) => `"${generatorId}"`))];
  return `the generator ${ids.join(" and ")}; --generators names the module that has it`;
}

function unlessGeneratorMissing<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (isOrthantError(error, "ORT_GENERATOR_UNKNOWN", "ORT_GENERATOR_VERSION")) return undefined;
    throw error;
  }
}
