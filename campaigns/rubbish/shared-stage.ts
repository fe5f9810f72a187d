import {
  boxBrush,
  type ClientWorld as Client,
  EditHistory,
  lineBrush,
  memoryCache,
  sphereBrush,
} from "@orthant/client";
import { connect, connectTiles } from "@orthant/client/node";
import { chunkBox, systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { systemRandomBits } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import {
  anonymousPlayerId,
  createServer,
  isLoopback,
  issueToken,
  type OrthantServer,
  replayWire1InWorld,
  serveOwnerEndpoints,
  syncWorldOf,
  tokenVerifier,
} from "@orthant/server";
import type { Prng } from "@orthant/testkit";
import { createWorld, type World } from "@orthant/world";
import { freeze } from "./damage.ts";
import {
  constructorTargets,
  functionTargets,
  methodTargets,
  type OpenStage,
  type Stage,
  type Target,
} from "./stage.ts";
import * as valid from "./valid-values.ts";

/** The chunks that the client holds, and that are compared. */
const INTEREST = chunkBox([-3, -3, -3], [4, 4, 4]);
freeze(INTEREST);
const SECRET = "0123456789abcdef0123456789abcdef";
const SETTLE_MS = 20_000;
const POLL_MS = 50;
const JOIN_MS = 300;
/** The header of a recording of Wire v1. */
const EMPTY_RECORDING = Uint8Array.from([..."OW1R", "\x01"], (character) => character.charCodeAt(0));
const RECORDED_EVENTS = [
  { kind: "tick", afterMs: 100 },
  { kind: "datagram", afterMs: 5, address: 0, port: 4_000, datagram: Uint8Array.of(1, 2, 3) },
];

/** Calls a server and a client of it over a real socket, then compares what both show. */
export const sharedStage: Stage = {
  name: "shared",
  async open(prng) {
    const world = await createWorld(
      new MemoryDisk(),
      { dimensions: 3, generator: valid.generator(prng) },
      { autosave: false },
    );
    // Calls may close this one with a server: closeWorld is an option.
    const servedToo = await createWorld(new MemoryDisk(), { dimensions: 3 }, { autosave: false });
    const server = await createServer({ world, logger: false, tickMs: 10, rules: { data: "any" } });
    const client = await connect(server.url, { dimensions: 3, interest: { chunks: [INTEREST] } });
    await client.whenComplete();
    return new SharedCalls(world, servedToo, server, client);
  },
};

class SharedCalls implements OpenStage {
  readonly targets: readonly Target[];
  readonly #world: World<3>;
  readonly #servedToo: World<3>;
  readonly #server: OrthantServer;
  readonly #client: Client<3>;

  constructor(world: World<3>, servedToo: World<3>, server: OrthantServer, client: Client<3>) {
    this.#world = world;
    this.#servedToo = servedToo;
    this.#server = server;
    this.#client = client;
    this.targets = [
      ...clientTargets(client),
      ...editingTargets(client),
      ...serverTargets(server),
      ...tokenTargets(),
      ...openingTargets(servedToo, server),
    ];
  }

  /** Waits until client and server show the same, and says where they never do. */
  async finish(): Promise<readonly string[]> {
    const client = this.#client;
    await client.setInterest({ chunks: [INTEREST] });
    const deadlineMs = performance.now() + SETTLE_MS;
    let different = await this.#differences();
    while (different.length > 0 && performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      different = await this.#differences();
    }
    await client.close();
    await this.#server.close();
    await this.#world.close();
    await this.#servedToo.close();
    return different;
  }

  async #differences(): Promise<readonly string[]> {
    const different: string[] = [];
    if (this.#client.status !== "joined") different.push(`the client's status was ${this.#client.status}`);
    if (this.#client.name !== this.#world.name) different.push(`the client's name was ${this.#client.name}`);
    for (let x = -3; x < 4; x++)
      for (let y = -3; y < 4; y++)
        for (let z = -3; z < 4; z++) {
          const [ours, theirs] = [await this.#world.chunk([x, y, z]), this.#client.chunkAt([x, y, z])];
          if (theirs === undefined || !ours.equals(theirs))
            different.push(`chunk ${x},${y},${z} was different`);
        }
    return different;
  }
}

function clientTargets(client: Client<3>): readonly Target[] {
  const position = (prng: Prng) => valid.position(prng, 3);
  const waiting = methodTargets(
    "ClientWorld",
    client,
    {
      setInterest: (prng) =>
        prng.chance(0.5)
          ? [{ chunks: [INTEREST], center: valid.vector(prng, 3), motion: valid.vector(prng, 3) }]
          : [{ center: [0, 0, 0], radius: 40, motion: [0, 0, 0] }],
      whenComplete: () => [],
      get: (prng) => [position(prng)],
      chunk: (prng) => [valid.chunkPosition(prng, 3)],
      set: (prng) => [position(prng), prng.below(7), { data: valid.data(prng) }],
      setData: (prng) => [position(prng), valid.data(prng)],
      fill: (prng) => [valid.voxelBox(prng, 3), prng.below(7)],
      copy: (prng) => [valid.voxelBox(prng, 3), position(prng)],
      edit: (prng) => [
        Array.from({ length: prng.between(1, 4) }, () => ({
          position: position(prng),
          block: prng.below(7),
        })),
      ],
    },
    { mayWait: true },
  );
  const immediate = methodTargets("ClientWorld", client, {
    onStatus: () => [() => undefined],
    voxelAt: (prng) => [position(prng)],
    data: (prng) => [position(prng)],
    dataAt: (prng) => [position(prng)],
    onBlocks: () => [() => undefined],
    chunkAt: (prng) => [valid.chunkPosition(prng, 3)],
    light: (prng) => [position(prng)],
    lightAt: (prng) => [position(prng)],
    chunkLight: (prng) => [valid.chunkPosition(prng, 3)],
    chunkLightAt: (prng) => [valid.chunkPosition(prng, 3)],
    onEdit: () => [() => undefined],
    send: (prng) => [prng.chance(0.5) ? prng.bytes(5) : { type: "chat", text: valid.text(prng) }],
    onMessage: () => [() => undefined],
    onMoved: () => [() => undefined],
    onChunks: () => [() => undefined],
    entitiesIn: (prng) => [valid.voxelBox(prng, 3)],
    entitiesAt: () => [1_000],
    predictPlayer: () => [{ state: { position: [0, 0, 0] }, step: stay }],
    onEntity: () => [() => undefined],
    move: (prng) => [{ position: valid.vector(prng, 3), orientation: [0, 0, 0, 1] }],
  });
  const player = client.predictPlayer({ state: { position: [0, 0, 0] }, step: stay });
  const predicted = methodTargets("PredictedPlayer", player, { move: () => [{}, 0.05], stop: () => [] });
  return [...waiting, ...immediate, ...predicted];
}

function stay<State>(state: State): State {
  return state;
}

function editingTargets(client: Client<3>): readonly Target[] {
  const history = new EditHistory(client);
  return [
    ...methodTargets(
      "EditHistory",
      history,
      {
        edit: (prng) => [[{ position: valid.position(prng, 3), block: prng.below(7) }]],
        undo: () => [],
        redo: () => [],
      },
      { mayWait: true },
    ),
    ...constructorTargets({ EditHistory: [EditHistory, () => [client, { editsMax: 10 }]] }),
    ...functionTargets({
      sphereBrush: [sphereBrush, (prng) => [valid.position(prng, 3), 2, prng.below(7)]],
      boxBrush: [boxBrush, (prng) => [valid.position(prng, 3), 2, prng.below(7)]],
      lineBrush: [
        lineBrush,
        (prng) => [valid.chunkPosition(prng, 3), valid.chunkPosition(prng, 3), prng.below(7)],
      ],
      memoryCache: [memoryCache, () => []],
    }),
  ];
}

function serverTargets(server: OrthantServer): readonly Target[] {
  const revocation = (prng: Prng) =>
    prng.chance(0.5) ? { playerId: 77n, untilMs: 5_000 } : { tokenId: valid.text(prng) };
  return methodTargets("OrthantServer", server, {
    send: (prng) => [
      prng.pick([77n, ...server.players.map(({ playerId }) => playerId)]),
      { type: "chat", text: valid.text(prng) },
    ],
    broadcast: (prng) => [prng.chance(0.5) ? prng.bytes(5) : { type: "chat" }],
    kick: (prng) => [77n, valid.text(prng)],
    movePlayer: (prng) => [
      prng.pick([77n, ...server.players.map(({ playerId }) => playerId)]),
      { position: valid.vector(prng, 3), orientation: [0, 0, 0, 1] },
      "respawn",
    ],
    revoke: (prng) => [revocation(prng)],
    allow: (prng) => [prng.chance(0.5) ? { playerId: 77n } : { tokenId: valid.text(prng) }],
    replaceRevoked: (prng) => [[revocation(prng)]],
    reloadCertificate: () => [],
  });
}

function tokenTargets(): readonly Target[] {
  const claims = (prng: Prng) => ({
    playerId: valid.playerId(prng),
    role: prng.pick(["viewer", "builder", "admin"]),
    name: valid.text(prng),
    tokenId: "first",
    expiresInSeconds: 60,
  });
  const key = { secret: SECRET, audience: "valley" };
  return functionTargets({
    issueToken: [issueToken, (prng) => [claims(prng), { ...key }, 1_000_000]],
    tokenVerifier: [tokenVerifier, () => [{ ...key }, () => 1_000_000]],
    anonymousPlayerId: [anonymousPlayerId, () => [5n]],
    isLoopback: [isLoopback, () => ["127.0.0.1"]],
  });
}

/** Targets that open a socket. */
function openingTargets(world: World<3>, server: OrthantServer): readonly Target[] {
  return functionTargets(
    {
      connect: [
        connect,
        (prng) => [
          server.url,
          {
            name: valid.text(prng),
            token: "",
            dimensions: 3,
            interest: { center: [0, 0, 0], radius: 10 },
            cache: memoryCache(),
            onCacheFailure: () => undefined,
            generators: DEFAULT_GENERATORS,
            time: systemTime,
            random: systemRandomBits,
            timeoutMs: JOIN_MS,
          },
        ],
      ],
      createServer: [createServer, (prng) => [serverOptions(world, prng)]],
      serveOwnerEndpoints: [
        serveOwnerEndpoints,
        () => [
          {
            port: 0,
            host: "127.0.0.1",
            hosts: ["localhost"],
            proxies: 0,
            counts: () => ({}),
            unready: () => undefined,
          },
        ],
      ],
      syncWorldOf: [syncWorldOf, () => [world.engine]],
      replayWire1InWorld: [
        replayWire1InWorld,
        (prng) => [
          world.engine,
          prng.chance(0.5) ? EMPTY_RECORDING : RECORDED_EVENTS,
          { role: "viewer", onCommand: () => undefined },
        ],
      ],
      connectTiles: [
        connectTiles,
        () => [
          { port: 9, host: "127.0.0.1", playerId: 5, onStatus: () => undefined, onChunk: () => undefined },
        ],
      ],
    },
    { dispose: close },
  );
}

function serverOptions(world: World<3>, prng: Prng): object {
  const all = {
    port: 0,
    host: "127.0.0.1",
    hosts: ["play.example.org"],
    acknowledge: prng.pick(["applied", "durable"]),
    tickMs: 50,
    proxies: 0,
    origins: ["https://example.org"],
    auth: { secret: SECRET, audience: "valley", anonymous: "viewer" },
    authorize: () => ({ playerId: 5n, role: "builder" }),
    revoked: [{ playerId: 77n }],
    limits: { connectionsMax: 10 },
    rules: { onJoin: () => undefined },
    messages: { fromClient: (value: unknown) => value },
    metrics: { bearer: "abc", public: false },
    time: systemTime,
    closeWorld: false,
  };
  const some = Object.fromEntries(Object.entries(all).filter(() => prng.chance(0.3)));
  return { world, logger: false, ...some };
}

async function close(answer: unknown): Promise<void> {
  const { close: closing } = (answer ?? {}) as { readonly close?: () => unknown };
  if (typeof closing === "function") await Reflect.apply(closing, answer, []);
}
