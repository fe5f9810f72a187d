import {
  type Box,
  boxAt,
  type Chunk,
  type ChunkShape,
  cellOfVoxel,
  chunkOfVoxel,
  isOrthantError,
  type MaterialCatalog,
  OrthantError,
  type Position,
  type QueryDetail,
  type RegionTree,
  type VoxelPlacement,
} from "@orthant/core";
import {
  type EditResult,
  type EntitiesChange,
  type Entity,
  type NumberedEditResult,
  type Pose,
  type Role,
  roundPose,
  SyncClient,
  type SyncClientCounts,
  type Vector,
  type Welcome,
} from "@orthant/protocol";
import { ReplicaKeeper } from "../cache/replica-keeper.ts";
import { Link } from "../link/link.ts";
import type { Status, StatusDetail } from "../link/status.ts";
import { TokenSource } from "../link/token-source.ts";
import { concreteRegion } from "./concrete-region.ts";
import type { ResolvedOptions } from "./connect-options.ts";
import { deferred } from "./deferred.ts";
import type { Interest } from "./interest.ts";
import { Listeners } from "./listeners.ts";
import { PendingEdits } from "./pending-edits.ts";
import { notHeld, ReplicaView } from "./replica-view.ts";

/**
 * A replica of the part of a server's world that this client looks at, with the client's own edits on top
 * until the server has decided about them. It reconnects by itself, and can be read while disconnected.
 */
export class SharedWorld {
  /** Resolves at the first welcome; rejects when the client is closed before. */
  readonly ready: Promise<void>;
  readonly #options: ResolvedOptions;
  readonly #readiness = deferred<void>();
  readonly #view: ReplicaView;
  readonly #edits = new PendingEdits();
  readonly #onChange = new Listeners<[boxes: readonly Box[]]>();
  readonly #onEntities = new Listeners<[change: EntitiesChange]>();
  readonly #onMessage = new Listeners<[payload: Uint8Array]>();
  readonly #onStatus = new Listeners<[status: Status, detail: StatusDetail]>();
  readonly #closing = deferred<void>();
  #pose: Pose | undefined;
  #syncClient: SyncClient | undefined;
  #link: Link | undefined;
  #keeper: ReplicaKeeper | undefined;
  #status: Status = "connecting";
  /** Why the client is closed. */
  #ending: OrthantError | undefined;

  /** Starts to connect. Use `connect` instead. */
  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#view = new ReplicaView(options.interest);
    this.ready = this.#readiness.promise;
    this.#begin();
  }

  /** Connection status. */
  get status(): Status {
    return this.#status;
  }

  /** The chunk shape. Like the properties below, throws `ORT_NOT_HELD` before the client is `ready`. */
  get shape(): ChunkShape {
    return this.#known().shape;
  }

  /** The world's materials. */
  get catalog(): MaterialCatalog {
    return this.#known().catalog;
  }

  /** The world's name. */
  get name(): string {
    return this.#known().worldName;
  }

  /** Where players start, in voxels. */
  get spawn(): Vector {
    return this.#known().spawn;
  }

  /** This client's player id. */
  get playerId(): bigint {
    return this.#known().playerId;
  }

  /** This client's permissions. */
  get role(): Role {
    return this.#known().role;
  }

  /** The pose that the server assigned to the player at the last welcome. */
  get pose(): Pose {
    const { position, orientation } = this.#known();
    return { position, orientation };
  }

  /** Returns the material of a voxel. Waits until its region is held, if the client looks at it. */
  async get(position: Position): Promise<number> {
    await this.ready;
    const chunk = await this.chunk(chunkOfVoxel(this.shape, position));
    return chunk.get(cellOfVoxel(this.shape, ...position));
  }

  /** Returns the voxels of a chunk. Waits like `get`. */
  async chunk(position: Position): Promise<Chunk> {
    for (;;) {
      await this.ready;
      await this.#view.holding(boxAt(position));
      const chunk = this.chunkAt(position);
      if (chunk !== undefined) return chunk;
    }
  }

  /** Returns the contents of a box of chunks. Waits like `get`. `detail` means the same as for a `World`. */
  async region(box: Box, detail: QueryDetail = "concrete"): Promise<RegionTree> {
    await this.ready;
    const syncClient = await this.#view.holding(box);
    const tree = syncClient.region(box);
    return detail === "symbolic" ? tree : concreteRegion(tree, this.#options.generators, this.shape);
  }

  /** Returns the current material of a voxel, or `undefined` when it is not held. */
  voxelAt(position: Position): number | undefined {
    return this.#syncClient?.voxelAt(position);
  }

  /** Returns the current voxels of a chunk, or `undefined` when they are not held. */
  chunkAt(position: Position): Chunk | undefined {
    return this.#syncClient?.chunkAt(position);
  }

  /** Returns the clock of a region, which rises with each change, or `undefined` when it is not held. */
  clockOf(region: Position): number | undefined {
    return this.#syncClient?.clockOf(region);
  }

  /** Counters since the client was created. */
  get counts(): SyncClientCounts {
    return this.#syncClient?.counts ?? { patches: 0, resyncs: 0, heldRegions: 0 };
  }

  /** Sets what to hold from now on. The client drops everything outside of it. */
  setInterest(interest: Interest): void {
    this.#requireOpen();
    this.#view.setInterest(interest);
  }

  /** Resolves when everything the client looks at has arrived. */
  complete(): Promise<void> {
    return this.#view.complete();
  }

  /** Sets the material of one voxel. See `setVoxels`. */
  setVoxel(position: Position, material: number): Promise<EditResult> {
    return this.setVoxels([{ voxel: position, material }]);
  }

  /**
   * Sets the materials of voxels in one step. The result shows at once, and is undone if the server refuses.
   * Resolves with the verdict, even a refusal, however often the connection is lost meanwhile. Rejects with
   * `ORT_CLOSED` if the client is closed first; it is then unknown whether the edit was applied.
   */
  setVoxels(placements: readonly VoxelPlacement[]): Promise<EditResult> {
    if (this.#ending !== undefined) return Promise.reject(this.#ending);
    const answer = this.#edits.add(placements);
    this.#pumpEdits();
    return answer;
  }

  /** Sets the player's pose; only the newest one counts. Throws `ORT_ARGUMENT` for an invalid pose. */
  move(pose: Pose): void {
    this.#requireOpen();
    this.#pose = roundPose(pose);
    this.#syncClient?.move(this.#pose);
  }

  /** The other players and the entities that the client sees. */
  get entities(): readonly Entity[] {
    return this.#syncClient?.entities ?? [];
  }

  /** Sends a game message. Returns false when the client is not joined; the message is then dropped. */
  send(payload: Uint8Array): boolean {
    this.#requireOpen();
    return this.#syncClient?.sendGame(payload) ?? false;
  }

  /** Calls `listener` with the boxes of chunks that look different. Returns an unsubscribe function. */
  onChange(listener: (boxes: readonly Box[]) => void): () => void {
    return this.#onChange.add(listener);
  }

  /** Calls `listener` when entities enter, change or leave. Returns an unsubscribe function. */
  onEntities(listener: (change: EntitiesChange) => void): () => void {
    return this.#onEntities.add(listener);
  }

  /** Calls `listener` with each game message. Returns an unsubscribe function. */
  onMessage(listener: (payload: Uint8Array) => void): () => void {
    return this.#onMessage.add(listener);
  }

  /** Calls `listener` when the connection status changes. Returns an unsubscribe function. */
  onStatus(listener: (status: Status, detail: StatusDetail) => void): () => void {
    return this.#onStatus.add(listener);
  }

  /** Closes the client permanently. Resolves when its regions are cached. Closing twice is harmless. */
  close(): Promise<void> {
    if (this.#link === undefined) this.#become("closed", {});
    else this.#link.close();
    return this.#closing.promise;
  }

  async #begin(): Promise<void> {
    const { cache, random, clock, name, generators, url, socket, onCacheFailure } = this.#options;
    const keeper = await ReplicaKeeper.open({ cache, random, clock, onFailure: onCacheFailure });
    this.#keeper = keeper;
    if (this.#ending !== undefined) {
      this.#closing.resolve(keeper.close());
      return;
    }
    const tokens = new TokenSource(this.#options.token);
    const syncClient = new SyncClient({
      clock,
      generators,
      clientId: keeper.identity.clientId,
      firstEditId: keeper.identity.firstEditId,
      name,
      token: () => tokens.token,
      events: {
        onWelcome: (welcome) => this.#welcomed(welcome),
        onGoodbye: (goodbye) => this.#link?.told(goodbye),
        onFault: (fault) => this.#link?.found(fault),
        onChange: (boxes) => this.#onChange.tell(boxes),
        onComplete: () => this.#view.completed(),
        onEditResult: (result) => this.#decided(result),
        onEntities: (change) => this.#onEntities.tell(change),
        onGame: (payload) => this.#onMessage.tell(payload),
        onRegion: (region, state) => {
          keeper.changed(region);
          if (state === "held") this.#view.held(region);
        },
      },
    });
    if (keeper.kept !== undefined) syncClient.restore(keeper.kept);
    keeper.follow(syncClient);
    this.#view.follow(syncClient);
    this.#syncClient = syncClient;
    const onStatus = (status: Status, detail: StatusDetail): void => this.#become(status, detail);
    this.#link = new Link(syncClient, { url, openSocket: socket, clock, random, tokens, onStatus });
    this.#link.start();
  }

  #welcomed(welcome: Welcome): void {
    this.#applyFirstInterest(welcome);
    if (this.#ending !== undefined) return;
    // This connection does not know the pose that was set before it.
    if (this.#pose !== undefined) this.#syncClient?.move(this.#pose);
    this.#keeper?.welcomed(welcome);
    this.#readiness.resolve();
    this.#link?.welcomed();
    this.#pumpEdits();
  }

  #applyFirstInterest({ shape }: Welcome): void {
    try {
      this.#view.welcomed(shape);
    } catch (error) {
      // The look was set before the shape was known and is too large; only the program can fix that.
      if (!isOrthantError(error)) throw error;
      this.#link?.close(error);
    }
  }

  #pumpEdits(): void {
    const syncClient = this.#syncClient;
    // Before the first welcome the shape that an edit must fit is unknown.
    if (syncClient?.world === undefined) return;
    this.#edits.pump((placements) => syncClient.setVoxels(placements));
  }

  #decided(result: NumberedEditResult): void {
    this.#edits.settle(result);
    this.#pumpEdits();
  }

  #become(status: Status, detail: StatusDetail): void {
    if (this.#status === "closed" || this.#status === status) return;
    this.#status = status;
    if (status === "closed") this.#end(detail.error ?? closed());
    this.#onStatus.tell(status, detail);
  }

  #end(error: OrthantError): void {
    this.#ending = error;
    this.#readiness.reject(error);
    this.#edits.fail(error);
    this.#view.end(error);
    if (this.#keeper !== undefined) this.#closing.resolve(this.#keeper.close());
  }

  #known(): Welcome {
    const welcome = this.#syncClient?.world;
    if (welcome === undefined) throw notHeld("wait for ready: the server has not said anything yet");
    return welcome;
  }

  #requireOpen(): void {
    if (this.#ending !== undefined) throw this.#ending;
  }
}

function closed(): OrthantError {
  return new OrthantError("ORT_CLOSED", "the client was closed");
}
