import { type Clock, DEFAULT_GENERATORS, type MaterialCatalog, systemClock, WorldField } from "@orthant/core";
import { catalogOf, type GlobalState, generatorOf, type OpenSaveOptions, type Save } from "@orthant/formats";
import { randomBits } from "./random-bits.ts";
import { WorldContent } from "./world-content.ts";
import { LOADED_CHUNKS_MAX, type WorldOptions } from "./world-options.ts";

/** What the options say a world is made of, beside its save. */
export interface WorldSetting {
  readonly field: WorldField;
  readonly clock: Clock;
  readonly catalog: MaterialCatalog;
  readonly autosave: boolean;
  /** 64 random bits. */
  readonly random: () => bigint;
}

/** The setting that options make of a world. Throws when the program lacks its generator. */
export function settingOf(global: GlobalState, options: WorldOptions): WorldSetting {
  const field = WorldField.open({
    generators: options.generators ?? DEFAULT_GENERATORS,
    generator: generatorOf(global),
    shape: global.description.chunkShape,
  });
  return {
    field,
    clock: options.clock ?? systemClock,
    catalog: catalogOf(global.description),
    autosave: options.autosave ?? true,
    random: randomBits(options.random),
  };
}

/** What a world holds when it is opened. */
export function contentOf(
  save: Save,
  field: WorldField,
  { loadedChunksMax = LOADED_CHUNKS_MAX }: WorldOptions,
): WorldContent {
  return new WorldContent(save, withGlobalBlocks(field, save), loadedChunksMax);
}

/** Some flat saves keep chunks beside their leaves, in the global file. */
function withGlobalBlocks(field: WorldField, { flat }: Save): WorldField {
  const blocks = flat?.globalBlocks ?? [];
  return field.withOverrides(
    blocks.reduce((tree, { place, chunk }) => tree.set(place, chunk), field.overrides),
  );
}

/** The generators that the program has, if it says so. */
export function generatorsOf({ generators }: WorldOptions): OpenSaveOptions {
  return generators === undefined ? {} : { generators };
}
