import {
  type Box,
  type Chunk,
  OrthantError,
  type Place,
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
 * The client side of a shared world: a machine that is given frames, time and wishes, and gives frames and events.
 * It holds regions of the world, each of them wholly and at one clock, whatever the network does to the frames.
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

  /** The latest welcome: what there is to know of the world. It stays when the connection is lost. */
  get world(): Welcome | undefined {
    return this.#memory.welcome;
  }

  /** Whether the server of the current connection welcomed us. */
  get isWelcome(): boolean {
    return this.#session?.isWelcome ?? false;
  }

  /** Whether all of the latest interest is held, as the server has it now. */
  get isComplete(): boolean {
    return this.#session?.isComplete ?? false;
  }

  /** The beings in sight, without our own player. */
  get beings(): readonly Being[] {
    return this.#session?.beings?.others() ?? [];
  }

  /** Our own player as the server sees it. */
  get ownBeing(): Being | undefined {
    return this.#session?.beings?.own();
  }

  /** Our edits without verdicts, in their order. */
  get openEdits(): readonly OpenEdit[] {
    return this.#memory.edits.all();
  }

  /** How much came and was asked for again, over all connections. */
  get counts(): GuestCounts {
    return { ...this.#memory.counts, heldRegions: this.#memory.replica?.held().length ?? 0 };
  }

  /** There is a connection: says hello on it. */
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

  /** A frame came. Nothing that a server may send makes this throw. */
  receive(frame: Uint8Array): void {
    this.#session?.receive(frame);
    this.#tell();
  }

  /** The connection is gone. What is held stays. */
  disconnected(): void {
    this.#session?.end();
    this.#tell();
    this.#session = undefined;
  }

  /** Sends what is due; to be called about 20 times a second. */
  tick(): void {
    this.#session?.tick();
    this.#tell();
  }

  /** Wants to hold these boxes from now on, across connections. `ORT_LIMIT` for more than a host grants. */
  setInterest(wish: InterestWish): void {
    this.#wished = wishedRegions(wish);
    this.#session?.wish(this.#wished);
  }

  /** Whether a region is part of what the guest wants to hold. */
  wants(region: Place): boolean {
    return this.#wished?.regions.has(...region) ?? false;
  }

  /**
   * Edits voxels, and shows the result at once. Gives the id that the verdict will have. While there is no
   * connection edits wait for the next one; `ORT_LIMIT` when too many are waiting for their verdicts.
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

  /** Is somewhere else now. Only the latest place is sent, and none while there is no connection. */
  move(pose: Pose): void {
    this.#session?.move(roundPose(pose));
  }

  /** Sends a game's own message; false when nobody is there to get it. */
  sendGame(payload: Uint8Array): boolean {
    if (payload.length > GAME_BYTES_MAX) {
      throw new OrthantError("ORT_LIMIT", `${payload.length} bytes where at most ${GAME_BYTES_MAX} may be`);
    }
    return this.#session?.sendGame(payload) ?? false;
  }

  /** The clock of a region; `undefined` when it is not held. */
  clockOf(region: Place): number | undefined {
    return this.#memory.replica?.clockOf(region);
  }

  /** The material of a voxel, our own edits included; `undefined` when its region is not held. */
  voxelAt(voxel: Place): number | undefined {
    return this.#memory.replica?.voxelAt(voxel);
  }

  /** The voxels of a chunk, our own edits included; `undefined` when its region is not held. */
  chunkAt(chunk: Place): Chunk | undefined {
    return this.#memory.replica?.chunkAt(chunk);
  }

  /** What is in a box of chunks, our own edits included. Regions that are not held look like air. */
  region(chunks: Box): RegionTree {
    return this.#memory.replica?.region(chunks) ?? RegionTree.EMPTY;
  }

  /** Of which world and time the regions that are held are; `undefined` before the first welcome. */
  get keptWorld(): KeptWorld | undefined {
    return this.#memory.world;
  }

  /** Everything that is held, for a cache; `undefined` when there is nothing to keep. */
  keep(): KeptReplica | undefined {
    return this.#memory.keep();
  }

  /** One region for a cache; `undefined` when it is not held. */
  keptRegion(region: Place): KeptRegion | undefined {
    return this.#memory.replica?.keep(region);
  }

  /**
   * Begins with what a cache kept, before the first connection. It can be read as soon as a server has said that it
   * still counts; regions that are damaged, or of another time or world, are told as forgotten.
   */
  restore(kept: KeptReplica): void {
    this.#memory.restore(kept);
  }

  #tell(): void {
    this.#notices.tell(this.#memory.takeNews(), this.#session?.beings?.takeChange());
  }
}
