import { type Box, emptyChunk, type Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { boxBetween, positionsLexicographic, regionBox } from "@orthant/core/lattice";
import { RegionReplica, type VoxelPlacement } from "@orthant/core/tree";
import { DEFAULT_PRECISION, type Hello, type Precision } from "@orthant/protocol";
import {
  type ClientMessage,
  clientFrameCodec,
  FEATURES,
  type InterestMessage,
  KNOWN_FEATURES,
  PROTOCOL_VERSION,
  type ServerFrame,
  type ServerMessage,
  serverFrameCodec,
} from "@orthant/protocol/internal";
import {
  type Account,
  type ServerSession,
  type SyncLimits,
  type SyncRules,
  SyncServer,
  type SyncServerEvents,
  type SyncServerOptions,
} from "@orthant/protocol/server";
import { FakeTime } from "@orthant/testkit";
import { SampleWorld } from "./sample-world.ts";

export const TICK_MS = 100;

/** What a test may override. */
export interface StageOptions {
  readonly world?: SampleWorld;
  readonly limits?: Partial<SyncLimits>;
  readonly rules?: SyncRules;
  readonly events?: SyncServerEvents;
  readonly acknowledge?: SyncServerOptions["acknowledge"];
  readonly readOnly?: boolean;
  readonly authorize?: SyncServerOptions["authorize"];
  readonly checkAccount?: NonNullable<SyncServerOptions["checkAccount"]>;
  readonly pause?: NonNullable<SyncServerOptions["pause"]>;
  readonly precision?: NonNullable<SyncServerOptions["precision"]>;
  readonly entityRates?: NonNullable<SyncServerOptions["entityRates"]>;
}

/** A server with its world and clock, to which clients connect. */
export class Stage {
  readonly world: SampleWorld;
  readonly time = new FakeTime();
  readonly sync: SyncServer;
  readonly precision: Precision;
  #clients: SampleClient[] = [];

  constructor({ world = new SampleWorld(), acknowledge = "applied", ...rest }: StageOptions = {}) {
    this.world = world;
    this.precision = { ...DEFAULT_PRECISION, ...rest.precision };
    this.sync = new SyncServer({
      world,
      time: this.time,
      acknowledge,
      tickMs: TICK_MS,
      authorize: async ({ clientId, name }) => ({ playerId: clientId + 1_000n, role: "builder", name }),
      ...rest,
    });
  }

  /** Returns a connection on which nothing was sent yet. */
  connect(network?: string): SampleClient {
    const client = new SampleClient(this, network);
    this.#clients.push(client);
    return client;
  }

  /** Returns a welcomed client. */
  async join(hello: Partial<Hello> = {}, network?: string): Promise<SampleClient> {
    const client = this.connect(network);
    client.hello(hello);
    await settle();
    await this.tick();
    return client;
  }

  /** Returns a welcomed client that holds these boxes of chunks. */
  async joinAt(boxes: readonly Box[], hello: Partial<Hello> = {}): Promise<SampleClient> {
    const client = await this.join(hello);
    client.want(boxes);
    await this.ticks(3);
    return client;
  }

  /** Advances the time by one tick and delivers the frames. */
  async tick(ms: number = TICK_MS): Promise<void> {
    this.time.advance(ms);
    this.sync.tick();
    await settle();
    for (const client of this.#clients) client.readFrames();
  }

  async ticks(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      await this.tick();
      for (const client of this.#clients) if (client.isAttentive) client.send();
    }
  }
}

/** A client whose frames are made by hand. It applies what it receives to a replica, in order, if it fits. */
export class SampleClient {
  readonly session: ServerSession;
  readonly frames: ServerFrame[] = [];
  readonly messages: ServerMessage[] = [];
  readonly replica: RegionReplica;
  /** Whether it acknowledges what it receives. */
  isAttentive = true;
  /** Whether everything sent to it is lost. */
  isDeaf = false;
  isClosed = false;
  /** Called for each frame when it is sent. */
  onBytes: (() => void) | undefined;
  acknowledged = 0;
  expected = 1;
  #taken = 0;
  #interestId = 0;
  readonly #stage: Stage;
  readonly #bytes: Uint8Array[] = [];

  constructor(stage: Stage, network?: string) {
    this.#stage = stage;
    const { state, shape } = stage.world;
    this.replica = new RegionReplica(shape.volume, {
      generators: state.generatorMap,
      realize: (_generator, position) => state.generatedChunk(...position),
    });
    const wire = {
      send: (frame: Uint8Array) => {
        this.#bytes.push(frame);
        this.onBytes?.();
      },
      close: () => {
        this.isClosed = true;
      },
    };
    this.session = stage.sync.connect(wire, network);
  }

  hello(fields: Partial<Hello> = {}): void {
    this.send({
      kind: "hello",
      version: PROTOCOL_VERSION,
      generators: this.#stage.world.generators.versionHashes,
      // Like a client from before operations; whole-edits.test.ts has those that know them.
      featureBits: KNOWN_FEATURES & ~FEATURES.operations,
      clientId: 1n,
      token: new Uint8Array(0),
      name: "Ada",
      kept: undefined,
      openEditId: 1,
      blocksHash: 0n,
      ...fields,
    });
  }

  send(...messages: ClientMessage[]): void {
    const applied = this.expected - 1;
    this.session.receive(encode(clientFrameCodec, { acknowledged: this.acknowledged, applied, messages }));
  }

  want(boxes: readonly Box[], fields: Partial<InterestMessage> = {}): void {
    this.#interestId++;
    this.send({
      kind: "interest",
      interestId: this.#interestId,
      center: [0, 0, 0, 0],
      motion: [0, 0, 0, 0],
      boxes,
      held: [],
      heldBlank: [],
      ...fields,
    });
  }

  set(editId: number, voxel: Position, block: number): void {
    this.send({ kind: "voxels", editId, placements: [{ voxel, block }] });
  }

  /** Returns the messages received since the last call. */
  take(): readonly ServerMessage[] {
    this.readFrames();
    const taken = this.messages.slice(this.#taken);
    this.#taken = this.messages.length;
    return taken;
  }

  /** Returns the messages of one kind since the last call of `take`, and drops the others. */
  takeAll<Kind extends ServerMessage["kind"]>(
    kind: Kind,
  ): readonly Extract<ServerMessage, { readonly kind: Kind }>[] {
    return this.take().filter(
      (message): message is Extract<ServerMessage, { readonly kind: Kind }> => message.kind === kind,
    );
  }

  readFrames(): void {
    for (const bytes of this.#bytes.splice(0)) {
      if (this.isDeaf) continue;
      const frame = decode(serverFrameCodec(this.#stage.world.shape.volume, this.#stage.precision), bytes);
      this.frames.push(frame);
      this.acknowledged = frame.number;
      for (const message of frame.messages) {
        this.messages.push(message);
        this.#apply(message);
      }
    }
  }

  /** Returns true when the client's copy of a region matches the world. */
  agrees(region: Position): boolean {
    const { world } = this.#stage;
    const { state, shape } = world;
    if (this.replica.clockOf(region) !== world.clockOf(region)) return false;
    return [...positionsLexicographic(regionBox(region))].every((position) => {
      const held = this.replica.tree.at(...position) ?? emptyChunk(shape.volume);
      const chunk = "generatorId" in held ? state.generatedChunk(...position) : held;
      return chunk.equals(state.realizeChunk(...position));
    });
  }

  #apply(message: ServerMessage): void {
    if (message.kind === "reset") this.expected = Math.max(this.expected, message.streamNumber);
    if (message.kind !== "patch" && message.kind !== "blank" && message.kind !== "forget") return;
    const number = message.kind === "patch" ? message.patch.patchSeq : message.streamNumber;
    if (number !== this.expected) return;
    this.expected++;
    if (message.kind === "blank") this.replica.hold(message.mask.regions, 0, message.content);
    else if (message.kind === "forget") this.replica.forget(message.mask.regions);
    else if (this.replica.apply(message.patch).length > 0) throw new Error("a patch that does not fit");
  }
}

/** Returns a tile in a region of `TILE_CHUNKS`, which is 128 tiles wide. */
export function tileIn(region: Position, block: number, step = 0): VoxelPlacement {
  return { voxel: [region[0] * 128 + 5 + step, region[1] * 128 + 70, 0, 0], block };
}

/** Returns the chunks of regions, as a client requests them. */
export function boxesOf(...regions: readonly Position[]): readonly Box[] {
  return regions.map(regionBox);
}

/** Runs everything that is ready to run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
}

/** Returns an `authorize` function for accounts with a role. */
export function accountOf(role: Account["role"]): SyncServerOptions["authorize"] {
  return async ({ clientId, name }) => ({ playerId: clientId + 1_000n, role, name });
}

/** All clients named Ada are one player; every other client is its own player. */
export const oneAccount: SyncServerOptions["authorize"] = async ({ clientId, name }) => ({
  playerId: name === "Ada" ? 7n : clientId,
  role: "builder",
  name,
});

/** Returns a box of `count` regions in a row, far from other rows. */
export function row(count: number, number: number): Box {
  return boxBetween([0, number * 4, 0, 0], [count * 4, number * 4 + 4, 4, 4]);
}
