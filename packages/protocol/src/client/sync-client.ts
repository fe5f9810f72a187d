import { OrthantError, type Position } from "@orthant/core";
import { requireBytes } from "@orthant/core/arguments";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { Pose, SeenEntity } from "../message/entity.ts";
import { FEATURES, GAME_BYTES_MAX } from "../message/limits.ts";
import type { OperationRequest } from "../message/operation-message.ts";
import { roundPose } from "../message/pose-codec.ts";
import type { RequestedEdit } from "../message/requested-edit.ts";
import type { Wire } from "../message/wire.ts";
import type { CachedReplica, CachedWorld } from "./cached-region.ts";
import { type ClientPhase, ClientSession } from "./client-session.ts";
import { ClientState, type JoinedWorld } from "./client-state.ts";
import { type InterestRegions, interestRegions } from "./interest.ts";
import type { OpenEdit } from "./joint-edits.ts";
import type { HeldRegions } from "./shared-replica.ts";
import {
  EventQueue,
  type InterestArea,
  type SendResult,
  type SyncClientCounts,
  type SyncClientOptions,
} from "./sync-client-options.ts";

/**
 * The client side of a shared world: a state machine that takes frames, time and interests, and emits frames
 * and events. It holds each region completely and at a single clock, whatever the network does to the frames.
 */
export class SyncClient {
  readonly #options: SyncClientOptions;
  readonly #events: EventQueue;
  readonly #state: ClientState;
  #session: ClientSession | undefined;
  #area: InterestRegions | undefined;

  constructor(options: SyncClientOptions) {
    this.#options = options;
    this.#events = new EventQueue(options.events ?? {});
    this.#state = new ClientState(options);
  }

  /** The latest welcome, which describes the world, with the present catalog of blocks. It remains after the connection is lost. */
  get world(): JoinedWorld | undefined {
    return this.#state.welcome;
  }

  /** The regions that are held, with our own edits; `undefined` before the first welcome. It remains, too. */
  get replica(): HeldRegions | undefined {
    return this.#state.replica;
  }

  /** The phase of the current connection; `closed` without one. */
  get phase(): ClientPhase {
    return this.#session?.phase ?? "closed";
  }

  /** True when the whole latest interest is held in its current state. */
  get isComplete(): boolean {
    return this.#session?.isComplete ?? false;
  }

  /** The entities in sight, without our own player. */
  get entities(): readonly SeenEntity[] {
    return this.#session?.entities?.others() ?? [];
  }

  /** Our own player as the server sees it. */
  get ownPlayer(): SeenEntity | undefined {
    return this.#session?.entities?.own();
  }

  /** Our edits without results, in order. */
  get openEdits(): readonly OpenEdit[] {
    return this.#state.edits.all();
  }

  /** Above all ids that this client has used, for the next client with the same `clientId`. */
  get nextEditId(): number {
    return this.#state.edits.nextId;
  }

  /** Counters over all connections. */
  get counts(): SyncClientCounts {
    return { ...this.#state.counts, heldRegions: this.#state.replica?.held().length ?? 0 };
  }

  /** Starts a session on a new connection by sending the hello. */
  connected(wire: Wire): void {
    this.disconnected();
    this.#session = new ClientSession({
      wire,
      options: this.#options,
      state: this.#state,
      events: this.#events,
      area: this.#area,
    });
  }

  /** Handles a frame. No frame makes this throw. */
  receive(frame: Uint8Array): void {
    this.#session?.receive(frame);
    this.#fire();
  }

  /** Handles the loss of the connection. Held regions remain. */
  disconnected(): void {
    this.#session?.end();
    this.#fire();
    this.#session = undefined;
  }

  /** Sends due messages. Call it about 20 times per second. */
  tick(): void {
    this.#session?.tick();
    this.#fire();
  }

  /** Sets the boxes to hold, across connections. Throws `ORT_LIMIT` for more than a server grants. */
  setInterest(interest: InterestArea): void {
    this.#area = interestRegions(interest, this.#state.replica?.shape);
    this.#session?.setInterest(this.#area);
  }

  /** Returns true when a region is part of the interest. */
  wants(region: Position): boolean {
    return this.#area?.regions.has(...region) ?? false;
  }

  /** Edits voxels. See `edit`. */
  setVoxels(placements: readonly VoxelPlacement[]): number {
    return this.edit({ kind: "voxels", placements });
  }

  /**
   * Makes an edit and shows it at once, except for a copy, which shows when the server has made it. Returns the number
   * that the result will carry. Edits are made in the order of the calls. They wait for a connection, and for the
   * limits of the server. Throws an error if no server could accept the edit.
   */
  edit(edit: RequestedEdit): number {
    const open = this.#state.edits.add(edit);
    try {
      this.#state.replica?.predict(open);
    } catch (error) {
      this.#state.edits.withdraw(open);
      throw error;
    }
    this.#fire();
    return open.number;
  }

  /** Whether the server of the latest welcome knows operations. */
  get knowsOperations(): boolean {
    return ((this.world?.featureBits ?? 0n) & FEATURES.operations) !== 0n;
  }

  /**
   * Asks for something about operations, after everything that was asked before, and over as many connections as it takes. Returns
   * the number that the answer will carry. Throws an error for a request that cannot be sent.
   */
  requestOperation(request: OperationRequest): number {
    return this.#state.operations.add(request);
  }

  /** Cancels a request about operations: unless its changes are visible already, nothing is changed. It gets an answer. */
  cancelOperation(requestId: number): void {
    this.#state.operations.cancel(requestId);
  }

  /** Changes the pose. Only the latest pose is sent, and none while there is no connection. */
  move(pose: Pose): void {
    this.#session?.move(roundPose(pose));
  }

  /** Sends a game message, unless there are too many or there is no welcomed connection. */
  sendGame(payload: Uint8Array): SendResult {
    requireBytes("payload", payload);
    if (payload.length > GAME_BYTES_MAX) {
      throw new OrthantError("ORT_LIMIT", `${payload.length} bytes, the limit is ${GAME_BYTES_MAX}`);
    }
    return this.#session?.sendGame(payload) ?? "offline";
  }

  /** The world and epoch of the held regions; `undefined` before the first welcome. */
  get keptWorld(): CachedWorld | undefined {
    return this.#state.world;
  }

  /** Returns everything that is held, for a cache, or `undefined` when there is nothing to keep. */
  keep(): CachedReplica | undefined {
    return this.#state.keep();
  }

  /**
   * Starts with the contents of a cache, before the first connection. They become readable once a server
   * confirms them. Regions that are damaged, or from another epoch or world, are reported as forgotten.
   */
  restore(kept: CachedReplica): void {
    this.#state.restore(kept);
  }

  #fire(): void {
    this.#events.fire(this.#state.takeUpdate(), this.#session?.entities?.takeChange());
  }
}
