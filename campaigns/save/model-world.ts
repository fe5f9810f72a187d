import {
  type Box,
  type Chunk,
  type ChunkShape,
  chunkFromVoxels,
  chunkShape,
  type Position,
} from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import { boxContains, PositionMap, regionBox, regionOf } from "@orthant/core/lattice";
import {
  type ChunkEntry,
  chunkOfEntity,
  DEFAULT_LIMITS,
  type GlobalState,
  type LeafChange,
  type LeafIndex,
  plainDescription,
  type Save,
  type SaveChange,
  type SaveLimits,
  type StoredEntity,
  type StoredPlayer,
  type StoreEntry,
} from "@orthant/save";
import { LeafMap } from "@orthant/save/content";
import { allLeaves } from "@orthant/save/internal";
import { Prng } from "@orthant/testkit";

/** Chunks of sixteen voxels, so that a commit has few sectors and a power cut few ways to tear it. */
export const SMALL_CHUNKS: ChunkShape = chunkShape([4, 4, 1, 1]);

/** Limits small enough that a few dozen chunks split the leaves and the index, and fill several packs. */
export const SMALL_LIMITS: SaveLimits = {
  ...DEFAULT_LIMITS,
  indexSoftMaxBytes: 200,
  dataFileMaxBytes: 1_024,
  chunkBlobTargetBytes: 256,
  entityBlobTargetBytes: 512,
};

/** A world in plain maps: the expected content of its save, and the changes to commit. */
export class ModelWorld {
  readonly #chunks = new PositionMap<Chunk>();
  readonly #everSet = new PositionMap<Chunk[]>();
  readonly #clocks = new PositionMap<number>();
  readonly #entities = new Map<bigint, StoredEntity>();
  readonly #players = new Map<bigint, StoredPlayer>();
  readonly #dirtyChunks: Position[] = [];
  readonly #dirtyEntities: Position[] = [];
  readonly #dirtyPlayers: StoredPlayer[] = [];
  readonly #store = new Map<string, Uint8Array>();
  readonly #dirtyKeys = new Set<string>();
  #name = "model";
  #named: readonly number[] = [];

  /** Every chunk that was ever set, by position. */
  get everSet(): PositionMap<readonly Chunk[]> {
    return this.#everSet;
  }

  /** Sets the blocks and data of a chunk, which depend on the number; `undefined` reverts it to unedited. */
  setChunk(position: Position, number: number | undefined): void {
    if (number === undefined) this.#chunks.delete(...position);
    else {
      const chunk = chunkWithData(number);
      this.#chunks.set(...position, chunk);
      this.#everSet.set(...position, [...(this.#everSet.get(...position) ?? []), chunk]);
    }
    const region = regionOf(position);
    this.#clocks.set(...region, (this.#clocks.get(...region) ?? 0) + 1);
    this.#dirtyChunks.push(position);
  }

  /** Adds or moves an entity. */
  setEntity(entityId: bigint, position: Position): void {
    const before = this.#entities.get(entityId);
    if (before !== undefined) this.#dirtyEntities.push(chunkOfEntity(before, SMALL_CHUNKS));
    const entity = modelEntity(entityId, position);
    this.#entities.set(entityId, entity);
    this.#dirtyEntities.push(chunkOfEntity(entity, SMALL_CHUNKS));
  }

  /** Removes an entity. */
  removeEntity(entityId: bigint): void {
    const before = this.#entities.get(entityId);
    if (before !== undefined) this.#dirtyEntities.push(chunkOfEntity(before, SMALL_CHUNKS));
    this.#entities.delete(entityId);
  }

  /** Adds or changes a player. */
  setPlayer(playerId: bigint, lastSavedMs: number): void {
    const player = modelPlayer(playerId, lastSavedMs);
    this.#players.set(playerId, player);
    this.#dirtyPlayers.push(player);
  }

  /** Sets a key of the store to bytes that depend on the number; `undefined` removes it. */
  setKey(key: string, number: number | undefined): void {
    if (number === undefined) this.#store.delete(key);
    else this.#store.set(key, new Uint8Array(number % 300).fill(number));
    this.#dirtyKeys.add(key);
  }

  /** Sets the name of the world and the generations to keep. */
  setName(name: string, keptGenerations: readonly number[] = []): void {
    this.#name = name;
    this.#named = keptGenerations;
  }

  /** Returns the global state of a save. */
  global(): GlobalState {
    return {
      base: { kind: "empty" },
      worldSeed: 7n,
      generators: [],
      nextEntityId: 1_000n,
      playerEntityHints: [],
      description: {
        ...plainDescription(SMALL_CHUNKS),
        name: this.#name,
        // A world without an id has no store.
        worldId: 7n,
        namedGenerations: this.#named.map((generation) => ({ generation, name: `kept ${generation}` })),
      },
    };
  }

  /** Returns the change to commit on top of `index`, and clears the dirty marks. */
  async takeChange(index: LeafIndex, nowMs: number): Promise<SaveChange> {
    const map = new LeafMap<{ readonly cube: Box }>(await allLeaves(index));
    const dirty = new Map<string, Box>();
    for (const position of [...this.#dirtyChunks.splice(0), ...this.#dirtyEntities.splice(0)]) {
      const cube = map.cubeFor(position);
      if (map.at(cube) === undefined) map.add({ cube });
      dirty.set(cube.min.join(), cube);
    }
    const leaves = [...dirty.values()].map((cube) => this.#leafChange(cube));
    const store = [...this.#dirtyKeys].sort().map((key) => ({ key, value: this.#store.get(key) }));
    this.#dirtyKeys.clear();
    return { nowMs, global: this.global(), players: this.#dirtyPlayers.splice(0), leaves, store };
  }

  /** Returns a text of everything in the world, equal for equal content. */
  digest(): string {
    return digestText(
      this.#name,
      [...this.#chunks],
      [...this.#clocks],
      [...this.#entities.values()],
      [...this.#players.values()],
      Array.from(this.#store, ([key, value]) => ({ key, value })),
    );
  }

  #leafChange(cube: Box): LeafChange {
    const chunks: ChunkEntry[] = [];
    for (const [position, chunk] of this.#chunks)
      if (boxContains(cube, position)) chunks.push({ position, chunk });
    const entities = [...this.#entities.values()].filter((entity) =>
      boxContains(cube, chunkOfEntity(entity, SMALL_CHUNKS)),
    );
    const clocks = [...this.#clocks]
      .map(([region, clock]) => ({ region, clock }))
      .filter(({ region }) => boxContains(cube, regionBox(region).min));
    return { cube, chunks, entities, clocks };
  }
}

/** Returns the same text for a save. Reads every record. */
export async function digestOfSave(save: Save): Promise<string> {
  const chunks: (readonly [Position, Chunk])[] = [];
  const entities: StoredEntity[] = [];
  const clocks: (readonly [Position, number])[] = [];
  for await (const leaf of save.index.all()) {
    for (const { position, chunk } of await save.readChunks(leaf)) chunks.push([position, chunk]);
    entities.push(...(await save.readEntities(leaf)));
    for (const { region, clock } of leaf.clocks) clocks.push([region, clock]);
  }
  const store: StoreEntry[] = [];
  for await (const entry of save.storeEntries()) store.push(entry);
  return digestText(save.global.description.name, chunks, clocks, entities, save.players, store);
}

/** Lengths of data: nothing, little, and more than the target size of a record. */
const DATA_BYTES = [0, 5, 24, 400] as const;

/**
 * Returns the chunk of an edit. One of three edits gives data to a voxel, drawn from the number, so that data of
 * another edit shows.
 */
function chunkWithData(number: number): Chunk {
  const chunk = modelChunk(number);
  if (number % 3 !== 1) return chunk;
  const length = DATA_BYTES[Math.floor(number / 3) % DATA_BYTES.length] as number;
  return chunk.editData([{ index: number % chunk.volume, data: new Prng(number).bytes(length) }]);
}

/** Returns a chunk without data whose blocks depend on the number. */
export function modelChunk(number: number): Chunk {
  return chunkFromVoxels(
    Uint16Array.from({ length: SMALL_CHUNKS.volume }, (_, index) => (index * number) % 5),
  );
}

/** Returns an entity with most fields set. */
export function modelEntity(entityId: bigint, position: Position): StoredEntity {
  return {
    entityId,
    entityClass: 2,
    kind: 4,
    position,
    orientation: [0, 0, 1, 0],
    velocity: [0.5, 0, 0, 0],
    scale: 1,
    block: 3,
    displayName: entityId % 2n === 0n ? `entity ${entityId}` : undefined,
    tags: ["tame"],
    payload: Uint8Array.of(1, 2, 3),
    lastSavedMs: 1_000,
  };
}

/** Returns a player with every field set. */
export function modelPlayer(playerId: bigint, lastSavedMs: number): StoredPlayer {
  return {
    playerId,
    authKey: Uint8Array.of(9, 9),
    name: `player ${playerId}`,
    position: [1, 2, 3, 4],
    orientation: [0, 0, 0, 1],
    tags: ["builder"],
    inventory: new Uint8Array(20).fill(Number(playerId % 200n)),
    metadata: [["home", Uint8Array.of(7)]],
    lastSavedMs,
  };
}

function digestText(
  name: string,
  chunks: readonly (readonly [Position, Chunk])[],
  clocks: readonly (readonly [Position, number])[],
  entities: readonly StoredEntity[],
  players: readonly StoredPlayer[],
  store: readonly StoreEntry[],
): string {
  const lines = [
    ...chunks.map(([position, chunk]) => `chunk ${position}: ${digestOfChunk(chunk)}`),
    ...clocks.map(([region, clock]) => `clock ${region}: ${clock}`),
    ...entities.map((entity) => `entity ${describe(entity)}`),
    ...players.map((player) => `player ${describe(player)}`),
    ...store.map(({ key, value }) => `key ${key}: ${value.length} ${crc32(value)}`),
  ];
  return [name, ...lines.sort()].join("\n");
}

function digestOfChunk(chunk: Chunk): string {
  const data = [...chunk.data].map(({ index, data }) => `${index}=${data.length}/${crc32(data)}`);
  return [crc32(new Uint8Array(chunk.voxels().buffer)), ...data].join(" ");
}

function describe(record: object): string {
  return JSON.stringify(record, (_key, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}
