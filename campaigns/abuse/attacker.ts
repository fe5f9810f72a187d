import type { Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { Goodbye, Hello } from "@orthant/protocol";
import {
  type ClientMessage,
  clientFrameCodec,
  type ServerMessage,
  serverFrameCodec,
} from "@orthant/protocol/internal";
import { WebSocket } from "ws";
import { helloOf } from "./hostile-frames.ts";

/** Timeout for expected actions of a server. */
export const TIMEOUT_MS = 12_000;

/** Port and network of an attack: each attack has its own network, and honest clients have another. */
export interface Target {
  readonly port: number;
  readonly network: number;
}

/** An address of this machine, in one of many networks that only it reaches. */
export function addressIn({ network }: Target, host = 1): string {
  return `127.0.${network}.${host}`;
}

/** A scripted WebSocket client. */
export class Attacker {
  readonly socket: WebSocket;
  readonly messages: ServerMessage[] = [];
  /** Resolves with the server's close code when the socket has closed. */
  readonly closed: Promise<number>;
  #goodbye: Goodbye | undefined;
  #acknowledged = 0;
  #receivedBytes = 0;
  #volume: number | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(target: Target, path = "/") {
    this.socket = new WebSocket(`ws://127.0.0.1:${target.port}${path}`, {
      localAddress: addressIn(target),
      perMessageDeflate: false,
    });
    this.socket.on("error", () => undefined); // it closes then
    this.socket.on("message", (data: Buffer) => this.#receive(data));
    this.closed = new Promise((resolve) => {
      this.socket.once("close", (code) => {
        for (const wake of this.#waiting) wake();
        resolve(code);
      });
    });
  }

  /** Connects, or throws when the server refuses. */
  static async connect(target: Target): Promise<Attacker> {
    const attacker = new Attacker(target);
    await Promise.race([
      new Promise((resolve) => attacker.socket.once("open", resolve)),
      attacker.closed.then(() => {
        throw new Error("the server refused a connection");
      }),
    ]);
    return attacker;
  }

  /** Connects and waits for the welcome. */
  static async join(target: Target, hello: Partial<Hello> = {}): Promise<Attacker> {
    const attacker = await Attacker.connect(target);
    attacker.sendMessages(helloOf(randomId(), hello));
    await attacker.waitFor(({ kind }) => kind === "welcome" || kind === "goodbye");
    return attacker;
  }

  /** The server's goodbye. */
  get goodbye(): Goodbye | undefined {
    return this.#goodbye;
  }

  /** Frames received. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Sends messages in one frame. */
  sendMessages(...messages: readonly ClientMessage[]): void {
    this.send(encode(clientFrameCodec, { acknowledged: this.#acknowledged, applied: 0, messages }));
  }

  /** Sends bytes. */
  send(frame: Uint8Array | string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(frame);
  }

  /** Waits until a matching message has arrived, or the connection has ended. */
  async waitFor(isWanted: (message: ServerMessage) => boolean): Promise<ServerMessage | undefined> {
    while (this.socket.readyState === WebSocket.OPEN) {
      const found = this.messages.find(isWanted);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
    return this.messages.find(isWanted);
  }

  /** Disconnects. */
  end(): void {
    this.socket.terminate();
  }

  #receive(data: Buffer): void {
    this.#acknowledged++;
    this.#receivedBytes += data.length;
    for (const message of decode(serverFrameCodec(this.#volume), new Uint8Array(data)).messages) {
      if (message.kind === "welcome") this.#volume = message.shape.volume;
      if (message.kind === "goodbye") this.#goodbye = message;
      this.messages.push(message);
    }
    for (const wake of this.#waiting) wake();
  }
}

/** Returns a random id. */
export function randomId(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
}

/** A message that sets voxels. */
export type VoxelsMessage = Extract<ClientMessage, { readonly kind: "voxels" }>;

/** An edit of one voxel. */
export function edit(editId: number, voxel: Position, block: number): VoxelsMessage {
  return { kind: "voxels", editId, placements: [placement(voxel, block)] };
}

/** A voxel of an edit. */
export function placement(voxel: Position, block: number): VoxelPlacement {
  return { voxel, block };
}

/** Waits until `count` edit results have arrived, or the connection has ended. */
export async function editResultsOn(attacker: Attacker, count: number): Promise<void> {
  await attacker.waitFor(() => {
    const results = attacker.messages.flatMap((message) =>
      message.kind === "editResults" ? message.results : [],
    );
    return results.length >= count;
  });
}
