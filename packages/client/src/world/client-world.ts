import {
  type BlockCatalog,
  type BlockPlacement,
  type Chunk,
  type ChunkBox,
  type ChunkShape,
  type DataCodec,
  type Dimensions,
  type EditEvent,
  type EditResult,
  type Entity,
  type EntityEvent,
  type Light,
  OrthantError,
  type Position,
  type Vector,
  type VoxelBox,
  type VoxelWorld,
} from "@orthant/core";
import {
  isListOf,
  requireBlock,
  requireFunction,
  requireObject,
  wrongArgument,
} from "@orthant/core/arguments";
import { Axes, boxContains, chunkOfVoxel, positionFrom, voxelIndex } from "@orthant/core/lattice";
import type { Operation, Selection } from "@orthant/core/operations";
import {
  ChunksEdit,
  checkedSetOptions,
  decodeData,
  encodeData,
  encodeSetData,
  type GameMessages,
  PLAIN_DATA,
  requireMessage,
  type SetOptions,
  validated,
  voxelPlacements,
} from "@orthant/core/world";
import type { Pose, Role, SeenEntity } from "@orthant/protocol";
import type { SendResult } from "@orthant/protocol/client";
import type { Status, StatusDetail } from "../connection/server-connection.ts";
import type { ClientPose } from "../motion/client-pose.ts";
import {
  type PlayerLink,
  type PlayerState,
  PredictedPlayer,
  type PredictionOptions,
} from "../motion/predicted-player.ts";
import {
  ClientOperations,
  type RemoteApplyOptions,
  type RemoteOperation,
} from "../operation/client-operations.ts";
import type { RemoteClipboard } from "../operation/remote-clipboard.ts";
import { type Interest, replicaInterest, requireSendablePoint } from "./client-interest.ts";
import type { WorldReplica } from "./world-replica.ts";

/**
 * A client's copy of the part of a server's world that it is interested in, with the client's own edits on top until
 * the server has answered them. `connect` creates one. It reconnects by itself, and can be read while disconnected.
 */
export class ClientWorld<D extends Dimensions = Dimensions, Sent = unknown, Received = unknown>
  implements VoxelWorld<D>
{
  readonly dimensions: D;
  /** The same world with four axes, for the other packages of Orthant. */
  readonly replica: WorldReplica;
  /** Turns the data of voxels into bytes and back. */
  readonly dataCodec: DataCodec;
  /** The player's operations: what can be undone, and limits. */
  readonly operations: ClientOperations<D>;
  readonly #axes: Axes<D>;
  readonly #messages: GameMessages<Sent, Received>;

  /** @internal */
  constructor(
    replica: WorldReplica,
    dataCodec: DataCodec = PLAIN_DATA,
    messages: GameMessages<Sent, Received> = {},
  ) {
    this.#messages = messages;
    this.replica = replica;
    this.dataCodec = dataCodec;
    this.#axes = new Axes(replica.shape);
    this.dimensions = this.#axes.dimensions;
    this.operations = new ClientOperations(replica, this.#axes);
  }

  get name(): string {
    return this.replica.name;
  }

  get spawn(): Vector<D> {
    return this.#axes.publicPosition(this.replica.spawn);
  }

  get blocks(): BlockCatalog {
    return this.replica.catalog;
  }

  onBlocks(listener: (blocks: BlockCatalog) => void): () => void {
    return this.replica.onBlocks(requireFunction("listener", listener));
  }

  get chunkShape(): ChunkShape {
    return this.replica.shape;
  }

  /** This client's player. */
  get playerId(): bigint {
    return this.replica.playerId;
  }

  /** What this client's player may do. */
  get role(): Role {
    return this.replica.role;
  }

  /** Where the server last put the player: at the last welcome, or since. */
  get pose(): ClientPose<D> {
    const { position, orientation } = this.replica.pose;
    return { position: this.#axes.publicPosition(position), orientation };
  }

  /** Connection status. */
  get status(): Status {
    return this.replica.status;
  }

  /** Calls `listener` when the connection status changes. Returns an unsubscribe function. */
  onStatus(listener: (status: Status, detail: StatusDetail) => void): () => void {
    return this.replica.onStatus(requireFunction("listener", listener));
  }

  /**
   * Sets what to hold from now on; the client drops everything outside of it. Resolves when all of it has arrived,
   * and rejects when the client is closed before, or with `ORT_ARGUMENT`. Not waiting for it is fine: reads wait for what they need.
   */
  setInterest(interest: Interest<D>): Promise<void> {
    try {
      this.replica.setInterest(replicaInterest(this.#axes, this.chunkShape, interest));
    } catch (error) {
      return Promise.reject(error);
    }
    return this.whenComplete();
  }

  /** Resolves when the whole interest has arrived. */
  whenComplete(): Promise<void> {
    const complete = this.replica.complete();
    // A caller that does not wait must not end the program when the client is closed.
    complete.catch(() => undefined);
    return complete;
  }

  async get(position: Position<D>): Promise<number> {
    return this.replica.get(this.#axes.position("position", position));
  }

  voxelAt(position: Position<D>): number | undefined {
    return this.replica.voxelAt(this.#axes.position("position", position));
  }

  async data(position: Position<D>): Promise<unknown> {
    const voxel = this.#axes.position("position", position);
    const chunk = await this.replica.chunk(chunkOfVoxel(this.chunkShape, voxel));
    return decodeData(this.dataCodec, chunk.dataAt(voxelIndex(this.chunkShape, ...voxel)));
  }

  dataAt(position: Position<D>): unknown {
    const voxel = this.#axes.position("position", position);
    const chunk = this.replica.chunkAt(chunkOfVoxel(this.chunkShape, voxel));
    return decodeData(this.dataCodec, chunk?.dataAt(voxelIndex(this.chunkShape, ...voxel)));
  }

  async chunk(chunkPosition: Position<D>): Promise<Chunk> {
    return this.replica.chunk(this.#axes.position("chunkPosition", chunkPosition));
  }

  chunkAt(chunkPosition: Position<D>): Chunk | undefined {
    return this.replica.chunkAt(this.#axes.position("chunkPosition", chunkPosition));
  }

  async light(position: Position<D>): Promise<Light> {
    return this.replica.light(this.#axes.position("position", position));
  }

  lightAt(position: Position<D>): Light | undefined {
    return this.replica.lightAt(this.#axes.position("position", position));
  }

  async chunkLight(chunkPosition: Position<D>): Promise<Uint8Array> {
    return this.replica.chunkLight(this.#axes.position("chunkPosition", chunkPosition));
  }

  chunkLightAt(chunkPosition: Position<D>): Uint8Array | undefined {
    return this.replica.chunkLightAt(this.#axes.position("chunkPosition", chunkPosition));
  }

  async set(position: Position<D>, block: number, options: SetOptions = {}): Promise<EditResult> {
    const voxel = this.#axes.position("position", position);
    const data = encodeData(this.dataCodec, "options.data", checkedSetOptions(options).data);
    return this.replica.setVoxels([{ voxel, block: requireBlock("block", block), data }]);
  }

  async setData(position: Position<D>, data: unknown): Promise<EditResult> {
    const voxel = this.#axes.position("position", position);
    return this.replica.setVoxels([{ voxel, data: encodeSetData(this.dataCodec, data) }]);
  }

  /**
   * Sets voxels in one step. The result shows at once, and is undone if the server rejects the edit. Resolves with
   * the result, even a rejection, however often the connection is lost meanwhile. Rejects with `ORT_CLOSED` if the
   * client is closed first; it is then unknown whether the edit was applied.
   */
  async edit(placements: readonly BlockPlacement<D>[]): Promise<EditResult> {
    return this.replica.setVoxels(voxelPlacements(this.#axes, placements, this.dataCodec));
  }

  /** Sets every voxel of a box in one step, with one message. Shows at once, and resolves like `edit`. */
  async fill(box: VoxelBox<D>, block: number): Promise<EditResult> {
    return this.replica.fill(this.#axes.voxels("box", box), requireBlock("block", block));
  }

  /**
   * Copies the voxels of a box, as the server has them, so that its lowest corner comes to lie at `to`. Both boxes may
   * overlap. Shows when the server has made it, and resolves like `edit`.
   */
  async copy(box: VoxelBox<D>, to: Position<D>): Promise<EditResult> {
    return this.replica.copy(this.#axes.voxels("box", box), this.#axes.position("to", to));
  }

  /**
   * Changes many voxels at once, on the server: all players see all of it or nothing. Shows when the server has done it. Resolves
   * when this client has it, however often the connection is lost meanwhile. Throws `ORT_REFUSED` if the player may not,
   * `ORT_LIMIT` for what exceeds a limit, and `ORT_CONFIRM` for a large one without `confirm`.
   *
   * @example
   * const { count, undo } = await client.apply("replace stone 80%stone,20%gravel", { in: box([0, 60, 0], [32, 72, 32]) });
   * await undo();
   */
  async apply(
    operation: Operation<D> | string,
    options: RemoteApplyOptions<D> = {},
  ): Promise<RemoteOperation<D>> {
    return this.operations.apply(operation, options);
  }

  /** Has the server copy the voxels of a selection with their data, to be pasted. */
  async clipboard(selection: Selection<D>): Promise<RemoteClipboard<D>> {
    return this.operations.copy(selection);
  }

  /**
   * Calls `listener` when voxels that the client holds change: by its own edit, by another player, or back because
   * the server rejected an edit. Returns an unsubscribe function.
   */
  onEdit(listener: (edit: EditEvent<D>) => void): () => void {
    requireFunction("listener", listener);
    return this.replica.onEdit((chunks, before) => {
      const after = (chunk: Position): Chunk => this.replica.chunkAt(chunk) ?? before(chunk);
      const difference = { before, after, author: undefined, codec: this.dataCodec };
      listener(new ChunksEdit(this.#axes, this.chunkShape, chunks, difference));
    });
  }

  /**
   * Calls `listener` with the chunks that look different, because they changed, arrived or were dropped: what has to be
   * drawn again. Returns an unsubscribe function.
   */
  onChunks(listener: (chunks: readonly ChunkBox<D>[]) => void): () => void {
    requireFunction("listener", listener);
    return this.replica.onChange((boxes) => listener(boxes.map((box) => this.#axes.publicChunks(box))));
  }

  /** The other players and the entities that the client sees. */
  get entities(): readonly Entity<D>[] {
    return this.replica.entities.map((entity) => this.#publicEntity(entity));
  }

  /**
   * The same entities where they are to be drawn at a moment, now by default: moving evenly between the poses that the
   * server has sent, about a tenth of a second behind the newest. `nowMs` is a time of the option `time`.
   *
   * @example
   * for (const { id, position } of client.entitiesAt()) figures.get(id)?.position.set(...position);
   */
  entitiesAt(nowMs?: number): readonly Entity<D>[] {
    if (nowMs !== undefined && !Number.isFinite(nowMs))
      throw wrongArgument("nowMs", nowMs, "it is a time in milliseconds");
    return this.replica.entitiesAt(nowMs).map((entity) => this.#publicEntity(entity));
  }

  async entitiesIn(box: VoxelBox<D>): Promise<readonly Entity<D>[]> {
    const voxels = this.#axes.voxels("box", box);
    return this.replica.entities
      .filter(({ position }) =>
        boxContains(
          voxels,
          positionFrom((axis) => Math.floor(position[axis])),
        ),
      )
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((entity) => this.#publicEntity(entity));
  }

  onEntity(listener: (event: EntityEvent<D>) => void): () => void {
    requireFunction("listener", listener);
    return this.replica.onEntities(({ entered, changed, left }) => {
      for (const { id } of left) listener({ kind: "gone", id });
      for (const entity of [...entered, ...changed])
        listener({ kind: "present", entity: this.#publicEntity(entity) });
    });
  }

  /** Moves the player; only the newest pose counts. */
  move(request: MoveRequest<D>): void {
    this.replica.move(this.#requirePose("the pose", request));
  }

  #requirePose(name: string, request: MoveRequest<D>): Pose {
    requireObject(name, request, "it has a position, such as { position: [0, 64, 0] }");
    const { position, orientation = this.replica.pose.orientation } = request;
    const isOrientation = isListOf(orientation, isOrientationPart) && orientation.length === 4;
    if (!isOrientation)
      throw wrongArgument("orientation", orientation, "it is a list of four numbers from -1 to 1");
    return { position: requireSendablePoint(this.#axes, "position", position), orientation };
  }

  /**
   * Moves the player by inputs: at once here, and on the server as soon as it learns of it. A correction of the server
   * leads to where the inputs since then lead from there. Use it instead of `move`.
   *
   * @example
   * const player = client.predictPlayer({
   *   state: { position: client.pose.position, velocity: [0, 0, 0] },
   *   step: (state, keys: Keys, seconds) => walk(client, state, keys, seconds),
   * });
   * player.move(keys, seconds); // in every frame
   * camera.position.set(...player.position);
   */
  predictPlayer<State extends PlayerState<D>, Input>(
    options: PredictionOptions<D, State, Input>,
  ): PredictedPlayer<D, State, Input> {
    const link: PlayerLink<D> = {
      nowMs: () => this.replica.nowMs(),
      requirePose: (name, state) => {
        const { position, orientation } = this.#requirePose(name, state);
        return { position: this.#axes.publicPosition(position), orientation };
      },
      move: (pose) => this.move(pose),
      onPlaced: (listener) =>
        this.replica.onPlaced(({ position, orientation }, moveMs) =>
          listener({ position: this.#axes.publicPosition(position), orientation }, moveMs),
        ),
    };
    return new PredictedPlayer(link, options);
  }

  /**
   * Sends a message to the game: any value that JSON can hold, or a `Uint8Array`. It is dropped when there are too many
   * (`rate`), or while the client is not joined (`offline`). Throws `ORT_ARGUMENT` for what `messages.fromClient` refuses.
   *
   * @example
   * client.send({ type: "chat", text: "Hello" });
   */
  send(message: Sent): SendResult {
    requireMessage(this.#messages.fromClient, message);
    return this.replica.send(message);
  }

  /**
   * Calls `listener` with what the server gave to `send` or `broadcast`. The first listener also gets the messages, up to
   * 64, that arrived before it was added. Messages that `messages.fromServer` refuses do not reach it: each is an unhandled
   * rejection, with what is wrong. Returns an unsubscribe function.
   */
  onMessage(listener: (message: Received) => void): () => void {
    requireFunction("listener", listener);
    const { fromServer } = this.#messages;
    if (fromServer === undefined) return this.replica.onMessage(listener as (message: unknown) => void);
    return this.replica.onMessage((message) => {
      const checked = validated(fromServer, message);
      if ("value" in checked) return listener(checked.value);
      throw new OrthantError(
        "ORT_MESSAGE",
        `the server sent a message that is not one of the game: ${checked.fault}`,
      );
    });
  }

  /**
   * Calls `listener` when the server moves the player, for a reason that may be empty: continue from this pose. Returns
   * an unsubscribe function.
   */
  onMoved(listener: (moved: ClientPose<D> & { readonly reason: string }) => void): () => void {
    requireFunction("listener", listener);
    return this.replica.onPlaced(({ position, orientation, reason }) =>
      listener({ position: this.#axes.publicPosition(position), orientation, reason }),
    );
  }

  /** Closes the client permanently. Resolves when its regions are cached. Closing twice is harmless. */
  close(): Promise<void> {
    return this.replica.close();
  }

  #publicEntity(entity: SeenEntity): Entity<D> {
    const { id, isPlayer, kind, position, orientation, velocity, scale, block, name, tags, data } = entity;
    const shown = this.#axes.publicPosition(position);
    return {
      id,
      isPlayer,
      kind,
      position: shown,
      orientation,
      ...(velocity !== undefined && { velocity: this.#axes.publicPosition(velocity) }),
      scale,
      block,
      name,
      tags,
      data,
    };
  }
}

/** A new place of the player. Without an orientation, it keeps the last one. */
type MoveRequest<D extends Dimensions> = Pick<ClientPose<D>, "position"> & Partial<ClientPose<D>>;

/** Whether a value can be a part of a rotation of length 1, which may be a little longer after calculations. */
function isOrientationPart(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) < 1.003;
}
