import { decode, encode } from "@orthant/core/bytes";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import type { Hello, NumberedEditResult } from "@orthant/protocol";
import {
  type ClientMessage,
  clientFrameCodec,
  type EntityChanges,
  type EntityMoves,
  type InterestMessage,
  KNOWN_FEATURES,
  PROTOCOL_VERSION,
  type ServerMessage,
  serverFrameCodec,
} from "@orthant/protocol/internal";
import { type ClientOptions, WebSocket } from "ws";

type MessageOf<Kind extends ServerMessage["kind"]> = Extract<ServerMessage, { kind: Kind }>;

/** A client that sends exactly what a test tells it to, and keeps everything it receives. */
export class PlainClient {
  readonly socket: WebSocket;
  readonly messages: ServerMessage[] = [];
  /** Resolves with the code when the socket has closed. */
  readonly closed: Promise<number>;
  #acknowledged = 0;
  #waiting: (() => void)[] = [];
  #volume: number | undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data: Buffer) => this.#hear(new Uint8Array(data)));
    socket.on("error", () => undefined); // the close event follows, which tests check
    this.closed = new Promise((resolve) =>
      socket.on("close", (code) => {
        resolve(code);
        this.#wake();
      }),
    );
  }

  /** Connects. Throws with the status when the server refuses. */
  static async connect(url: string, options: ClientOptions = {}): Promise<PlainClient> {
    const socket = new WebSocket(url, options);
    const client = new PlainClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("closed before it was open")));
    });
    return client;
  }

  /** Connects and says hello. */
  static async join(
    url: string,
    hello: Partial<Hello> = {},
    options: ClientOptions = {},
  ): Promise<PlainClient> {
    const client = await PlainClient.connect(url, options);
    client.say(helloOf(hello));
    return client;
  }

  /** All received results that were not taken yet. */
  get results(): readonly NumberedEditResult[] {
    return this.messages.flatMap((message) => (message.kind === "editResults" ? message.results : []));
  }

  /** All received entity messages that were not taken yet. */
  get entities(): readonly EntityChanges[] {
    return this.messages.filter((message) => message.kind === "entities");
  }

  /** All moves of entities received. */
  get moves(): readonly EntityMoves[] {
    return this.messages.filter((message) => message.kind === "moves");
  }

  /** Sends messages in one frame. */
  say(...messages: readonly ClientMessage[]): void {
    const frame = { acknowledged: this.#acknowledged, applied: 0, messages };
    this.socket.send(encode(clientFrameCodec, frame));
  }

  /** Returns the first message of a kind that was not taken. Throws if the connection ends without one. */
  async next<Kind extends ServerMessage["kind"]>(kind: Kind): Promise<MessageOf<Kind>> {
    for (;;) {
      const index = this.messages.findIndex((message) => message.kind === kind);
      const [found] = index < 0 ? [] : this.messages.splice(index, 1);
      if (found !== undefined) return found as MessageOf<Kind>;
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error(`closed without ${kind}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #hear(bytes: Uint8Array): void {
    const { number, messages } = decode(serverFrameCodec(this.#volume), bytes);
    this.#acknowledged = number;
    for (const message of messages) {
      if (message.kind === "welcome") this.#volume = message.shape.volume;
      this.messages.push(message);
    }
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** Returns a hello of a client with the same generators as the server. */
export function helloOf(given: Partial<Hello> = {}): Hello {
  return {
    kind: "hello",
    version: PROTOCOL_VERSION,
    generators: DEFAULT_GENERATORS.versionHashes,
    featureBits: KNOWN_FEATURES,
    clientId: 0x1234_5678n,
    token: new Uint8Array(0),
    name: "Ada",
    kept: undefined,
    openEditId: 1,
    blocksHash: 0n,
    ...given,
  };
}

/** Requests the region of chunks at the origin. */
export function requestOrigin(client: PlainClient, interest: Partial<InterestMessage> = {}): void {
  client.say({
    kind: "interest",
    interestId: 1,
    center: [0, 0, 0, 0],
    motion: [0, 0, 0, 0],
    boxes: [boxBetween([0, 0, 0, 0], [4, 4, 4, 1])],
    held: [],
    heldBlank: [],
    ...interest,
  });
}
