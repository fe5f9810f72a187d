import {
  type BlockCatalog,
  type Box,
  type Chunk,
  type ChunkShape,
  type EditResult,
  OrthantError,
  type Position,
  type Timer,
  type Vector,
} from "@orthant/core";
import { boxAt, chunkOfVoxel, voxelIndex } from "@orthant/core/lattice";
import { chunksInLightReach, type Light } from "@orthant/core/light";
import { type QueryDetail, RegionTree, type VoxelPlacement } from "@orthant/core/tree";
import {
  encodeGameMessage,
  type OperationLimits,
  type OperationRequest,
  type Placed,
  type Pose,
  type RequestedEdit,
  type Role,
  roundPose,
  type SeenEntity,
  type Welcome,
} from "@orthant/protocol";
import {
  type EntitiesChange,
  type HeldRegions,
  type SendResult,
  SyncClient,
  type SyncClientCounts,
} from "@orthant/protocol/client";
import { RegionCache } from "../cache/region-cache.ts";
import { TokenSource } from "../connection/retry.ts";
import { ServerConnection, type Status, type StatusDetail } from "../connection/server-connection.ts";
import { MovingEntities } from "../motion/moving-entities.ts";
import type { MadeOutcome, RequestOptions } from "../operation/client-operations.ts";
import { deferred } from "./callbacks.ts";
import { concreteRegion } from "./concrete-region.ts";
import { EditPromises } from "./edit-promises.ts";
import { type HeldChunks, heldChunks } from "./held-chunks.ts";
import { InterestTracker, notHeld, type ReplicaInterest } from "./interest.ts";
import { OperationPromises } from "./operation-promises.ts";
import { ReplicaLight } from "./replica-light.ts";
import { ReplicaListeners } from "./replica-listeners.ts";
import type { ResolvedOptions } from "./replica-options.ts";

const OLD_SERVER: OrthantError = new OrthantError("ORT_VERSION", "the server is too old for operations");

/**
 * A replica of the part of a server's world that the client is interested in, with the client's own edits on top
 * until the server has answered them. It reconnects by itself, and can be read while disconnected.
 */
export class WorldReplica {
  /** Resolves at the first welcome; rejects when the client is closed before, or after `timeoutMs`. */
  readonly ready: Promise<void>;
  /** The chunks that the client holds, for workers that build meshes of them. */
  readonly chunks: HeldChunks;
  readonly #options: ResolvedOptions;
  readonly #readiness = deferred<void>();
  readonly #interest: InterestTracker;
  readonly #edits = new EditPromises();
  readonly #operations = new OperationPromises();
  #operationLimits: OperationLimits | undefined;
  readonly #listeners = new ReplicaListeners();
  readonly #motion = new MovingEntities();
  readonly #light = new ReplicaLight();
  readonly #closing = deferred<void>();
  #pose: Pose | undefined;
  /** The pose that the server has set since the last welcome. */
  #placed: Pose | undefined;
  #syncClient: SyncClient | undefined;
  #connection: ServerConnection | undefined;
  #regions: RegionCache | undefined;
  #status: Status = "connecting";
  #deadline: Timer | undefined;
  /** Whether what changes now is an edit of this client. */
  #isEditing = false;
  /** Why the client is closed. */
  #ending: OrthantError | undefined;

  /**
   * Starts to connect.
   *
   * @internal
   */
  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#interest = new InterestTracker(options.interest);
    this.chunks = heldChunks(() => ({ world: this.#world(), held: this.#held }), options.generators);
    // Before all listeners of the game, which may ask for light.
    this.#listeners.change.add((boxes) => this.#light.changedIn(boxes));
    this.ready = this.#readiness.promise;
    this.#listeners.entities.add((change) => this.#motion.change(change, options.time.nowMs()));
    const { time, timeoutMs } = options;
    if (timeoutMs !== Number.POSITIVE_INFINITY) {
      this.#deadline = time.wait(timeoutMs, () => this.#giveUp(timeoutMs));
    }
    this.#begin();
  }

  /** Connection status. */
  get status(): Status {
    return this.#status;
  }

  /** The chunk shape. Like the properties below, throws `ORT_NOT_HELD` before the client is `ready`. */
  get shape(): ChunkShape {
    return this.#world().shape;
  }

  /** The world's blocks as they are now. */
  get catalog(): BlockCatalog {
    return this.#world().catalog;
  }

  /** The world's name. */
  get name(): string {
    return this.#world().worldName;
  }

  /** Where players start, in voxels. */
  get spawn(): Vector {
    return this.#world().spawn;
  }

  /** This client's player id. */
  get playerId(): bigint {
    return this.#world().playerId;
  }

  /** This client's permissions. */
  get role(): Role {
    return this.#world().role;
  }

  /** The pose that the server last gave the player: at the last welcome, or since. */
  get pose(): Pose {
    const { position, orientation } = this.#placed ?? this.#world();
    return { position, orientation };
  }

  /** Returns the block of a voxel. Waits until its region is held, if the interest includes it. */
  async get(position: Position): Promise<number> {
    await this.ready;
    const chunk = await this.chunk(chunkOfVoxel(this.shape, position));
    return chunk.get(voxelIndex(this.shape, ...position));
  }

  /** Returns the voxels of a chunk. Waits like `get`. */
  async chunk(position: Position): Promise<Chunk> {
    for (;;) {
      await this.ready;
      await this.#interest.holding(boxAt(position));
      const chunk = this.chunkAt(position);
      if (chunk !== undefined) return chunk;
    }
  }

  /** Returns the contents of a box of chunks. Waits like `get`. `detail` means the same as for a `World`. */
  async region(box: Box, detail: QueryDetail = "concrete"): Promise<RegionTree> {
    await this.ready;
    const syncClient = await this.#interest.holding(box);
    const tree = syncClient.replica?.region(box) ?? RegionTree.EMPTY;
    return detail === "symbolic" ? tree : concreteRegion(tree, this.#options.generators, this.shape);
  }

  /** Returns the current block of a voxel, or `undefined` when it is not held. */
  voxelAt(position: Position): number | undefined {
    return this.#held?.voxelAt(position);
  }

  /** Returns the current voxels of a chunk, or `undefined` when they are not held. */
  chunkAt(position: Position): Chunk | undefined {
    return this.#held?.chunkAt(position);
  }

  /** Returns the light of a voxel, or `undefined` while something that can change it is not held. */
  lightAt(position: Position): Light | undefined {
    const held = this.#held;
    return held && this.#light.at(position, held, this.catalog);
  }

  /** Returns a copy of the light of a chunk, or `undefined` while something that can change it is not held. */
  chunkLightAt(position: Position): Uint8Array | undefined {
    const held = this.#held;
    return held && this.#light.atChunk(position, held, this.catalog);
  }

  /** Returns the light of a voxel. Waits like `get`, also for the chunks around. */
  async light(position: Position): Promise<Light> {
    await this.ready;
    return this.#whenLit(chunkOfVoxel(this.shape, position), () => this.lightAt(position));
  }

  /** Returns a copy of the light of a chunk. Waits like `light`. */
  async chunkLight(position: Position): Promise<Uint8Array> {
    await this.ready;
    return this.#whenLit(position, () => this.chunkLightAt(position));
  }

  async #whenLit<Result>(chunk: Position, read: () => Result | undefined): Promise<Result> {
    const around = chunksInLightReach(this.shape, boxAt(chunk));
    for (;;) {
      const { replica } = await this.#interest.holding(around);
      const found = read();
      if (found !== undefined) return found;
      if (replica?.generatesEverywhere !== true)
        throw notHeld(
          `the light of chunk [${chunk}] depends on chunks above it, whose generator the client lacks`,
        );
    }
  }

  /** Returns the clock of a region, which rises with each change, or `undefined` when it is not held. */
  clockOf(region: Position): number | undefined {
    return this.#held?.clockOf(region);
  }

  /** Counters since the client was created. */
  get counts(): SyncClientCounts {
    return this.#syncClient?.counts ?? { patches: 0, resyncs: 0, heldRegions: 0 };
  }

  /** Sets what to hold from now on. The client drops everything outside of it. */
  setInterest(interest: ReplicaInterest): void {
    this.#requireOpen();
    this.#interest.setInterest(interest);
  }

  /** Resolves when the whole interest has arrived. */
  complete(): Promise<void> {
    return this.#interest.complete();
  }

  /** Sets the block of one voxel. See `setVoxels`. */
  setVoxel(position: Position, block: number): Promise<EditResult> {
    return this.setVoxels([{ voxel: position, block }]);
  }

  /**
   * Sets the blocks and data of voxels in one step. The result shows at once, and is undone if the server rejects the edit.
   * Resolves with the result, even a rejection, however often the connection is lost meanwhile. Rejects with
   * `ORT_CLOSED` if the client is closed first; it is then unknown whether the edit was applied.
   */
  setVoxels(placements: readonly VoxelPlacement[]): Promise<EditResult> {
    return this.#edit({ kind: "voxels", placements });
  }

  /**
   * Sets every voxel of a box in one step, with one message of a few bytes. Shows at once, and resolves like
   * `setVoxels`.
   */
  fill(box: Box, block: number): Promise<EditResult> {
    return this.#edit({ kind: "fill", box, block });
  }

  /**
   * Copies the voxels of a box, as the server has them when the edit's turn comes, so that its least corner comes to lie
   * at `to`. Shows when the server has made it, because the client may not hold all that is copied. Resolves like
   * `setVoxels`.
   */
  copy(box: Box, to: Position): Promise<EditResult> {
    return this.#edit({ kind: "copy", box, to });
  }

  /**
   * Asks the server for something about operations. Resolves with the outcome, however often the connection is lost meanwhile.
   * Rejects if the server refuses it; with `ORT_VERSION` if the server knows no operations; and with `ORT_CLOSED` if the client
   * is closed first: it is then unknown whether it was done.
   */
  async requestOperation(request: OperationRequest, options: RequestOptions = {}): Promise<MadeOutcome> {
    await this.ready;
    this.#requireOpen();
    const syncClient = this.#syncClient as SyncClient;
    if (!syncClient.knowsOperations) throw OLD_SERVER;
    const outcome = this.#operations.request(syncClient, request, options);
    void this.#connection?.sendSoon();
    return outcome;
  }

  /** The limits of the player's operations; `undefined` without any. */
  get operationLimits(): OperationLimits | undefined {
    return this.#operationLimits;
  }

  /** Sets the player's pose; only the newest one counts. Throws `ORT_ARGUMENT` for an invalid pose. */
  move(pose: Pose): void {
    this.#requireOpen();
    this.#pose = roundPose(pose);
    this.#syncClient?.move(this.#pose);
  }

  /** The other players and the entities that the client sees. */
  get entities(): readonly SeenEntity[] {
    return this.#syncClient?.entities ?? [];
  }

  /** The same where they are at a moment, between the poses that have arrived. See `ClientWorld`. */
  entitiesAt(nowMs: number = this.nowMs()): readonly SeenEntity[] {
    return this.entities.map((entity) => this.#motion.at(entity, nowMs));
  }

  /** The present time on the client's clock. */
  nowMs(): number {
    return this.#options.time.nowMs();
  }

  /** Sends a game message. Drops it when there are too many (`rate`) or the client is not joined (`offline`). */
  send(message: unknown): SendResult {
    this.#requireOpen();
    return this.#syncClient?.sendGame(encodeGameMessage(message)) ?? "offline";
  }

  /**
   * Calls `listener` with the boxes of chunks that look different, and whether it is because this client has just edited
   * them. Returns an unsubscribe function.
   */
  onChange(listener: (boxes: readonly Box[], isOwn: boolean) => void): () => void {
    return this.#listeners.change.add(listener);
  }

  /**
   * Calls `listener` with the chunks that an edit of this or another client changed, or the rejection of an own edit
   * changed back; `before` returns one of them as it was. Regions that arrive or leave do not count. Returns an
   * unsubscribe function.
   */
  onEdit(listener: (chunks: readonly Position[], before: (chunk: Position) => Chunk) => void): () => void {
    return this.#listeners.edit.add(listener);
  }

  /** Calls `listener` when entities enter, change or leave. Returns an unsubscribe function. */
  onEntities(listener: (change: EntitiesChange) => void): () => void {
    return this.#listeners.entities.add(listener);
  }

  /** Calls `listener` with each game message, the first listener also with up to 64 earlier ones. Returns an unsubscribe function. */
  onMessage(listener: (message: unknown) => void): () => void {
    return this.#listeners.addForMessages(listener);
  }

  /** Calls `listener` after types of blocks were added, renamed or retired. Returns an unsubscribe function. */
  onBlocks(listener: (blocks: BlockCatalog) => void): () => void {
    return this.#listeners.blocks.add(listener);
  }

  /** Calls `listener` when the server sets the player's pose. Returns an unsubscribe function. */
  onPlaced(listener: (placed: Placed, moveMs: number | undefined) => void): () => void {
    return this.#listeners.placed.add(listener);
  }

  /** Calls `listener` when the connection status changes. Returns an unsubscribe function. */
  onStatus(listener: (status: Status, detail: StatusDetail) => void): () => void {
    return this.#listeners.status.add(listener);
  }

  /** Closes the client permanently. Resolves when its regions are cached. Closing twice is harmless. */
  close(): Promise<void> {
    if (this.#connection === undefined) this.#setStatus("closed", {});
    else this.#connection.close();
    return this.#closing.promise;
  }

  async #begin(): Promise<void> {
    const { cache, random, time, name, generators, urls, socket, onCacheFailure } = this.#options;
    const regions = await RegionCache.open({ cache, random, time, onFailure: onCacheFailure });
    this.#regions = regions;
    if (this.#ending !== undefined) {
      this.#closing.resolve(regions.close());
      return;
    }
    const tokens = new TokenSource(this.#options.token);
    const syncClient = new SyncClient({
      time,
      generators,
      clientId: regions.identity.clientId,
      firstEditId: regions.identity.firstEditId,
      name,
      token: () => tokens.token,
      events: this.#listeners.eventsWith({
        onChange: (boxes) => this.#listeners.change.emit(boxes, this.#isEditing),
        onWelcome: (welcome) => this.#welcomed(welcome),
        onGoodbye: (goodbye) => this.#connection?.receivedGoodbye(goodbye),
        onFault: (fault) => this.#connection?.receivedFault(fault),
        onComplete: () => this.#interest.completed(),
        onEditResult: (result) => this.#edits.settle(result),
        onOperationAnswer: (answer) => this.#operations.settle(answer),
        onOperationProgress: (requestId, progress) => this.#operations.progress(requestId, progress),
        onOperationTerms: (limits) => {
          this.#operationLimits = limits;
        },
        onBlocks: (blocks) => {
          regions.blocksChanged();
          this.#listeners.blocks.emit(blocks);
        },
        onClock: (timeMs) => this.#motion.clock(timeMs, time.nowMs()),
        onPlaced: (placed, moveMs) => {
          const { position, orientation } = placed;
          this.#placed = { position, orientation };
          this.#pose = this.#placed;
          this.#listeners.placed.emit(placed, moveMs);
        },
        onRegion: (region, state) => {
          regions.changed(region);
          if (state === "held") this.#interest.held(region);
        },
      }),
    });
    if (regions.kept !== undefined) syncClient.restore(regions.kept);
    regions.follow(syncClient);
    this.#interest.follow(syncClient);
    this.#syncClient = syncClient;
    const onStatus = (status: Status, detail: StatusDetail): void => this.#setStatus(status, detail);
    const connection = { urls, openSocket: socket, time, random, tokens, onStatus };
    this.#connection = new ServerConnection(syncClient, connection);
    this.#connection.start();
  }

  #welcomed(welcome: Welcome): void {
    this.#placed = undefined;
    this.#operationLimits = undefined;
    if (this.#syncClient?.knowsOperations === false) this.#operations.fail(OLD_SERVER);
    this.#motion.welcomed(welcome.tickMs);
    const fault = this.#interest.welcomed(welcome.shape);
    // The interest was set before the shape was known; only the program can fix that.
    if (fault !== undefined) this.#connection?.close(fault);
    if (this.#ending !== undefined) return;
    // This connection does not know the pose that was set before it.
    if (this.#pose !== undefined) this.#syncClient?.move(this.#pose);
    this.#regions?.welcomed(welcome);
    this.#deadline?.cancel();
    this.#readiness.resolve();
    this.#connection?.welcomed();
    this.#pumpEdits();
  }

  #giveUp(timeoutMs: number): void {
    const connection = this.#connection;
    if (connection !== undefined) {
      connection.close(connection.timeoutError(timeoutMs));
      return;
    }
    const detail = `the cache has not opened within ${timeoutMs} ms: connect without it`;
    this.#setStatus("closed", { error: new OrthantError("ORT_TIMEOUT", detail) });
  }

  #edit(edit: RequestedEdit): Promise<EditResult> {
    if (this.#ending !== undefined) return Promise.reject(this.#ending);
    const answer = this.#edits.add(edit);
    this.#pumpEdits();
    void this.#connection?.sendSoon();
    return answer;
  }

  #pumpEdits(): void {
    const syncClient = this.#syncClient;
    // Before the first welcome the shape that an edit must fit is unknown.
    if (syncClient?.world === undefined) return;
    this.#edits.pump((edit) => {
      this.#isEditing = true;
      try {
        return syncClient.edit(edit);
      } finally {
        this.#isEditing = false;
      }
    });
  }

  #setStatus(status: Status, detail: StatusDetail): void {
    if (this.#status === "closed" || this.#status === status) return;
    this.#status = status;
    if (status === "closed")
      this.#end(detail.error ?? new OrthantError("ORT_CLOSED", "the client was closed"));
    this.#listeners.status.emit(status, detail);
  }

  #end(error: OrthantError): void {
    this.#ending = error;
    this.#deadline?.cancel();
    this.#readiness.reject(error);
    this.#edits.fail(error);
    this.#operations.fail(error);
    this.#interest.end(error);
    if (this.#regions !== undefined) this.#closing.resolve(this.#regions.close());
  }

  get #held(): HeldRegions | undefined {
    return this.#syncClient?.replica;
  }

  #world(): NonNullable<SyncClient["world"]> {
    const welcome = this.#syncClient?.world;
    if (welcome === undefined) throw notHeld("wait for ready: the server has not said anything yet");
    return welcome;
  }

  #requireOpen(): void {
    if (this.#ending !== undefined) throw this.#ending;
  }
}
