import type { Box, Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { PositionMap, regionBox } from "@orthant/core/lattice";
import {
  CLOCK_NEVER,
  RegionReplica,
  type RegionTree,
  type VoxelPlacement,
  WorldState,
} from "@orthant/core/tree";
import {
  type ClientMessage,
  clientFrameCodec,
  coverRegions,
  FEATURES,
  KNOWN_FEATURES,
  PROTOCOL_VERSION,
  type ServerMessage,
  serverFrameCodec,
} from "@orthant/protocol/internal";
import type { ServerSession, SyncServer } from "@orthant/protocol/server";
import type { Prng } from "@orthant/testkit";
import type { SampleWorld } from "./sample-world.ts";

/** How bad the network is; 0 loses nothing and keeps the order. */
export interface Weather {
  badness: number;
}

interface Packet {
  readonly due: number;
  readonly bytes: Uint8Array;
}

interface OpenEdit {
  readonly editId: number;
  readonly placements: readonly VoxelPlacement[];
}

/** The state of every region at every clock it ever had. */
export class Chronicle {
  readonly #states = new PositionMap<Map<number, RegionState>>();
  readonly #world: SampleWorld;
  readonly #untouched: WorldState;

  constructor(world: SampleWorld) {
    this.#world = world;
    const { generators, shape } = world;
    this.#untouched = WorldState.open({ generators, shape, generator: world.state.generatorMap });
    world.onEdit((steps) => {
      for (const { region } of steps) this.note(region);
    });
  }

  /** Records the current state of a region, unless it is known. */
  note(region: Position): void {
    const states = this.#states.get(...region) ?? new Map<number, RegionState>();
    this.#states.set(...region, states);
    const clock = this.#world.clockOf(region);
    if (!states.has(clock)) states.set(clock, new RegionState(this.#world.state, region));
  }

  /** Returns true when a region had this state at this clock. */
  confirms(region: Position, clock: number, tree: RegionTree): boolean {
    const known = this.#states.get(...region)?.get(clock);
    if (known !== undefined || clock !== CLOCK_NEVER) return known?.equals(tree) ?? false;
    return new RegionState(this.#untouched, region).equals(tree);
  }
}

/** A region at one moment, as seen with and without the generators. */
class RegionState {
  readonly #state: WorldState;
  readonly #chunks: Box;
  #concrete: RegionTree | undefined;

  constructor(state: WorldState, region: Position) {
    this.#state = state;
    this.#chunks = regionBox(region);
  }

  equals(tree: RegionTree): boolean {
    if (this.#state.queryRegion(this.#chunks, "symbolic").equals(tree)) return true;
    this.#concrete ??= this.#state.queryRegion(this.#chunks, "concrete");
    return this.#concrete.equals(tree);
  }
}

/** A client on a bad network that follows the protocol and checks everything it takes. */
export class LossyClient {
  readonly clientId: bigint;
  readonly faults: string[] = [];
  readonly results = new Map<number, string>();
  replica: RegionReplica;
  boxes: readonly Box[] = [];
  confirmedInterestId = 0;
  isComplete = false;
  readonly #sync: SyncServer;
  readonly #world: SampleWorld;
  readonly #chronicle: Chronicle;
  readonly #prng: Prng;
  readonly #weather: Weather;
  readonly #generators: readonly bigint[];
  readonly #featureBits: bigint;
  #session: ServerSession | undefined;
  #toClient: Packet[] = [];
  #toServer: Packet[] = [];
  #now = 0;
  #isWelcome = false;
  #mayOffer = false;
  #interestId = 0;
  #expected = 1;
  #acknowledged = 0;
  #heartbeatSent = 0;
  #wanted: Position[] = [];
  #isGap = false;
  #nextEditId = 1;
  #openEdits: OpenEdit[] = [];

  constructor(
    clientId: bigint,
    sync: SyncServer,
    world: SampleWorld,
    chronicle: Chronicle,
    prng: Prng,
    weather: Weather,
  ) {
    this.clientId = clientId;
    this.#sync = sync;
    this.#world = world;
    this.#chronicle = chronicle;
    this.#prng = prng;
    this.#weather = weather;
    this.#generators = prng.chance(0.7) ? world.generators.versionHashes : [1n];
    this.#featureBits = prng.chance(0.8) ? KNOWN_FEATURES & ~FEATURES.operations : 0n;
    this.replica = this.#newReplica();
  }

  get openEdits(): number {
    return this.#openEdits.length;
  }

  get madeEdits(): number {
    return this.#nextEditId - 1;
  }

  /** Starts a new connection. */
  connect(): void {
    this.#session?.disconnected();
    this.#toClient = [];
    this.#toServer = [];
    this.#isWelcome = false;
    this.#mayOffer = true;
    this.#interestId = 1;
    this.confirmedInterestId = 0;
    this.isComplete = false;
    this.#expected = 1;
    this.#acknowledged = 0;
    this.#heartbeatSent = 0;
    this.#wanted = [];
    this.#isGap = false;
    this.#session = this.#sync.connect({
      send: (bytes) => this.#post(this.#toClient, bytes),
      close: () => undefined,
    });
  }

  want(boxes: readonly Box[]): void {
    this.boxes = boxes;
    this.isComplete = false;
    if (this.#isWelcome) this.#interestId++;
    this.#mayOffer = false;
  }

  edit(placements: readonly VoxelPlacement[]): void {
    if (this.#openEdits.length < 20) this.#openEdits.push({ editId: this.#nextEditId++, placements });
  }

  /** Runs one tick: due frames arrive, and due messages are sent. */
  tick(now: number): void {
    this.#now = now;
    for (const bytes of this.#arrived("toServer")) this.#session?.receive(bytes);
    for (const bytes of this.#arrived("toClient")) this.#take(bytes);
    this.#speak();
  }

  #speak(): void {
    const messages: ClientMessage[] = [];
    const isTurn = (every: number): boolean => this.#now % every === Number(this.clientId) % every;
    if (!this.#isWelcome) {
      if (isTurn(5)) messages.push(this.#hello());
      this.#send(messages, isTurn(5));
      return;
    }
    if (this.confirmedInterestId < this.#interestId && isTurn(5)) messages.push(this.#interest());
    if (isTurn(4)) for (const edit of this.#openEdits) messages.push({ kind: "voxels", ...edit });
    if ((this.#isGap || this.#wanted.length > 0 || this.#heartbeatSent >= this.#expected) && isTurn(6)) {
      const regions = new PositionMap<number>();
      for (const position of this.#wanted.slice(0, 512)) regions.set(...position, 0);
      const sorted = coverRegions([...regions.positions()]).flatMap((mask) => mask.regions);
      const clocks = [...sorted]
        .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3])
        .map((region) => ({ region, clock: this.replica.clockOf(region) ?? CLOCK_NEVER }));
      messages.push({ kind: "resync", expected: this.#expected, regions: clocks });
      this.#isGap = false;
    }
    this.#send(messages, true);
  }

  #hello(): ClientMessage {
    return {
      kind: "hello",
      version: PROTOCOL_VERSION,
      generators: this.#generators,
      featureBits: this.#featureBits,
      clientId: this.clientId,
      token: new Uint8Array(0),
      name: `c${this.clientId}`,
      kept: { worldId: this.#world.worldId, epoch: this.#world.epoch },
      openEditId: this.#openEdits[0]?.editId ?? this.#nextEditId,
      blocksHash: 0n,
    };
  }

  #interest(): ClientMessage {
    const offered = this.#mayOffer && this.#interestId === 1 ? this.replica.held() : [];
    return {
      kind: "interest",
      interestId: this.#interestId,
      center: [0, 0, 0, 0],
      motion: [0, 0, 0, 0],
      boxes: this.boxes,
      held: offered.filter(({ clock }) => clock !== CLOCK_NEVER),
      heldBlank: coverRegions(
        offered.filter(({ clock }) => clock === CLOCK_NEVER).map(({ region }) => region),
      ),
    };
  }

  #take(bytes: Uint8Array): void {
    const frame = decode(serverFrameCodec(this.#world.shape.volume), bytes);
    this.#acknowledged = Math.max(this.#acknowledged, frame.number);
    for (const message of frame.messages) this.#takeMessage(message);
  }

  #takeMessage(message: ServerMessage): void {
    switch (message.kind) {
      case "welcome":
        this.#isWelcome = true;
        break;
      case "goodbye":
        this.faults.push(`goodbye: ${message.reason}, ${message.detail}`);
        break;
      case "heartbeat":
        this.#heartbeatSent = Math.max(this.#heartbeatSent, message.sent);
        this.confirmedInterestId = Math.max(this.confirmedInterestId, message.interestId);
        this.isComplete = message.complete && message.interestId === this.#interestId;
        break;
      case "reset":
        this.#expected = Math.max(this.#expected, message.streamNumber);
        break;
      case "editResults":
        for (const { editId, status } of message.results) {
          if (status === "rejected") this.faults.push(`edit ${editId} was refused`);
          this.results.set(editId, status);
        }
        this.#openEdits = this.#openEdits.filter(({ editId }) => !this.results.has(editId));
        break;
      case "patch":
      case "blank":
      case "forget":
        this.#takeItem(message);
        break;
      default:
    }
  }

  #takeItem(message: Extract<ServerMessage, { readonly kind: "patch" | "blank" | "forget" }>): void {
    const number = message.kind === "patch" ? message.patch.patchSeq : message.streamNumber;
    if (number > this.#expected) this.#isGap = true;
    if (number !== this.#expected) return;
    this.#expected++;
    if (message.kind === "patch") {
      const regions = message.patch.changes.map(({ region }) => region);
      if (this.replica.apply(message.patch).length > 0) this.#wanted.push(...regions);
      else
        this.#came(
          message.patch.changes.filter(({ next }) => next !== undefined).map(({ region }) => region),
        );
      return;
    }
    const { regions } = message.mask;
    if (message.kind === "blank") this.replica.hold(regions, CLOCK_NEVER, message.content);
    else this.replica.forget(regions);
    this.#came(regions);
  }

  /** Checks changed regions: none may show a state that the world did not have at that clock. */
  #came(regions: readonly Position[]): void {
    for (const region of regions) {
      this.#wanted = this.#wanted.filter((wanted) => wanted.join() !== region.join());
      const clock = this.replica.clockOf(region);
      if (clock === undefined) continue;
      const state = this.replica.tree.slice(regionBox(region));
      if (!this.#chronicle.confirms(region, clock, state))
        this.faults.push(`[${region}] at ${clock} is wrong`);
    }
  }

  #send(messages: readonly ClientMessage[], isNeeded: boolean): void {
    if (!isNeeded) return;
    const frame = { acknowledged: this.#acknowledged, applied: this.#expected - 1, messages };
    this.#post(this.#toServer, encode(clientFrameCodec, frame));
  }

  #post(queue: Packet[], bytes: Uint8Array): void {
    const { badness } = this.#weather;
    if (this.#prng.chance(badness)) return;
    const copies = this.#prng.chance(badness / 2) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const delay = this.#prng.chance(badness) ? this.#prng.below(8) : 1;
      queue.push({ due: this.#now + delay, bytes });
    }
  }

  #arrived(direction: "toClient" | "toServer"): readonly Uint8Array[] {
    const queue = direction === "toClient" ? this.#toClient : this.#toServer;
    const isDue = ({ due }: Packet): boolean => due <= this.#now;
    const due = queue.filter(isDue).sort((a, b) => a.due - b.due);
    const rest = queue.filter((packet) => !isDue(packet));
    if (direction === "toClient") this.#toClient = rest;
    else this.#toServer = rest;
    return due.map(({ bytes }) => bytes);
  }

  #newReplica(): RegionReplica {
    const { state, shape } = this.#world;
    return new RegionReplica(shape.volume, {
      generators: state.generatorMap,
      realize: (_generator, position) => state.generatedChunk(...position),
    });
  }
}
