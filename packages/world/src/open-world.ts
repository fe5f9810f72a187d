import {
  DEFAULT_GENERATORS,
  DEFAULT_MATERIALS,
  decode,
  type MaterialCatalog,
  materialCatalogCodec,
  systemClock,
  WorldField,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type GlobalState, generatorOf, openSave, resumeSave, type Save } from "@orthant/formats";
import { openForWriting } from "./open-for-writing.ts";
import { randomBits } from "./random-bits.ts";
import { World } from "./world.ts";
import { WorldContent } from "./world-content.ts";
import { LOCK_FILE, type WorldOptions } from "./world-options.ts";
import type { WorldSetting } from "./world-parts.ts";

/**
 * Opens the world on a disk: for writing, which one process can at a time, or to be read only. Opening reads the
 * index, not the chunks. `ORT_LOCKED` when another process writes to it, `ORT_NOT_FOUND` when there is none.
 */
export async function openWorld(disk: Disk, options: WorldOptions = {}): Promise<World> {
  const { generators = DEFAULT_GENERATORS } = options;
  if (options.readOnly === true) {
    const save = await openSave(disk, { generators });
    const { field, ...parts } = partsOf(save.global, options);
    const content = new WorldContent(save, withGlobalBlocks(field, save));
    return new World({ ...parts, content, writing: undefined });
  }
  const lock = await disk.lock(LOCK_FILE);
  try {
    const save = await openSave(disk, { generators });
    // Before any file is opened: a world whose generator is unknown leaves nothing behind.
    const parts = partsOf(save.global, options);
    const writer = await resumeSave(disk, save, { generators });
    return await openForWriting(disk, { save, writer, lock, parts }, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** What a world is made of beside its save. Throws when the program lacks its generator. */
export function partsOf(global: GlobalState, options: WorldOptions): WorldSetting {
  const field = WorldField.open({
    generators: options.generators ?? DEFAULT_GENERATORS,
    generator: generatorOf(global),
    shape: global.description.chunkShape,
  });
  return {
    field,
    clock: options.clock ?? systemClock,
    catalog: catalogOf(global),
    autosave: options.autosave ?? true,
    random: randomBits(options.random),
  };
}

/** Some flat saves keep chunks beside their leaves, in the global file. */
function withGlobalBlocks(field: WorldField, { flat }: Save): WorldField {
  const blocks = flat?.globalBlocks ?? [];
  return field.withOverrides(
    blocks.reduce((tree, { place, chunk }) => tree.set(place, chunk), field.overrides),
  );
}

function catalogOf({ description }: GlobalState): MaterialCatalog {
  return description.materials.length === 0
    ? DEFAULT_MATERIALS
    : decode(materialCatalogCodec, description.materials);
}
