import {
  type Box,
  type Chunk,
  OrthantError,
  type Position,
  RegionTree,
  type VoxelPlacement,
} from "@orthant/core";
import type { Being, Pose } from "../message/being.ts";
import { GAME_BYTES_MAX } from "../message/limits.ts";
import { roundPose } from "../message/pose-codec.ts";
import type { Welcome } from "../message/server-message.ts";
import type { Wire } from "../message/wire.ts";
import { GuestMemory } from "./guest-memory.ts";
import type { GuestCounts, GuestOptions, InterestWish } from "./guest-options.ts";
import { GuestSession } from "./guest-session.ts";
import { type WishedRegions, wishedRegions } from "./interest-regions.ts";
import type { KeptRegion, KeptReplica, KeptWorld } from "./kept-replica.ts";
import { Notices } from "./notices.ts";
import type { OpenEdit } from "./open-edits.ts";

/**
 * The client side of a shared world: a state machine that takes frames, time and interests, and emits frames
 * and events. It holds each region completely and at a single clock, whatever the network does to the frames.
 */
export class Guest {
  readonly #options: GuestOptions;
  readonly #notices: Notices;
  readonly #memory: GuestMemory;
  #session: GuestSession | undefined;
  #wished: WishedRegions | undefined;

  constructor(options: GuestOptions) {
    this.#options = options;
    this.#notices = new Notices(options.events ?? {});
    this.#memory = new GuestMemory(options);
  }

  /** The latest welcome, which describes the world. It remains after the connection is lost. */
  get world(): Welcome | undefined {
    return this.#memory.welcome;
  }

  /** True after the server of the current connection welcomed us. */
  get isWelcome(): boolean {
    return this.#session?.isWelcome ?? false;
  }

  /** True when the whole latest interest is held in its current state. */
  get isComplete(): boolean {
    return this.#session?.isComplete ?? false;
  }

  /** The entities in sight, without our own player. */
  get beings(): readonly Being[] {
    return this.#session?.beings?.others() ?? [];
  }

  /** Our own player as the server sees it. */
  get ownBeing(): Being | undefined {
    return this.#session?.beings?.own();
  }

  /** Our edits without verdicts, in order. */
  get openEdits(): readonly OpenEdit[] {
    return this.#memory.edits.all();
  }

  /** Counters over all connections. */
  get counts(): GuestCounts {
    return { ...this.#memory.counts, heldRegions: this.#memory.replica?.held().length ?? 0 };
  }

  /** Starts a session on a new connection by sending the hello. */
  connected(wire: Wire): void {
    this.disconnected();
    this.#session = new GuestSession({
      wire,
      options: this.#options,
      memory: this.#memory,
      notices: this.#notices,
      wished: this.#wished,
    });
  }

  /** Handles a frame. No frame makes this throw. */
  receive(frame: Uint8Array): void {
    this.#session?.receive(frame);
    this.#tell();
  }

  /** Handles the loss of the connection. Held regions remain. */
  disconnected(): void {
    this.#session?.end();
    this.#tell();
    this.#session = undefined;
  }

  /** Sends due messages. Call it about 20 times per second. */
  tick(): void {
    this.#session?.tick();
    this.#tell();
  }

  /** Sets the boxes to hold, across connections. Throws `ORT_LIMIT` for more than a server grants. */
  setInterest(wish: InterestWish): void {
    this.#wished = wishedRegions(wish);
    this.#session?.wish(this.#wished);
  }

  /** Returns true when a region is part of the interest. */
  wants(region: Position): boolean {
    return this.#wished?.regions.has(...region) ?? false;
  }

  /**
   * Edits voxels and shows the result at once. Returns the id that the verdict will carry. Without a
   * connection, edits wait for the next one. Throws `ORT_LIMIT` when too many edits are waiting for verdicts.
   */
  setVoxels(placements: readonly VoxelPlacement[]): number {
    const edit = this.#memory.edits.add(placements);
    try {
      this.#memory.replica?.predict(edit);
    } catch (error) {
      this.#memory.edits.withdraw(edit);
      throw error;
    }
    this.#tell();
    return edit.editId;
  }

  /** Changes the pose. Only the latest pose is sent, and none while there is no connection. */
  move(pose: Pose): void {
    this.#session?.move(roundPose(pose));
  }

  /** Sends a game message. Returns false when there is no welcomed connection. */
  sendGame(payload: Uint8Array): boolean {
    if (payload.length > GAME_BYTES_MAX) {
      throw new OrthantError("ORT_LIMIT", `${payload.length} bytes where at most ${GAME_BYTES_MAX} may be`);
    }
    return this.#session?.sendGame(payload) ?? false;
  }

  /** Returns the clock of a region, or `undefined` when it is not held. */
  clockOf(region: Position): number | undefined {
    return this.#memory.replica?.clockOf(region);
  }

  /** Returns the material of a voxel, our own edits included, or `undefined` when its region is not held. */
  voxelAt(voxel: Position): number | undefined {
    return this.#memory.replica?.voxelAt(voxel);
  }

  /** Returns the voxels of a chunk, our own edits included, or `undefined` when its region is not held. */
  chunkAt(chunk: Position): Chunk | undefined {
    return this.#memory.replica?.chunkAt(chunk);
  }

  /** Returns the contents of a box of chunks, our own edits included. Regions not held look like air. */
  region(chunks: Box): RegionTree {
    return this.#memory.replica?.region(chunks) ?? RegionTree.EMPTY;
  }

  /** The world and era of the held regions; `undefined` before the first welcome. */
  get keptWorld(): KeptWorld | undefined {
    return this.#memory.world;
  }

  /** Returns everything that is held, for a cache, or `undefined` when there is nothing to keep. */
  keep(): KeptReplica | undefined {
    return this.#memory.keep();
  }

  /** Returns one region for a cache, or `undefined` when it is not held. */
  keptRegion(region: Position): KeptRegion | undefined {
    return this.#memory.replica?.keep(region);
  }

  /**
   * Starts with the contents of a cache, before the first connection. They become readable once a server
   * confirms them. Regions that are damaged, or from another era or world, are reported as forgotten.
   */
  restore(kept: KeptReplica): void {
    this.#memory.restore(kept);
  }

  #tell(): void {
    this.#notices.tell(this.#memory.takeNews(), this.#session?.beings?.takeChange());
  }
}
