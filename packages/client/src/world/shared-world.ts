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
  type Place,
  type QueryDetail,
  type RegionTree,
  type VoxelPlacement,
} from "@orthant/core";
import {
  type Being,
  type BeingsChange,
  Guest,
  type GuestCounts,
  type Pose,
  type Role,
  roundPose,
  type Vector,
  type Verdict,
  type Welcome,
} from "@orthant/protocol";
import { ReplicaKeeper } from "../cache/replica-keeper.ts";
import { Link } from "../link/link.ts";
import type { Status, StatusDetail } from "../link/status.ts";
import { TokenSource } from "../link/token-source.ts";
import { concreteRegion } from "./concrete-region.ts";
import type { ResolvedOptions } from "./connect-options.ts";
import { deferred } from "./deferred.ts";
import { EditBook, type EditVerdict } from "./edit-book.ts";
import { Listeners } from "./listeners.ts";
import type { Look } from "./look.ts";
import { notHeld, ReplicaView } from "./replica-view.ts";

/**
 * A world that a server shares, as far as this client looks: a replica that follows it, with the client's own edits on
 * top until the server has decided about them. It connects again by itself, and can be read while it is not connected.
 */
export class SharedWorld {
  /** Resolves at the first welcome; rejects when the client is closed before. */
  readonly ready: Promise<void>;
  readonly #options: ResolvedOptions;
  readonly #readiness = deferred<void>();
  readonly #view: ReplicaView;
  readonly #edits = new EditBook();
  readonly #onChange = new Listeners<[boxes: readonly Box[]]>();
  readonly #onBeings = new Listeners<[change: BeingsChange]>();
  readonly #onMessage = new Listeners<[payload: Uint8Array]>();
  readonly #onStatus = new Listeners<[status: Status, detail: StatusDetail]>();
  readonly #closing = deferred<void>();
  #pose: Pose | undefined;
  #guest: Guest | undefined;
  #link: Link | undefined;
  #keeper: ReplicaKeeper | undefined;
  #status: Status = "connecting";
  /** Why nothing more will come. */
  #ending: OrthantError | undefined;

  /** Begins to connect; others use `connect`. */
  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#view = new ReplicaView(options.look);
    this.ready = this.#readiness.promise;
    this.#begin();
  }

  /** How the client stands with its server. */
  get status(): Status {
    return this.#status;
  }

  /** The chunk shape. This and what follows is known when the client is `ready`; before, asking throws `ORT_NOT_HELD`. */
  get shape(): ChunkShape {
    return this.#known().shape;
  }

  /** What materials there are. */
  get catalog(): MaterialCatalog {
    return this.#known().catalog;
  }

  /** The world's name. */
  get name(): string {
    return this.#known().worldName;
  }

  /** Where players begin, in voxels. */
  get spawn(): Vector {
    return this.#known().spawn;
  }

  /** Who this client is to the others. */
  get playerId(): bigint {
    return this.#known().playerId;
  }

  /** What this client may do. */
  get role(): Role {
    return this.#known().role;
  }

  /** Where the server has put the player at the last welcome. */
  get pose(): Pose {
    const { position, orientation } = this.#known();
    return { position, orientation };
  }

  /** The material of a voxel, when its region is held; waits for it inside of what the client looks at. */
  async get(place: Place): Promise<number> {
    await this.ready;
    const chunk = await this.chunk(chunkOfVoxel(this.shape, place));
    return chunk.get(cellOfVoxel(this.shape, ...place));
  }

  /** The voxels of a chunk; waits for them as `get` does. */
  async chunk(place: Place): Promise<Chunk> {
    for (;;) {
      await this.ready;
      await this.#view.holding(boxAt(place));
      const chunk = this.chunkAt(place);
      if (chunk !== undefined) return chunk;
    }
  }

  /** All that is in a box of chunks; waits for it as `get` does. `detail` means what it means for a `World`. */
  async region(box: Box, detail: QueryDetail = "concrete"): Promise<RegionTree> {
    await this.ready;
    const guest = await this.#view.holding(box);
    const tree = guest.region(box);
    return detail === "symbolic" ? tree : concreteRegion(tree, this.#options.generators, this.shape);
  }

  /** The material of a voxel at this moment; `undefined` when it is not held. */
  voxelAt(place: Place): number | undefined {
    return this.#guest?.voxelAt(place);
  }

  /** The voxels of a chunk at this moment; `undefined` when they are not held. */
  chunkAt(place: Place): Chunk | undefined {
    return this.#guest?.chunkAt(place);
  }

  /** The clock of a region at this moment: it rises with each change; `undefined` when the region is not held. */
  clockOf(region: Place): number | undefined {
    return this.#guest?.clockOf(region);
  }

  /** What came and was asked for again since the client was made. */
  get counts(): GuestCounts {
    return this.#guest?.counts ?? { patches: 0, resyncs: 0, heldRegions: 0 };
  }

  /** Says what to hold from now on. What lies outside is forgotten. */
  look(look: Look): void {
    this.#requireOpen();
    this.#view.look(look);
  }

  /** Resolves when all that the client looks at is here. */
  complete(): Promise<void> {
    return this.#view.complete();
  }

  /** Puts a material into one voxel. See `setVoxels`. */
  setVoxel(place: Place, material: number): Promise<EditVerdict> {
    return this.setVoxels([{ voxel: place, material }]);
  }

  /**
   * Puts materials into voxels, all in one step. It shows at once, and is taken back if the server refuses. Resolves
   * with the server's verdict, also when that is a refusal, however often the connection is lost meanwhile; rejects
   * with `ORT_CLOSED` when the client is closed first, and then nobody knows whether the edit was made.
   */
  setVoxels(placements: readonly VoxelPlacement[]): Promise<EditVerdict> {
    if (this.#ending !== undefined) return Promise.reject(this.#ending);
    const answer = this.#edits.add(placements);
    this.#pumpEdits();
    return answer;
  }

  /** Says where the player is; `ORT_ARGUMENT` for what is no pose. The newest pose counts. */
  move(pose: Pose): void {
    this.#requireOpen();
    this.#pose = roundPose(pose);
    this.#guest?.move(this.#pose);
  }

  /** Those whom the client sees: other players, and entities. */
  get beings(): readonly Being[] {
    return this.#guest?.beings ?? [];
  }

  /** Sends a game's own message. False when the client is not joined: then it is not sent, now or later. */
  send(payload: Uint8Array): boolean {
    this.#requireOpen();
    return this.#guest?.sendGame(payload) ?? false;
  }

  /** Calls back with the boxes of chunks that look different now, until the function returned is called. */
  onChange(listener: (boxes: readonly Box[]) => void): () => void {
    return this.#onChange.add(listener);
  }

  /** Calls back when beings came, moved or otherwise changed, and went. */
  onBeings(listener: (change: BeingsChange) => void): () => void {
    return this.#onBeings.add(listener);
  }

  /** Calls back with each of the game's own messages. */
  onMessage(listener: (payload: Uint8Array) => void): () => void {
    return this.#onMessage.add(listener);
  }

  /** Calls back when the client stands otherwise with its server. */
  onStatus(listener: (status: Status, detail: StatusDetail) => void): () => void {
    return this.#onStatus.add(listener);
  }

  /** Ends the connection for good; resolves when what was held is in the cache. Closing twice is harmless. */
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
    const guest = new Guest({
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
        onVerdict: (verdict) => this.#decided(verdict),
        onBeings: (change) => this.#onBeings.tell(change),
        onGame: (payload) => this.#onMessage.tell(payload),
        onRegion: (region, state) => {
          keeper.changed(region);
          if (state === "held") this.#view.held(region);
        },
      },
    });
    if (keeper.kept !== undefined) guest.restore(keeper.kept);
    keeper.follow(guest);
    this.#view.follow(guest);
    this.#guest = guest;
    const onStatus = (status: Status, detail: StatusDetail): void => this.#become(status, detail);
    this.#link = new Link(guest, { url, openSocket: socket, clock, random, tokens, onStatus });
    this.#link.start();
  }

  #welcomed(welcome: Welcome): void {
    this.#lookFirst(welcome);
    if (this.#ending !== undefined) return;
    // What was said to an earlier connection, or to none, is not known to this one.
    if (this.#pose !== undefined) this.#guest?.move(this.#pose);
    this.#keeper?.welcomed(welcome);
    this.#readiness.resolve();
    this.#link?.welcomed();
    this.#pumpEdits();
  }

  #lookFirst({ shape }: Welcome): void {
    try {
      this.#view.welcomed(shape);
    } catch (error) {
      // Asked for before the shape was known, and more than any server grants: only the program can mend that.
      if (!isOrthantError(error)) throw error;
      this.#link?.close(error);
    }
  }

  #pumpEdits(): void {
    const guest = this.#guest;
    // Before the first welcome nobody knows the shape that an edit has to fit.
    if (guest?.world === undefined) return;
    this.#edits.pump((placements) => guest.setVoxels(placements));
  }

  #decided(verdict: Verdict): void {
    this.#edits.settle(verdict);
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
    const welcome = this.#guest?.world;
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
