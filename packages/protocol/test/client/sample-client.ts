import {
  type Box,
  type Chunk,
  chunkShape,
  DEFAULT_BLOCKS,
  type OrthantError,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { blockCatalogHash } from "@orthant/core/chunk";
import { DEFAULT_GENERATORS, FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { boxAt } from "@orthant/core/lattice";
import { type ChangeBase, clockFrom, GeneratorMap, type RegionChange } from "@orthant/core/tree";
import {
  DEFAULT_PRECISION,
  type Goodbye,
  type NumberedEditResult,
  type SeenEntity,
  type Welcome,
} from "@orthant/protocol";
import {
  type EntitiesChange,
  SyncClient,
  type SyncClientEvents,
  type SyncClientOptions,
} from "@orthant/protocol/client";
import {
  type ClientFrame,
  type ClientMessage,
  clientFrameCodec,
  KNOWN_FEATURES,
  PROTOCOL_VERSION,
  regionMask,
  type ServerMessage,
  serverFrameCodec,
} from "@orthant/protocol/internal";
import { DEFAULT_SYNC_LIMITS } from "@orthant/protocol/server";
import { FakeTime } from "@orthant/testkit";

/** Chunks of 8 x 8 x 8 voxels. */
export const SHAPE = chunkShape([8, 8, 8, 1]);
/** A floor of two voxels below height 0. */
export const GENERATOR = generatorRef(flatGenerator, FLAT_DEFAULTS, 7n);
export const GRASS = FLAT_DEFAULTS.block;
/** A region of air above the floor, and one that contains the floor. */
export const SKY: Position = [0, 0, 0, 0];
export const GROUND: Position = [0, -1, 0, 0];
/** The epoch of the test servers. */
export const EPOCH = { number: 5, id: 0xabcdn };
/** A clock of that epoch. */
export const tick = (step: number): number => clockFrom(EPOCH.number, step);

export const WELCOME: Welcome = {
  kind: "welcome",
  version: PROTOCOL_VERSION,
  featureBits: KNOWN_FEATURES,
  worldId: 0x1234n,
  epoch: EPOCH,
  worldName: "meadow",
  shape: SHAPE,
  generators: GeneratorMap.of(GENERATOR),
  blocksHash: blockCatalogHash(DEFAULT_BLOCKS),
  catalog: DEFAULT_BLOCKS,
  spawn: [0, 0, 0, 0],
  playerId: 77n,
  role: "builder",
  resumed: false,
  tickMs: 50,
  limits: DEFAULT_SYNC_LIMITS,
  precision: DEFAULT_PRECISION,
  position: [0, 0, 0, 0],
  orientation: [0, 0, 0, 1],
};

/** A client, a manual clock, and the server's end of the connection, controlled by the test. */
export class TestClient {
  readonly time = new FakeTime();
  readonly sync: SyncClient;
  readonly frames: ClientFrame[] = [];
  readonly changes: Box[] = [];
  readonly edits: { readonly chunks: readonly Position[]; readonly before: (chunk: Position) => Chunk }[] =
    [];
  readonly regions: string[] = [];
  readonly results: NumberedEditResult[] = [];
  readonly entities: EntitiesChange[] = [];
  readonly completed: number[] = [];
  readonly games: number[][] = [];
  readonly goodbyes: Goodbye[] = [];
  readonly faults: OrthantError[] = [];
  readonly welcomes: Welcome[] = [];
  isClosed = false;
  /** Whether events about edits are recorded. */
  isWatchingEdits = false;
  /** Volume of the server's chunks. */
  volume = SHAPE.volume;
  #frameNumber = 0;
  readonly #receiveEdit: NonNullable<SyncClientEvents["onEdit"]> = (chunks, before) =>
    this.edits.push({ chunks, before });

  constructor(options: Partial<SyncClientOptions> = {}) {
    const test = this;
    this.sync = new SyncClient({
      time: this.time,
      generators: DEFAULT_GENERATORS,
      clientId: 42n,
      name: "ada",
      token: () => Uint8Array.of(1, 2, 3),
      events: {
        onWelcome: (welcome) => this.welcomes.push(welcome),
        onGoodbye: (goodbye) => this.goodbyes.push(goodbye),
        onFault: (error) => this.faults.push(error),
        onChange: (boxes) => this.changes.push(...boxes),
        // Comparing chunks takes time.
        get onEdit() {
          return test.isWatchingEdits ? test.#receiveEdit : undefined;
        },
        onComplete: (interestId) => this.completed.push(interestId),
        onEditResult: ({ editId = 0, result }) => this.results.push({ editId, ...result }),
        onEntities: (change) => this.entities.push(change),
        onGame: (payload) => this.games.push([...payload]),
        onRegion: (region, state) => this.regions.push(`${state} ${region}`),
      },
      ...options,
    });
  }

  /** Returns a welcomed client that has sent its interest in two regions. */
  static joined(options: Partial<SyncClientOptions> = {}, welcome: Partial<Welcome> = {}): TestClient {
    const client = new TestClient(options);
    client.connect();
    client.receive({ ...WELCOME, ...welcome });
    client.sync.setInterest(INTEREST);
    client.sync.tick();
    client.sent();
    return client;
  }

  connect(): void {
    this.isClosed = false;
    this.#frameNumber = 0;
    this.sync.connected({
      send: (frame) => this.frames.push(decode(clientFrameCodec, frame)),
      close: () => {
        this.isClosed = true;
      },
    });
  }

  /** Delivers the server's next frame. */
  receive(...messages: readonly ServerMessage[]): void {
    this.receiveAs(this.#frameNumber + 1, ...messages);
  }

  /** Delivers a frame with any number. */
  receiveAs(number: number, ...messages: readonly ServerMessage[]): void {
    this.#frameNumber = Math.max(this.#frameNumber, number);
    this.sync.receive(encode(serverFrameCodec(this.volume), { number, messages }));
  }

  /** Advances the time and ticks the client. */
  pass(ms: number): void {
    this.time.advance(ms);
    this.sync.tick();
  }

  /** Returns and removes the messages that the client has sent. */
  sent(): readonly ClientMessage[] {
    return this.frames.splice(0).flatMap(({ messages }) => messages);
  }

  /** Returns the sent messages of one kind, and removes all. */
  sentOf<Kind extends ClientMessage["kind"]>(kind: Kind): readonly Extract<ClientMessage, { kind: Kind }>[] {
    return this.sent().filter(
      (message): message is Extract<ClientMessage, { kind: Kind }> => message.kind === kind,
    );
  }
}

/** An interest in the two regions above. */
export const INTEREST = {
  boxes: [{ min: [0, -4, 0, 0], max: [4, 4, 4, 4] } as Box],
  center: [0, 0, 0, 0],
} as const;

/** Returns a change of one region: some chunks, each of one block. */
export function change(
  region: Position,
  base: ChangeBase,
  next: number | undefined,
  chunks: readonly (readonly [chunk: Position, block: number])[] = [],
  piece = 0,
): RegionChange {
  const leaves = chunks.map(([position, block]) => ({
    box: boxAt(position),
    content: block === 0 ? undefined : uniformChunk(SHAPE.volume, block),
  }));
  return { region, base, next, piece, leaves, edits: [], data: [] };
}

export function patch(patchSeq: number, ...changes: readonly RegionChange[]): ServerMessage {
  return { kind: "patch", patch: { patchSeq, changes } };
}

export function blank(
  streamNumber: number,
  content: "air" | "generated",
  ...regions: readonly Position[]
): ServerMessage {
  return { kind: "blank", streamNumber, content, mask: regionMask(regions) };
}

export function forget(streamNumber: number, ...regions: readonly Position[]): ServerMessage {
  return { kind: "forget", streamNumber, mask: regionMask(regions) };
}

export function reset(streamNumber: number): ServerMessage {
  return { kind: "reset", streamNumber };
}

export function heartbeat(sent: number, interestId = 1, complete = false): ServerMessage {
  return { kind: "heartbeat", interestId, complete, sent };
}

export function entity(
  number: number,
  position: Position = [0, 0, 0, 0],
  rest: Partial<SeenEntity> = {},
): SeenEntity {
  return {
    number,
    isPlayer: false,
    id: BigInt(1_000 + number),
    entityClass: 0,
    kind: 1,
    scale: 1,
    block: 2,
    name: "",
    position,
    orientation: [0, 0, 0, 1],
    tags: [],
    data: new Uint8Array(0),
    ...rest,
  };
}
