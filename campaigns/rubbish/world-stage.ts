import { type BlockCatalog, type Chunk, type Dimensions, type Position, uniformChunk } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import type { Prng } from "@orthant/testkit";
import {
  createWorld,
  type KeyValueStore,
  openWorld,
  Transaction,
  TransactionStore,
  type World,
  type WorldOptions,
  type WorldSnapshot,
} from "@orthant/world";
import { differencesOf, type PublicWorld, publicWorld } from "./public-world.ts";
import { simulationTargets } from "./simulation-targets.ts";
import { type Arguments, methodTargets, type OpenStage, type Stage, type Target } from "./stage.ts";
import * as valid from "./valid-values.ts";

/** Names under which the history of a world is tagged. */
const TAGS = ["alpha", "beta", "gamma"] as const;

/** Methods during which thousands of chunks may be read or written, by their boxes or by work that continues meanwhile. */
const LARGE_METHODS: ReadonlySet<string> = new Set([
  "World.compact",
  "World.fill",
  "World.copy",
  "World.loadChunks",
  "World.restoreChunks",
]);

/** Names of blocks that are defined, renamed and retired. */
const BLOCK_NAMES = ["copper", "chest", "lantern", "stone"] as const;

/** Calls every method of a world, then reopens it, or a copy of its disk, and compares everything that it showed. */
export const worldStage: Stage = {
  name: "world",
  async open(prng) {
    const dimensions = prng.pick<Dimensions>([2, 3, 4]);
    const disk = new MemoryDisk();
    const options: WorldOptions<Dimensions> = {
      autosave: false,
      durability: prng.chance(0.5) ? "journal" : "snapshot",
    };
    const world = await createWorld(disk, { dimensions, generator: valid.generator(prng) }, options);
    return new WorldCalls(world, disk, options, prng);
  },
};

class WorldCalls implements OpenStage {
  readonly targets: readonly Target[];
  readonly #world: World;
  readonly #disk: MemoryDisk;
  readonly #options: WorldOptions<Dimensions>;
  readonly #prng: Prng;
  readonly #chunks = new Map<string, Position<Dimensions>>();
  readonly #entities = new Set<bigint>();
  readonly #places = new Map<string, Position<Dimensions>>();
  readonly #snapshot: WorldSnapshot;

  constructor(world: World, disk: MemoryDisk, options: WorldOptions<Dimensions>, prng: Prng) {
    this.#world = world;
    this.#disk = disk;
    this.#options = options;
    this.#prng = prng;
    this.#snapshot = world.snapshot();
    world.onEdit(({ chunks }) => {
      for (const chunk of chunks) this.#chunks.set(chunk.join(), chunk);
    });
    world.onEntity((event) => {
      if (event.kind !== "present") return;
      this.#entities.add(event.entity.id);
      const place = event.entity.position.map(Math.floor) as unknown as Position<Dimensions>;
      this.#places.set(place.join(), place);
    });
    this.targets = [
      ...methodTargets(
        "World",
        world,
        worldArguments(world, () => this.#knownEntity()),
      ).map((target) => (LARGE_METHODS.has(target.name) ? { ...target, mayAllocate: true } : target)),
      ...methodTargets("WorldSnapshot", this.#snapshot, {
        get: (prng) => [valid.position(prng, world.dimensions)],
        chunk: (prng) => [valid.chunkPosition(prng, world.dimensions)],
        light: (prng) => [valid.position(prng, world.dimensions)],
        lightAt: (prng) => [valid.position(prng, world.dimensions)],
        chunkLight: (prng) => [valid.chunkPosition(prng, world.dimensions)],
        chunkLightAt: (prng) => [valid.chunkPosition(prng, world.dimensions)],
      }),
      ...methodTargets("WorldHistory", world.history, {
        generations: () => [],
        generationAt: (prng) => [prng.pick([0, 1, "alpha", new Date()])],
        tag: (prng) => (prng.chance(0.5) ? [prng.pick(TAGS)] : [prng.pick(TAGS), world.generation]),
        untag: (prng) => [prng.pick(TAGS)],
      }),
      ...blockTargets(world.blocks),
      ...storeTargets(world.store),
      ...simulationTargets(world),
      ...transactionTargets(world),
    ];
  }

  async finish(): Promise<readonly string[]> {
    await this.#snapshot.close();
    const isKilled = this.#options.durability === "journal" && this.#prng.chance(0.5);
    if (isKilled) await this.#world.whenDurable();
    else await this.#world.save();
    const before = await this.#shown(this.#world);
    const image = this.#disk.image();
    await this.#world.close();
    const disk = isKilled ? new MemoryDisk(image) : this.#disk;
    const again = await openWorld(disk, { ...this.#options, readOnly: !isKilled });
    const after = await this.#shown(again);
    await again.close();
    return differencesOf(before, after).map(
      (difference) => `${isKilled ? "killed and " : ""}reopened: ${difference}`,
    );
  }

  #shown(world: World): Promise<PublicWorld> {
    return publicWorld(world, [...this.#chunks.values()], [...this.#places.values()]);
  }

  #knownEntity(): bigint {
    return this.#entities.size === 0 ? 1n : this.#prng.pick([...this.#entities]);
  }
}

/** Keys of the store; some begin others. */
const KEYS = ["quest", "quest/a", "quest/b", "time"] as const;

function storeTargets(store: KeyValueStore): readonly Target[] {
  const key = (prng: Prng): string => prng.pick(KEYS);
  const listing = (name: "keys" | "entries"): Target => ({
    name: `KeyValueView.${name}`,
    args: (prng) => [key(prng)],
    called: store[name],
    // A generator checks its arguments when it takes its first step.
    async call(given) {
      const found: unknown[] = [];
      for await (const one of Reflect.apply(store[name], store, given as [])) found.push(one);
      return found;
    },
  });
  return [
    ...methodTargets("KeyValueView", store, { get: (prng) => [key(prng)] }),
    ...methodTargets("KeyValueStore", store, {
      set: (prng) => [key(prng), valid.data(prng) ?? prng.below(9)],
      delete: (prng) => [key(prng)],
    }),
    listing("keys"),
    listing("entries"),
  ];
}

/** Calls the methods of a transaction, each in one of its own. */
function transactionTargets(world: World): readonly Target[] {
  const { dimensions } = world;
  const position = (prng: Prng) => valid.position(prng, dimensions);
  const key = (prng: Prng): string => prng.pick(KEYS);
  const targets = (type: typeof Transaction | typeof TransactionStore, all: Record<string, Arguments>) =>
    Object.entries(all).map(([name, args]): Target => {
      const called: unknown = type.prototype[name as keyof typeof type.prototype];
      const call = (given: readonly unknown[]): unknown =>
        world.transaction((transaction) => {
          const target = type === Transaction ? transaction : transaction.store;
          return Reflect.apply(called as (...given: unknown[]) => unknown, target, given);
        });
      return { name: `${type.name}.${name}`, args, called, call };
    });
  return [
    ...targets(Transaction, {
      get: (prng) => [position(prng)],
      data: (prng) => [position(prng)],
      set: (prng) => [position(prng), prng.below(7), { data: valid.data(prng) }],
      setData: (prng) => [position(prng), valid.data(prng)],
      player: (prng) => [valid.playerId(prng)],
      upsertPlayer: (prng) => [valid.player(prng, dimensions)],
    }),
    ...targets(TransactionStore, {
      get: (prng) => [key(prng)],
      set: (prng) => [key(prng), valid.data(prng) ?? prng.below(9)],
      delete: (prng) => [key(prng)],
    }),
  ];
}

/** Returns the arguments of every method of a world but `close`. */
function worldArguments(world: World, knownEntity: () => bigint): Readonly<Record<string, Arguments>> {
  const { dimensions } = world;
  const position = (prng: Prng) => valid.position(prng, dimensions);
  const voxels = (prng: Prng) => valid.voxelBox(prng, dimensions);
  const chunks = (prng: Prng) => valid.chunks(prng, dimensions);
  const chunk = (prng: Prng): Chunk => uniformChunk(world.chunkShape.volume, prng.below(7));
  const entity = (prng: Prng) => valid.entity(prng, dimensions);
  return {
    onFailure: () => [() => undefined],
    rename: (prng) => [valid.text(prng)],
    moveSpawn: (prng) => [valid.vector(prng, dimensions)],
    get: (prng) => [position(prng)],
    voxelAt: (prng) => [position(prng)],
    chunk: (prng) => [valid.chunkPosition(prng, dimensions)],
    chunkAt: (prng) => [valid.chunkPosition(prng, dimensions)],
    light: (prng) => [position(prng)],
    lightAt: (prng) => [position(prng)],
    chunkLight: (prng) => [valid.chunkPosition(prng, dimensions)],
    chunkLightAt: (prng) => [valid.chunkPosition(prng, dimensions)],
    loadChunks: (prng) => [chunks(prng), { toEdit: prng.chance(0.5) }],
    keepChunks: (prng) => [chunks(prng)],
    hasLoadedChunks: (prng) => [chunks(prng)],
    data: (prng) => [position(prng)],
    dataAt: (prng) => [position(prng)],
    setData: (prng) => [position(prng), valid.data(prng)],
    set: (prng) => [position(prng), prng.below(7), { data: valid.data(prng) }],
    setNow: (prng) => [position(prng), prng.below(7)],
    edit: (prng) => {
      const placed = Array.from({ length: prng.between(1, 5) }, () => position(prng));
      if (prng.chance(0.5)) return [placed.map((voxel) => ({ position: voxel, block: prng.below(7) }))];
      const positions = Int32Array.from(placed.flatMap((voxel) => [...voxel]));
      return [{ positions, blocks: Uint16Array.from(placed, () => prng.below(7)) }];
    },
    fill: (prng) => [voxels(prng), prng.below(7)],
    copy: (prng) => [voxels(prng), position(prng)],
    setChunks: (prng) => [
      Array.from({ length: prng.between(1, 3) }, () => [valid.chunkPosition(prng, dimensions), chunk(prng)]),
    ],
    defineBlocks: (prng) => [definitions(prng), { change: prng.chance(0.5) }],
    changeBlock: (prng) => [prng.pick(BLOCK_NAMES), behaviour(prng)],
    renameBlock: (prng) => [prng.pick(BLOCK_NAMES), prng.pick(BLOCK_NAMES)],
    retireBlock: (prng) => [prng.pick(BLOCK_NAMES)],
    onBlocks: () => [() => undefined],
    changeGenerator: (prng) => [
      valid.generator(prng),
      { keep: { margin: prng.below(9), boxes: [voxels(prng), voxels(prng)] } },
    ],
    onEdit: () => [() => undefined],
    spawnEntity: (prng) => [entity(prng)],
    changeEntity: (prng) => [knownEntity(), entity(prng)],
    despawnEntity: () => [knownEntity()],
    entity: () => [knownEntity()],
    entitiesIn: (prng) => [voxels(prng)],
    onEntity: () => [() => undefined],
    player: (prng) => [valid.playerId(prng)],
    upsertPlayer: (prng) => [valid.player(prng, dimensions)],
    transaction: () => [() => undefined],
    apply: (prng) => [
      prng.pick(["set 1", "set sand", "smooth", { drain: "sand" }]),
      { in: voxels(prng), dryRun: prng.chance(0.5) },
    ],
    clipboard: (prng) => [voxels(prng)],
    countBlocks: (prng) => [voxels(prng), prng.pick(["sand", "solid()", { not: "air" }])],
    snapshot: () => [],
    save: () => [],
    whenDurable: () => [],
    compact: () => [],
    saveAs: () => [new MemoryDisk()],
    restoreChunks: (prng) => [chunks(prng), prng.pick([0, 1, "alpha", new Date()])],
  };
}

/** Returns definitions of blocks; all fields have values, so that each of them is damaged sometimes. */
function definitions(prng: Prng): object {
  return {
    [prng.pick(BLOCK_NAMES)]: { ...behaviour(prng), properties: { facing: ["north", "east"] } },
  };
}

/** Returns what can change of a block. */
function behaviour(prng: Prng): object {
  return {
    colour: prng.below(0x100_0000),
    solid: prng.chance(0.5),
    transparent: prng.chance(0.5),
    light: prng.below(16),
    opacity: prng.below(16),
    tags: ["ore"],
    shape: [
      {
        when: {},
        boxes: [
          [
            [0, 0, 0],
            [1, prng.pick([0.5, 1]), 1],
          ],
        ],
      },
    ],
  };
}

/** Calls the methods of a catalog of blocks. */
function blockTargets(blocks: BlockCatalog): readonly Target[] {
  return methodTargets("BlockCatalog", blocks, {
    id: (prng) => [prng.pick(["stone", "dirt", "brick", "stoen"]), {}],
    describe: (prng) => [prng.below(9)],
    lightOf: (prng) => [prng.below(9)],
    opacityOf: (prng) => [prng.below(9)],
    byId: (prng) => [prng.below(9)],
    byName: (prng) => [prng.pick(["stone", "dirt"])],
    isSolid: (prng) => [prng.below(9)],
    isTransparent: (prng) => [prng.below(9)],
    colourOf: (prng) => [prng.below(9)],
    boxesOf: (prng) => [prng.below(9)],
  });
}
