import {
  DEFAULT_GENERATORS,
  DEFAULT_MATERIALS,
  decode,
  FLAT_DEFAULTS,
  flatGenerator,
  GeneratorRef,
  generatorRef,
  type MaterialCatalog,
  materialCatalogCodec,
  OrthantError,
  systemClock,
  WorldField,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type GlobalRecord, openSave, resumeSave, type Save } from "@orthant/formats";
import { World, type WorldParts } from "./world.ts";
import { LOCK_FILE, type WorldOptions } from "./world-options.ts";

/**
 * Opens the world on a disk: for writing, which one process can at a time, or to be read only. Opening reads the
 * index, not the chunks. `ORT_LOCKED` when another process writes to it, `ORT_NOT_FOUND` when there is none.
 */
export async function openWorld(disk: Disk, options: WorldOptions = {}): Promise<World> {
  if (options.readOnly === true) return worldOf(await openSave(disk), undefined, options);
  const lock = await disk.lock(LOCK_FILE);
  try {
    const save = await openSave(disk);
    const writer = await resumeSave(disk, save);
    return worldOf(save, { writer, lock }, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** What fills a world without a generator: nothing but air. */
export const NOTHING: GeneratorRef = generatorRef(flatGenerator, { ...FLAT_DEFAULTS, thickness: 0 }, 0n);

/** The world of a save. */
export function worldOf(save: Save, writing: WorldParts["writing"], options: WorldOptions): World {
  const { global } = save;
  const field = WorldField.open({
    generators: options.generators ?? DEFAULT_GENERATORS,
    generator: generatorOf(global),
    shape: global.description.chunkShape,
  });
  return new World({
    save,
    field,
    writing,
    clock: options.clock ?? systemClock,
    catalog: catalogOf(global),
    autosave: options.autosave ?? true,
  });
}

function generatorOf({ base, generators, worldSeed }: GlobalRecord): GeneratorRef {
  if (base.kind === "empty") return NOTHING;
  if (base.kind === "flatFloor") {
    return generatorRef(flatGenerator, { ...FLAT_DEFAULTS, material: base.material }, worldSeed);
  }
  const [generator] = generators;
  if (generator === undefined) throw new OrthantError("ORT_NOT_FOUND", "the world names no generator");
  return new GeneratorRef(generator.generatorId, generator.params, generator.seed, generator.versionHash);
}

function catalogOf({ description }: GlobalRecord): MaterialCatalog {
  return description.materials.length === 0
    ? DEFAULT_MATERIALS
    : decode(materialCatalogCodec, description.materials);
}
