import { OrthantError } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import { catalogOf, copyGeneration, type Save } from "@orthant/save";
import { generatorMapOf } from "@orthant/save/content";
import { openSaveWithJournal } from "@orthant/world/engine";
import type { Backbone } from "../backbone/backbone.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import { mapKey, requireName } from "../shard/names.ts";
import { type ClusterWorldFacts, type ShardMap, shardMapCodec } from "../shard/shard-map.ts";

/** Input for a new world in a cluster. */
export interface NewClusterWorld {
  readonly backbone: Backbone;
  readonly folders: ShardFolders;
  readonly world: string;
  /**
   * A world that no process has open. Its last save is copied together with the journal entries since then.
   */
  readonly source: Disk;
  /** 64 random bits. */
  readonly random: () => bigint;
}

/** The first shard of every world. */
export const FIRST_SHARD = "0";

/**
 * Imports a world into a cluster as one shard. Throws `ORT_EXISTS` if the cluster already has a world of
 * that name, and `ORT_BACKBONE_FULL` if the backbone has no room for its journal.
 */
export async function createClusterWorld(options: NewClusterWorld): Promise<ShardMap> {
  const { backbone, folders, world, source, random } = options;
  requireName(world, "world");
  const before = await backbone.table.get(mapKey(world));
  if (before?.value !== undefined)
    throw new OrthantError("ORT_EXISTS", `the cluster has a world ${world} already`);
  // Before anything is written, because the backbone may have no room for it.
  await requireNewJournal(backbone, world);
  const { save, disk, journal } = await openSaveWithJournal(source);
  const map: ShardMap = {
    generation: 1,
    mark: random(),
    world: factsOf(save),
    first: FIRST_SHARD,
    splits: [],
  };
  await save.close();
  // A shard has no journal folder, so a loss in the source journal would go unnoticed.
  if (journal.loss !== undefined) throw journal.loss;
  // Owners issue clocks with their term as the epoch, which must be later than any clock in the source world.
  const target = await folders.create(FIRST_SHARD, save.global.description.clockEpoch);
  await copyGeneration(disk, target);
  await folders.writeMap(map, random);
  if (
    (await backbone.table.swap(mapKey(world), encode(shardMapCodec, map), before?.revision ?? 0)) ===
    undefined
  )
    throw new OrthantError("ORT_EXISTS", `another process created world ${world} meanwhile`);
  return map;
}

/** Makes the journal of a new world. Throws `ORT_EXISTS` if the backbone has one with records of another world. */
async function requireNewJournal(backbone: Backbone, world: string): Promise<void> {
  const { last } = await (await backbone.journal(world, FIRST_SHARD)).state();
  if (last === 0) return;
  const detail = `the backbone has a journal of an earlier world ${world}: choose another name, or remove the journal`;
  throw new OrthantError("ORT_EXISTS", detail);
}

function factsOf({ global }: Save): ClusterWorldFacts {
  const { worldId, name, spawn, chunkShape: shape } = global.description;
  const catalog = catalogOf(global.description);
  const generators = generatorMapOf(global);
  if (!generators.isSingle) {
    const detail = `the world has ${generators.refs.length} generators in different places, which a cluster cannot share yet: serve it with one server`;
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  return { worldId, name, spawn, shape, generator: generators.current, catalog };
}
