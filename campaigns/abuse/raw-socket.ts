import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { addressIn, type Target } from "./prowler.ts";

const TEXT = 1;
const BINARY = 2;

/** Kinds of WebSocket frames, and one that does not exist. */
export const OPCODES = {
  continuation: 0,
  text: TEXT,
  binary: BINARY,
  reserved: 3,
  ping: 9,
  pong: 10,
} as const;

/** A socket that sends bytes that no library would. */
export class RawSocket {
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
export function upgradeRequest(path = "/", headers: Readonly<Record<string, string>> = {}): string {
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
export function frameHead(opcode: number, length: number | bigint, isFinal = true): Buffer {
  const first = (isFinal ? 0x80 : 0) | opcode;
  if (length < 126) return Buffer.from([first, 0x80 | Number(length), 0, 0, 0, 0]);
  const head = Buffer.alloc(14);
  head[0] = first;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
