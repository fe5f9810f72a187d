import { encode } from "@orthant/core";
import { type ClientMessage, clientFrameCodec, type Hello } from "@orthant/protocol";
import { WebSocket } from "ws";
import { helloOf } from "../hostile-frames.ts";
import { addressIn, randomId, type Target } from "../prowler.ts";

/** Frames that a server may have sent without an acknowledgement before this client sends one by itself. */
const ACKNOWLEDGE_EVERY = 4;

/** A connection of an attacker. It reads nothing of what comes, so that one process can drive hundreds of them. */
export class AttackingClient {
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  #frames = 0;
  #acknowledged = 0;
  #isOpen = false;

  private constructor(target: Target) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${target.port}/`, {
      localAddress: addressIn(target),
      perMessageDeflate: false,
    });
    this.#socket.on("error", () => undefined); // the socket closes then
    this.#socket.on("message", () => {
      this.#frames++;
      if (this.#frames >= this.#acknowledged + ACKNOWLEDGE_EVERY) this.send();
    });
    this.closed = new Promise((resolve) => this.#socket.once("close", () => resolve()));
    this.closed.then(() => {
      this.#isOpen = false;
    });
  }

  /** Connects and waits until the first frame came, the welcome or a goodbye; `undefined` when it was refused. */
  static async join(target: Target, hello: Partial<Hello>): Promise<AttackingClient | undefined> {
    const client = new AttackingClient(target);
    const opened = new Promise<void>((resolve) => client.#socket.once("open", () => resolve()));
    await Promise.race([opened, client.closed]);
    if (client.#socket.readyState !== WebSocket.OPEN) return undefined;
    client.#isOpen = true;
    const answered = new Promise<void>((resolve) => client.#socket.once("message", () => resolve()));
    client.send(helloOf(randomId(), hello));
    await Promise.race([answered, client.closed]);
    return client.isOpen ? client : undefined;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Frames that came. */
  get frames(): number {
    return this.#frames;
  }

  /** Sends messages in one frame, with the acknowledgement of all that came. */
  send(...messages: readonly ClientMessage[]): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#acknowledged = this.#frames;
    this.#socket.send(encode(clientFrameCodec, { acknowledged: this.#acknowledged, applied: 0, messages }));
  }

  /** Reads nothing more from the socket. */
  stopReading(): void {
    this.#socket.pause();
  }

  end(): void {
    this.#socket.terminate();
  }
}
