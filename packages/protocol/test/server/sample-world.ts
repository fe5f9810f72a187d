import {
  type BlockCatalog,
  type Box,
  type Chunk,
  type ChunkShape,
  DEFAULT_BLOCKS,
  type GeneratorRegistry,
  type Position,
  TILE_CHUNKS,
  type Vector,
} from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  type GenerationPool,
  type GeneratorRef,
  generatorRef,
} from "@orthant/core/generate";
import { boxesIntersect, PositionMap, regionBox } from "@orthant/core/lattice";
import {
  type ClockChange,
  type EditOrigin,
  type Epoch,
  OverrideTree,
  RegionClocks,
  type VoxelPlacement,
  WorldState,
} from "@orthant/core/tree";
import { type Pose, placementsOf, type RequestedEdit, type VisibleEntity } from "@orthant/protocol";
import type {
  PeerServers,
  RemotePlayerEvent,
  SyncWorld,
  VisibleEntityEvent,
  WorldEditResult,
} from "@orthant/protocol/server";

/** Initial state of a sample world. */
export interface SampleWorldOptions {
  readonly shape?: ChunkShape;
  readonly generator?: GeneratorRef;
  /** Generates off the main thread. */
  readonly pool?: GenerationPool;
  /** Stored on disk and not loaded. */
  readonly stored?: readonly VoxelPlacement[];
  readonly entities?: readonly VisibleEntity[];
}

/** A world in memory that tests can delay, break and inspect. */
export class SampleWorld implements SyncWorld {
  readonly worldId = 0x0123_4567n;
  readonly epoch: Epoch = { number: 3, id: 33n };
  readonly name = "Sample";
  readonly shape: ChunkShape;
  catalog: BlockCatalog = DEFAULT_BLOCKS;
  readonly spawn: Vector = [4, 4, 0, 0];
  readonly generators: GeneratorRegistry = DEFAULT_GENERATORS;
  state: WorldState;
  /** The error with which `edit` fails. */
  editFailure: Error | undefined;
  /** Number of calls of `whenDurable`. */
  durableCalls = 0;
  /** Delays durability; by default everything is durable at once. */
  durability: Promise<void> = Promise.resolve();
  /** Delays players before they join; by default none. */
  loadPlayer?: (playerId: bigint) => Promise<void>;
  /** How long before being stored each player had moved to their position. */
  readonly keptSinceMs: number[] = [];
  /** Delays every load. */
  loading: Promise<void> = Promise.resolve();
  readonly loads: Box[] = [];
  readonly keptBoxes = new Set<Box>();
  readonly edits: EditOrigin[] = [];
  readonly kept = new Map<bigint, Pose>();
  readonly ledger = new Map<bigint, number>();
  /** Players whose clients may have been forgotten; `undefined` stands for anonymous players. */
  readonly forgetful = new Set<bigint | undefined>();
  /** Reports to other servers: the session, name and x, or only the session of a player who left. */
  readonly reported: (readonly [sessionId: number, name?: string, x?: number])[] = [];
  readonly #clocks = new RegionClocks();
  readonly #unread = new PositionMap<OverrideTree>();
  readonly #entities = new Map<bigint, VisibleEntity>();
  readonly #editListeners = new Set<(clocks: readonly ClockChange[]) => void>();
  readonly #entityListeners = new Set<(event: VisibleEntityEvent) => void>();
  readonly #playerListeners = new Set<(event: RemotePlayerEvent) => void>();
  readonly peers: PeerServers = {
    present: (sessionId, { name, position }) => this.reported.push([sessionId, name, position[0]]),
    gone: (sessionId) => this.reported.push([sessionId]),
    onPlayer: (listener) => {
      this.#playerListeners.add(listener);
      return () => this.#playerListeners.delete(listener);
    },
  };

  constructor({ shape = TILE_CHUNKS, generator, pool, stored = [], entities = [] }: SampleWorldOptions = {}) {
    this.shape = shape;
    this.state = WorldState.open({
      generators: DEFAULT_GENERATORS,
      generator: generator ?? generatorRef(flatGenerator, FLAT_DEFAULTS, 1n),
      shape,
      pool,
    });
    const { state, regions } = this.state.setVoxels(stored);
    for (const region of regions) this.#unread.set(...region, state.overrides.slice(regionBox(region)));
    this.#clocks.bump(regions, 1);
    this.state = this.state.withOverrides(OverrideTree.UNTOUCHED);
    for (const entity of entities) this.#entities.set(entity.id, entity);
  }

  knowsEpoch({ number, id }: Epoch): boolean {
    return number <= this.epoch.number && id === BigInt(number) * 11n;
  }

  clockOf(region: Position): number {
    return this.#clocks.get(region);
  }

  isLoaded(chunks: Box): boolean {
    return ![...this.#unread.positions()].some((region) => boxesIntersect(regionBox(region), chunks));
  }

  /** Never unloads anything, but records what must be kept. */
  keep(chunks: Box): () => void {
    const kept = { ...chunks };
    this.keptBoxes.add(kept);
    return () => this.keptBoxes.delete(kept);
  }

  async load(chunks: Box): Promise<void> {
    this.loads.push(chunks);
    await this.loading;
    this.#read(chunks);
  }

  async edit(
    edit: RequestedEdit,
    origin: EditOrigin,
    onApply?: (before: WorldState) => void,
  ): Promise<WorldEditResult> {
    await Promise.resolve();
    if (this.editFailure !== undefined) throw this.editFailure;
    if (origin.editId <= this.lastEditOf(origin.clientId)) return { status: "duplicate", clocks: [] };
    this.edits.push(origin);
    this.ledger.set(origin.clientId, origin.editId);
    onApply?.(this.state);
    const clocks = this.change([...placementsOf(edit, this.state)]);
    return { status: clocks.length > 0 ? "applied" : "unchanged", clocks };
  }

  /** Applies an edit without an origin. */
  change(placements: readonly VoxelPlacement[]): readonly ClockChange[] {
    for (const region of this.state.setVoxels(placements).regions) this.#read(regionBox(region));
    const { state, regions } = this.state.setVoxels(placements);
    if (regions.length === 0) return [];
    this.state = state;
    const clocks = this.#clocks.bump(regions, this.epoch.number);
    for (const listener of this.#editListeners) listener(clocks);
    return clocks;
  }

  /** Replaces whole chunks without an origin. */
  changeChunks(chunks: Iterable<readonly [position: Position, chunk: Chunk]>): void {
    const { state, regions } = this.state.setChunks(chunks);
    this.state = state;
    const clocks = this.#clocks.bump(regions, this.epoch.number);
    for (const listener of this.#editListeners) listener(clocks);
  }

  /** Adds content without a clock, like worlds from other programs have. */
  import(placements: readonly VoxelPlacement[]): void {
    this.state = this.state.setVoxels(placements).state;
  }

  lastEditOf(clientId: bigint): number {
    return this.ledger.get(clientId) ?? 0;
  }

  mayHaveForgotten(playerId?: bigint): boolean {
    return this.forgetful.has(playerId);
  }

  whenDurable(): Promise<void> {
    this.durableCalls++;
    return this.durability;
  }

  onEdit(listener: (clocks: readonly ClockChange[]) => void): () => void {
    this.#editListeners.add(listener);
    return () => this.#editListeners.delete(listener);
  }

  async entitiesIn(chunks: Box): Promise<readonly VisibleEntity[]> {
    const { extents } = this.shape;
    return [...this.#entities.values()].filter(({ position }) =>
      position.every((coordinate, axis) => {
        const chunk = Math.floor(coordinate / (extents[axis] ?? 1));
        return chunk >= (chunks.min[axis] ?? 0) && chunk < (chunks.max[axis] ?? 0);
      }),
    );
  }

  onEntity(listener: (event: VisibleEntityEvent) => void): () => void {
    this.#entityListeners.add(listener);
    return () => this.#entityListeners.delete(listener);
  }

  /** Adds or changes an entity. */
  put(entity: VisibleEntity): void {
    this.#entities.set(entity.id, entity);
    for (const listener of this.#entityListeners) listener({ kind: "present", entity });
  }

  /** Removes an entity. */
  take(id: bigint): void {
    this.#entities.delete(id);
    for (const listener of this.#entityListeners) listener({ kind: "gone", id });
  }

  poseOf(playerId: bigint): Pose | undefined {
    return this.kept.get(playerId);
  }

  storePlayer(playerId: bigint, _name: string, pose: Pose, sinceMs: number): void {
    this.kept.set(playerId, pose);
    this.keptSinceMs.push(sinceMs);
  }

  /** Number of listeners. */
  get listenerCount(): number {
    return this.#editListeners.size + this.#entityListeners.size + this.#playerListeners.size;
  }

  /** Reports an event of another server. */
  elsewhere(event: RemotePlayerEvent): void {
    for (const listener of this.#playerListeners) listener(event);
  }

  #read(chunks: Box): void {
    for (const region of [...this.#unread.positions()]) {
      if (!boxesIntersect(regionBox(region), chunks)) continue;
      const overrides = this.#unread.get(...region);
      this.#unread.delete(...region);
      if (overrides !== undefined)
        this.state = this.state.withOverrides(this.state.overrides.merge(overrides));
    }
  }
}
