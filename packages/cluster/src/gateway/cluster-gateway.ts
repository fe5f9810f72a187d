import {
  type BlockCatalog,
  type BlockDefinitions,
  type BlockHandles,
  type BlockTypeChanges,
  type DefineBlocksOptions,
  type GeneratorRegistry,
  OrthantError,
  type Timer,
  type TimeSource,
} from "@orthant/core";
import { blockHandles, changeBlock, defineBlocks, renameBlock, retireBlock } from "@orthant/core/chunk";
import { systemRandomBits } from "@orthant/core/lattice";
import { type ClockChange, EPOCH_MAX, WorldState } from "@orthant/core/tree";
import { ListenerSet } from "@orthant/core/world";
import { clipText, WORLD_NAME_BYTES_MAX } from "@orthant/protocol";
import type { SyncWorld, VisibleEntityEvent } from "@orthant/protocol/server";
import type { Backbone, BackboneStatus, Subscription } from "../backbone/backbone.ts";
import { ClusterDirectory } from "../shard/cluster-directory.ts";
import { newerBlocks } from "../shard/shard-map.ts";
import { EditForwarder } from "./edit-forwarder.ts";
import { FollowedEntities } from "./followed-entities.ts";
import { FollowedRegions } from "./followed-regions.ts";
import { PlayerPositionCache } from "./player-position-cache.ts";
import { PlayerPresence } from "./player-presence.ts";

/** Dependencies of a gateway. */
export interface ClusterGatewayOptions {
  readonly backbone: Backbone;
  readonly time: TimeSource;
  readonly generators: GeneratorRegistry;
  readonly world: string;
  /**
   * A connection in the role of an owner, for `defineBlocks`, `changeBlock`, `renameBlock` and `retireBlock`. Without it they use
   * `backbone`, and reject with `ORT_BACKBONE_PERMISSION` if that is a connection in the role of a gateway, which may not
   * write the map.
   */
  readonly blocksBackbone?: Backbone;
  /** Called when edits begin to wait because the backbone is away, and when they no longer do. */
  readonly onBackboneAway?: (isBackboneAway: boolean) => void;
}

/** The interface through which a server uses a clustered world. */
export interface ServedGateway {
  readonly syncWorld: SyncWorld;
  readonly shape: SyncWorld["shape"];
  readonly name: string;
  readonly generation: number;
  readonly failure: undefined;
  onFailure(listener: (failure: unknown) => void): () => void;
  save(): Promise<void>;
  close(): Promise<void>;
}

const TICK_MS = 1_000;

/**
 * Presents a clustered world to a server. Follows the regions that players look at and forwards their edits
 * to the owners. It makes no decisions, so any player may join through any gateway.
 */
export class ClusterGateway {
  readonly world: SyncWorld;
  readonly #options: ClusterGatewayOptions;
  readonly #directory: ClusterDirectory;
  readonly #regions: FollowedRegions;
  readonly #edits: EditForwarder;
  readonly #presence: PlayerPresence;
  readonly #listeners = new ListenerSet<[clocks: readonly ClockChange[]]>();
  readonly #poses: PlayerPositionCache;
  readonly #entities: FollowedEntities;
  readonly #entityListeners = new ListenerSet<[VisibleEntityEvent]>();
  readonly #status: Subscription;
  readonly #terms = new Map<string, number>();
  #catalog: BlockCatalog;
  #timer: Timer | undefined;

  private constructor(options: ClusterGatewayOptions, directory: ClusterDirectory) {
    const { backbone, time, generators, world } = options;
    const { shape, generator, catalog } = directory.map.world;
    this.#catalog = catalog;
    const context = { backbone, directory, time, world };
    this.#options = options;
    this.#directory = directory;
    this.#regions = new FollowedRegions({
      ...context,
      state: WorldState.open({ generators, generator, shape }),
      onChange: (clocks) => this.#listeners.emit(clocks),
      onEntities: (sector, record) => this.#entities.receive(sector, record),
    });
    this.#edits = new EditForwarder({
      ...context,
      shape,
      whenSeen: (clocks) => this.#regions.whenSeen(clocks),
    });
    this.#presence = new PlayerPresence({ backbone, time, world, shape, gateway: systemRandomBits() });
    this.#poses = new PlayerPositionCache(context);
    this.#entities = new FollowedEntities({
      ...context,
      shape,
      onEntity: (event) => this.#entityListeners.emit(event),
    });
    this.#status = backbone.onStatus((status) => this.#statusChanged(status));
    directory.listen({
      onMap: (map) => {
        this.#catalog = newerBlocks(this.#catalog, map);
      },
      onLease: (shard, { term }) => {
        if (this.#terms.get(shard) === term) return;
        this.#terms.set(shard, term);
        // After the loss of a journal, a new owner may have less than this gateway has seen.
        this.#regions.audit(shard);
        this.#entities.audit(shard);
        if (shard === directory.map.first) this.#poses.ownerChanged();
      },
    });
    this.world = this.#syncWorld(generators);
    this.#tick();
  }

  /** Joins the cluster. Throws `ORT_NOT_FOUND` if it has no such world. */
  static async open(options: ClusterGatewayOptions): Promise<ClusterGateway> {
    return new ClusterGateway(options, await ClusterDirectory.open(options.backbone, options.world));
  }

  /**
   * Adds types of blocks that are missing to the world of all servers, and returns handles with their ids. Changes nothing
   * for types that are there; throws `ORT_ARGUMENT` for one that contradicts them, and `ORT_BACKBONE_AWAY` without the
   * backbone.
   *
   * @example
   * const { copper } = await gateway.defineBlocks({ copper: { colour: 0xb87333 } });
   */
  async defineBlocks<const Definitions extends BlockDefinitions>(
    definitions: Definitions,
    options?: DefineBlocksOptions,
  ): Promise<BlockHandles<Definitions>> {
    const catalog = await this.#changeBlocks((before) => defineBlocks(before, definitions, options));
    return blockHandles(catalog, definitions);
  }

  /** Changes the colour and the behaviour of a type of block, but not its ids and properties. See {@link defineBlocks}. */
  async changeBlock(name: string, changes: BlockTypeChanges): Promise<void> {
    await this.#changeBlocks((before) => changeBlock(before, name, changes));
  }

  /** Gives a type of block another name. See {@link defineBlocks}. */
  async renameBlock(name: string, newName: string): Promise<void> {
    await this.#changeBlocks((before) => renameBlock(before, name, newName));
  }

  /** Takes a type of block out of use. See {@link defineBlocks}. */
  async retireBlock(name: string): Promise<void> {
    await this.#changeBlocks((before) => retireBlock(before, name));
  }

  /** True while edits wait because the backbone is away. */
  get isBackboneAway(): boolean {
    return !this.#edits.isOnline;
  }

  /**
   * The world as a server uses it. Owners save it, so `save` only waits until they have the players' poses.
   */
  get served(): ServedGateway {
    return {
      syncWorld: this.world,
      shape: this.world.shape,
      name: this.world.name,
      generation: 0,
      failure: undefined,
      onFailure: () => () => undefined,
      save: () => this.#poses.whenSent(),
      close: async () => this.close(),
    };
  }

  /** Numbers of followed regions, unsettled edits and visible players of other gateways. */
  get report(): { readonly regions: number; readonly openEdits: number; readonly distantPlayers: number } {
    return {
      regions: this.#regions.size,
      openEdits: this.#edits.openEdits,
      distantPlayers: this.#presence.remoteCount,
    };
  }

  /** Leaves the cluster. */
  close(): void {
    this.#timer?.cancel();
    this.#status.end();
    this.#presence.close();
    this.#poses.close();
    this.#entities.close();
    this.#regions.close();
    this.#edits.close();
    this.#directory.close();
  }

  #changeBlocks(next: (catalog: BlockCatalog) => BlockCatalog): Promise<BlockCatalog> {
    return this.#directory.changeBlocks(this.#options.blocksBackbone ?? this.#options.backbone, next);
  }

  #tick(): void {
    const { time } = this.#options;
    this.#timer = time.after(TICK_MS, () => this.#tick());
    this.#edits.tick(time.nowMs());
    this.#regions.tick(time.nowMs());
    this.#entities.tick(time.nowMs());
    this.#presence.tick(time.nowMs());
    this.#poses.tick(time.nowMs());
  }

  #statusChanged(status: BackboneStatus): void {
    // Records sent while this gateway was not listening are lost, so it compares all regions.
    if (status !== "disconnected") {
      this.#regions.audit();
      this.#entities.audit();
    }
    const isOnline = status === "lagging" ? this.#edits.isOnline : status === "connected";
    if (isOnline === this.#edits.isOnline) return;
    this.#edits.isOnline = isOnline;
    this.#options.onBackboneAway?.(!isOnline);
  }

  #syncWorld(generators: GeneratorRegistry): SyncWorld {
    const regions = this.#regions;
    const { map } = this.#directory;
    const blocks = (): BlockCatalog => this.#catalog;
    // No clock is ever issued twice under one mark, in any shard or term, so one epoch covers all of them.
    const epoch = { number: EPOCH_MAX, id: map.mark };
    return {
      worldId: map.world.worldId,
      epoch,
      name: clipText(map.world.name, WORLD_NAME_BYTES_MAX),
      spawn: map.world.spawn,
      shape: map.world.shape,
      get catalog() {
        return blocks();
      },
      generators,
      get state() {
        return regions.state;
      },
      knowsEpoch: ({ number, id }) => number === epoch.number && id === epoch.id,
      clockOf: (region) => regions.clockOf(region),
      isLoaded: (chunks) => regions.isLoaded(chunks),
      load: (chunks) => regions.load(chunks),
      keep: (chunks) => {
        const releases = [regions.keep(chunks), this.#entities.keep(chunks), this.#presence.watch(chunks)];
        return () => {
          for (const release of releases) release();
        };
      },
      edit: async (edit, origin, onApply, companion) => {
        if (companion !== undefined)
          throw new OrthantError(
            "ORT_ARGUMENT",
            "companion is a function; a world on several servers has no transactions, so an edit of it has no companion",
          );
        // The owner may apply an edit of another gateway first, which this one cannot know.
        onApply?.(regions.state);
        return this.#edits.edit(edit, origin);
      },
      // Only owners know; they answer a resent edit with `duplicate`.
      lastEditOf: () => 0,
      // An edit that an owner reports as made is in the journal.
      whenDurable: () => Promise.resolve(),
      onEdit: (listener) => this.#listeners.add(listener),
      entitiesIn: (chunks) => this.#entities.in(chunks),
      onEntity: (listener) => this.#entityListeners.add(listener),
      // Without the backbone no owner can answer, so players do not wait for one.
      loadPlayer: async (playerId) => (this.isBackboneAway ? undefined : this.#poses.lookUp(playerId)),
      poseOf: (playerId) => this.#poses.poseOf(playerId),
      storePlayer: (playerId, name, pose, sinceMs) => this.#poses.store(playerId, name, pose, sinceMs),
      peers: this.#presence,
    };
  }
}
