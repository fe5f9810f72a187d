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
import { type GlobalState, openLiveJournal, openSave, resumeSave, type Save } from "@orthant/formats";
import { type DamagedJournal, replayJournal } from "./journal/replay.ts";
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
  if (options.readOnly === true) return openToRead(disk, options);
  const lock = await disk.lock(LOCK_FILE);
  try {
    const save = await openSave(disk);
    // Before any file is opened: a world whose generator is unknown leaves nothing behind.
    const parts = partsOf(save.global, options);
    const writer = await resumeSave(disk, save);
    return await openForWriting(disk, { save, writer, lock, parts }, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Opens what was saved last, and in memory what the journal has on top of it. Rule J17. */
async function openToRead(disk: Disk, options: WorldOptions): Promise<World> {
  for (;;) {
    const save = await openSave(disk);
    try {
      const { field, ...parts } = partsOf(save.global, options);
      const content = new WorldContent(save, withGlobalBlocks(field, save));
      if (await readJournal(disk, content, parts.clock.nowMs(), options.damagedJournal))
        return new World({ ...parts, content, writing: undefined });
      // Somebody committed in between, which takes seconds: the next round has time enough.
      await save.close();
    } catch (error) {
      await save.close();
      throw error;
    }
  }
}

/** Takes in what the journal has; `false` when the journal is not that of this generation any more. */
async function readJournal(
  disk: Disk,
  content: WorldContent,
  nowMs: number,
  // Whoever only reads loses nothing by what is cut off.
  damaged: DamagedJournal = "cut",
): Promise<boolean> {
  const journal = await openLiveJournal(disk, content.save);
  try {
    if (journal !== undefined) await replayJournal(journal, content, { nowMs, damaged });
    return journal !== undefined;
  } finally {
    await journal?.close();
  }
}

/** What fills a world without a generator: nothing but air. */
export const NOTHING: GeneratorRef = generatorRef(flatGenerator, { ...FLAT_DEFAULTS, thickness: 0 }, 0n);

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

function generatorOf({ base, generators, worldSeed }: GlobalState): GeneratorRef {
  if (base.kind === "empty") return NOTHING;
  if (base.kind === "flatFloor") {
    return generatorRef(flatGenerator, { ...FLAT_DEFAULTS, material: base.material }, worldSeed);
  }
  const [generator] = generators;
  if (generator === undefined) throw new OrthantError("ORT_NOT_FOUND", "the world names no generator");
  return new GeneratorRef(generator.generatorId, generator.params, generator.seed, generator.versionHash);
}

function catalogOf({ description }: GlobalState): MaterialCatalog {
  return description.materials.length === 0
    ? DEFAULT_MATERIALS
    : decode(materialCatalogCodec, description.materials);
}
