import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectReplica } from "@orthant/client/node";
import type { WorldReplica } from "@orthant/client/replica";
import {
  generatorRef,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import {
  BlockCatalog,
  chunkShape,
  createServer,
  GeneratorRegistry,
  issueToken,
  MemoryDisk,
  NodeDisk,
  type OrthantServer,
  uniformChunk,
} from "orthant";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";

const SECRET = "a secret that is long enough to be one";
let disk: MemoryDisk;
let world: WorldEngine;
let server: OrthantServer;
let small: OrthantServer;
/** A folder without a world. */
let empty: string;
/** The disk of a closed world. */
let emptied: MemoryDisk;
const stone = { id: 1, name: "stone", colour: 0x808080, solid: true };

beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), "orthant-mistakes-"));
  disk = new MemoryDisk();
  world = await createWorldEngine(disk, { name: "Isles" });
  server = await createServer({ world, logger: false, auth: { secret: SECRET } });
  emptied = new MemoryDisk();
  await (await createWorldEngine(emptied, {})).close();
  small = await createServer({ world, logger: false, limits: { connectionsMax: 1 } });
});
afterAll(async () => {
  await small.close();
  await server.close();
  await world.close();
  await rm(empty, { recursive: true });
});

/** Rejects with the error that closes a client or makes it wait. */
function endOf(client: WorldReplica): Promise<unknown> {
  return new Promise((_resolve, reject) => {
    client.onStatus((status, { error }) => {
      if (status !== "closed" && status !== "waiting") return;
      reject(error);
      client.close();
    });
  });
}

async function token(expiresInSeconds: number, secret = SECRET, nowMs = Date.now()): Promise<string> {
  return issueToken({ playerId: 7n, role: "builder", expiresInSeconds }, { secret }, nowMs);
}

/** Offset of the version in the first frame: after two numbers, the kind of a hello and its four letters. */
const VERSION_OFFSET = 7;

/** Creates a socket for a program that speaks another version of the protocol. */
function oldSocket(url: string): WebSocket {
  const socket = new WebSocket(url);
  const send = socket.send.bind(socket);
  socket.send = (frame: Uint8Array) => {
    send(Uint8Array.from(frame, (byte, offset) => (offset === VERSION_OFFSET ? 99 : byte)));
  };
  return socket;
}

/** Rejects with the answer to a refused connection request. */
function refusal(url: string, headers: Readonly<Record<string, string>> = {}): Promise<never> {
  return new Promise((_resolve, reject) => {
    const socket = new WebSocket(url, { headers });
    socket.on("error", () => undefined);
    socket.on("unexpected-response", (_request, response) => {
      let text = "";
      response.on("data", (piece) => {
        text += String(piece);
      });
      response.on("end", () => reject(new Error(`${response.statusCode} ${text.trim()}`)));
    });
  });
}

/** Programming mistakes, and the message of the error that each one throws. */
const MISTAKES: readonly [what: string, make: () => unknown, message: string][] = [
  [
    "opens a folder without a world",
    () => openWorldEngine(new NodeDisk(empty)),
    "ORT_NOT_FOUND: there is no world here, or it lost its manifest (manifest.json)",
  ],
  [
    "makes a world over another",
    () => createWorldEngine(emptied, { name: "Again" }),
    "ORT_NOT_EMPTY: nothing may be where a save is made, but there is manifest.json",
  ],
  [
    "opens a world twice",
    () => openWorldEngine(disk),
    "ORT_LOCKED: lock: already locked in this process (world.lock)",
  ],
  [
    "uses a world that is closed",
    async () => {
      const closed = await createWorldEngine(new MemoryDisk(), {});
      await closed.close();
      await closed.set([0, 0, 0, 0], 1);
    },
    "ORT_CLOSED: the world was closed",
  ],
  [
    "changes a world that is only read",
    async () => {
      const read = await openWorldEngine(disk, { readOnly: true });
      await read.set([0, 0, 0, 0], 1).finally(() => read.close());
    },
    "ORT_READ_ONLY: the world was opened to be read only",
  ],
  [
    "sets a block that cannot be",
    () => world.set([0, 0, 0, 0], 70_000),
    "ORT_ARGUMENT: block is 70000 (a number); it is an integer from 0 to 65535",
  ],
  [
    "sets a voxel between voxels",
    () => world.set([0.5, 0, 0, 0], 1),
    "ORT_POSITION_RANGE: voxel coordinate 0.5 is not a whole number",
  ],
  [
    "sets a voxel beyond the world",
    () => world.set([1e15, 0, 0, 0], 1),
    "ORT_POSITION_RANGE: voxel coordinate 1000000000000000 is outside of the world, which goes from -17179869184 to 17179869183",
  ],
  [
    "gives three coordinates",
    () => world.set([1, 2, 3] as never, 1),
    "ORT_ARGUMENT: voxel is [1, 2, 3]; a position is a list of four whole numbers",
  ],
  [
    "fills too much at once",
    () => world.fill({ min: [0, 0, 0, 0], max: [1e4, 1e4, 1e4, 1] }, 1),
    "ORT_LIMIT: 1953125000 chunks of an edit exceed the limit of 65536: fill the box in parts",
  ],
  [
    "fills a box that is upside down",
    () => world.fill({ min: [5, 0, 0, 0], max: [1, 1, 1, 1] }, 1),
    "ORT_ARGUMENT: [5,0,0,0] to [1,1,1,1] is not a box: it takes whole numbers, each minimum below its maximum",
  ],
  [
    "makes chunks of no size",
    () => chunkShape([0, 16, 16, 1]),
    "ORT_ARGUMENT: extents is [0, 16, 16, 1]; it is a list of two to four whole numbers from 1, such as [16, 16, 16]",
  ],
  [
    "puts in a chunk of another shape",
    () => world.setChunks([[[0, 0, 0, 0], uniformChunk(5, 1)]]),
    "ORT_ARGUMENT: a chunk of 5 voxels, where the chunks of this world have 4096",
  ],
  [
    "leaves air out of its blocks",
    () => new BlockCatalog([stone]),
    "ORT_ARGUMENT: types contradict each other or a rule: block 0 is not air",
  ],
  [
    "gives a generator what it does not take",
    () => generatorRef(terrainGenerator, { ...TERRAIN_DEFAULTS, relief: 1e9 }, 1n),
    'ORT_ARGUMENT: parameters of "terrain": relief is 1000000000 (a number); it is a whole number from 0 to 4096',
  ],
  [
    "forgets to register a generator",
    () => {
      const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 1n);
      return createWorldEngine(new MemoryDisk(), { generator }, { generators: new GeneratorRegistry([]) });
    },
    'ORT_GENERATOR_UNKNOWN: there is no generator "platforms" here; there is none',
  ],
  [
    "serves without a way in",
    () => createServer({ world, logger: false, auth: { anonymous: false } }),
    "ORT_ARGUMENT: no player could join with these options: give a secret, a public key or authorize, or allow anonymous players",
  ],
  [
    "serves with a weak secret",
    () => createServer({ world, logger: false, auth: { secret: "123" } }),
    "ORT_ARGUMENT: a secret of 3 bytes could be guessed; it needs 32 random ones",
  ],
  [
    "serves with a limit that there is not",
    () => createServer({ world, logger: false, limits: { players: 3 } as never }),
    "ORT_ARGUMENT: there is no limit players; docs/reference/limits.md lists them",
  ],
  [
    "connects to an invalid address",
    () => endOf(connectReplica("my server")),
    'ORT_ARGUMENT: server is "my server" (a string); it is not a URL; write it as ws://127.0.0.1:7440',
  ],
  [
    "connects to a port where no program listens",
    () => endOf(connectReplica("ws://127.0.0.1:1")),
    "ORT_DISCONNECTED: nothing listens at 127.0.0.1:1: start the server, or correct the port (connect ECONNREFUSED 127.0.0.1:1)",
  ],
  [
    "connects without a token",
    () => endOf(connectReplica(server.url)),
    "ORT_CREDENTIALS: the server does not accept this client: this server needs a token; give connect the option token",
  ],
  [
    "connects with a token of another server",
    async () => endOf(connectReplica(server.url, { token: await token(60, `${SECRET}!`) })),
    "ORT_CREDENTIALS: the server does not accept this client: these credentials are not accepted; connect with a fresh token",
  ],
  [
    "connects with a token that has expired",
    async () => endOf(connectReplica(server.url, { token: await token(1, SECRET, 0) })),
    "ORT_CREDENTIALS: the server does not accept this client: the token has expired; connect with a fresh token",
  ],
  [
    "connects from a page of another site",
    () => refusal(server.url, { origin: "https://elsewhere.example" }),
    "403 pages of this origin may not connect; the origins of the server say which may (origin)",
  ],
  [
    "connects at another path",
    () => refusal(`${server.url}/game`),
    "404 the world is at / and at /world (path)",
  ],
  [
    "connects to a server that is full",
    async () => {
      const first = connectReplica(small.url);
      await first.ready;
      await refusal(small.url).finally(() => first.close());
    },
    "503 the server is full (connectionsMax)",
  ],
  [
    "reads outside its interest",
    async () => {
      const client = connectReplica(small.url);
      await client.ready;
      await client.region(boxBetween([900, 0, 0, 0], [901, 1, 1, 1])).finally(() => client.close());
    },
    "ORT_NOT_HELD: the client does not hold region [225,0,0,0], outside its interest: call setInterest around the place first",
  ],
  [
    "is years older than the server",
    () => endOf(connectReplica(server.url, { socket: oldSocket })),
    "ORT_VERSION: the server speaks another version of the protocol: update this program or the server (this server speaks version 3, not 99)",
  ],
];

describe("error messages for programs", () => {
  test.each(MISTAKES)(
    "a program that %s reads what is wrong and what to do",
    async (_what, make, message) => {
      const error: unknown = await Promise.resolve()
        .then(make)
        .then(
          () => "nothing was thrown",
          (thrown: unknown) => thrown,
        );
      expect(error instanceof Error ? error.message : error).toBe(message);
    },
  );
});
