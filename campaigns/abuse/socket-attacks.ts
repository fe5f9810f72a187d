import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type Attack, expectEqual, expectSoon, times } from "./attack.ts";
import { Attacker, addressIn, type Target } from "./attacker.ts";

const TRICKLE_MS = 100;
const ENDLESS_BYTES = 2n ** 40n;
const FRAGMENTS = 2_000;
const PINGS = 500;
const CONNECTS_PER_SECOND = 1_000;
const CONNECT_SECONDS = 3;

/** Attacks on sockets, requests and the frames of WebSocket. */
export const SOCKET_ATTACKS: readonly Attack[] = [
  {
    name: "frames that are too large",
    counted: { "refusal frameBytesMax": 8 },
    run: (target) =>
      times(8, async () => {
        const attacker = await Attacker.join(target);
        attacker.send(new Uint8Array(65_537));
        expectEqual("the close code", await expectSoon("closing", attacker.closed), 1009);
      }),
  },
  {
    name: "messages that say they are endless",
    counted: { "refusal frameBytesMax": 8 },
    run: (target) =>
      times(8, async (index) => {
        const raw = await RawSocket.upgrade(target);
        raw.write(frameHead(OPCODES.binary, index % 2 === 0 ? ENDLESS_BYTES : 2n ** 63n));
        await endsWhileFed(raw, new Uint8Array(16_384));
      }),
  },
  {
    name: "messages of endless fragments",
    counted: { "refusal fragmentsMax": 4 },
    run: (target) =>
      times(4, async () => {
        const raw = await RawSocket.upgrade(target);
        raw.frame(OPCODES.binary, Uint8Array.of(0), false);
        for (let part = 0; part < FRAGMENTS; part++) raw.frame(OPCODES.continuation, Uint8Array.of(0), false);
        await expectSoon("closing", raw.closed);
      }),
  },
  {
    name: "messages that come a byte at a time",
    counted: { "limit handshakeMs": 4 },
    waits: true,
    run: (target) =>
      times(4, async () => {
        const raw = await RawSocket.upgrade(target);
        raw.write(frameHead(OPCODES.binary, 60_000));
        await endsWhileFed(raw, Uint8Array.of(0));
      }),
  },
  {
    name: "clients that go silent after the welcome",
    counted: { "goodbye idle": 4 },
    waits: true,
    run: (target) =>
      times(4, async () => {
        const attacker = await Attacker.join(target);
        await expectSoon("closing", attacker.closed);
        expectEqual("the goodbye", attacker.goodbye?.reason, "idle");
      }),
  },
  {
    name: "connections that say nothing",
    counted: { "limit handshakeMs": 20 },
    run: (target) =>
      times(20, async () => {
        const attacker = await Attacker.connect(target);
        await expectSoon("closing", attacker.closed);
        expectEqual("the goodbye", attacker.goodbye?.detail, "handshakeMs is 2000");
      }),
  },
  {
    name: "requests that come a byte at a time",
    counted: { "refusal httpHeaderMs": 20 },
    waits: true,
    run: (target) =>
      times(20, async (index) => {
        const raw = new RawSocket(target);
        raw.write(index % 2 === 0 ? "GET / HTTP/1.1\r\nX-Slow: " : "G");
        const feed = index % 2 === 0 ? Buffer.from("x") : new Uint8Array(0);
        await endsWhileFed(raw, feed);
      }),
  },
  {
    name: "requests that are too long, or none",
    counted: { "refusal httpHeaderBytesMax": 5, "refusal http": 5 },
    run: (target) =>
      times(10, async (index) => {
        const raw = new RawSocket(target);
        const isLong = index % 2 === 0;
        raw.write(
          isLong ? upgradeRequest("/", { "X-Long": "x".repeat(20_000) }) : "\u0000\u0001 not HTTP\r\n\r\n",
        );
        const said = await expectSoon("closing", raw.closed);
        if (!said.startsWith(`HTTP/1.1 ${isLong ? 431 : 400} `))
          throw new Error(`answered ${said.slice(0, 40)}`);
      }),
  },
  {
    name: "requests for what is not there",
    counted: {
      "refusal webSocket": 3,
      "refusal path": 2,
      "refusal origin": 2,
      "refusal method": 1,
      "refusal bearer": 1,
      "refusal host": 2,
    },
    run: async (target) => {
      const requests: readonly (readonly [request: string, status: number])[] = [
        [upgradeRequest("/", { "Sec-WebSocket-Version": "7" }), 400],
        [upgradeRequest("/", { "Sec-WebSocket-Key": "short" }), 400],
        [upgradeRequest("/", { "Sec-WebSocket-Key": "" }), 400],
        [upgradeRequest("/nowhere"), 404],
        [upgradeRequest("/../../etc/passwd"), 404],
        [upgradeRequest("/", { Origin: "https://elsewhere.example" }), 403],
        [upgradeRequest("/", { Origin: "null" }), 403],
        // A page whose owner points its DNS name at the server.
        [upgradeRequest("/", { Host: "evil.example", Origin: "http://evil.example" }), 421],
        ["GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 421],
        ["POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 405],
        ["GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 401],
      ];
      for (const [request, status] of requests) {
        const raw = new RawSocket(target);
        raw.write(request);
        const said = await expectSoon("closing", raw.closed);
        if (!said.startsWith(`HTTP/1.1 ${status} `))
          throw new Error(`${said.slice(0, 40)} instead of ${status}`);
      }
    },
  },
  {
    name: "frames that break the rules of WebSocket",
    counted: { "refusal webSocket": 4 },
    run: async (target) => {
      const breaches: readonly ((raw: RawSocket) => void)[] = [
        (raw) => raw.frame(OPCODES.reserved, Uint8Array.of(1)),
        (raw) => raw.frame(OPCODES.continuation, Uint8Array.of(1)),
        (raw) => raw.write(Uint8Array.of(0x82, 0x01, 0x00)), // without a mask
        (raw) => raw.frame(OPCODES.ping, new Uint8Array(126)),
      ];
      for (const breach of breaches) {
        const raw = await RawSocket.upgrade(target);
        breach(raw);
        await expectSoon("closing", raw.closed);
      }
    },
  },
  {
    name: "floods of pings and pongs",
    counted: { "refusal pingsPerSecond": 6 },
    run: (target) =>
      times(6, async (index) => {
        const raw = await RawSocket.upgrade(target);
        const opcode = index % 2 === 0 ? OPCODES.ping : OPCODES.pong;
        for (let ping = 0; ping < PINGS; ping++) raw.frame(opcode, Uint8Array.of(0));
        await expectSoon("closing", raw.closed);
      }),
  },
  {
    name: "texts",
    counted: { "goodbye malformed": 6 },
    run: (target) =>
      times(6, async (index) => {
        const attacker = index % 2 === 0 ? await Attacker.join(target) : await Attacker.connect(target);
        attacker.send("{}");
        await expectSoon("closing", attacker.closed);
        expectEqual("the goodbye", attacker.goodbye?.reason, "malformed");
      }),
  },
  {
    name: "1,000 connections a second",
    counted: { "refusal httpRequestsPerSecond": 1, "refusal httpSocketsPerAddress": 1 },
    run: async (target) => {
      const open = new Set<RawSocket>();
      for (let slice = 0; slice < CONNECT_SECONDS * 10; slice++) {
        for (let index = 0; index < CONNECTS_PER_SECOND / 10; index++) {
          const raw = new RawSocket(target, 1 + (index % 200));
          raw.write(upgradeRequest());
          open.add(raw);
          raw.closed.then(() => open.delete(raw));
        }
        await delay(100);
      }
      for (const raw of open) raw.end();
    },
  },
  {
    name: "requests without end from one network",
    counted: { "refusal httpRequestsPerSecond": 1 },
    run: async (target) => {
      for (let index = 0; index < 100; index++) {
        const raw = new RawSocket(target);
        raw.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        await expectSoon("an answer", raw.closed);
      }
    },
  },
  {
    name: "as many connections as one network may have, and more",
    counted: { "refusal connectionsPerAddress": 8 },
    run: (target) => crowd(target, [target.network], 40),
  },
  {
    name: "as many connections as all networks may have, and more",
    counted: { "refusal connectionsMax": 1 },
    run: (target) =>
      crowd(
        target,
        Array.from({ length: 6 }, (_, index) => 200 + index),
        32,
      ),
  },
];

/** Opens `count` connections in each network, and closes them. */
async function crowd({ port }: Target, networks: readonly number[], count: number): Promise<void> {
  const attackers = networks.flatMap((network) =>
    Array.from({ length: count }, () => new Attacker({ port, network })),
  );
  const opened = attackers.map(({ socket, closed }) =>
    Promise.race([new Promise((resolve) => socket.once("open", resolve)), closed]),
  );
  await expectSoon("an answer to each", Promise.all(opened));
  for (const attacker of attackers) attacker.end();
}

/** Feeds a socket slowly until the server closes it. */
async function endsWhileFed(raw: RawSocket, food: Uint8Array): Promise<void> {
  const feeding = setInterval(() => raw.write(food), TRICKLE_MS);
  try {
    await expectSoon("closing", raw.closed);
  } finally {
    clearInterval(feeding);
    raw.end();
  }
}

const TEXT = 1;
const BINARY = 2;

/** Kinds of WebSocket frames, and one that does not exist. */
const OPCODES = {
  continuation: 0,
  text: TEXT,
  binary: BINARY,
  reserved: 3,
  ping: 9,
  pong: 10,
} as const;

/** A socket that sends bytes that no library would. */
class RawSocket {
  readonly socket: Socket;
  /** Resolves with everything that the server sent when the server has closed the socket. */
  readonly closed: Promise<string>;
  #said = "";

  constructor(target: Target, host = 1) {
    this.socket = connect({ port: target.port, host: "127.0.0.1", localAddress: addressIn(target, host) });
    this.socket.on("error", () => undefined); // it closes then
    this.socket.on("data", (data: Buffer) => {
      this.#said += data.toString("latin1");
    });
    this.closed = new Promise((resolve) => this.socket.once("close", () => resolve(this.#said)));
  }

  /** Connects and upgrades to a WebSocket. */
  static async upgrade(target: Target): Promise<RawSocket> {
    const raw = new RawSocket(target);
    raw.write(upgradeRequest());
    await once(raw.socket, "data");
    return raw;
  }

  /** The server's output so far. */
  get said(): string {
    return this.#said;
  }

  write(data: Uint8Array | string): void {
    if (!this.socket.destroyed) this.socket.write(data);
  }

  /** Sends one WebSocket frame. */
  frame(opcode: number, payload: Uint8Array, isFinal = true): void {
    this.write(Buffer.concat([frameHead(opcode, payload.length, isFinal), payload]));
  }

  end(): void {
    this.socket.destroy();
  }
}

/** Returns a WebSocket upgrade request; the given headers replace the usual ones. */
function upgradeRequest(path = "/", headers: Readonly<Record<string, string>> = {}): string {
  const all = {
    Host: "127.0.0.1",
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Returns the head of a frame with the given length, whatever follows; its mask is zero. */
function frameHead(opcode: number, length: number | bigint, isFinal = true): Buffer {
  const first = (isFinal ? 0x80 : 0) | opcode;
  if (length < 126) return Buffer.from([first, 0x80 | Number(length), 0, 0, 0, 0]);
  const head = Buffer.alloc(14);
  head[0] = first;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
